// Bounds the phase of a daemon whose journal is empty, was set back or was damaged.
import type { Draft } from '../core/journal.ts';
import type { Phase } from '../core/control.ts';

/** From here on what is done may interrupt viewers. */
const HELD_FROM: Phase = 3;
/** Tools that look. */
const HELD_AT: Phase = 1;

/** What a start finds of the journal. */
export interface FoundJournal {
  readonly isEmpty: boolean;
  /** How it was seen that the journal is older than a head of it that was sent out. */
  readonly setBack: string | undefined;
  /** What was wrong with its file, and where that is kept: this one is new. */
  readonly damaged?: string | undefined;
}

/**
 * What is written first into a journal that is empty or was set back. Empty may be a first installation or a lost
 * journal, and is a lost one where a witness has a head of it. Set back is a restored one: windows, leases, cooldowns
 * and breakers are gone. Under a phase of 3 or 4 Reeve only looks until a person sets one. After a damaged journal it
 * does so under phase 2, too: what is lost there is no guess.
 */
export function draftsOfHold({ isEmpty, setBack, damaged }: FoundJournal, configured: Phase): readonly Draft[] {
  if (damaged !== undefined) {
    const fact = { phase: HELD_AT, configured, because: damaged, cause: 'damaged' } as const;
    return configured <= HELD_AT ? [] : [{ fact: { type: 'control.phase_held', ...fact } }];
  }
  if (configured < HELD_FROM || !(isEmpty || setBack !== undefined)) return [];
  const because = setBack === undefined ? {} : { because: setBack };
  return [{ fact: { type: 'control.phase_held', phase: HELD_AT, configured, ...because } }];
}
