import { describe, expect, it } from 'vitest';
import { FastPace, ScheduledProbe } from '../../../src/collect/probes/scheduled_probe.ts';

const aProbe = (name: string) =>
  new ScheduledProbe({ name, everyMs: 2_000, fastEveryMs: 500, timeoutMs: undefined, run: () => Promise.resolve() });

/** So many probes at the fast pace until 10,000. */
function fast(count: number) {
  const pace = new FastPace();
  const probes = Array.from({ length: count }, (_, at) => aProbe(`p${at}`));
  for (const probe of probes) pace.begin(probe, 10_000);
  return { pace, probes };
}

describe('the fast pace', () => {
  it.each([
    [1, 500],
    [50, 500],
    [51, 510],
    [150, 1_500],
    [200, 2_000],
    [1_000, 2_000],
  ])('of %i probes is one look each %i ms', (count, everyMs) => {
    const { pace, probes } = fast(count);
    expect(pace.everyMs(probes[0]!, 0)).toBe(everyMs);
  });

  it('lasts until its time, and is not cut by a shorter one', () => {
    const { pace, probes } = fast(1);
    pace.begin(probes[0]!, 5_000);
    expect([9_999, 10_000].map((nowMs) => pace.everyMs(probes[0]!, nowMs))).toEqual([500, 2_000]);
  });

  it('is as fast as ever for those that are left when others have ended', () => {
    const { pace, probes } = fast(100);
    const [first, ...others] = probes;
    pace.begin(first!, 20_000);
    expect(pace.everyMs(first!, 10_000)).toBe(1_000);
    for (const other of others) pace.everyMs(other, 10_000);
    expect(pace.everyMs(first!, 10_000)).toBe(500);
  });
});
