import { describe, expect, it } from 'vitest';
import type { Limits } from '../../../src/core/limits.ts';
import { DEFAULT_LIMITS } from '../../../src/core/limits.ts';
import { beginGeneration } from '../../../src/simulation/service_channel.ts';
import { anIncident, aVerification, permitTerms } from '../../support/a.ts';
import { oracleEnvironment } from '../../support/oracle_environment.ts';
import { starts } from './counted.ts';

const { windowMs: WINDOW, restartCooldownMs: COOLDOWN, windowStartsMax: N } = DEFAULT_LIMITS;
const DAY = 86_400_000;
const none: Partial<Limits> = { restartCooldownMs: 0, highRiskSpacingMs: 0 };

/** `count` restarts a second apart, of one channel after the other. */
const many = ({ restart }: ReturnType<typeof starts>, count: number, parent?: string) =>
  Array.from({ length: count }, (_, at) => restart(at * 1_000, `ch${at}`, parent === undefined ? {} : { parent }));

describe('a call (S6)', () => {
  it('has a permit that was durable before it, and that is started once and used once', () => {
    const { oracle, restart, write, broken } = starts();
    restart(0, 'ch0', { permit: 'a' });
    expect(broken).toEqual([]);
    oracle.invoked({ ...oracleEnvironment().restart('ch1', 'unknown'), fence: 9 });
    expect(broken).toEqual(['S6']);
    write({ type: 'tool.started', permit: permitTerms({ id: 'a' }) });
    expect(broken).toEqual(['S6', 'S6']);
  });

  it('of a restart is made once on its permit; what only looks may be made again', () => {
    const again = (tool: 'restart_channel' | 'fetch_recent_logs') => {
      const { oracle, write, broken } = starts(none);
      write({ type: 'tool.started', permit: permitTerms({ id: 'a' }) });
      for (const fence of [1, 2]) oracle.invoked({ ...oracleEnvironment().restart('ch0', 'a'), tool, fence, endMs: 0 });
      return broken;
    };
    expect([again('restart_channel'), again('fetch_recent_logs')]).toEqual([['S6'], []]);
  });
});

describe('two restarts of one channel', () => {
  it('are as far apart as the cooldown and the spacing say, from the end of the first (S1, S4)', () => {
    const apart = (gapMs: number) => {
      const { restart, broken } = starts({ highRiskSpacingMs: 2 * COOLDOWN });
      restart(0, 'ch0', { endMs: 5_000 });
      restart(5_000 + gapMs, 'ch0');
      return broken;
    };
    expect(apart(2 * COOLDOWN)).toEqual([]);
    expect([apart(2 * COOLDOWN - 1), apart(COOLDOWN), apart(COOLDOWN - 1)]).toEqual([['S4'], ['S4'], ['S1', 'S4']]);
  });

  it('are never under way at once (S1), whatever other channels do', () => {
    const { restart, broken } = starts(none);
    restart(0, 'ch0', { endMs: undefined });
    restart(1, 'ch1');
    expect(broken).toEqual([]);
    restart(DAY, 'ch0');
    expect(broken).toEqual(['S1']);
  });

  it('have a rising fence (S16)', () => {
    const fences = (first: number, second: number) => {
      const { restart, broken } = starts(none);
      restart(0, 'ch0', { fence: first });
      restart(1, 'ch0', { fence: second });
      return broken;
    };
    expect([fences(1, 2), fences(2, 2), fences(2, 1)]).toEqual([[], ['S16'], ['S16']]);
  });
});

describe('the window (S2)', () => {
  it('holds as many starts as it says, and forgets them when it is over', () => {
    const world = starts();
    many(world, N);
    expect(world.broken).toEqual([]);
    world.restart(WINDOW - 1, 'ch10');
    // Too many by Reeve, by all, and on this engine.
    expect(world.broken).toEqual(['S2', 'S2', 'S2']);
    const elsewhere = starts();
    many(elsewhere, N);
    elsewhere.restart(WINDOW - 1, 'ch10', { engine: 'e1' });
    expect(elsewhere.broken).toEqual(['S2', 'S2']);
    const later = starts();
    many(later, N);
    later.restart(WINDOW, 'ch10');
    expect(later.broken).toEqual([]);
  });

  it('counts what others start, three times of one channel at most, and nothing of Reeve or of the beginning', () => {
    const { foreign, oracle } = starts();
    for (const [atMs, by] of [
      [1, 'human'],
      [2, 'engine'],
      [3, 'human'],
      [4, 'human'],
    ] as const)
      foreign(atMs, 'ch0', by);
    expect(oracle.inWindow(4)).toBe(3);
    foreign(5, 'ch1', 'reeve');
    foreign(6, 'ch1', 'first');
    expect(oracle.inWindow(6)).toBe(3);
    foreign(7, 'ch1');
    expect([oracle.inWindow(7), oracle.inWindow(6), oracle.inWindow(WINDOW + 7)]).toEqual([4, 3, 0]);
  });

  it('counts a start of others once, at the moment at which it was made', () => {
    const { oracle, write, at } = starts();
    oracle.started(beginGeneration('ch0', 'g', 1_000, 'human'));
    at(5_000);
    for (let look = 0; look < 2; look += 1) {
      write({ type: 'start.observed', generation: 'g', agoMs: 4_000 }, { channel: 'ch0' });
    }
    expect([oracle.inWindow(5_000), oracle.inWindow(1_000 + WINDOW - 1), oracle.inWindow(1_000 + WINDOW)]).toEqual([
      1, 1, 0,
    ]);
    write({ type: 'start.observed', generation: 'unknown' }, { channel: 'ch0' });
    expect(oracle.inWindow(5_000)).toBe(1);
  });

  it('takes a call without effect and the start that another made after it for one', () => {
    const counted = (withEffect: boolean, foreignMs: number) => {
      const { restart, foreign, oracle } = starts();
      foreign(
        foreignMs < 1_000 ? foreignMs : 0,
        foreignMs < 1_000 ? 'ch0' : 'ch5',
        foreignMs < 1_000 ? 'human' : 'first',
      );
      const effect = withEffect ? beginGeneration('ch0', 'own', 1_000, 'reeve') : undefined;
      restart(1_000, 'ch0', { effect });
      if (foreignMs >= 1_000) foreign(foreignMs, 'ch0');
      return oracle.inWindow(9_000);
    };
    expect([counted(false, 2_000), counted(true, 2_000), counted(false, 500)]).toEqual([1, 2, 2]);
  });

  it('takes the two for one where that was verified, too, and the first was out of the window before', () => {
    const counted = (isVerified: boolean, foreignMs: number, atMs: number) => {
      const { restart, foreign, verified, oracle } = starts();
      const id = restart(10_000, 'ch0', { parent: 'plan' });
      if (isVerified) verified(id, 'plan');
      foreign(foreignMs, 'ch0');
      return oracle.inWindow(atMs);
    };
    expect([counted(true, 11_000, 20_000), counted(false, 11_000, 20_000)]).toEqual([0, 1]);
    expect([counted(true, 11_000, 10_500 + WINDOW), counted(false, 11_000, 10_500 + WINDOW)]).toEqual([0, 1]);
    expect(counted(true, 9_000, 20_000)).toBe(1);
  });

  it('does not count starts of a staged plan that were verified, until they relapse', () => {
    const { restart, verified, oracle, write } = starts();
    const id = restart(0, 'ch0', { parent: 'plan' });
    verified(id, 'plan', false);
    expect(oracle.inWindow(1)).toBe(1);
    verified(id, 'plan');
    expect(oracle.inWindow(1)).toBe(0);
    write({ type: 'attempt.relapsed', permit: permitTerms({ id, parent: 'plan' }) });
    expect(oracle.inWindow(1)).toBe(1);
    const single = restart(2, 'ch1');
    verified(single);
    expect([oracle.inWindow(2), oracle.inWindow(1)]).toEqual([2, 1]);
  });

  it('leaves a staged plan one place less than all', () => {
    const broken = (count: number) => {
      const world = starts({ stagedStartsPerMinuteMax: 99 });
      many(world, count, 'plan');
      return world.broken;
    };
    expect([broken(N - 1), broken(N)]).toEqual([[], ['S2']]);
  });

  it('holds as many staged starts of a minute as it says, verified or not', () => {
    const broken = (count: number) => {
      const world = starts({ stagedStartsPerMinuteMax: 3 });
      for (let at = 0; at < count; at += 1) world.verified(world.restart(at, `ch${at}`, { parent: 'plan' }), 'plan');
      return world.broken;
    };
    expect([broken(3), broken(4)]).toEqual([[], ['S2']]);
  });

  it('is full for whoever asks when one place is left, or when plans have used their pace', () => {
    const world = starts({ stagedStartsPerMinuteMax: 3 });
    many(world, N - 2);
    expect(world.oracle.isFull(9_000)).toBe(false);
    world.foreign(9_000, 'ch11');
    expect(world.oracle.isFull(9_000)).toBe(true);
    const { restart, oracle } = starts({ stagedStartsPerMinuteMax: 3 });
    restart(0, 'ch0', { parent: 'plan' });
    expect([oracle.isFull(1, 1), oracle.isFull(1, 2), oracle.isFull(60_000, 2)]).toEqual([false, true, false]);
  });

  it('is full while a call that hung may be a start of the moment at which it ended, or one that was not seen', () => {
    const full = (endMs: number, atMs: number): boolean => {
      const world = starts();
      for (let at = 0; at < N - 2; at += 1) world.restart(20_000 + at, `ch${at}`, { endMs: 20_000 + at });
      world.restart(10_000, 'ch11', { endMs });
      return world.oracle.isFull(atMs);
    };
    expect([full(10_000, 10_000 + WINDOW - 1), full(10_000, 10_000 + WINDOW)]).toEqual([true, false]);
    expect([full(15_000, 15_000 + WINDOW - 1), full(15_000, 15_000 + WINDOW)]).toEqual([true, false]);
    const twice = starts();
    many(twice, N - 3);
    twice.restart(9_000, 'ch11', { effect: undefined });
    twice.foreign(10_000, 'ch11');
    expect([twice.oracle.inWindow(10_000), twice.oracle.isFull(10_000)]).toEqual([N - 2, true]);
  });

  it('is full while the process is new that a call started long after it had ended', () => {
    const late = 40_000;
    const effect = beginGeneration('ch11', 'late', late, 'reeve');
    const world = starts();
    for (let at = 0; at < N - 2; at += 1) world.restart(50_000 + at, `ch${at}`);
    world.restart(0, 'ch11', { effect });
    const full = (atMs: number): boolean => world.oracle.isFull(atMs);
    expect([full(late + WINDOW - 1), full(late + WINDOW)]).toEqual([true, false]);
  });

  it('was last full until its first start has left it', () => {
    const world = starts();
    many(world, N - 1);
    expect(world.oracle.lastStormMs()).toBe(Number.NEGATIVE_INFINITY);
    world.restart(WINDOW - 1, 'ch11');
    expect(world.oracle.lastStormMs()).toBe(WINDOW);
    const slow = starts();
    many(slow, N - 1);
    slow.restart(WINDOW, 'ch11');
    expect(slow.oracle.lastStormMs()).toBe(Number.NEGATIVE_INFINITY);
  });
});

describe('the caps (S5)', () => {
  it('are so many restarts of a channel within a day', () => {
    const broken = (lastMs: number) => {
      const { restart, broken: laws } = starts({ ...none, dailyRestartCap: 2 });
      for (const atMs of [0, 1_000_000, lastMs]) restart(atMs, 'ch0');
      return laws;
    };
    expect([broken(DAY), broken(DAY - 1)]).toEqual([[], ['S5']]);
  });

  it('are so many restarts of the fleet within a day: as it is configured, or as there are channels', () => {
    const broken = (count: number, limits: Partial<Limits>, channels?: number) => {
      const world = starts({ ...none, ...limits }, channels);
      for (let at = 0; at < count; at += 1) world.restart(at * WINDOW, `ch${at}`);
      return world.broken;
    };
    expect([broken(3, { fleetDailyRestartCap: 3 }), broken(4, { fleetDailyRestartCap: 3 })]).toEqual([[], ['S5']]);
    expect([broken(20, {}), broken(21, {}), broken(21, {}, 30)]).toEqual([[], ['S5'], []]);
  });

  const relapse = (setBack: boolean) => {
    const { restart, write, oracle, broken, at } = starts(none);
    for (const atMs of [0, 1, 2]) restart(atMs, 'ch0', { incident: 'inc-1' });
    const call = { tool: 'restart_channel', target: { kind: 'channel', id: 'ch0' }, channels: [] } as const;
    at(3);
    const permit = permitTerms({ id: 'x', incident: 'inc-1', call });
    write({ type: 'attempt.verified', permit, verification: aVerification() });
    if (setBack) oracle.setBack(99);
    write({ type: 'incident.opened', incident: anIncident({ id: 'inc-2', scope: { kind: 'channel', id: 'ch0' } }) });
    expect(broken).toEqual([]);
    restart(4, 'ch0', { incident: 'inc-2' });
    return broken;
  };

  it('are so many restarts of a channel in an incident as the persona has, known relapses included', () => {
    const broken = (count: number, incident: (at: number) => string) => {
      const { restart, broken: laws } = starts(none);
      for (let at = 0; at < count; at += 1) restart(at * WINDOW, 'ch0', { incident: incident(at) });
      return laws;
    };
    expect([broken(3, () => 'inc-1'), broken(4, () => 'inc-1'), broken(4, (at) => `inc-${at}`)]).toEqual([
      [],
      ['S5'],
      [],
    ]);
    expect([relapse(false), relapse(true)]).toEqual([['S5'], []]);
  });

  it('are used in an incident once the last of its restarts is', () => {
    const { restart, oracle } = starts(none);
    const isCapped = [0, 1, 2].map((at) => {
      restart(at * WINDOW, 'ch0', { incident: 'inc-1' });
      return oracle.isCapped('ch0', 'inc-1');
    });
    expect(isCapped).toEqual([false, false, true]);
    expect([oracle.isCapped('ch1', 'inc-1'), oracle.isCapped('ch0', 'inc-2')]).toEqual([false, false]);
  });
});

describe('a journal that was set back', () => {
  it('knows nothing any more of the starts that came after its last record, for caps and fences alone', () => {
    const { restart, oracle, broken } = starts({ ...none, dailyRestartCap: 2 });
    restart(0, 'ch0', { fence: 8 });
    restart(WINDOW, 'ch0', { fence: 9 });
    expect(oracle.single).toBe(2);
    oracle.setBack(1);
    expect(oracle.single).toBe(1);
    restart(2 * WINDOW, 'ch0', { fence: 9 });
    expect(broken).toEqual([]);
    expect(oracle.inWindow(2 * WINDOW)).toBe(1);
  });

  it('counts starts of plans not among single ones', () => {
    const { restart, oracle } = starts();
    restart(0, 'ch0', { parent: 'plan' });
    restart(1, 'ch1');
    expect(oracle.single).toBe(1);
  });
});
