import { describe, expect, it } from 'vitest';
import type { FailureClass } from '../../../src/core/classification.ts';
import type { Outcome } from '../../../src/core/incident.ts';
import type { DenialCode } from '../../../src/core/plan.ts';
import type { JournalFact } from '../../../src/core/journal.ts';
import {
  announcedMs,
  incidentProjection,
  type IncidentState,
  newlyOpen,
  openById,
} from '../../../src/incident/lifecycle/state.ts';
import type { Snapshot } from '../../../src/incident/lifecycle/seen.ts';
import { type TransitionPolicy, transitionFor } from '../../../src/incident/lifecycle/transitions.ts';
import { anIncident } from '../../support/a.ts';

const policy: TransitionPolicy = { patienceMs: 0, resolveHoldMs: 5_000, relapseMs: 60_000 };
const OPENED = 1_000_000;
const LOOK_MS = 250;
const ID = anIncident().id;

interface Wait {
  readonly escalateAfterMs: number;
  readonly denial?: DenialCode;
}

/** Plays an incident as the pipeline does; every run ends in the wait of its classification. Ends with the page. */
function pagedAfter(
  nameAt: (ms: number) => FailureClass,
  waitOf: (name: FailureClass) => Wait,
  workMs: (name: FailureClass) => number = () => 0,
): number {
  let state: IncidentState = incidentProjection.initial;
  let seq = 0;
  let nowMs = OPENED;
  const add = (fact: JournalFact): void => {
    seq += 1;
    const entry = { seq, at: nowMs, monoMs: nowMs, boot: 'b+0', incident: ID, run: 'run-1', fact } as const;
    state = incidentProjection.apply(state, entry);
  };
  add({ type: 'incident.opened', incident: anIncident({ openedMs: OPENED, classification: nameAt(0) }) });
  let sinceMs = OPENED;
  for (; nowMs < OPENED + 1_000_000; nowMs += LOOK_MS) {
    const open = openById(state, ID)!;
    const name = nameAt(nowMs - OPENED);
    if (name !== open.incident.classification) sinceMs = nowMs;
    const sight: Snapshot = {
      ...{
        healthy: false,
        healthySinceMs: undefined,
        quiet: false,
        covered: false,
        contained: false,
        approval: 'none',
      },
      trouble: { classification: name, settling: false, settledMs: 0, sinceMs, troubledMs: OPENED },
    };
    const intent = transitionFor(open, sight, nowMs, policy);
    if (intent.kind === 'tell') return nowMs - OPENED;
    if (intent.kind === 'reclassify') {
      add({ type: 'incident.reclassified', from: open.incident.classification, to: intent.to, because: 'x' });
    }
    if (intent.kind !== 'run') continue;
    const { denial, escalateAfterMs } = waitOf(name);
    add({ type: 'run.started', attempt: 1 });
    const outcome = { kind: 'watching', because: 'x', retryAfterMs: undefined, escalateAfterMs, denial } as const;
    const tookMs = workMs(name);
    nowMs += tookMs;
    add({ type: 'run.ended', outcome, steps: 0, tookMs });
  }
  return Number.POSITIVE_INFINITY;
}

const AWAY: Wait = { escalateAfterMs: 60_000 };
const LIMITED: Wait = { escalateAfterMs: 120_000 };
const waits = (name: FailureClass): Wait => (name === 'upstream_rate_limited' ? LIMITED : AWAY);
const flipping = (everyMs: number) => (ms: number) =>
  Math.floor(ms / everyMs) % 2 === 0 ? 'upstream_unavailable' : 'upstream_rate_limited';

describe('the wait that a rule announces', () => {
  it('ends in a page when it is over', () => {
    expect(pagedAfter(() => 'upstream_unavailable', waits)).toBe(60_000);
    expect(pagedAfter(() => 'upstream_rate_limited', waits)).toBe(120_000);
  });

  it.each([1_000, 7_000, 13_000, 40_000, 59_000])(
    'is not prolonged by a trouble that gets another name every %i ms',
    (everyMs) => {
      expect(pagedAfter(flipping(everyMs), waits)).toBeLessThanOrEqual(60_000 + LOOK_MS);
    },
  );

  it('ends with the run during which it ran out, when that cured nothing', () => {
    const nameAt = (ms: number): FailureClass => (ms < 50_000 ? 'upstream_unavailable' : 'output_stalled');
    const work = (name: FailureClass): number => (name === 'output_stalled' ? 35_000 : 0);
    const pagedMs = pagedAfter(nameAt, () => AWAY, work);
    expect(pagedMs).toBeGreaterThanOrEqual(85_000);
    expect(pagedMs).toBeLessThanOrEqual(86_000);
  });

  it.each([
    ['ran out during this run, or as it began', 60_000, 60_000],
    ['had run out before this run began', 60_001, 155_000],
  ])('of a run is bounded by an earlier one only where that %s', (_, begunMs, dueMs) => {
    const endOf = (ms: number, tookMs: number) => {
      const outcome = { kind: 'watching', because: 'x', retryAfterMs: undefined, ...AWAY } as const;
      const fact: JournalFact = { type: 'run.ended', outcome, steps: 1, tookMs };
      return { seq: 1, at: ms, monoMs: ms, boot: 'b+0', incident: ID, run: 'run-1', fact } as const;
    };
    const open: IncidentState = { open: [newlyOpen(anIncident(), 0)] };
    const ends = [endOf(0, 0), endOf(95_000, 95_000 - begunMs)];
    expect(announcedMs(openById(ends.reduce(incidentProjection.apply, open), ID)!)).toBe(dueMs);
  });

  it.each([
    ['right after the run during which it ran out', 10_000, 60_000],
    ['a while after it', 10_001, 165_001],
  ])('is not announced anew by a run %s', (_, laterMs, dueMs) => {
    const endOf = (ms: number, tookMs: number, wait: Partial<Wait>) => {
      const outcome = { kind: 'watching', because: 'x', retryAfterMs: undefined, escalateAfterMs: undefined } as const;
      const fact: JournalFact = { type: 'run.ended', outcome: { ...outcome, ...wait }, steps: 1, tookMs };
      return { seq: 1, at: ms, monoMs: ms, boot: 'b+0', incident: ID, run: 'run-1', fact } as const;
    };
    const open: IncidentState = { open: [newlyOpen(anIncident(), 0)] };
    // The run that takes time says nothing of a wait itself.
    const ends = [endOf(0, 0, AWAY), endOf(95_000, 40_000, {}), endOf(95_000 + laterMs, 0, AWAY)];
    expect(announcedMs(openById(ends.reduce(incidentProjection.apply, open), ID)!)).toBe(dueMs);
  });

  it.each([
    ['before it ran out, or as it did', 60_000, 60_000],
    ['after it had run out', 60_001, 155_000],
  ])('is not announced anew after a containment that put the run off %s', (_, refusedMs, dueMs) => {
    const endOf = (ms: number, tookMs: number, outcome: Partial<Outcome>) => {
      const whole = { because: 'x', retryAfterMs: undefined, escalateAfterMs: undefined, ...outcome } as Outcome;
      const fact: JournalFact = { type: 'run.ended', outcome: whole, steps: 1, tookMs };
      return { seq: 1, at: ms, monoMs: ms, boot: 'b+0', incident: ID, run: 'run-1', fact } as const;
    };
    const announced = (ends: readonly ReturnType<typeof endOf>[]) =>
      announcedMs(openById(ends.reduce(incidentProjection.apply, { open: [newlyOpen(anIncident(), 0)] }), ID)!);
    const first = endOf(0, 0, { kind: 'watching', ...AWAY });
    const putOff = endOf(refusedMs, 0, { kind: 'escalated', reason: 'containment', denial: 'containment' });
    const worked = endOf(90_000, 25_000, { kind: 'watching', retryAfterMs: 2_000 });
    const again = endOf(95_000, 0, { kind: 'watching', ...AWAY });
    // Whether a run worked on it in between, or the rule waits at once.
    expect(announced([first, putOff, worked, again])).toBe(dueMs);
    expect(announced([first, putOff, again])).toBe(dueMs);
  });

  it('is no shorter because evidence was waited for before', () => {
    const wait = (name: FailureClass): Wait =>
      name === 'process_crashed' ? { escalateAfterMs: 10_000, denial: 'uncorroborated' } : AWAY;
    const pagedMs = pagedAfter((ms) => (ms < 3_000 ? 'process_crashed' : 'upstream_unavailable'), wait);
    expect(pagedMs).toBeGreaterThanOrEqual(63_000);
    expect(pagedMs).toBeLessThanOrEqual(66_000);
  });
});
