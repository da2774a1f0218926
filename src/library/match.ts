/** The tests of a library rule over a flat context, and what they fill into its parameters. */
import { RE2JS } from 're2js';
import type { LibraryFact, LibraryRuleDocument } from './document.ts';
import type { RuleAction } from './rule.ts';

/** Facts of a situation by name. */
export type Context = Readonly<Record<string, unknown>>;

const compiled = new WeakMap<LibraryFact, RE2JS>();

function patternOf(fact: LibraryFact, source: string): RE2JS {
  const known = compiled.get(fact) ?? RE2JS.compile(source);
  compiled.set(fact, known);
  return known;
}

/** Compiles the patterns of a rule ahead of its first match. */
export function prepare({ when }: LibraryRuleDocument): void {
  for (const fact of when) if (fact.regex !== undefined) patternOf(fact, fact.regex);
}

const isScalar = (value: unknown): value is string | number | boolean =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';

/** What the fact's pattern caught; undefined where the fact does not hold. */
function capturesOf(fact: LibraryFact, context: Context): Readonly<Record<string, string>> | undefined {
  const value = Object.hasOwn(context, fact.fact) ? context[fact.fact] : undefined;
  if (!isScalar(value)) return undefined;
  if (fact.equals !== undefined) return value === fact.equals || String(value) === String(fact.equals) ? {} : undefined;
  if (fact.contains !== undefined) return String(value).includes(fact.contains) ? {} : undefined;
  const pattern = patternOf(fact, fact.regex ?? '');
  const matcher = pattern.matcher(String(value));
  if (!matcher.find()) return undefined;
  const named = Object.keys(pattern.namedGroups()).map((name) => [name, matcher.group(name)] as const);
  return Object.fromEntries(named.filter((pair): pair is [string, string] => pair[1] !== null));
}

/** Everything that the rule's patterns caught; undefined where one of its facts does not hold. */
export function matched({ when }: LibraryRuleDocument, context: Context): Readonly<Record<string, string>> | undefined {
  const all: Record<string, string> = {};
  for (const fact of when) {
    const captures = capturesOf(fact, context);
    if (captures === undefined) return undefined;
    Object.assign(all, captures);
  }
  return all;
}

const PLACEHOLDER = /\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

/** The names that parameters ask for and that neither a capture nor the context has. */
export function missingParams(document: LibraryRuleDocument, known: Context): readonly string[] {
  const asked = JSON.stringify((document.then ?? []).map(({ params }) => params ?? {})).matchAll(PLACEHOLDER);
  return [
    ...new Set([...asked].flatMap(([, name]) => (name === undefined || Object.hasOwn(known, name) ? [] : [name]))),
  ];
}

/** The actions with `{name}` filled in. A text that is one placeholder takes the value as it is, of any type. */
export function filledIn({ then = [] }: LibraryRuleDocument, known: Context): readonly RuleAction[] {
  const fill = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(fill);
    if (typeof value === 'object' && value !== null)
      return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, fill(member)]));
    if (typeof value !== 'string') return value;
    const [whole, only] = /^\{([A-Za-z_][A-Za-z0-9_]*)\}$/.exec(value) ?? [];
    if (whole !== undefined && only !== undefined && Object.hasOwn(known, only)) return known[only];
    return value.replace(PLACEHOLDER, (text, name: string) =>
      Object.hasOwn(known, name) ? String(known[name]) : text,
    );
  };
  return then.map(({ action, params = {} }) => ({ action, params: fill(params) as Record<string, unknown> }));
}
