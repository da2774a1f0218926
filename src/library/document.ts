/** The form of a rule in the library: facts over a flat context, actions by name. Reads what Theow writes. */
import { z } from 'zod';
import { regexProblem } from '../config/rules.ts';
import { problemAt, validate } from '../config/validate.ts';
import { type ParsedYaml, parseYaml } from '../config/yaml.ts';
import { type Problem, ReeveError } from '../core/errors.ts';

const name = z.string().regex(/^[A-Za-z][A-Za-z0-9_.-]{0,79}$/, 'letters, digits, _, . and -, at most 80');
const factName = z.string().min(1).max(80);
const scalar = z.union([z.string().max(4_000), z.number(), z.boolean()]);

const factDocument = z
  .strictObject({
    fact: factName,
    equals: scalar.optional(),
    contains: z.string().min(1).max(4_000).optional(),
    regex: z.string().min(1).max(2_000).optional(),
    examples: z.array(z.string().min(1).max(4_000)).max(5).optional(),
  })
  .describe('One test: equals, contains or regex. All tests of a rule must hold.');

const actionDocument = z.strictObject({
  action: name,
  params: z
    .record(z.string(), z.unknown())
    .optional()
    .describe('{name} is a capture of a regex, or a key of the context.'),
});

const modelUseDocument = z.strictObject({
  prompt_template: z.string().min(1).max(16_384),
  tools: z.array(name).max(32).optional(),
  constraints: z
    .strictObject({
      max_tool_calls: z.int().min(1).max(64).optional(),
      max_tokens: z.int().min(16).max(200_000).optional(),
    })
    .optional(),
  use_secondary: z.boolean().optional(),
});

/** One rule, strictly. */
export const libraryRuleDocument = z.strictObject({
  name,
  description: z.string().min(1).max(4_000),
  collection: name.optional(),
  tags: z.array(name).max(16).optional(),
  when: z.array(factDocument).min(1).max(16),
  // biome-ignore lint/suspicious/noThenProperty: the word that rule files use
  then: z.array(actionDocument).min(1).max(16).optional(),
  llm_config: modelUseDocument.optional(),
  sets: z
    .record(factName, scalar)
    .optional()
    .describe('Facts for the other rules of the same moment, in at most three rounds.'),
  retracts: z.array(factName).min(1).max(16).optional().describe('Facts that no longer hold for the other rules.'),
});

export type LibraryRuleDocument = z.output<typeof libraryRuleDocument>;
export type LibraryFact = LibraryRuleDocument['when'][number];

export interface ParsedRule {
  readonly document: LibraryRuleDocument | undefined;
  readonly problems: readonly Problem[];
}

/** One rule of a YAML text, or every problem with its place. */
export function parseLibraryRule(file: string, text: string | Uint8Array): ParsedRule {
  const parsed = parseYaml(file, text);
  if (parsed.value === undefined) return { document: undefined, problems: parsed.problems };
  const read = validate(libraryRuleDocument, parsed);
  if (!read.ok) return { document: undefined, problems: read.problems };
  const problems = [...misfits(parsed, read.value)];
  return { document: problems.length === 0 ? read.value : undefined, problems };
}

function* misfits(parsed: ParsedYaml, document: LibraryRuleDocument): Iterable<Problem> {
  for (const [index, fact] of document.when.entries()) {
    const tests = [fact.equals, fact.contains, fact.regex].filter((test) => test !== undefined);
    const message = `expected one of equals, contains or regex, got ${tests.length}`;
    if (tests.length !== 1) yield problemAt(parsed, ['when', index], { message, hint: 'one test to a fact' });
    const why = fact.regex === undefined ? undefined : regexProblem(fact.regex);
    if (why) yield problemAt(parsed, ['when', index, 'regex'], { message: why[0], hint: why[1] });
  }
  if (document.then !== undefined && document.llm_config !== undefined) {
    const hint = 'then: actions; llm_config: a model chooses';
    yield problemAt(parsed, [], { message: 'expected then or llm_config, got both', hint });
  }
  const { sets = {} } = document;
  const isEmpty = Object.keys(sets).length === 0 && document.retracts === undefined;
  if (document.sets !== undefined && isEmpty)
    yield problemAt(parsed, ['sets'], { message: 'expected at least one fact, got none', hint: 'name: value' });
  if (document.then === undefined && document.llm_config === undefined && isEmpty) {
    const hint = 'then: actions; llm_config: a model chooses; sets, retracts: facts for other rules';
    yield problemAt(parsed, [], { message: 'expected then, llm_config, sets or retracts, got none of them', hint });
  }
}

/** Throws CONFIG_INVALID with every problem. */
export function soundRule({ document, problems }: ParsedRule): LibraryRuleDocument {
  if (document !== undefined) return document;
  const lines = problems.map(({ file, line, column, message }) => `${file}:${line}:${column}: ${message}`);
  throw new ReeveError('CONFIG_INVALID', `not a rule:\n${lines.join('\n')}`);
}
