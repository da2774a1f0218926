import { describe, expect, it, onTestFinished } from 'vitest';
import { Poller } from '../../../src/collect/probes/poller.ts';
import type { Probe } from '../../../src/collect/probes/scheduled_probe.ts';
import type { Clock } from '../../../src/core/clock.ts';
import { fakeClock } from '../../support/fake_clock.ts';

interface Run {
  readonly name: string;
  readonly atMs: number;
  readonly end: () => void;
  readonly signal: AbortSignal;
}

function setUp(
  names: readonly string[],
  {
    restOf,
    perSecondMax,
    peerOf,
    ...options
  }: Partial<Probe> & {
    concurrencyMax?: number;
    perSecondMax?: number;
    instant?: boolean;
    restOf?: () => number;
    peerOf?: (name: string) => string;
  } = {},
) {
  const { clock, advance } = fakeClock();
  const startMs = clock.monotonicMs();
  const runs: Run[] = [];
  const bugs: string[] = [];
  let timers = 0;
  const counted: Clock = {
    ...clock,
    after: (ms, task) => {
      timers += 1;
      return clock.after(ms, task);
    },
  };
  const probes = names.map(
    (name): Probe => ({
      name,
      ...{ everyMs: 2_000, fastEveryMs: 500, timeoutMs: 5_000, peer: peerOf?.(name) },
      run: (signal) =>
        new Promise((resolve) => {
          runs.push({ name, atMs: clock.monotonicMs() - startMs, end: resolve, signal });
          if (options.instant !== false) resolve();
        }),
      ...options,
    }),
  );
  const poller = new Poller({
    probes,
    clock: counted,
    concurrencyMax: options.concurrencyMax ?? 8,
    onBug: (name) => bugs.push(name),
    ...(restOf === undefined ? {} : { restMs: restOf }),
    ...(perSecondMax === undefined ? {} : { perSecondMax }),
  });
  onTestFinished(() => poller[Symbol.dispose]());
  return { poller, runs, bugs, advance, timers: () => timers, times: () => runs.map(({ atMs }) => atMs) };
}

describe('the poller', () => {
  it('leaves places for looks at others when one peer answers none', async () => {
    const hung = Array.from({ length: 20 }, (_, at) => `hung${at}`);
    const { poller, runs, advance } = setUp(['a', ...hung, 'b'], {
      ...{ concurrencyMax: 4, instant: false },
      peerOf: (name) => name.slice(0, 4),
    });
    poller.start();
    await advance(2_000);
    expect(runs.map(({ name }) => name)).toEqual(['a', 'hung0', 'hung1', 'hung2']);
    for (const { name, end } of runs) if (name === 'a') end();
    await advance(0);
    expect(runs.map(({ name }) => name).slice(4)).toEqual(['b']);
    for (const { name, end } of [...runs]) if (name.startsWith('hung')) end();
    await advance(0);
    expect(runs.map(({ name }) => name).slice(5)).toEqual(['hung3', 'hung4', 'hung5']);
  });

  it('gives all places to looks at the only peer there is', async () => {
    const { poller, runs, advance } = setUp(['a', 'b', 'c', 'd', 'e'], {
      ...{ concurrencyMax: 4, instant: false },
      peerOf: () => 'only',
    });
    poller.start();
    await advance(2_000);
    expect(runs.map(({ name }) => name)).toEqual(['a', 'b', 'c', 'd']);
  });

  it('spreads probes of one pace evenly over it, and keeps to that schedule', async () => {
    const { poller, runs, advance } = setUp(['a', 'b', 'c', 'd', 'e']);
    poller.start();
    await advance(4_000);
    expect(runs.map(({ name, atMs }) => `${name}@${atMs}`)).toEqual([
      'a@0',
      'b@400',
      'c@800',
      'd@1200',
      'e@1600',
      'a@2000',
      'b@2400',
      'c@2800',
      'd@3200',
      'e@3600',
      'a@4000',
    ]);
  });

  it('has no timer at all without probes', async () => {
    const { poller, advance, timers } = setUp([]);
    poller.start();
    await advance(60_000);
    expect(timers()).toBe(0);
  });

  it('never runs a probe twice at once, and counts the looks that were skipped', async () => {
    const { poller, runs, advance } = setUp(['a'], { instant: false, timeoutMs: 60_000 });
    poller.start();
    await advance(6_500);
    expect(runs).toHaveLength(1);
    expect(poller.stats()).toMatchObject({ runs: 1, skipped: 3, running: 1 });
    runs[0]!.end();
    await advance(2_000);
    expect(runs).toHaveLength(2);
  });

  it('runs no more at once than it may; the others wait in order', async () => {
    const { poller, runs, advance } = setUp(['a', 'b', 'c', 'd'], {
      instant: false,
      everyMs: 4,
      timeoutMs: 60_000,
      concurrencyMax: 2,
    });
    poller.start();
    await advance(4);
    expect(runs.map(({ name }) => name)).toEqual(['a', 'b']);
    expect(poller.stats()).toMatchObject({ running: 2, waiting: 2 });
    runs[0]!.end();
    await advance(0);
    expect(runs.map(({ name }) => name)).toEqual(['a', 'b', 'c']);
  });

  it('begins no more in a second than it may; the others look in order, and what is asked for looks at once', async () => {
    const names = Array.from({ length: 30 }, (_, at) => `p${at}`);
    const { poller, runs, advance } = setUp(names, { everyMs: 1_000, perSecondMax: 20 });
    poller.start();
    await advance(1_000);
    expect(runs.length).toBeGreaterThanOrEqual(18);
    expect(runs.length).toBeLessThanOrEqual(20);
    await advance(9_000);
    expect(runs.length).toBeLessThanOrEqual(200);
    expect(runs.length).toBeGreaterThanOrEqual(190);
    const looks = names.map((name) => runs.filter((run) => run.name === name).length);
    expect(Math.max(...looks) - Math.min(...looks)).toBeLessThanOrEqual(2);
    const [from, last] = [
      runs.length,
      names.toSorted((a, b) => looks[names.indexOf(a)]! - looks[names.indexOf(b)]!)[0]!,
    ];
    await advance(600);
    poller.now(last);
    await advance(0);
    expect(runs.slice(from).map(({ name }) => name)).toContain(last);
    poller.fast(names[0]!, 1_000);
    const before = runs.filter(({ name }) => name === names[0]).length;
    await advance(1_000);
    expect(runs.filter(({ name }) => name === names[0]).length).toBeGreaterThanOrEqual(before + 2);
  });

  it('begins a look that was put off as soon as it may, also when no other look is near', async () => {
    const { poller, times, advance } = setUp(['a', 'b'], { everyMs: 3_600_000, perSecondMax: 250 });
    poller.start();
    await advance(1_000);
    expect(times().length).toBe(1);
    expect(times()[0]).toBeLessThanOrEqual(200);
  });

  it('aborts a look at its deadline with a typed reason', async () => {
    const { poller, runs, advance } = setUp(['a'], { instant: false });
    poller.start();
    await advance(4_999);
    expect(runs[0]!.signal.aborted).toBe(false);
    await advance(1);
    expect(runs[0]!.signal.reason).toMatchObject({ code: 'TIMED_OUT' });
  });

  it('looks faster for a while when trouble is suspected, beginning at once', async () => {
    const { poller, times, advance } = setUp(['a']);
    poller.start();
    await advance(700);
    poller.fast('a', 1_200);
    await advance(4_000);
    expect(times()).toEqual([0, 700, 1_200, 1_700, 2_200, 4_200]);
  });

  it('is never made slower by it', async () => {
    const { poller, times, advance } = setUp(['a'], { everyMs: 200 });
    poller.start();
    poller.fast('a', 1_000);
    await advance(600);
    expect(times()).toEqual([0, 200, 400, 600]);
  });

  it('looks now when asked, but not again and again', async () => {
    const { poller, times, advance } = setUp(['a']);
    poller.start();
    await advance(800);
    poller.now('a');
    await advance(0);
    expect(times()).toEqual([0, 800]);
    for (let ms = 0; ms < 450; ms += 50) {
      poller.now('a');
      await advance(50);
    }
    expect(times()).toEqual([0, 800]);
    await advance(50);
    expect(times()).toEqual([0, 800, 1_300]);
  });

  it('looks again after the look under way, whose answer may be older than the question', async () => {
    const { poller, runs, advance } = setUp(['a'], { instant: false, timeoutMs: 60_000, everyMs: 100_000 });
    poller.start();
    await advance(600);
    poller.now('a');
    expect(runs).toHaveLength(1);
    runs[0]!.end();
    await advance(0);
    expect(runs).toHaveLength(2);
  });

  it('survives a probe that throws, and says which', async () => {
    const { poller, bugs, advance } = setUp(['a'], { run: () => Promise.reject(new Error('bug')) });
    poller.start();
    await advance(2_000);
    expect(bugs).toEqual(['a', 'a']);
  });

  it('ignores names that it does not know', () => {
    const { poller } = setUp(['a']);
    poller.now('nobody');
    poller.fast('nobody', 1_000);
    expect(poller.stats().runs).toBe(0);
  });

  it('ends what is under way when it is disposed, and begins nothing more', async () => {
    const { poller, runs, advance } = setUp(['a', 'b'], { instant: false });
    poller.start();
    await advance(0);
    poller[Symbol.dispose]();
    expect(runs[0]!.signal.aborted).toBe(true);
    runs[0]!.end();
    poller.now('b');
    await advance(10_000);
    expect(runs).toHaveLength(1);
  });

  describe('with rests', () => {
    it('skips the looks of a rest, and takes the one nearest to its end', async () => {
      const { poller, times, advance } = setUp(['a'], { restOf: () => 5_000 });
      poller.start();
      await advance(13_000);
      expect(times()).toEqual([0, 4_000, 8_000, 12_000]);
      expect(poller.stats()).toMatchObject({ runs: 4, rested: 3 });
    });

    it('looks at its own pace when there is none', async () => {
      const { poller, times, advance } = setUp(['a'], { restOf: () => 0 });
      poller.start();
      await advance(4_000);
      expect(times()).toEqual([0, 2_000, 4_000]);
    });

    it('looks at once, and again, at what is in doubt, for ten seconds; then at its own pace', async () => {
      let restMs = 12_000;
      const { poller, times, advance } = setUp(['a'], { restOf: () => restMs });
      poller.start();
      await advance(3_000);
      poller.wakeDoubted(1_000);
      await advance(100);
      expect(times()).toEqual([0]);
      restMs = 0;
      for (let ms = 0; ms < 12_000; ms += 100) {
        poller.wakeDoubted(1_000);
        await advance(100);
      }
      expect(times()).toEqual([0, 3_100, 4_100, 5_100, 6_100, 7_100, 8_100, 9_100, 10_100, 11_100, 12_100, 14_200]);
    });

    it('looks fast in spite of one, when trouble is suspected', async () => {
      const { poller, times, advance } = setUp(['a'], { restOf: () => 12_000 });
      poller.start();
      await advance(3_000);
      poller.fast('a', 1_000);
      await advance(1_400);
      expect(times()).toEqual([0, 3_000, 3_500]);
    });

    it('takes no extra look at what never rested', async () => {
      const { poller, times, advance } = setUp(['a'], { restOf: () => 0 });
      poller.start();
      await advance(600);
      poller.wakeDoubted(0);
      await advance(100);
      expect(times()).toEqual([0]);
    });
  });
});
