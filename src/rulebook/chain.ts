/** Forward chaining: rules assert facts for the other rules of the same moment. */
import type { GroundedContextEnvelope } from '../core/envelope.ts';
import { type Derived, type FactValue, situationOf } from './facts.ts';
import type { Matcher } from './match.ts';

/** A chain is at most this long: facts that a fourth round would draw are not drawn. */
const ROUNDS_MAX = 3;

const NOTHING: Derived = new Map();

/**
 * What the rules that set or retract facts say of an envelope, in their order, each at most once, in at most three
 * rounds. Never a call: a rule sets a fact for another one and does not start it.
 */
export function derive(setters: readonly Matcher[], envelope: GroundedContextEnvelope): Derived {
  if (setters.length === 0) return NOTHING;
  const facts = new Map<string, FactValue>();
  const done = new Set<Matcher>();
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    const before = situationOf(envelope, new Map(facts));
    const fitting = setters.filter((matcher) => !done.has(matcher) && matcher.match(before).matched);
    if (fitting.length === 0) break;
    for (const matcher of fitting) {
      done.add(matcher);
      for (const { name, value } of matcher.rule.sets ?? []) facts.set(name, value);
      for (const name of matcher.rule.retracts ?? []) facts.delete(name);
    }
  }
  return facts;
}
