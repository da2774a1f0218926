// Finds the restarts of earlier incidents of which a new one is a relapse (law S5).
import type { MonoMs } from '../../core/clock.ts';
import { MINUTE_MS } from '../../core/duration.ts';
import type { IncidentId } from '../../core/scope.ts';
import type { SubjectState } from './state.ts';

/** A new incident this soon after a verified cure is the old trouble: its restarts go on counting. */
const RELAPSE_MS = 30 * MINUTE_MS;
/** More than a day allows by default. */
const CURES_KEPT = 16;

interface Opened {
  readonly id: IncidentId;
  readonly openedMs: MonoMs | undefined;
}

/** Restarts of the target for just this incident, as far as they are remembered. */
export const restartsFor = ({ restarts }: Readonly<SubjectState>, incident: IncidentId): number =>
  restarts.filter((own) => own.incident === incident).length;

/** Restarts of earlier incidents that this one has to answer for: of the last one that was cured before it began. */
export function carriedOver(subject: Readonly<SubjectState>, { id, openedMs }: Opened): number {
  const { cured } = subject;
  if (cured === undefined || openedMs === undefined) return 0;
  const cures = [...(subject.curedBefore ?? []), cured];
  const own = cures.findLast(({ incident }) => incident === id);
  if (own !== undefined) return own.carried;
  const before = cures.findLast(({ atMs }) => atMs <= openedMs);
  const isOld = before !== undefined && openedMs - before.atMs < RELAPSE_MS;
  return isOld ? restartsFor(subject, before.incident) + before.carried : 0;
}

/** A restart for the incident was verified. An incident that began before it answers for the cures before it still. */
export function noteCure(subject: SubjectState, incident: Opened, atMs: MonoMs): void {
  const carried = carriedOver(subject, incident);
  const { cured, curedBefore = [] } = subject;
  if (cured !== undefined && cured.incident !== incident.id)
    subject.curedBefore = [...curedBefore, cured].slice(-CURES_KEPT);
  subject.cured = { incident: incident.id, atMs, carried };
}
