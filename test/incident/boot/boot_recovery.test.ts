import { describe, expect, it } from 'vitest';
import {
  bucketOf,
  type GuardState,
  newGuardState,
  newSubject,
  type SubjectState,
} from '../../../src/guard/state/state.ts';
import { restoreAfterBoot } from '../../../src/incident/boot/boot_recovery.ts';
import type { SeenDead } from '../../../src/ground/facts/facts.ts';
import type { IncidentState } from '../../../src/incident/lifecycle/state.ts';
import { anIncident } from '../../support/a.ts';

function guardWith(subjects: Readonly<Record<string, Partial<SubjectState>>>): GuardState {
  const state = newGuardState();
  const buckets = state.subjects.map((bucket) => ({ ...bucket }));
  for (const [key, subject] of Object.entries(subjects)) buckets[bucketOf(key)]![key] = { ...newSubject(), ...subject };
  return { ...state, subjects: buckets };
}

function restored(
  incidents: readonly ReturnType<typeof anIncident>[],
  guard = newGuardState(),
  held: { heldPhase?: 1 | undefined; heldBecause?: string | undefined } = {},
  seenDead?: readonly SeenDead[],
) {
  const ends: unknown[] = [];
  const changes: string[] = [];
  const factStore = {
    recallEnd: (...end: unknown[]) => ends.push(end),
    recallChange: (channel: string, sinceMs: number, startsNothing = false) =>
      changes.push(`${channel} ${startsNothing ? 'changed' : 'restarted'} at ${sinceMs}`),
    supposeChange: (channel: string) => changes.push(`${channel} maybe`),
    channels: ['news', 'sport', 'film'].map((id) => ({ id })) as never,
  };
  // Each was called what it is called a second after it was opened.
  const open = incidents.map((incident) => ({ incident, classifiedMs: incident.openedMs + 1_000 }));
  const state = { open } as unknown as IncidentState;
  const control = { heldPhase: undefined, heldBecause: undefined, ...held };
  restoreAfterBoot({ incidents: state, guard, control, watchedUntilMs: 9_000, seenDead, nowMs: 20_000 }, factStore);
  return { ends, changes };
}

describe('after a boot', () => {
  it('a channel whose crash has an open incident was seen dead until the last record, and may be taken up', () => {
    expect(restored([anIncident({ openedMs: 7_000 })]).ends).toEqual([['news', 8_000, 9_000]]);
    expect(restored([anIncident({ openedMs: 9_000 })]).ends).toEqual([['news', 10_000, 10_000]]);
  });

  it('a channel that this process saw die before it opened everything anew was seen dead until now', () => {
    const seen = [{ channel: 'sport', agoMs: 5_000 }];
    expect(restored([], newGuardState(), {}, seen).ends).toEqual([['sport', 15_000, 20_000]]);
  });

  it('all channels of a shared crash were seen to die then as well', () => {
    const incident = anIncident({ scope: { kind: 'group', id: 'g' }, channels: ['a', 'b'], openedMs: 7_000 });
    expect(restored([incident]).ends).toEqual([
      ['a', 8_000, 9_000],
      ['b', 8_000, 9_000],
    ]);
  });

  it('a channel without an incident, or with another trouble, was not seen to die: it may have been off for weeks', () => {
    expect(restored([]).ends).toEqual([]);
    expect(restored([anIncident({ classification: 'output_stalled' })]).ends).toEqual([]);
  });

  it('a change whose end is not known, or after which nothing was seen, left the channel stopped by Reeve', () => {
    const call = { permit: 'per-1', tool: 'restart_channel', sinceMs: 1 } as const;
    const guard = guardWith({
      'channel:news': { unknown: call },
      'channel:sport': { unproven: { permit: 'per-2', sinceMs: 1 } },
      'channel:film': { unproven: { permit: 'per-3', sinceMs: 2, startsNothing: true } },
      'channel:kids': {},
      'group:g': { unknown: call },
    });
    expect(restored([], guard).changes.toSorted()).toEqual([
      'film changed at 2',
      'news restarted at -Infinity',
      'sport restarted at 1',
    ]);
  });

  it.each([
    ['was set back may have lost a restart of any channel, until a person sets the phase', 1, 'it ends at record 3', 3],
    ['was set back and has been looked after since has lost none that matters', undefined, undefined, 0],
    ['is empty as at a first installation has lost none', 1, undefined, 0],
  ] as const)('a journal that %s', (_, heldPhase, heldBecause, count) => {
    const { changes } = restored([], newGuardState(), { heldPhase, heldBecause });
    expect(changes).toEqual(['news maybe', 'sport maybe', 'film maybe'].slice(0, count));
  });
});
