import { describe, expect, it } from 'vitest';
import { DAY_MS } from '../../src/core/duration.ts';
import { CRUEL_KINDS, HABITS, KINDS } from '../../src/simulation/kinds.ts';
import { isWired, scenarioOf, type ScenarioOptions, swarm } from '../../src/simulation/scenario.ts';

const script = (with_: Partial<ScenarioOptions> = {}) => scenarioOf({ seed: 1, days: 1, ...with_ });
const seeds = (count: number, with_: Partial<ScenarioOptions> = {}) =>
  Array.from({ length: count }, (_, seed) => script({ seed, days: 0.1, ...with_ }));

describe('a script', () => {
  it('is the same for a seed, and another for another', () => {
    expect(script()).toEqual(script());
    expect(script({ seed: 2 }).injections).not.toEqual(script().injections);
  });

  it('has the channels that are asked for, ten by default, in groups of about four', () => {
    expect(script().channels.map(({ id }) => id)).toEqual(Array.from({ length: 10 }, (_, at) => `ch${at}`));
    const groups = (channels: number) => new Set(script({ channels }).channels.map(({ group }) => group)).size;
    expect([groups(1), groups(4), groups(10), groups(160), groups(400)]).toEqual([1, 1, 3, 40, 40]);
  });

  it('has one engine, or two in some worlds of more than four channels; a group lies on one of them', () => {
    const engines = (channels: number) =>
      seeds(40, { channels }).map((one) => new Set(one.channels.map(({ engine }) => engine)).size);
    expect(new Set(engines(4))).toEqual(new Set([1]));
    const two = engines(10).filter((count) => count === 2).length;
    expect(two > 3 && two < 25).toBe(true);
    for (const { channels } of seeds(10, { channels: 12 })) {
      expect(new Set(channels.map(({ group, engine }) => `${group} ${engine}`)).size).toBe(3);
    }
  });

  it('has the persona, phase and limits that it is given, and draws those that it is not given', () => {
    expect(script({ persona: 'lab', phase: 0, limits: { windowMs: 9 } })).toMatchObject({
      ...{ persona: 'lab', phase: 0, limits: { windowMs: 9 } },
    });
    const drawn = seeds(100);
    expect(new Set(drawn.map(({ persona }) => persona)).size).toBe(5);
    expect(new Set(drawn.map(({ phase }) => phase))).toEqual(new Set([0, 1, 2, 3, 4]));
    expect(new Set(drawn.map(({ limits }) => JSON.stringify(limits))).size).toBe(5);
    expect(drawn.filter(({ phase }) => phase === 4).length).toBeGreaterThan(65);
    expect(drawn.filter(({ limits }) => Object.keys(limits).length === 0).length).toBeGreaterThan(40);
  });
});

describe('the kinds of a script', () => {
  it('are a random half of all, or those that are named, or all where nothing is to be dropped', () => {
    expect(script().kinds).toHaveLength(KINDS.length / 2);
    expect(script({ kinds: ['crash'] }).kinds).toEqual(['crash']);
    expect(script({ swarm: false }).kinds).toEqual(KINDS);
    expect(script({ swarm: false, cruel: true }).kinds).toEqual([...KINDS, ...CRUEL_KINDS]);
  });

  it('are the same half for a seed, and each of them is there in some', () => {
    expect(script({ days: 2, channels: 3 }).kinds).toEqual(script().kinds);
    expect(new Set(seeds(20).flatMap(({ kinds }) => kinds)).size).toBe(KINDS.length);
    expect(swarm(1, ['crash', 'freeze', 'pool'])).toHaveLength(1);
  });
});

describe('what is done in a script', () => {
  it('comes in the order of its times, within the days and not in the first minute', () => {
    const { injections } = script({ swarm: false, days: 3 });
    const times = injections.map(({ atMs }) => atMs);
    expect(times).toEqual([...times].sort((a, b) => a - b));
    expect(times[0]).toBeGreaterThan(60_000);
    expect(times.at(-1)).toBeLessThan(3 * DAY_MS);
    expect(script({ days: 0 }).injections).toEqual([]);
    const first = seeds(20, { swarm: false, calm: 0.01 }).map(({ injections: [one] }) => one!.atMs);
    expect(Math.min(...first)).toBeGreaterThan(60_000);
    expect(Math.min(...first)).toBeLessThan(90_000);
  });

  it('hits the targets of its kind, for as long as its kind lasts', () => {
    const { channels, injections } = script({ swarm: false, cruel: true, days: 3, channels: 20 });
    const names = {
      channel: channels.map(({ id }) => id),
      group: channels.map(({ group }) => group),
      ...{ engine: channels.map(({ engine }) => engine), fleet: [''] },
    };
    for (const { kind, target, forMs, variant } of injections) {
      const {
        extent,
        forMs: [least, most],
      } = HABITS[kind];
      expect(names[extent]).toContain(target);
      expect([forMs >= least && forMs <= most, variant >= 0 && variant < 1]).toEqual([true, true]);
    }
  });

  it('comes as often as its kind says, more often on a larger fleet, in a storm, and less often in a calm', () => {
    const count = (with_: Partial<ScenarioOptions>, kind: 'crash' | 'receiver' = 'crash') =>
      script({ kinds: [kind], days: 60, ...with_ }).injections.length;
    expect(count({}) / (60 * 8)).toBeCloseTo(1, 0.5);
    expect(count({ channels: 40 }) / count({})).toBeCloseTo(4, 0);
    expect(count({ channels: 1 }) / count({})).toBeCloseTo(1, 0.5);
    expect(count({ storm: true }) / count({})).toBeCloseTo(8, -0.5);
    expect(count({ calm: 10 }) / count({})).toBeCloseTo(0.1, 1);
    expect(count({ channels: 40 }, 'receiver')).toBe(count({}, 'receiver'));
    expect(count({ storm: true }, 'receiver')).toBe(count({}, 'receiver'));
  });

  it('is the same of one kind, whatever other kinds there are', () => {
    const crashes = script({ swarm: false }).injections.filter(({ kind }) => kind === 'crash');
    expect(crashes).toEqual(script({ kinds: ['crash'] }).injections);
    const [freeze] = script({ kinds: ['freeze'] }).injections;
    expect(freeze!.variant).not.toBe(crashes[0]!.variant);
  });
});

describe('a machine that sleeps while Reeve is not running', () => {
  const [awake, asleep] = [false, true].map((sleeps) => script({ days: 200, kinds: ['reeve_crash'], calm: 1, sleeps }));
  const sleeps = asleep!.injections.filter(({ kind }) => kind === 'suspend');

  it('sleeps in about half of the crashes, and no crash is added or left out', () => {
    const crashes = asleep!.injections.filter(({ kind }) => kind === 'reeve_crash');
    expect(crashes.map(({ atMs }) => atMs)).toEqual(awake!.injections.map(({ atMs }) => atMs));
    expect(sleeps.length / crashes.length).toBeGreaterThan(0.4);
    expect(sleeps.length / crashes.length).toBeLessThan(0.6);
  });

  it('falls asleep at once after the crash, which waits for no append, and wakes before Reeve is started again', () => {
    for (const { atMs, forMs } of sleeps) {
      const crash = asleep!.injections.find((one) => one.kind === 'reeve_crash' && one.atMs === atMs - 1);
      expect(crash?.variant).toBeLessThan(0.3);
      expect(crash?.forMs).toBeGreaterThan(forMs);
    }
  });
});

describe('the crueller world', () => {
  it('has starts that cost something, and in half of the seeds channels that no policy may touch', () => {
    expect([script().startCost, script({ startCost: true }).startCost, script({ cruel: true }).startCost]).toEqual([
      false,
      true,
      true,
    ]);
    const untouchable = (cruel: boolean) =>
      seeds(40, { cruel, channels: 30 }).map(
        ({ channels }) => channels.filter((one) => one.untouchable === true).length,
      );
    expect(Math.max(...untouchable(false))).toBe(0);
    const some = untouchable(true).filter((count) => count > 0);
    expect(some.length > 10 && some.length < 30).toBe(true);
    expect(some.reduce((sum, count) => sum + count, 0) / some.length).toBeCloseTo(5, -0.5);
  });

  it('may be reached through the real adapter, with pids of its own for each channel', () => {
    expect([isWired(script({ wired: true })), isWired(script())]).toEqual([true, false]);
    expect(script({ wired: true, channels: 2 }).channels.map(({ pidBase }) => pidBase)).toEqual([100_000, 200_000]);
  });
});
