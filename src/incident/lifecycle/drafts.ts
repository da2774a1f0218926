// Builds the journal drafts that open an incident, record its symptoms, start its next run and mark a relapse.
import { type Closing, type Incident, reaching } from '../../core/incident.ts';
import type { About, Draft } from '../../core/journal.ts';
import type { RunId } from '../../core/scope.ts';
import type { Symptom } from '../../core/symptom.ts';
import { type IncidentState, type OpenIncident, pastCure } from './state.ts';

/** What an incident's facts are about. */
export const aboutOf = (incident: Incident): About => ({
  channel: incident.scope.kind === 'channel' ? incident.scope.id : undefined,
  incident: incident.id,
});

/** A symptom as part of the incident's story. */
export const symptomDraft = (incident: Incident, symptom: Symptom): Draft => ({
  channel: symptom.channel,
  incident: incident.id,
  fact: { type: 'symptom.raised', symptom },
});

/** A run that is about to begin; `started` is to be written before anything is awaited. */
export interface NextRun {
  readonly incident: Incident;
  readonly id: RunId;
  readonly started: Draft;
}

/** About all channels that the cause has reached by now. */
export function nextRun({ incident: known, runs }: OpenIncident, channels: readonly string[], id: RunId): NextRun {
  const incident = reaching(known, channels);
  const fact = { type: 'run.started', attempt: runs + 1 } as const;
  return { incident, id, started: { ...aboutOf(incident), run: id, fact } };
}

/** The beginning of an incident's story: that it was opened, and the symptoms before it. */
export const openedDrafts = (incident: Incident, symptoms: readonly Symptom[]): readonly Draft[] => [
  { ...aboutOf(incident), fact: { type: 'incident.opened', incident } },
  ...symptoms.map((symptom) => symptomDraft(incident, symptom)),
];

/** How the incident of a channel ends of which no output is expected any more. */
export const atRest = (isStoppedByPerson = false): Closing => ({
  ...{ ending: 'by_person', because: 'no output is expected any more' },
  ...(isStoppedByPerson ? {} : { unseen: true }),
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
