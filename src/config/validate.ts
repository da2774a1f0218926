/** Validates a YAML document against a schema and places every problem. */
import type { z } from 'zod';
import type { Problem } from '../core/errors.ts';
import { descriptionAt, keysAt, valueAt } from './shape.ts';
import { listed, nearest, shown } from './suggestions.ts';
import { bounded, type ParsedYaml, type Path } from './yaml.ts';

export { checked, type Meaning } from '../core/document/checked.ts';

/** What a schema is laid on: the value, where it stands, and how it was written where that differs. */
export type Source = Pick<ParsedYaml, 'file' | 'value' | 'at' | 'spelled'> & {
  /** The text as it stands in the file, where the value was made from it (`${NAME}`): a message shows this. */
  readonly written?: (path: Path) => string | undefined;
};

export type Validated<T> =
  | { readonly ok: true; readonly value: T; readonly problems: readonly [] }
  | { readonly ok: false; readonly value: undefined; readonly problems: readonly Problem[] };

type Issue = z.core.$ZodIssue;
type Explanation = { readonly message: string; readonly hint?: string | undefined; readonly part?: 'key' | 'value' };

const OPTIONS_IN_MESSAGE_MAX = 10;

/** Marks messages that this file writes itself; any other was written in the schema. */
const OURS = '\u0000';

/**
 * Lays a schema on a value (or on what stands at `prefix` in it) and gives every problem at once, each with its place,
 * what was expected, what came, and a hint.
 */
export function validate<S extends z.ZodType>(schema: S, source: Source, prefix: Path = []): Validated<z.output<S>> {
  const result = schema.safeParse(valueAt(source.value, prefix), { reportInput: true, error: () => OURS });
  if (result.success) return { ok: true, value: result.data, problems: [] };
  const problems = result.error.issues
    .flatMap((issue) => plainIssues(issue, []))
    .flatMap(({ issue, path }) => problemsOf(issue, { schema, source, prefix, path }));
  return { ok: false, value: undefined, problems: bounded(inOrder(problems)) };
}

/** By file, then from top to bottom, as a person works through them. */
export const inOrder = (problems: readonly Problem[]): readonly Problem[] =>
  [...problems].sort((a, b) => a.file.localeCompare(b.file) || a.line - b.line || a.column - b.column);

/** One problem with a place, for checks that no schema can say. `part: 'key'` points at the key, not at the value. */
export function problemAt(source: Pick<Source, 'file' | 'at'>, path: Path, explanation: Explanation): Problem {
  const { message, hint, part } = explanation;
  const problem = { file: source.file, ...source.at(path, part), path: path.join('.'), message };
  return hint === undefined ? problem : { ...problem, hint };
}

interface Placed {
  readonly issue: Issue;
  readonly path: Path;
}

/** A failed union becomes the issues of the option that the value most likely meant. */
function plainIssues(issue: Issue, parent: Path): readonly Placed[] {
  const path = [...parent, ...(issue.path as Path)];
  if (issue.code !== 'invalid_union' || issue.errors.length === 0) return [{ issue, path }];
  const ofThisType = issue.errors.filter((issues) => !issues.some(isWrongType));
  const best = ofThisType.sort((a, b) => weight(a) - weight(b))[0];
  return best ? best.flatMap((inner) => plainIssues(inner, path)) : [{ issue, path }];
}

const isWrongType = (issue: Issue): boolean =>
  (issue.code === 'invalid_type' || issue.code === 'invalid_value') && issue.path.length === 0;

/** Fewer and deeper issues fit better; a key that the option does not know fits worst. */
const weight = (issues: readonly Issue[]): number =>
  issues.reduce((sum, issue) => sum + (issue.code === 'unrecognized_keys' ? 3 * issue.keys.length : 1), 0);

interface Place {
  readonly schema: z.ZodType;
  readonly source: Source;
  readonly prefix: Path;
  /** Within the schema. */
  readonly path: Path;
}

function problemsOf(issue: Issue, place: Place): readonly Problem[] {
  const { schema, source, path } = place;
  const here = [...place.prefix, ...path];
  if (issue.code === 'unrecognized_keys') {
    const known = keysAt(schema, path, valueAt(source.value, place.prefix));
    return issue.keys.map((key) => problemAt(source, [...here, key], { ...unknownKey(key, known), part: 'key' }));
  }
  const key = String(here.at(-1) ?? '');
  const written = source.written?.(here);
  const explanation = withoutValue(
    say(issue, (value) => written ?? shown(value, key)),
    written,
    issue.input,
  );
  const part = issue.code === 'invalid_key' ? 'key' : 'value';
  const hint = explanation.hint ?? hintOf(issue, place);
  const asPrinted = { message: explanation.message, hint };
  return [problemAt(source, here, { ...asSpelled(asPrinted, inputOf(issue), source.spelled?.(here)), part })];
}

/** A name that YAML takes for a number, such as 01 or 2.10: whoever puts it in quotes needs it as it is written. */
function asSpelled({ message, hint }: Explanation, input: unknown, spelled: string | undefined): Explanation {
  if (typeof input !== 'number' || spelled === undefined) return { message, hint };
  return {
    message: message.replace(`the number ${input}`, `the number ${spelled}`),
    hint: hint?.replace(`quotes: "${input}"`, `quotes: "${spelled}"`),
  };
}

/** What came out of the environment may be a secret: the file's own text stands for it. */
function withoutValue(explanation: Explanation, written: string | undefined, input: unknown): Explanation {
  if (written === undefined) return explanation;
  const message = explanation.message.replace(/, got .*$/s, `, got what ${shown(written)} stands for`);
  return explanation.hint?.includes(String(input)) === false ? { message, hint: explanation.hint } : { message };
}

function unknownKey(key: string, known: readonly string[]): Explanation {
  const meant = nearest(key, known);
  const listedKeys = known.length > 0 ? `known here: ${listed([...known].sort(), 'and')}` : undefined;
  const merge = key === '<<' ? 'merge keys are not supported: write the keys out' : undefined;
  return {
    message: `unknown key ${shown(key)}`,
    hint: merge ?? (meant === undefined ? listedKeys : `did you mean ${meant}?`),
  };
}

const TYPES: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  object: 'a mapping (lines of "key: value")',
  record: 'a mapping (lines of "key: value")',
  array: 'a list',
  tuple: 'a list',
};

function say(issue: Issue, show: (value: unknown) => string): Explanation {
  const params = issue.code === 'custom' ? issue.params : undefined;
  if (params?.isFinal === true) return { message: issue.message, hint: params.hint };
  const got = show(inputOf(issue));
  if (issue.message !== OURS) return { message: written(issue, got), hint: params?.hint };
  switch (issue.code) {
    case 'invalid_type':
      return { message: `expected ${TYPES[issue.expected] ?? issue.expected}, got ${got}` };
    case 'invalid_value':
      return { message: `expected ${oneOf(issue.values.map(String))}, got ${got}` };
    case 'too_small':
      return sized('at least', Number(issue.minimum) + (issue.inclusive === false ? 1 : 0), { issue, got });
    case 'too_big':
      return sized('at most', Number(issue.maximum) - (issue.inclusive === false ? 1 : 0), { issue, got });
    case 'invalid_union':
      return { message: `expected ${listed(expectedTypes(issue))}, got ${got}` };
    case 'invalid_key':
      return { message: `${show(issue.path.at(-1))} is not ${listed(issue.issues.map((inner) => inner.message))}` };
    case 'invalid_format': {
      const what = issue.format === 'regex' ? `text like ${issue.pattern}` : `a valid ${issue.format}`;
      return { message: `expected ${what}, got ${got}` };
    }
    default:
      return { message: `this value is not accepted: ${got}` };
  }
}

/** A message from a schema says what was expected, or in a sentence what is wrong; of a scalar we add what came. */
function written(issue: Issue, got: string): string {
  if (typeof issue.input === 'object' && issue.input !== null) return issue.message;
  const sentence = issue.code === 'custom' || issue.message.startsWith('expected');
  return `${sentence ? '' : 'expected '}${issue.message}, got ${got}`;
}

/** A long list would drown the message; the hint has what is needed of it. */
const oneOf = (options: readonly string[]): string =>
  options.length <= OPTIONS_IN_MESSAGE_MAX ? listed(options) : `one of ${options.length} known words`;

function sized(bound: string, limit: number, about: { issue: Issue; got: string }): Explanation {
  const { issue, got } = about;
  if (typeof issue.input === 'string')
    return { message: `expected ${bound} ${limit} characters, got ${issue.input.length}` };
  if (Array.isArray(issue.input)) return { message: `expected ${bound} ${limit} entries, got ${issue.input.length}` };
  return { message: `expected ${bound} ${limit}, got ${got}`, hint: `the nearest allowed value is ${limit}` };
}

function expectedTypes(issue: Issue & { code: 'invalid_union' }): readonly string[] {
  if ('options' in issue && Array.isArray(issue.options)) return issue.options.map(String);
  const types = issue.errors.flat().filter(isWrongType).flatMap(expectedBy);
  return [...new Set(types)].filter((type) => type !== '');
}

const expectedBy = (issue: Issue): readonly string[] => {
  if (issue.code === 'invalid_value') return issue.values.map(String);
  return issue.code === 'invalid_type' ? [TYPES[issue.expected] ?? issue.expected] : [];
};

/** A union by kind names the kind's place, but hands over the whole mapping. */
const inputOf = (issue: Issue): unknown =>
  'discriminator' in issue ? valueAt(issue.input, issue.path.slice(-1) as Path) : issue.input;

function hintOf(issue: Issue, { schema, source, prefix, path }: Place): string | undefined {
  const input = inputOf(issue);
  if (issue.code === 'invalid_key') {
    const meant = nearest(String(issue.path.at(-1)), keysAt(schema, path.slice(0, -1)));
    return meant && `did you mean ${meant}?`;
  }
  if (typeof input === 'string') {
    const known = issue.code === 'invalid_value' ? issue.values.map(String) : [];
    const options = issue.code === 'invalid_union' ? expectedTypes(issue) : [];
    const meant = nearest(input, [...known, ...options]);
    if (meant !== undefined) return `did you mean ${meant}?`;
    if (known.length > OPTIONS_IN_MESSAGE_MAX) return `known are ${listed(known, 'and')}`;
  }
  const byType = issue.code === 'invalid_type' ? typeHint(issue.expected, input) : undefined;
  return byType ?? descriptionAt(schema, path, valueAt(source.value, prefix));
}

/** What to write when the type is wrong in one of the ways that YAML invites. */
function typeHint(expected: string, input: unknown): string | undefined {
  if (expected === 'boolean' && typeof input === 'string') {
    if (/^(yes|y|on)$/i.test(input)) return 'write true: in YAML 1.2 this word is text';
    return /^(no|n|off)$/i.test(input) ? 'write false: in YAML 1.2 this word is text' : undefined;
  }
  if (expected === 'string' && (typeof input === 'number' || typeof input === 'boolean')) {
    return `put it in quotes: "${input}"`;
  }
  if ((expected === 'number' || expected === 'int') && typeof input === 'string') {
    return Number.isFinite(Number(input)) && input.trim() !== '' ? 'write it without quotes' : undefined;
  }
  return TYPES[expected] === TYPES.array && input !== null && input !== undefined
    ? 'write a list: [ … ] or lines with "- "'
    : undefined;
}
