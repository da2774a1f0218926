import type { Board } from '../ground/facts.ts';
import type { IncidentState } from './state.ts';

/**
 * Reeve forgets what it saw when it dies, and a process that is found dead may have been off for weeks: it is not
 * restarted. One with an open incident was seen to die, so the next life may take that incident up where it stood.
 */
export function recallEnds({ open }: IncidentState, board: Pick<Board, 'recallEnd'>): void {
  for (const { incident } of open) {
    const { scope, classification, openedMs } = incident;
    if (scope.kind === 'channel' && classification === 'process_crashed') board.recallEnd(scope.id, openedMs);
  }
}
