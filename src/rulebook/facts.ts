/** What an envelope says under the name of a fact. */
import type { GroundedContextEnvelope } from '../core/envelope.ts';
import { ENVELOPE_FACTS, type EnvelopeFact, type FactValue } from '../core/envelope_fields.ts';

export type { FactValue } from '../core/envelope_fields.ts';

const READERS: ReadonlyMap<string, EnvelopeFact['read']> = new Map(
  ENVELOPE_FACTS.map(({ name, read }) => [name, read]),
);

/** Every name that a rule may use. */
export const FACT_NAMES: readonly string[] = [...READERS.keys()];

/** What the envelope says under that name; empty when it does not say, or no fact has the name. */
export function valuesOf(envelope: GroundedContextEnvelope, name: string): readonly FactValue[] {
  return (READERS.get(name)?.(envelope) ?? []).filter((value): value is FactValue => value !== undefined);
}

/** Facts that rules have set, by name. They hold for the envelope that they were drawn from and no longer. */
export type Derived = ReadonlyMap<string, FactValue>;
