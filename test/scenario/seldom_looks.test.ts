import { describe, expect, it, onTestFinished } from 'vitest';
import { Poller } from '../../src/collect/probes/poller.ts';
import { createRests, watchDoubts } from '../../src/collect/probes/rests.ts';
import type { PlaylistSample, Sample } from '../../src/core/sample.ts';
import { pipelineHarness } from '../support/pipeline_harness.ts';

const LOOKS = { outputEveryMs: 2_000, outputCalmEveryMs: 12_000 };

/**
 * A channel that is watched as the daemon does it: looks by the poller, reports each half second, a poll each second;
 * and, with `isHeard`, its folder notifies of each change.
 */
async function watched({ isHeard = false } = {}) {
  const harness = pipelineHarness({ phase: 0, looks: LOOKS });
  const { clock, engine, pipeline, advance } = harness;
  let heardMs: number | undefined;
  const rests = createRests(
    [{ id: 'news', output: { everyMs: 2_000, calmEveryMs: 12_000, stallAfterMs: 6_000 }, source: undefined }],
    { heardMs: () => heardMs },
  );
  const looksMs: number[] = [];
  let stalled: PlaylistSample | undefined;
  const take = (sample: Sample): void => {
    rests.calm.observe(sample);
    pipeline.observe(sample);
  };
  const run = async (): Promise<void> => {
    looksMs.push(clock.monotonicMs());
    const moment = { at: clock.now(), monoMs: clock.monotonicMs() };
    take(stalled === undefined ? (engine.playlistOf('news') as PlaylistSample) : { ...stalled, ...moment });
  };
  const poller = new Poller({
    probes: [{ name: 'news', everyMs: 2_000, fastEveryMs: 500, timeoutMs: undefined, run }],
    ...{ clock, concurrencyMax: 8, onBug: () => undefined, restMs: rests.outputMs },
  });
  const doubts = watchDoubts(clock, [poller]);
  poller.start();
  onTestFinished(() => {
    poller[Symbol.dispose]();
    doubts[Symbol.dispose]();
  });
  let outTimeMs = 0;
  let steps = 0;
  /** Lets half seconds pass until something is found, at most so many. */
  const live = async (stepsMax: number, until = () => false): Promise<number> => {
    for (let step = 0; step < stepsMax; step += 1) {
      if (until()) return step * 500;
      await advance(500);
      steps += 1;
      // A segment is written whether somebody looks or not.
      engine.playlistOf('news');
      if (isHeard && stalled === undefined && steps % 4 === 0) heardMs = clock.monotonicMs();
      const base = { channel: 'news', at: clock.now(), monoMs: clock.monotonicMs(), source: 'log' } as const;
      if (!engine.channels.get('news')?.frozen) outTimeMs += 500;
      if (!engine.channels.get('news')?.frozen) take({ ...base, kind: 'progress', outTimeMs, frame: undefined });
      if (steps % 2 === 0) {
        const report = await engine.observe();
        take(report.engine);
        report.processes.forEach(take);
        pipeline.settle();
      }
    }
    return Number.POSITIVE_INFINITY;
  };
  const troubled = (): boolean => pipeline.watch.watched('news')?.finding.trouble === true;
  return {
    ...{ harness, engine, live, looksMs, troubled, calm: rests.calm },
    stall: () => {
      stalled = engine.playlistOf('news') as PlaylistSample;
    },
    healthy: () => pipeline.watch.watched('news')?.finding.healthy,
  };
}

describe('a channel that is in no doubt', () => {
  it('is looked at each 12 s instead of each 2 s, and is healthy all the while', async () => {
    const { live, looksMs, healthy, troubled } = await watched();
    await live(160);
    const from = looksMs.length;
    await live(240, () => healthy() !== true || troubled());
    expect([healthy(), troubled()]).toEqual([true, false]);
    expect(looksMs.length - from).toBeLessThanOrEqual(11);
    expect(looksMs.slice(from + 1).map((ms, at) => ms - looksMs[from + at]!)).toEqual(
      Array(looksMs.length - from - 1).fill(12_000),
    );
  });

  // At each half second between two looks: it must not matter when the trouble begins.
  const moments = Array.from({ length: 25 }, (_, at) => at);

  it('that freezes is found within 10 s', { timeout: 60_000 }, async () => {
    for (const moment of moments) {
      const { live, engine, troubled } = await watched();
      await live(160 + moment);
      expect(troubled()).toBe(false);
      engine.freeze('news');
      expect(await live(60, troubled), `${moment / 2} s into a rest`).toBeLessThanOrEqual(10_000);
    }
  });

  it('whose output stalls in silence while its encoder goes on is found within 20 s', { timeout: 60_000 }, async () => {
    const found: number[] = [];
    for (const moment of moments) {
      const { live, stall, healthy } = await watched();
      await live(160 + moment);
      stall();
      found.push(await live(80, () => healthy() === false));
    }
    expect(Math.max(...found)).toBeLessThanOrEqual(20_000);
  });

  it('whose folder is watched rests as long, and its silent stall is found within 12 s', {
    timeout: 60_000,
  }, async () => {
    const found: number[] = [];
    for (const moment of moments) {
      const { live, looksMs, stall, healthy } = await watched({ isHeard: true });
      await live(160 + moment);
      expect(looksMs.filter((ms) => ms > looksMs.at(-1)! - 24_000).length).toBeLessThanOrEqual(3);
      stall();
      found.push(await live(80, () => healthy() === false));
    }
    expect(Math.max(...found)).toBeLessThanOrEqual(12_000);
  });

  it('that is killed is looked at at once', async () => {
    const { live, engine, looksMs, harness, troubled } = await watched();
    await live(163);
    engine.kill('news');
    const diedMs = harness.clock.monotonicMs();
    expect(await live(20, troubled)).toBeLessThanOrEqual(1_500);
    await live(2);
    expect(looksMs.find((ms) => ms > diedMs)! - diedMs).toBeLessThanOrEqual(2_000);
  });

  it('is looked at at full pace again for half a minute after a complaint', async () => {
    const { live, looksMs, calm, harness } = await watched();
    await live(160);
    calm.disturb('news', harness.clock.monotonicMs());
    const from = looksMs.length;
    await live(58);
    expect(looksMs.length - from).toBeGreaterThanOrEqual(15);
  });
});
