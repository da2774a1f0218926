import { z } from 'zod';
import { FAILURE_CLASSES } from '../core/classification.ts';
import { ENVELOPE_FACTS, type EnvelopeFact } from '../core/envelope_fields.ts';
import { TOOL_ALIASES, TOOL_NAMES } from '../core/tool.ts';
import { duration } from './duration.ts';

export type { FactKind } from '../core/envelope_fields.ts';

/** What a rule may look at: the facts of the envelope. */
export const RULE_FACTS: readonly EnvelopeFact[] = ENVELOPE_FACTS.filter(({ inRules }) => inRules !== false);

export const FACT_TESTS = ['equals', 'contains', 'regex', 'at_least', 'below'] as const;
export const STEP_KINDS = ['call', 'wait', 'escalate', 'stop'] as const;

const bound = z.union([z.number(), z.string()]).optional();

const factDocument = z.strictObject({
  fact: z.enum(RULE_FACTS.map(({ name }) => name) as [string, ...string[]]).describe('What is looked at.'),
  equals: z
    .union([z.string().max(400), z.number(), z.boolean()])
    .optional()
    .describe('It is exactly this.'),
  contains: z.string().min(1).max(400).optional().describe('It contains this text, in this case.'),
  regex: z
    .string()
    .min(1)
    .max(1_000)
    .optional()
    .describe('It matches this pattern (RE2 syntax: linear time, no look-around, no back-references).'),
  at_least: bound.describe('It is this or more: a number, or a duration where it is a time.'),
  below: bound.describe('It is less than this: a number, or a duration where it is a time.'),
});

const stepDocument = z.strictObject({
  call: z
    .enum([...TOOL_NAMES, ...Object.keys(TOOL_ALIASES)] as [string, ...string[]])
    .optional()
    .describe('Ask the guard for this tool.'),
  wait: z
    .strictObject({ escalate_after: duration('5s', '24h', 'A person is told when the trouble lasts this long.') })
    .optional()
    .describe('Do nothing for now.'),
  escalate: z.literal(true).optional().describe('Tell a person now.'),
  stop: z.literal(true).optional().describe('End the run: nothing needs to be done.'),
});

export const oneRuleDocument = z.strictObject({
  id: z.string().regex(/^[a-z][a-z0-9_]{0,63}$/, 'lower case letters, digits and _, at most 64'),
  description: z.string().min(1).max(400).describe('Why this is the right answer, for people.'),
  classification: z.enum(FAILURE_CLASSES).describe('The trouble that this rule answers.'),
  priority: z.int().min(0).max(1_000).optional().describe('Higher is asked first. Default 100.'),
  when: z.array(factDocument).max(16).optional().describe('All of these hold. None: always, for its classification.'),
  // biome-ignore lint/suspicious/noThenProperty: the word that rule files use
  then: z.array(stepDocument).min(1).max(4).describe('One step each time, on fresh evidence: at most three calls.'),
});

export const ruleListDocument = z.strictObject({
  rules: z.array(oneRuleDocument).min(1).max(200),
});

/** A file under config/rules: one rule, or `rules:` with several. */
export const ruleDocument = z
  .union([ruleListDocument, oneRuleDocument])
  .meta({ title: 'Reeve rules', description: 'Known troubles and what to do about them.' });

export type OneRuleDocument = z.output<typeof oneRuleDocument>;
export type FactDocument = z.output<typeof factDocument>;
export type StepDocument = z.output<typeof stepDocument>;
