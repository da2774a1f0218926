// Says whether a person knows of a scope already, by their own hold or by the page of its containment (law L6).
import { type ControlState, leaseOf, windowOf } from '../../control/state.ts';
import type { MonoMs } from '../../core/clock.ts';
import type { Scope } from '../../core/scope.ts';
import { containmentsOf, type GuardState } from '../../guard/state/state.ts';
import { isPaged, keyOfContainmentPage } from '../pages/page.ts';

export interface KnownToPeople {
  readonly control: ControlState;
  readonly guard: GuardState;
  /** The keys of the pages that are open. */
  readonly openPages: () => readonly string[];
}

/** A persona may put the page of a containment off: until it is sent it names no channel. */
export function isNamed(
  { control, guard, openPages }: KnownToPeople,
  scopes: readonly Scope[],
  nowMs: MonoMs,
): boolean {
  if (leaseOf(control, scopes, nowMs) !== undefined || windowOf(control, scopes, nowMs) !== undefined) return true;
  const contained = containmentsOf(guard, scopes).filter(({ reason }) => isPaged(reason));
  if (contained.length === 0) return false;
  const open = openPages();
  return contained.some(({ scope }) => open.includes(keyOfContainmentPage(scope)));
}
