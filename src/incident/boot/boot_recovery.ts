/** Restores what the journal knows of the process before this one. */
import type { ControlState } from '../../control/state.ts';
import type { MonoMs } from '../../core/clock.ts';
import type { FactStore, SeenDead } from '../../ground/facts/facts.ts';
import { unknownEnds, unprovenChannels } from '../../guard/state/recovery.ts';
import type { GuardState } from '../../guard/state/state.ts';
import type { IncidentState } from '../lifecycle/state.ts';

/** What the process before this one has left in the journal. */
interface Before {
  readonly incidents: IncidentState;
  readonly guard: GuardState;
  readonly control: Pick<ControlState, 'heldPhase' | 'heldBecause'>;
  /** By its last record it was there at that moment, and saw what is open as it stands there; undefined: not known. */
  readonly watchedUntilMs: MonoMs | undefined;
  /** What this process itself saw before it opened everything anew a moment ago. */
  readonly seenDead?: readonly SeenDead[] | undefined;
  readonly nowMs: MonoMs;
}

/** Gives the facts what the journal knows of the process before this one. Once, before anything is judged. */
export function restoreAfterBoot(
  { incidents, guard, control, watchedUntilMs, seenDead = [], nowMs }: Before,
  factStore: Pick<FactStore, 'channels' | 'recallEnd' | 'recallChange' | 'supposeChange'>,
): void {
  restoreEnds(incidents, watchedUntilMs, factStore);
  for (const { channel, agoMs } of seenDead) factStore.recallEnd(channel, nowMs - agoMs, nowMs);
  restoreChanges(guard, factStore);
  if (isSetBack(control)) for (const { id } of factStore.channels) factStore.supposeChange(id);
}

/**
 * Which restarts a journal that was set back has lost is not known, and each may have left its channel stopped. Until a
 * person has looked after it and sets the phase, that a channel is stopped proves no wish (law S6).
 */
const isSetBack = ({ heldPhase, heldBecause }: Before['control']): boolean =>
  heldPhase !== undefined && heldBecause !== undefined;

/**
 * Reeve forgets what it saw when it dies, and a process that is found dead may have been off for weeks: it is not
 * restarted. One with an open incident was seen to die, so the next process may take that incident up where it stood.
 */
function restoreEnds(
  { open }: IncidentState,
  watchedUntilMs: MonoMs | undefined,
  factStore: Pick<FactStore, 'recallEnd'>,
): void {
  for (const { incident, classifiedMs } of open) {
    const { scope, classification, channels } = incident;
    if (classification !== 'process_crashed') continue;
    const downUntilMs = Math.max(classifiedMs, watchedUntilMs ?? classifiedMs);
    for (const id of scope.kind === 'channel' ? [scope.id] : channels)
      factStore.recallEnd(id, classifiedMs, downUntilMs);
  }
}

/**
 * A restart is a stop and a start. Where only the stop happened the engine calls the channel stopped, as if a person
 * had asked for it. No person did, and the page about it must stand.
 */
function restoreChanges(state: GuardState, factStore: Pick<FactStore, 'recallChange'>): void {
  for (const { scope } of unknownEnds(state))
    if (scope.kind === 'channel') factStore.recallChange(scope.id, Number.NEGATIVE_INFINITY);
  for (const { channel, sinceMs = Number.NEGATIVE_INFINITY, startsNothing } of unprovenChannels(state))
    factStore.recallChange(channel, sinceMs, startsNothing);
}
