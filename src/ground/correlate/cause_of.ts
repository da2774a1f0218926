/** Finds what a group, an engine or the fleet suffers from now. */
import { keyOfScope, type Scope, type ScopeKey } from '../../core/scope.ts';
import { causesAt } from './cause_index.ts';
import type { SharedCause } from './correlate.ts';
import { isOfDeath } from './proof.ts';

/**
 * An active cause comes before those that are over. What several of those left down is one matter: a plan that named
 * the channels of one alone would keep the others waiting for what became of those.
 */
export function causeOf(causes: readonly SharedCause[], scope: Scope): SharedCause | undefined {
  const found = known.get(causes) ?? new Map<ScopeKey, SharedCause | undefined>();
  known.set(causes, found);
  const key = keyOfScope(scope);
  if (!found.has(key)) found.set(key, oneOf(causesAt(causes, scope)));
  return found.get(key);
}

/** Of the causes that were asked about last: they are the same for all scopes of one look. */
const known = new WeakMap<readonly SharedCause[], Map<ScopeKey, SharedCause | undefined>>();

function oneOf(same: readonly SharedCause[]): SharedCause | undefined {
  const active = same.find(({ phase }) => phase === 'active');
  if (active !== undefined) return active;
  const left = same.filter(({ down }) => down.length > 0);
  // What was more than deaths needs more of a proof that it is over (law S8), so it speaks for all.
  const [first = same[0], ...others] = [...left.filter((one) => !isOfDeath(one)), ...left.filter(isOfDeath)];
  return first === undefined ? undefined : others.reduce(together, first);
}

const together = (one: SharedCause, other: SharedCause): SharedCause => ({
  ...one,
  channels: union(one.channels, other.channels),
  down: union(one.down, other.down),
  sinceMs: Math.min(one.sinceMs, other.sinceMs),
  lastMs: Math.max(one.lastMs, other.lastMs),
  overMs: Math.max(one.overMs ?? one.lastMs, other.overMs ?? other.lastMs),
});

const union = (one: readonly string[], other: readonly string[]): readonly string[] =>
  [...new Set([...one, ...other])].sort();
