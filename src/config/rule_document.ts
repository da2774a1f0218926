/** The schema of rule files. */
import { z } from 'zod';
import { FAILURE_CLASSES } from '../core/classification.ts';
import { ENVELOPE_FACTS, type EnvelopeFact } from '../core/envelope.ts';
import { TOOL_ALIASES, TOOL_NAMES } from '../core/tool.ts';
import { duration } from '../core/document/duration.ts';

export type { FactKind } from '../core/envelope.ts';

/** What a rule may look at: the facts of the envelope. */
export const RULE_FACTS: readonly EnvelopeFact[] = ENVELOPE_FACTS.filter(({ inRules }) => inRules !== false);

export const FACT_TESTS = ['equals', 'contains', 'regex', 'at_least', 'below'] as const;
export const STEP_KINDS = ['call', 'action', 'plan', 'wait', 'escalate', 'stop'] as const;

const bound = z.union([z.number(), z.string()]).optional();

const derivedName = z.string().regex(/^[a-z][a-z0-9_]{0,63}$/, 'lower case letters, digits and _, at most 64');

const factDocument = z.strictObject({
  fact: z
    .enum(RULE_FACTS.map(({ name }) => name) as [string, ...string[]])
    .optional()
    .describe('What is looked at.'),
  derived: derivedName.optional().describe('In the place of `fact`: what another rule of the same moment has set.'),
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
  examples: z
    .array(z.string().min(1).max(2_000))
    .max(5)
    .optional()
    .describe('Texts that it had when the rule was right: the rule is found by them, they test nothing.'),
});

const stepDocument = z.strictObject({
  call: z
    .enum([...TOOL_NAMES, ...Object.keys(TOOL_ALIASES)] as [string, ...string[]])
    .optional()
    .describe('Ask the guard for this tool.'),
  action: derivedName.optional().describe('The calls of a composite (config/actions), in its order.'),
  plan: z.literal(true).optional().describe('Ask the planner here; without one the rule goes on with its next step.'),
  wait: z
    .strictObject({ escalate_after: duration('5s', '24h', 'A person is notified when the trouble lasts this long.') })
    .optional()
    .describe('Do nothing for now.'),
  escalate: z.literal(true).optional().describe('Notify a person now.'),
  stop: z.literal(true).optional().describe('End the run: nothing needs to be done.'),
});

const modelUseDocument = z
  .strictObject({
    prompt_template: z
      .string()
      .min(1)
      .max(16_384)
      .describe('What the model is sent: the text itself, or file:// and a path beside the rules.'),
    tools: z.array(derivedName).max(32).optional().describe('What it may choose among. Default: all that is allowed.'),
    constraints: z
      .strictObject({
        max_tool_calls: z.int().min(1).max(64).optional().describe('In the daemon at most 3. Default 15.'),
        max_tokens: z.int().min(16).max(200_000).optional().describe('Tokens of all answers. Default 8192.'),
      })
      .optional(),
    use_secondary: z.boolean().optional().describe('Ask the second, more capable model.'),
  })
  .describe('A model chooses. Nothing of it is kept as a rule.');

const identifier = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/, 'letters, digits, _, . and -, at most 64');

export const oneRuleDocument = z.strictObject({
  id: z.string().regex(/^[a-z][a-z0-9_]{0,63}$/, 'lower case letters, digits and _, at most 64'),
  name: identifier.optional().describe('A second name that people may use.'),
  description: z.string().min(1).max(400).describe('Why this is the right answer, for people.'),
  classification: z.enum(FAILURE_CLASSES).describe('The trouble that this rule answers.'),
  priority: z.int().min(0).max(1_000).optional().describe('Higher is asked first. Default 100.'),
  tags: z.array(identifier).max(16).optional().describe('Words to choose rules by.'),
  collection: identifier
    .optional()
    .describe('Rules of one collection are looked for among themselves. Default: default.'),
  examples: z
    .array(z.string().min(1).max(2_000))
    .max(5)
    .optional()
    .describe('Texts of situations in which it was right: similar ones rank it higher.'),
  explorable: z.boolean().optional().describe('When it did not cure, the closed incident may be explored.'),
  when: z.array(factDocument).max(16).optional().describe('All of these hold. None: always, for its classification.'),
  // biome-ignore lint/suspicious/noThenProperty: the word that rule files use
  then: z
    .array(stepDocument)
    .min(1)
    .max(4)
    .optional()
    .describe('One step each time, on fresh evidence: at most three calls.'),
  sets: z
    .array(z.strictObject({ fact: derivedName, value: z.union([z.string().max(400), z.number(), z.boolean()]) }))
    .min(1)
    .max(8)
    .optional()
    .describe('Facts for the other rules of the same moment, which test them as `derived`.'),
  retracts: z.array(derivedName).min(1).max(8).optional().describe('Facts that no longer hold for the other rules.'),
  llm_config: modelUseDocument.optional(),
});

export const ruleListDocument = z.strictObject({
  rules: z.array(oneRuleDocument).min(1).max(200),
});

/** A file under config/actions: a named sequence of calls. */
export const compositeDocument = z
  .strictObject({
    name: derivedName.describe('What rules call it.'),
    description: z.string().min(1).max(400).describe('What it is for.'),
    calls: z
      .array(z.enum([...TOOL_NAMES, ...Object.keys(TOOL_ALIASES)] as [string, ...string[]]))
      .min(1)
      .max(3)
      .describe('In this order, each on fresh evidence.'),
  })
  .meta({ title: 'Reeve composite action', description: 'Several calls under one name.' });

/** A file under config/rules: one rule, or `rules:` with several. */
export const ruleDocument = z
  .union([ruleListDocument, oneRuleDocument])
  .meta({ title: 'Reeve rules', description: 'Known troubles and what to do about them.' });

export type OneRuleDocument = z.output<typeof oneRuleDocument>;
export type FactDocument = z.output<typeof factDocument>;
export type StepDocument = z.output<typeof stepDocument>;
