/** Describes what people hold, and tells whether a refusal is for it. */
import type { DenialCode, Refused } from '../core/plan.ts';
import { keyOfScope, type Scope, sameScope } from '../core/scope.ts';
import type { Lease, MaintenanceWindow } from './control_state.ts';

/** Refusals and `reeve why` begin with it. */
export const leaseText = ({ scope, who }: Pick<Lease, 'scope' | 'who'>): string =>
  `${keyOfScope(scope)} is on a lease of ${who}`;

export const windowText = ({ id, scope }: Pick<MaintenanceWindow, 'id' | 'scope'>): string =>
  `maintenance ${id} of ${keyOfScope(scope)}`;

const HOLDS: ReadonlySet<DenialCode> = new Set(['hands_off', 'maintenance']);

/** A refusal for a lease or a window of one of these scopes, and of no other. */
export const isHeldBy = (refusal: Pick<Refused, 'code' | 'scopes'>, scopes: readonly Scope[]): boolean =>
  HOLDS.has(refusal.code) && refusal.scopes.some((held) => scopes.some((scope) => sameScope(scope, held)));
