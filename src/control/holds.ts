/** Describes what people hold, and finds out of this description whether it is more than one channel. */
import type { DenialCode } from '../core/plan.ts';
import { keyOfScope, type Scope } from '../core/scope.ts';
import type { Lease, MaintenanceWindow } from './control_state.ts';

/** Refusals and `reeve why` begin with it. */
export const leaseText = ({ scope, who }: Pick<Lease, 'scope' | 'who'>): string =>
  `${keyOfScope(scope)} is on a lease of ${who}`;

export const windowText = ({ id, scope }: Pick<MaintenanceWindow, 'id' | 'scope'>): string =>
  `maintenance ${id} of ${keyOfScope(scope)}`;

const HOLDS: ReadonlySet<DenialCode> = new Set(['hands_off', 'maintenance']);

/** A refusal for a lease or a window of one of these scopes, and of no other. Neither ids nor names have blanks. */
export function isHeldBy(refusal: { readonly code: DenialCode; readonly because: string }, scopes: readonly Scope[]) {
  if (!HOLDS.has(refusal.code)) return false;
  const [what, , , ofWindow] = refusal.because.split(' ', 4);
  return scopes.map(keyOfScope).some((key) => key === what || (what === 'maintenance' && ofWindow === `${key}:`));
}
