import { describe, expect, it } from 'vitest';
import { Calm, type Rest } from '../../../src/collect/probes/calm.ts';
import type { PlaylistSample, ProcessSample, ProgressSample, Sample } from '../../../src/core/sample.ts';

const NOW = 1_000_000;
const REST: Rest = { everyMs: 2_000, calmEveryMs: 12_000, stallAfterMs: 6_000 };
const base = (monoMs: number) => ({ channel: 'news', at: 0, monoMs, source: 'test' }) as const;
const process = (monoMs: number, extra: Partial<ProcessSample> = {}): ProcessSample => ({
  ...base(monoMs),
  ...{ kind: 'process', engine: 'local', state: 'running', generation: '1:1', pid: 1, uptimeMs: 1 },
  ...{ exitCode: undefined, exitSignal: undefined, stoppedOnPurpose: false, cpuMs: 1, halted: false },
  bytesWritten: undefined,
  ...extra,
});
const progress = (monoMs: number, outTimeMs = monoMs): ProgressSample => ({
  ...base(monoMs),
  ...{ kind: 'progress', outTimeMs, frame: undefined },
});
const look = (monoMs: number, sequence: number, extra: Partial<PlaylistSample> = {}): PlaylistSample => ({
  ...base(monoMs),
  ...{ kind: 'playlist', ok: true, revision: `r${sequence}`, mediaSequence: sequence, targetDurationMs: 2_000 },
  ...extra,
});
const engine = (monoMs: number, ok: boolean): Sample => ({
  ...{ kind: 'engine', at: 0, monoMs, source: 'test', engine: 'local', ok },
  ...{ poolPressure: undefined, reportsPool: false },
});

/** A channel that has played for a minute, with so many good looks, one each 2 s, the last one now. */
function played(
  looks: number,
  take: (sample: Sample) => Sample | undefined = (sample) => sample,
  lateMs: () => number = () => 0,
): Calm {
  const calm = new Calm(['news'], lateMs);
  const see = (sample: Sample): void => {
    const taken = take(sample);
    if (taken !== undefined) calm.observe(taken);
  };
  for (let ms = NOW - 60_000; ms <= NOW; ms += 1_000) {
    see(process(ms));
    see(progress(ms));
  }
  for (let left = looks - 1; left >= 0; left -= 1) see(look(NOW - left * 2_000, 100 - left));
  return calm;
}
const restOf = (calm: Calm, nowMs = NOW): number => calm.outputRestMs('news', REST, nowMs);

describe('a calm channel', () => {
  // The first look is none that shows that anything moves.
  it.each([
    [3, 0],
    [4, 4_000],
    [5, 8_000],
    [6, 12_000],
    [20, 12_000],
  ])('may rest after %i looks for %i ms', (looks, ms) => {
    expect(restOf(played(looks))).toBe(ms);
  });

  it.each([
    [4_000, 9_000],
    [6_000, 5_000],
  ])('rests shorter where segments of %i ms make a stall visible late', (targetDurationMs, ms) => {
    const calm = played(1, (sample) => (sample.kind === 'playlist' ? undefined : sample));
    for (let at = 9; at >= 0; at -= 1) {
      calm.observe(look(NOW - at * targetDurationMs, 100 - at, { targetDurationMs }));
    }
    expect(restOf(calm)).toBe(ms);
  });

  it.each([
    [2_000, 4_000, 12_000],
    [2_000, 4_001, 0],
    [4_000, 8_000, 5_000 + 4_000],
    [4_000, 8_001, 0],
  ])('rests while its folder notifies of changes: segments of %i ms, the last one %i ms ago', (targetMs, agoMs, ms) => {
    const calm = played(20, (sample) =>
      sample.kind === 'playlist' ? { ...sample, targetDurationMs: targetMs } : sample,
    );
    expect(calm.outputRestMs('news', REST, NOW, NOW - agoMs)).toBe(ms);
  });

  it.each<[string, Partial<ProcessSample>]>([
    ['the process has ended', { state: 'exited' }],
    ['another process runs', { generation: '2:2' }],
    ['the process is halted', { halted: true }],
    ['somebody stops it', { stoppedOnPurpose: true }],
  ])('is in doubt when %s, and for half a minute after', (_, extra) => {
    const calm = played(9);
    calm.observe(process(NOW, extra));
    expect(restOf(calm)).toBe(0);
    const back = { generation: '2:2' };
    for (const [ms, rest] of [
      [29_999, 0],
      [30_000 + ('generation' in extra ? 0 : 1), 12_000],
    ] as const) {
      calm.observe(process(NOW + 1, back));
      calm.observe(process(NOW + ms, back));
      calm.observe(progress(NOW + ms));
      expect(restOf(calm, NOW + ms)).toBe(rest);
    }
  });

  it.each<[string, (calm: Calm) => void, number, number]>([
    ['its encoder reports nothing', () => undefined, 1_500, 1_501],
    ['its encoder stands', (calm) => calm.observe(progress(NOW + 1_400, NOW)), 1_500, 1_501],
  ])('is in doubt as soon as %s', (_, act, last, first) => {
    const calm = played(9);
    act(calm);
    expect([restOf(calm, NOW + last), restOf(calm, NOW + first)]).toEqual([12_000, 0]);
  });

  it('may be one whose written bytes show that it goes on, as long as they do', () => {
    const calm = played(9, (sample) => {
      if (sample.kind === 'progress') return undefined;
      return sample.kind === 'process' ? { ...sample, bytesWritten: sample.monoMs } : sample;
    });
    expect([restOf(calm, NOW + 2_500), restOf(calm, NOW + 2_501)]).toEqual([12_000, 0]);
  });

  it('is in doubt when its engine does not answer, or does not report it', () => {
    const calm = played(9);
    calm.observe(engine(NOW, false));
    expect(restOf(calm)).toBe(0);
    calm.observe(engine(NOW, true));
    expect(restOf(calm)).toBe(12_000);
    calm.observe(progress(NOW + 5_001));
    expect(restOf(calm, NOW + 5_001)).toBe(0);
  });

  it('is in doubt for half a minute when something complains of it', () => {
    const calm = played(9);
    calm.disturb('news', NOW);
    for (const [ms, rest] of [
      [29_999, 0],
      [30_000, 12_000],
    ] as const) {
      calm.observe(process(NOW + ms));
      calm.observe(progress(NOW + ms));
      expect(restOf(calm, NOW + ms)).toBe(rest);
    }
  });

  it.each<[string, PlaylistSample]>([
    ['the playlist cannot be read', { ...base(NOW + 1), kind: 'playlist', ok: false, failure: 'timeout' }],
    ['the newest segment is empty', look(NOW + 1, 101, { newestSegmentBytes: 0 })],
    ['the newest segment is missing', look(NOW + 1, 101, { newestSegmentMissing: true })],
    ['the playlist is closed', look(NOW + 1, 101, { ended: true })],
    ['the playlist goes back', look(NOW + 1, 99)],
    ['the playlist stands', look(NOW + 4_001, 100)],
    ['the playlist came less far than time', look(NOW + 12_000, 103)],
  ])('is in doubt when %s', (_, sample) => {
    const calm = played(9);
    calm.observe(sample);
    calm.observe(process(sample.monoMs));
    calm.observe(progress(sample.monoMs));
    expect(restOf(calm, sample.monoMs)).toBe(0);
  });

  it.each<[string, PlaylistSample]>([
    ['has not moved for two segments', look(NOW + 4_000, 100)],
    ['came as far as time', look(NOW + 12_000, 106)],
    ['is two segments behind', look(NOW + 12_000, 104)],
  ])('is in no doubt when its playlist %s', (_, sample) => {
    const calm = played(9);
    calm.observe(sample);
    calm.observe(process(sample.monoMs));
    calm.observe(progress(sample.monoMs));
    expect(restOf(calm, sample.monoMs)).toBe(12_000);
  });

  it.each([
    ['no process', 'process'],
    ['no encoder', 'progress'],
  ])('is not one of which %s is known', (_, kind) => {
    expect(restOf(played(9, (sample) => (sample.kind === kind ? undefined : sample)))).toBe(0);
  });

  it('is not one that was never looked at', () => {
    expect(played(9).outputRestMs('film', REST, NOW)).toBe(0);
  });

  it('lets its source rest after good looks, and not after one that fell silent or failed', () => {
    const calm = played(9);
    const rest = { everyMs: 5_000, calmEveryMs: 15_000 };
    const seen = (extra: object): number => {
      calm.observe({ ...base(NOW), kind: 'source', ok: true, host: 'a:1', ...extra } as Sample);
      return calm.sourceRestMs('news', rest, NOW);
    };
    expect([{}, {}, {}, {}, {}].map(seen)).toEqual([0, 0, 10_000, 15_000, 15_000]);
    expect(seen({ silentMs: 1_600 })).toBe(0);
    expect([{}, {}, {}].map(seen)).toEqual([0, 0, 10_000]);
    expect(seen({ ok: false })).toBe(0);
  });
});

describe('an encoder whose reports Reeve reads late', () => {
  it.each([
    [0, 1_500, true],
    [0, 1_501, false],
    [800, 2_300, true],
    [800, 2_301, false],
    [3_000, 4_500, true],
    [3_000, 4_501, false],
    [60_000, 4_501, false],
  ])('goes on: %i ms late, last report %i ms ago: %s', (lateMs, agoMs, goesOn) => {
    const calm = played(
      6,
      (sample) => (sample.kind === 'progress' && sample.monoMs > NOW - agoMs ? undefined : sample),
      () => lateMs,
    );
    calm.observe(progress(NOW - agoMs));
    expect(calm.goesOn('news', NOW)).toBe(goesOn);
  });
});
