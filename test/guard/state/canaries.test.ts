import { describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '../../../src/core/limits.ts';
import { episodeOf, lostCanaries } from '../../../src/guard/state/canaries.ts';
import { type GuardState, type HeldContainment, newGuardState, subjectAt } from '../../../src/guard/state/state.ts';
import { bench, channelsOf } from '../bench.ts';
import { staged } from '../stage.ts';

type Bench = ReturnType<typeof bench>;
const lost = (b: Bench, channels: readonly string[], sinceMs = 0): number =>
  lostCanaries(b.guardState(), { channels, sinceMs }, b.nowMs());

describe('canaries that were not verified (S8)', () => {
  it('are the failed starts of the channels of the cause: a verified one is none', () => {
    const s = staged(3);
    const parent = s.plan();
    s.startChild(parent, 'c0', true);
    expect(lost(s.b, s.ids)).toBe(0);
    s.startChild(parent, 'c1', false);
    expect([lost(s.b, s.ids), lost(s.b, ['c0', 'c2'])]).toEqual([1, 0]);
  });

  it('count from the moment at which the cause began', () => {
    const s = staged(2);
    s.startChild(s.plan(), 'c0', false);
    const failedMs = s.b.nowMs();
    expect([lost(s.b, s.ids, failedMs), lost(s.b, s.ids, failedMs + 1)]).toEqual([1, 0]);
  });

  it('count a start without a verdict from its deadline on', () => {
    const s = staged(2);
    s.startChild(s.plan(), 'c0', 'unjudged');
    const [open] = subjectAt(s.b.guardState(), 'channel:c0').open;
    s.b.pass(open!.dueMs - s.b.nowMs() - 1);
    expect(lost(s.b, s.ids)).toBe(0);
    s.b.pass(1);
    expect(lost(s.b, s.ids)).toBe(1);
  });

  it('count each failed probe of an open breaker, which the closed breaker no longer remembers', () => {
    const b = bench({ channels: channelsOf(1), limits: { breakerFailuresMax: 1 } });
    b.restart('c0', { cured: false });
    expect(lost(b, ['c0'])).toBe(1);
    b.pass(DEFAULT_LIMITS.breakerOpenMs);
    b.restart('c0', { cured: false });
    expect(lost(b, ['c0'])).toBe(2);
  });
});

describe('the episode for which a canary may speak (S8)', () => {
  const GROUP = { kind: 'group', id: 'g0' } as const;
  const heldBy = (reason: HeldContainment['reason'], scope: HeldContainment['scope'] = GROUP): GuardState => ({
    ...newGuardState(),
    containments: { one: { scope, reason, detail: '', releaseByPerson: false, raisedMs: 90_000 } },
  });

  it('begins one window before the shared cause has contained the group, and not with the cause', () => {
    expect(episodeOf(GROUP, heldBy('shared_cause'), 60_000)).toBe(30_000);
  });

  it('is not known where no shared cause contains that group', () => {
    const others = [newGuardState(), heldBy('pool_pressure'), heldBy('shared_cause', { kind: 'group', id: 'g1' })];
    expect(others.map((state) => episodeOf(GROUP, state, 60_000))).toEqual([0, 0, 0]);
  });
});
