// Finds the restarts of earlier incidents of which a new one is a relapse (law S5).
import type { MonoMs } from '../../core/clock.ts';
import { MINUTE_MS } from '../../core/duration.ts';
import type { IncidentId } from '../../core/scope.ts';
import type { SubjectState } from './state.ts';

/** A new incident this soon after a verified cure is the old trouble: its restarts go on counting. */
const RELAPSE_MS = 30 * MINUTE_MS;

/** Restarts of the target for just this incident, as far as they are remembered. */
export const restartsFor = ({ restarts }: Readonly<SubjectState>, incident: IncidentId): number =>
  restarts.filter((own) => own.incident === incident).length;

/** Restarts of earlier incidents that this one has to answer for. */
export function carriedOver(
  subject: Readonly<SubjectState>,
  { id, openedMs }: { readonly id: IncidentId; readonly openedMs: MonoMs | undefined },
): number {
  const { cured } = subject;
  if (cured === undefined || openedMs === undefined) return 0;
  if (cured.incident === id) return cured.carried;
  return openedMs - cured.atMs < RELAPSE_MS ? restartsFor(subject, cured.incident) + cured.carried : 0;
}
