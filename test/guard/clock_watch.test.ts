import { describe, expect, it } from 'vitest';
import type { JournalEntry, JournalFact } from '../../src/core/journal.ts';
import { bootAheadOf, ClockWatch, knownAheadProjection, sleptWhileAway } from '../../src/guard/clock_watch.ts';
import { suspendableClock } from '../support/fake_clock.ts';

const facts = (drafts: ReturnType<ClockWatch['look']>) => drafts.map(({ fact }) => fact);

describe('the clock watch', () => {
  it('finds nothing where the clocks go together', async () => {
    const time = suspendableClock();
    const watch = new ClockWatch(time.clock, 1_000);
    for (let second = 0; second < 100; second += 1) {
      await time.advance(1_000);
      expect(watch.tick()).toEqual([]);
    }
  });

  it.each([
    [1_999, []],
    [2_000, [{ type: 'clock.jumped', byMs: 2_000, cause: 'suspended' }]],
    [86_400_000, [{ type: 'clock.jumped', byMs: 86_400_000, cause: 'suspended' }]],
  ])('a machine that slept for %i ms', async (sleptMs, found) => {
    const time = suspendableClock();
    const watch = new ClockWatch(time.clock);
    await time.advance(500);
    time.suspend(sleptMs);
    expect(facts(watch.look())).toEqual(found);
    expect(watch.look()).toEqual([]);
  });

  it('adds up sleeps that are too short one by one', () => {
    const time = suspendableClock();
    const watch = new ClockWatch(time.clock);
    time.suspend(1_500);
    expect(watch.look()).toEqual([]);
    time.suspend(1_500);
    expect(facts(watch.look())).toEqual([{ type: 'clock.jumped', byMs: 3_000, cause: 'suspended' }]);
  });

  it.each([
    [1_999, 0],
    [-1_999, 0],
    [2_000, 1],
    [-2_000, 1],
  ])('a wall clock that is set by %i ms', (byMs, count) => {
    const time = suspendableClock();
    const watch = new ClockWatch(time.clock);
    time.jumpWall(byMs);
    const found = facts(watch.look());
    expect(found).toEqual(Array.from({ length: count }, () => ({ type: 'clock.jumped', byMs, cause: 'corrected' })));
  });

  it.each([
    [10_999, []],
    [11_000, [{ type: 'clock.jumped', byMs: 10_000, cause: 'stopped' }]],
  ])('a tick of every second that comes after %i ms', async (afterMs, found) => {
    const time = suspendableClock();
    const watch = new ClockWatch(time.clock, 1_000);
    await time.advance(afterMs);
    expect(facts(watch.tick())).toEqual(found);
    expect(watch.tick()).toEqual([]);
  });

  it('does not take a late tick for a stop where time is skipped', async () => {
    const time = suspendableClock();
    const watch = new ClockWatch(time.clock);
    await time.advance(3_600_000);
    expect(watch.tick()).toEqual([]);
  });
});

describe('a machine that slept while no Reeve ran', () => {
  /** What a process knows of the clocks that wrote these facts at its start, and then was gone while this machine slept. */
  function leftBehind(boot = 'boot-1') {
    const time = suspendableClock();
    const started = { type: 'reeve.started', version: '', configSha: '', ...bootAheadOf(time.clock) } as const;
    const known = (...facts: JournalFact[]) =>
      [started, ...facts].reduce(
        (state, fact) => knownAheadProjection.apply(state, { fact, boot } as JournalEntry),
        knownAheadProjection.initial,
      );
    return { time, known };
  }

  it.each([
    [1_999, []],
    [2_000, [{ type: 'clock.jumped', byMs: 2_000, cause: 'suspended' }]],
    [28_800_000, [{ type: 'clock.jumped', byMs: 28_800_000, cause: 'suspended' }]],
  ])('for %i ms', async (sleptMs, found) => {
    const { time, known } = leftBehind();
    await time.advance(60_000);
    time.suspend(sleptMs);
    expect(facts(sleptWhileAway(known(), time.clock))).toEqual(found);
  });

  it('after it had slept before, which was written down', () => {
    const { time, known } = leftBehind();
    time.suspend(30_000);
    const before = known(
      { type: 'clock.jumped', byMs: 30_000, cause: 'suspended' },
      { type: 'clock.jumped', byMs: 999_000, cause: 'corrected' },
    );
    expect(sleptWhileAway(before, time.clock)).toEqual([]);
    time.suspend(5_000);
    expect(facts(sleptWhileAway(before, time.clock))).toMatchObject([{ byMs: 5_000 }]);
  });

  it('is not known of another boot, of a journal that says nothing of it, and without such a clock', () => {
    const { time, known } = leftBehind('boot-0');
    time.suspend(60_000);
    expect(sleptWhileAway(known(), time.clock)).toEqual([]);
    const silent: JournalFact = { type: 'reeve.started', version: '', configSha: '' };
    expect(sleptWhileAway(leftBehind().known(silent), time.clock)).toEqual([]);
    const { bootTimeMs: _, ...never } = time.clock;
    expect(sleptWhileAway(leftBehind().known(), never)).toEqual([]);
    expect(bootAheadOf(never)).toEqual({});
  });
});
