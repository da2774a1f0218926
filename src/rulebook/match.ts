/** Matches a rule against an envelope. */
import { RE2JS } from 're2js';
import type { GroundedContextEnvelope } from '../core/envelope.ts';
import { messageOf, ReeveError } from '../core/errors.ts';
import type { Rule, RuleFact } from '../core/rule.ts';
import { mayMatch } from './literals.ts';
import type { FactValue, Situation } from './facts.ts';

/** What a named group of a pattern caught. */
export interface Capture {
  readonly name: string;
  readonly value: string;
}

/** One test of a rule and what it met, for `reeve rules test` and for `why`. */
export interface FactTrace {
  readonly fact: string;
  /** For example `at_least 0.9`. */
  readonly test: string;
  /** What the envelope says, at most 120 characters; `not known` when it does not say. */
  readonly value: string;
  readonly held: boolean;
  readonly captures: readonly Capture[];
}

/** Whether a rule fits an envelope, and why. */
export interface RuleTrace {
  readonly rule: string;
  readonly origin: string;
  readonly priority: number;
  readonly matched: boolean;
  readonly facts: readonly FactTrace[];
}

export interface Matcher {
  readonly rule: Rule;
  /** Every test with what it met. */
  match(situation: Situation): RuleTrace;
  /** False when a test that costs next to nothing (no pattern) fails already. */
  mayFit(situation: Situation): boolean;
}

const compiledRules = new WeakMap<Rule, Matcher>();

/** The matcher of a rule, compiled once for as long as the rule is the same object. */
export function matcherOf(rule: Rule): Matcher {
  const known = compiledRules.get(rule) ?? createMatcher(rule);
  compiledRules.set(rule, known);
  return known;
}

/** Compiles a rule's tests once. Throws `CONFIG_INVALID` for a pattern that is not linear-time. */
function createMatcher(rule: Rule): Matcher {
  const tests = rule.when.map((fact) => ({ fact, holds: testOf(rule, fact) }));
  // Comparing a value costs less than looking for a text, and of most rules one comparison fails.
  const compared = tests.filter(({ fact }) => fact.test.kind !== 'regex');
  const sought = tests.flatMap(({ fact }) => soughtBy(fact) ?? []);
  return {
    rule,
    match(situation) {
      const rest = tests.map(({ fact, holds }) => traced(fact, holds, situation.valuesOf(fact.fact)));
      const facts = [classTrace(rule, situation.envelope), ...rest];
      const { id, origin, priority } = rule;
      return { rule: id, origin, priority, matched: facts.every(({ held }) => held), facts };
    },
    mayFit: (situation) =>
      rule.classification === situation.envelope.failureClassification &&
      compared.every(({ fact, holds }) => situation.valuesOf(fact.fact).some((value) => holds(value) !== undefined)) &&
      sought.every(({ fact, may }) =>
        situation.valuesOf(fact.fact).some((value) => typeof value === 'string' && may(value)),
      ),
  };
}

/** A pattern is as cheap as the text that it cannot do without. Undefined where there is no such text. */
function soughtBy(fact: RuleFact): { readonly fact: RuleFact; readonly may: (text: string) => boolean } | undefined {
  const may = fact.test.kind === 'regex' ? mayMatch(fact.test.pattern) : undefined;
  return may && { fact, may };
}

type Holds = (value: FactValue) => readonly Capture[] | undefined;

const VALUE_CHARS = 120;
const NOT_KNOWN = 'not known';

function classTrace(rule: Rule, envelope: GroundedContextEnvelope): FactTrace {
  const value = envelope.failureClassification;
  return {
    fact: 'failure_classification',
    test: `equals ${rule.classification}`,
    value: value ?? NOT_KNOWN,
    held: value === rule.classification,
    captures: [],
  };
}

function traced(fact: RuleFact, holds: Holds, values: readonly FactValue[]): FactTrace {
  const first = values
    .map((value) => ({ value, captures: holds(value) }))
    .find(({ captures }) => captures !== undefined);
  const shown = first?.value ?? values[0];
  return {
    fact: fact.fact,
    test: writtenForm(fact),
    value: shown === undefined ? NOT_KNOWN : String(shown).slice(0, VALUE_CHARS),
    held: first !== undefined,
    captures: first?.captures ?? [],
  };
}

function writtenForm({ test }: RuleFact): string {
  const limit = test.kind === 'contains' ? test.text : test.kind === 'regex' ? test.pattern : String(test.value);
  return `${test.kind} ${limit}`.slice(0, VALUE_CHARS);
}

const NOTHING_CAUGHT: readonly Capture[] = [];
const when = (holds: boolean): readonly Capture[] | undefined => (holds ? NOTHING_CAUGHT : undefined);

/** Types are not bent: the text "3" is not the number 3, and only numbers have a size. */
function testOf(rule: Rule, { test }: RuleFact): Holds {
  switch (test.kind) {
    case 'equals':
      return (value) => when(value === test.value);
    case 'contains':
      return (value) => when(typeof value === 'string' && value.includes(test.text));
    case 'at_least':
      return (value) => when(typeof value === 'number' && value >= test.value);
    case 'below':
      return (value) => when(typeof value === 'number' && value < test.value);
    case 'regex':
      return caughtBy(compiled(rule, test.pattern));
  }
}

function compiled(rule: Rule, pattern: string): RE2JS {
  try {
    return RE2JS.compile(pattern);
  } catch (cause) {
    throw new ReeveError(
      'CONFIG_INVALID',
      `rule ${rule.id} (${rule.origin}): ${pattern} is no pattern: ${messageOf(cause)}`,
      {
        cause,
        hint: 'RE2 syntax: linear time, no look-around, no back-references',
      },
    );
  }
}

function caughtBy(pattern: RE2JS): Holds {
  const names = Object.keys(pattern.namedGroups());
  return (value) => {
    if (typeof value !== 'string') return undefined;
    const matcher = pattern.matcher(value);
    if (!matcher.find()) return undefined;
    return names.flatMap((name) => {
      const caught = matcher.group(name);
      return caught === null ? [] : [{ name, value: caught.slice(0, VALUE_CHARS) }];
    });
  };
}
