import { describe, expect, it } from 'vitest';
import type { HalfDone } from '../../../src/ground/facts/half_done.ts';
import { besideRestart, mayBeOf, stillHalfDone } from '../../../src/ground/facts/half_done.ts';

const running = { state: 'running', generation: 'a', bornMs: 0, lastMs: 1_000 } as const;
const restart: HalfDone = { generation: 'a', sinceMs: 1_000 };
const begun = { generation: 'a', sinceMs: 2_000 };

describe('a change that is half done', () => {
  it('ends when a new process runs, or when the old one has run on for two minutes', () => {
    const still = (process: Partial<typeof running> | object, change = restart) =>
      stillHalfDone(change, { ...running, ...process }) !== undefined;
    expect([still({ lastMs: 121_000 }), still({ lastMs: 121_001 })]).toEqual([true, false]);
    expect([still({ generation: 'b' }), still({ generation: undefined })]).toEqual([false, false]);
    expect([still({ generation: 'b', state: 'starting' }), still({ state: 'stopped', lastMs: 900_000 })]).toEqual([
      true,
      true,
    ]);
  });

  it('of an earlier process of Reeve is told by the age of what runs, which engines round by three seconds', () => {
    const still = (bornMs: number, sinceMs = 10_000) =>
      stillHalfDone({ generation: undefined, sinceMs }, { ...running, bornMs, lastMs: 20_000 }) !== undefined;
    expect([still(6_999), still(7_000)]).toEqual([true, false]);
    expect(still(0, Number.NEGATIVE_INFINITY)).toBe(false);
  });

  it('explains a stop until five seconds after its call has ended, and what the first look after that shows', () => {
    const ended = { ...restart, endedMs: 10_000 };
    expect([mayBeOf(ended, 14_000, 15_000), mayBeOf(ended, 14_000, 15_001)]).toEqual([true, false]);
    expect([mayBeOf(ended, 10_000, 90_000), mayBeOf(ended, 10_001, 90_000)]).toEqual([true, false]);
    expect(mayBeOf(restart, 80_000, 90_000)).toBe(true);
  });

  it('does not take the place of a restart that is not known to be over, and keeps that an end was not known', () => {
    expect(besideRestart(undefined, begun)).toEqual({ ...begun, startsNothing: true });
    expect(besideRestart(restart, begun)).toBe(restart);
    const open: HalfDone = { ...restart, startsNothing: true };
    expect(besideRestart({ ...open, endedMs: 1_500 }, begun)).toEqual({ ...begun, startsNothing: true });
    expect(besideRestart(open, begun)).toEqual({ ...begun, startsNothing: true, isLost: true });
    expect(besideRestart({ ...open, endedMs: 1_500, isLost: true }, begun)).toMatchObject({ isLost: true });
  });
});
