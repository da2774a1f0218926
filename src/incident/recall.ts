import type { Board } from '../ground/facts.ts';
import { unknownEnds } from '../guard/recovery.ts';
import type { GuardState } from '../guard/state.ts';
import type { IncidentState } from './state.ts';

/** Tells the board what the journal knows of the life before this one. Once, before anything is judged. */
export function recall(incidents: IncidentState, guard: GuardState, board: Board): void {
  recallEnds(incidents, board);
  recallChanges(guard, board);
}

/**
 * Reeve forgets what it saw when it dies, and a process that is found dead may have been off for weeks: it is not
 * restarted. One with an open incident was seen to die, so the next life may take that incident up where it stood.
 */
function recallEnds({ open }: IncidentState, board: Board): void {
  for (const { incident } of open) {
    const { scope, classification, openedMs } = incident;
    if (scope.kind === 'channel' && classification === 'process_crashed') board.recallEnd(scope.id, openedMs);
  }
}

/**
 * A restart is a stop and a start. Where Reeve died between them the engine calls the channel stopped, as if a person
 * had wished so. Nobody did, and the page about it must not be taken back.
 */
function recallChanges(state: GuardState, board: Board): void {
  for (const { scope } of unknownEnds(state)) if (scope.kind === 'channel') board.recallChange(scope.id);
}
