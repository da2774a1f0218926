import type { Incident } from '../core/incident.ts';
import type { About, Draft } from '../core/journal.ts';
import type { Symptom } from '../core/symptom.ts';
import { type IncidentState, pastCure } from './state.ts';

/** What an incident's facts are about. */
export const aboutOf = (incident: Incident): About => ({
  channel: incident.scope.kind === 'channel' ? incident.scope.id : undefined,
  incident: incident.id,
});

/** What was said, as part of the incident's story. */
export const symptomDraft = (incident: Incident, symptom: Symptom): Draft => ({
  channel: symptom.channel,
  incident: incident.id,
  fact: { type: 'symptom.raised', symptom },
});

/** The incident before ended with a verified cure of the same trouble, a moment ago: that cure did not hold. */
export function relapseDrafts(
  state: IncidentState,
  incident: Incident,
  how: { readonly relapseMs: number; readonly because: string },
): readonly Draft[] {
  const { scope, classification, openedMs } = incident;
  const past = scope.kind === 'channel' ? pastCure(state, scope.id, classification) : undefined;
  if (past === undefined || openedMs - past.atMs > how.relapseMs) return [];
  const { permit, fingerprint } = past;
  return [{ ...aboutOf(incident), fact: { type: 'attempt.relapsed', permit, fingerprint, because: how.because } }];
}
