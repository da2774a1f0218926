/** Restores what the journal knows of the process before this one. */
import type { FactStore } from '../../ground/facts/facts.ts';
import { unknownEnds, unprovenChannels } from '../../guard/state/recovery.ts';
import type { GuardState } from '../../guard/state/state.ts';
import type { IncidentState } from '../lifecycle/state.ts';

/** Gives the facts what the journal knows of the process before this one. Once, before anything is judged. */
export function restoreAfterBoot(incidents: IncidentState, guard: GuardState, factStore: FactStore): void {
  restoreEnds(incidents, factStore);
  restoreChanges(guard, factStore);
}

/**
 * Reeve forgets what it saw when it dies, and a process that is found dead may have been off for weeks: it is not
 * restarted. One with an open incident was seen to die, so the next process may take that incident up where it stood.
 */
function restoreEnds({ open }: IncidentState, factStore: FactStore): void {
  for (const { incident } of open) {
    const { scope, classification, openedMs, channels } = incident;
    if (classification !== 'process_crashed') continue;
    for (const id of scope.kind === 'channel' ? [scope.id] : channels) factStore.recallEnd(id, openedMs);
  }
}

/**
 * A restart is a stop and a start. Where only the stop happened the engine calls the channel stopped, as if a person
 * had asked for it. No person did, and the page about it must stand.
 */
function restoreChanges(state: GuardState, factStore: FactStore): void {
  for (const { scope } of unknownEnds(state)) if (scope.kind === 'channel') factStore.recallChange(scope.id);
  for (const channel of unprovenChannels(state)) factStore.recallChange(channel);
}
