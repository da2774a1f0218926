/** The tests of a rule, from what an operator writes to what the machine asks. */
import { RE2JS } from 're2js';
import type { EnvelopeFact } from '../core/envelope.ts';
import { messageOf } from '../core/errors.ts';
import { DERIVED, type RuleFact } from '../core/rule.ts';
import { parseDuration } from '../core/document/duration.ts';
import { FACT_TESTS, type FactDocument, type FactKind, RULE_FACTS } from './rule_document.ts';
import { listed, nearest, shown } from './suggestions.ts';

export type Say = (message: string, hint?: string) => void;

/** A fact that another rule sets may be of any kind: which one is checked over all rules. */
const derivedRow = (name: string) => ({ name: `${DERIVED}${name}`, kind: 'derived' }) as const;
type Row = Pick<EnvelopeFact, 'name' | 'values'> & { readonly kind: FactKind | 'derived' };

function rowOf({ fact, derived }: FactDocument): Row | undefined {
  if ((fact === undefined) === (derived === undefined)) return undefined;
  return derived === undefined ? RULE_FACTS.find(({ name }) => name === fact) : derivedRow(derived);
}

/** One test of a rule as the machine reads it; undefined, with the problem reported, where it cannot be read. */
export function factOf(document: FactDocument, say: Say): RuleFact | undefined {
  const test = testOf(document, say);
  return test && document.examples ? { ...test, examples: document.examples } : test;
}

function testOf(document: FactDocument, say: Say): RuleFact | undefined {
  const kinds = FACT_TESTS.filter((key) => document[key] !== undefined);
  const row = rowOf(document);
  if (row === undefined) {
    const got = document.fact === undefined ? 'neither' : 'both';
    say(`expected fact or derived, got ${got}`, 'fact: a field of the envelope; derived: what another rule sets');
    return undefined;
  }
  const fact = row.name;
  if (kinds.length !== 1) {
    say(
      `expected one of ${listed(FACT_TESTS)}, got ${kinds.length === 0 ? 'none' : listed(kinds, 'and')}`,
      'one test to a line',
    );
    return undefined;
  }
  const { equals, contains, regex } = document;
  const isText = row.kind === 'text' || row.kind === 'derived';
  if (contains !== undefined || regex !== undefined) {
    if (!isText) say(`${fact} is ${KIND_LABELS[row.kind]}: it has no text to search`, 'use equals, at_least or below');
    const why = regex === undefined ? undefined : regexProblem(regex);
    if (why !== undefined) say(...why);
    return {
      fact,
      test: regex === undefined ? { kind: 'contains', text: contains ?? '' } : { kind: 'regex', pattern: regex },
    };
  }
  if (equals === undefined) return boundOf(document, row, say);
  const wanted = { text: 'string', truth: 'boolean', number: 'number', milliseconds: 'number' };
  if (row.kind !== 'derived' && typeof equals !== wanted[row.kind])
    say(`${fact} is ${KIND_LABELS[row.kind]}, got ${shown(equals)}`);
  else if (row.values && !row.values.includes(String(equals))) {
    const meant = nearest(String(equals), row.values);
    say(
      `${fact} is never ${shown(equals)}`,
      meant === undefined ? `it is one of ${listed(row.values)}` : `did you mean ${meant}?`,
    );
  }
  return { fact, test: { kind: 'equals', value: equals } };
}

const KIND_LABELS = {
  text: 'a text',
  number: 'a number',
  truth: 'true or false',
  milliseconds: 'a time',
  derived: 'what a rule sets',
} as const;

function boundOf(document: FactDocument, row: Row, say: Say): RuleFact | undefined {
  const kind = document.at_least === undefined ? 'below' : 'at_least';
  const limit = document[kind];
  if (row.kind === 'text' || row.kind === 'truth') {
    say(
      `${row.name} is ${KIND_LABELS[row.kind]}: it has no size`,
      row.kind === 'truth' ? 'use equals' : 'use equals or contains',
    );
    return undefined;
  }
  if (row.kind === 'milliseconds') {
    const meaning = parseDuration(limit);
    if ('ok' in meaning) return { fact: row.name, test: { kind, value: meaning.ok } };
    say(meaning.no, meaning.hint);
    return undefined;
  }
  if (typeof limit === 'number' && Number.isFinite(limit)) return { fact: row.name, test: { kind, value: limit } };
  say(`expected a number, got ${shown(limit)}`, 'write it without quotes');
  return undefined;
}

/** Why a pattern is refused, in words; undefined when it runs in linear time. */
export function regexProblem(pattern: string): readonly [message: string, hint: string] | undefined {
  try {
    RE2JS.compile(pattern);
    return undefined;
  } catch (thrown) {
    const detail = messageOf(thrown)
      .replace(/^error parsing regexp: /, '')
      .slice(0, 120);
    if (/\(\?<?[=!]/.test(pattern))
      return ['look-around is not supported: it has no linear-time form', 'use two tests instead'];
    if (/\\[1-9]|\\k</.test(pattern))
      return ['back-references are not supported: they have no linear-time form', 'spell it out'];
    return [`not a pattern in RE2 syntax: ${detail}`, 'in YAML, single quotes keep backslashes as they are'];
  }
}
