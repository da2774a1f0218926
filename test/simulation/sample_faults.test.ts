import { describe, expect, it } from 'vitest';
import type { Sample } from '../../src/core/sample.ts';
import { SampleFaults, type SampleFault } from '../../src/simulation/sample_faults.ts';
import { serviceEnvironment } from '../support/service_environment.ts';

const M = 60_000;

describe('samples on their way', () => {
  const playlist = (monoMs: number): Sample => ({
    ...{ kind: 'playlist', channel: 'ch0', source: 'probe', ok: true },
    ...{ at: monoMs, monoMs, revision: `r${monoMs}` },
  });

  /** One sample every two seconds (or `everyMs`) for 20 s; what arrives when, and which it is. */
  function arrivals(
    fault: SampleFault | undefined,
    everyMs = 2_000,
  ): readonly (readonly [nowMs: number, revision: string])[] {
    const { at, nowMs, until } = serviceEnvironment();
    const seen: [number, string][] = [];
    const faults = new SampleFaults({
      seed: 1,
      nowMs,
      after: (delayMs, run) => at(nowMs() + delayMs, run),
      faultOf: () => fault,
      take: (sample) => seen.push([nowMs(), sample.kind === 'playlist' ? (sample.revision ?? '') : '']),
    });
    for (let ms = everyMs; ms <= 20_000; ms += everyMs) at(ms, () => faults.take(playlist(ms)));
    until(M);
    return seen;
  }
  const ageOf = ([nowMs, revision]: readonly [number, string]): number => nowMs - Number(revision.slice(1));

  it('arrive as they are where nothing is wrong', () => {
    expect(arrivals(undefined).map(ageOf)).toEqual(Array(10).fill(0));
  });

  it('come 1 to 8 s late', () => {
    const ages = arrivals('late').map(ageOf);
    expect(ages).toHaveLength(10);
    expect(ages.every((ms) => ms >= 1_000 && ms < 8_000)).toBe(true);
  });

  it('come twice, once at once and once late', () => {
    const ages = arrivals('doubled').map(ageOf);
    expect([ages.length, ages.filter((ms) => ms === 0).length]).toEqual([20, 10]);
  });

  it('change places by pairs', () => {
    const order = arrivals('reordered').map(([, revision]) => revision);
    expect(order.slice(0, 4)).toEqual(['r4000', 'r2000', 'r8000', 'r6000']);
  });

  it('are held back for five and a half seconds at most where no other overtakes them', () => {
    expect(arrivals('reordered', 5_499).slice(0, 2)).toEqual([
      [10_998, 'r10998'],
      [10_998, 'r5499'],
    ]);
    expect(arrivals('reordered', 10_000).map(ageOf)).toEqual([5_500, 5_500]);
  });

  it('come out of a cache for twelve seconds, with the time of now', () => {
    const revisions = arrivals('cached').map(([, revision]) => revision);
    expect(revisions).toEqual([...Array(6).fill('r2000'), ...Array(4).fill('r14000')]);
  });
});
