import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Clock } from '../../src/core/clock.ts';
import { continueClock } from '../../src/journal/time.ts';
import { fakeClock } from '../support/fake_clock.ts';

/** A clock that shows what the test sets. */
function shownClock(bootId: string, monoMs: number) {
  const shown = { monoMs };
  const { clock } = fakeClock();
  return { shown, clock: { ...clock, bootId, monotonicMs: () => shown.monoMs } satisfies Clock };
}

describe('continued time', () => {
  it('is the clock itself at the very first start', () => {
    const { clock } = shownClock('a', 5_000);
    const continued = continueClock(clock, undefined);
    expect([continued.monotonicMs(), continued.bootId]).toEqual([5_000, 'a+0']);
  });

  it('counts the time that passed between two starts on one boot exactly', () => {
    const { clock } = shownClock('a', 9_000);
    expect(continueClock(clock, { monoMs: 5_000, boot: 'a+0' }).monotonicMs()).toBe(9_000);
    expect(continueClock(clock, { monoMs: 105_000, boot: 'a+100000' }).monotonicMs()).toBe(109_000);
  });

  it('adds the uptime after a reboot', () => {
    const { clock } = shownClock('b', 40_000);
    const continued = continueClock(clock, { monoMs: 1_000_000, boot: 'a+0' });
    expect([continued.monotonicMs(), continued.bootId]).toEqual([1_040_000, 'b+1000000']);
  });

  it.each([
    ['of the same machine adds the uptime', 'm1/b', 'm1/a+0', 1_040_000],
    ['of another machine adds nothing', 'm2/b', 'm1/a+0', 1_000_000],
    ['of a machine without a name adds nothing', 'unnamed/b', 'unnamed/a+0', 1_000_000],
    ['that cannot be compared, for the journal names no machine, adds nothing', 'm1/b', 'a+0', 1_000_000],
    ['that is none adds what passed', 'm1/a', 'm1/a+990000', 1_030_000],
    ['that is none, in a journal that names no machine, adds what passed', 'm1/a', 'a+990000', 1_030_000],
    ['id that two machines share, as copies of one image may, adds nothing', 'm2/a', 'm1/a+0', 1_000_000],
  ])('a boot %s', (_, bootId, boot, expected) => {
    const { clock } = shownClock(bootId, 40_000);
    expect(continueClock(clock, { monoMs: 1_000_000, boot }).monotonicMs()).toBe(expected);
  });

  it('lets no time pass since a journal was set back, and counts exactly from then on', () => {
    const { clock } = shownClock('m1/a', 9_000);
    const last = { monoMs: 5_000, boot: 'm1/a+0' };
    expect([continueClock(clock, last).monotonicMs(), continueClock(clock, last, true).monotonicMs()]).toEqual([
      9_000, 5_000,
    ]);
    const { bootId } = continueClock(clock, last, true);
    const { clock: later } = shownClock('m1/a', 9_700);
    expect(continueClock(later, { monoMs: 5_100, boot: bootId }).monotonicMs()).toBe(5_700);
    expect(continueClock(clock, undefined, true).monotonicMs()).toBe(9_000);
  });

  it('lets no time pass where boots have no name: the uptime may be older than the stop', () => {
    const { clock, shown } = shownClock('process-17-1700000000000', 86_400_000);
    const continued = continueClock(clock, { monoMs: 50_000, boot: 'process-16-1600000000000+0' });
    expect(continued.monotonicMs()).toBe(50_000);
    shown.monoMs += 250;
    expect(continued.monotonicMs()).toBe(50_250);
  });

  it('never goes back when the clock of the same boot does', () => {
    const { clock, shown } = shownClock('a', 3_000);
    const continued = continueClock(clock, { monoMs: 8_000, boot: 'a+0' });
    expect(continued.monotonicMs()).toBe(8_000);
    shown.monoMs = 2_000;
    expect(continued.monotonicMs()).toBe(8_000);
    shown.monoMs = 3_001;
    expect(continued.monotonicMs()).toBe(8_001);
  });

  it('does not move when the wall clock jumps', () => {
    const { clock, jumpWall } = fakeClock();
    const continued = continueClock(clock, { monoMs: 2_000_000, boot: 'boot-1+1000000' });
    const before = continued.monotonicMs();
    jumpWall(-10 * 365 * 86_400_000);
    expect(continued.monotonicMs()).toBe(before);
  });

  it('keeps boot ids that contain a plus sign', () => {
    const { clock } = shownClock('x+7', 10);
    expect(continueClock(clock, { monoMs: 30, boot: 'x+7+25' }).monotonicMs()).toBe(35);
  });

  it('gives whole milliseconds', () => {
    const { clock } = shownClock('a', 10.7);
    expect(continueClock(clock, undefined).monotonicMs()).toBe(10);
  });

  it('over any restarts and reboots never goes back and never counts more than really passed', () => {
    const step = fc.record({ downMs: fc.nat(1e7), upMs: fc.nat(1e7), reboot: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), fc.nat(1e6), (steps, firstRawMs) => {
        let boot = 0;
        let rawMs = firstRawMs;
        let trueMs = 0;
        let last = { monoMs: rawMs, boot: 'b0+0' };
        const startMs = last.monoMs;
        for (const { downMs, upMs, reboot } of steps) {
          if (reboot) boot += 1;
          rawMs = reboot ? Math.min(upMs, downMs) : rawMs + downMs;
          trueMs += downMs;
          const { clock, shown } = shownClock(`b${boot}`, rawMs);
          const continued = continueClock(clock, last);
          expect(continued.monotonicMs()).toBeGreaterThanOrEqual(last.monoMs);
          shown.monoMs += upMs;
          rawMs += upMs;
          trueMs += upMs;
          expect(continued.monotonicMs() - startMs).toBeLessThanOrEqual(trueMs);
          last = { monoMs: continued.monotonicMs(), boot: continued.bootId };
        }
      }),
    );
  });
});
