// Bounds the phase of a daemon whose journal is empty.
import type { Draft } from '../core/journal.ts';
import type { Phase } from '../core/control.ts';

/** From here on what is done may interrupt viewers. */
const HELD_FROM: Phase = 3;
/** Tools that look. */
const HELD_AT: Phase = 1;

/**
 * What is written first into an empty journal. It may be a first installation; it may as well be a lost one, with its
 * windows, leases, cooldowns and breakers. With a configured phase of 3 or 4 Reeve only looks until a person sets one.
 */
export const draftsOfFirstStart = (isEmpty: boolean, configured: Phase): readonly Draft[] =>
  isEmpty && configured >= HELD_FROM ? [{ fact: { type: 'control.phase_held', phase: HELD_AT, configured } }] : [];
