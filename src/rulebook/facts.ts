/** What an envelope says under the name of a fact. */
import { ENVELOPE_FACTS, type EnvelopeFact, type FactValue, type GroundedContextEnvelope } from '../core/envelope.ts';
import { DERIVED } from '../core/rule.ts';

export type { FactValue } from '../core/envelope.ts';

const READERS: ReadonlyMap<string, EnvelopeFact['read']> = new Map(
  ENVELOPE_FACTS.map(({ name, read }) => [name, read]),
);

/** Every name that a rule may use. */
export const FACT_NAMES: readonly string[] = [...READERS.keys()];

/** Facts that rules have set, by name. They hold for the envelope that they were drawn from and no longer. */
export type Derived = ReadonlyMap<string, FactValue>;

const NOTHING_DERIVED: Derived = new Map();

/** What rules are matched against. Each fact is read once, however many rules ask for it. */
export interface Situation {
  readonly envelope: GroundedContextEnvelope;
  /** The values under that name; empty when nothing is, or no fact has the name. */
  valuesOf(name: string): readonly FactValue[];
}

export function situationOf(envelope: GroundedContextEnvelope, derived: Derived = NOTHING_DERIVED): Situation {
  const known = new Map<string, readonly FactValue[]>();
  const read = (name: string): readonly FactValue[] => {
    const values = name.startsWith(DERIVED)
      ? [derived.get(name.slice(DERIVED.length))]
      : (READERS.get(name)?.(envelope) ?? []);
    return values.filter((value): value is FactValue => value !== undefined);
  };
  return {
    envelope,
    valuesOf(name) {
      const before = known.get(name);
      if (before !== undefined) return before;
      const values = read(name);
      known.set(name, values);
      return values;
    },
  };
}
