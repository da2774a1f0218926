import { describe, expect, it } from 'vitest';
import type { Decided } from '../../src/backtest/decisions.ts';
import { viewerSecondsOf } from '../../src/backtest/viewers.ts';
import type { Sample } from '../../src/core/sample.ts';

const count = (seconds: number, viewers: number, channel = 'news') =>
  ({ kind: 'viewers', at: seconds * 1_000, viewers, channel }) as unknown as Sample;

interface Trouble {
  readonly from: number;
  readonly to?: number;
  readonly scope?: string;
  readonly channels?: readonly string[];
}
/** From the counts of viewers and one incident, both in seconds; the recording ends after 600. */
function waited(counts: readonly Sample[], trouble?: Trouble, costs: readonly (number | undefined)[] = []) {
  const incidents = (trouble === undefined ? [] : [trouble]).map(
    ({ from, to, scope = 'channel:news', channels = [] }) => ({
      ...{ scope, channels, openedAt: from * 1_000, closedAt: to === undefined ? undefined : to * 1_000 },
    }),
  );
  const wouldAct = costs.map((viewerSeconds) => ({ viewerSeconds }));
  return viewerSecondsOf(
    counts,
    { incidents, wouldAct } as unknown as Pick<Decided, 'incidents' | 'wouldAct'>,
    600_000,
  );
}

describe('how many viewers waited for how long', () => {
  it('is unknown where the recording knows no viewers', () => {
    const other = { kind: 'process', at: 0, channel: 'news' } as unknown as Sample;
    expect(waited([], { from: 0, to: 10 })).toBeUndefined();
    expect(waited([other], { from: 0, to: 10 })).toBeUndefined();
  });

  it('is nothing while nothing was wrong', () => {
    expect(waited([count(0, 10)])).toEqual({ inTrouble: 0, spent: 0 });
  });

  it('is each count times the seconds until the next, within the incident', () => {
    expect(waited([count(0, 10), count(20, 5)], { from: 10, to: 30 })).toEqual({ inTrouble: 150, spent: 0 });
  });

  it('holds a count for a minute at most', () => {
    expect(waited([count(0, 10)], { from: 0, to: 300 })?.inTrouble).toBe(600);
    expect(waited([count(0, 10)], { from: 60, to: 300 })?.inTrouble).toBe(0);
    expect(waited([count(0, 10)], { from: 59, to: 300 })?.inTrouble).toBe(10);
    expect(waited([count(0, 10), count(300, 1)], { from: 200, to: 310 })?.inTrouble).toBe(10);
  });

  it('goes on to the end of the recording while the incident is open', () => {
    expect(waited([count(590, 3)], { from: 0 })?.inTrouble).toBe(30);
  });

  it('counts the viewers of the channel alone, and of a group those of each channel that it is about', () => {
    const counts = [count(0, 10), count(0, 1, 'sport'), count(0, 100, 'kids')];
    expect(waited(counts, { from: 0, to: 10 })?.inTrouble).toBe(100);
    const group = { from: 0, to: 10, scope: 'group:g', channels: ['news', 'sport'] };
    expect(waited(counts, group)?.inTrouble).toBe(110);
  });

  it('says beside it what the changes would have cost, where that is known', () => {
    expect(waited([count(0, 1)], undefined, [2.4, undefined, 3.2])?.spent).toBe(6);
  });
});
