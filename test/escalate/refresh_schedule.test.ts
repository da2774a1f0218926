import { describe, expect, it } from 'vitest';
import { RefreshSchedule } from '../../src/escalate/refresh_schedule.ts';

const EVERY_MS = 60_000;

describe('what is open at a receiver that forgets', () => {
  it('is sent again at once by a new process, and then in its time', () => {
    const schedule = new RefreshSchedule(EVERY_MS, 5);
    expect([schedule.isDue(4), schedule.isDue(5)]).toEqual([false, true]);
    schedule.begin(10);
    expect([schedule.dueMs, schedule.isDue(60_009), schedule.isDue(60_010)]).toEqual([60_010, false, true]);
  });

  it('is never due at one that keeps it', () => {
    const schedule = new RefreshSchedule(undefined, 0);
    schedule.begin(0);
    expect(schedule.isDue(Number.MAX_SAFE_INTEGER)).toBe(false);
    expect(schedule.comesFirst(Number.MAX_SAFE_INTEGER, true)).toBe(false);
  });

  it('comes before new messages in an outage, in turn with them, and else when it is late by a whole time', () => {
    const schedule = new RefreshSchedule(EVERY_MS, 0);
    const first = (nowMs: number) => [schedule.comesFirst(nowMs, true), schedule.comesFirst(nowMs, false)];
    expect([first(0), first(EVERY_MS - 1), first(EVERY_MS)]).toEqual([
      [true, false],
      [true, false],
      [true, true],
    ]);
    schedule.noteSent();
    expect(first(EVERY_MS)).toEqual([false, false]);
    schedule.noteMessage();
    expect(first(EVERY_MS)).toEqual([true, true]);
  });

  it('is due at once when an outage is over, or what was refused is taken, and not for any other success', () => {
    const begun = () => {
      const schedule = new RefreshSchedule(EVERY_MS, 0);
      schedule.begin(0);
      return schedule;
    };
    const [calm, back, mended] = [begun(), begun(), begun()];
    calm.noteTaken(10, false);
    back.noteTaken(10, true);
    mended.noteRefused();
    mended.noteTaken(10, false);
    expect([calm.dueMs, back.dueMs, mended.dueMs]).toEqual([EVERY_MS, 10, 10]);
    mended.begin(20);
    mended.noteTaken(30, false);
    expect(mended.dueMs).toBe(20 + EVERY_MS);
  });

  it('comes first after the machine slept, for it may have run out there', () => {
    const schedule = new RefreshSchedule(EVERY_MS, 0);
    schedule.begin(0);
    schedule.noteSuspend(10);
    expect(schedule.comesFirst(10, false)).toBe(true);
  });

  it('waits until a receiver that fails is tried again', () => {
    const schedule = new RefreshSchedule(EVERY_MS, 0);
    schedule.putOff(500);
    expect([schedule.isDue(499), schedule.isDue(500)]).toEqual([false, true]);
  });
});
