import { describe, expect, it } from 'vitest';
import { BlindSpots } from '../../../src/detect/templates/blind_spots.ts';
import { aCatalogue } from '../catalogue_source.ts';

describe('BlindSpots', () => {
  const catalogue = aCatalogue([{ id: 'refused', regex: 'Connection refused' }]);
  const complaint = (text: string, monoMs: number, channel?: string) => ({ text, channel, at: monoMs, monoMs });

  it('lists what recurs, per channel, with the first and the last time', () => {
    const spots = new BlindSpots(catalogue);
    for (let at = 0; at < 5; at += 1) spots.observe(complaint(`widget ${at} failed`, at * 1000, 'news'));
    spots.observe(complaint('widget 9 failed', 9000, 'sport'));
    expect(spots.list(10_000)).toEqual([
      {
        template: 'widget <num> failed',
        channel: 'news',
        count: 5,
        total: 5,
        firstSeenAt: 0,
        lastSeenAt: 4000,
        sample: 'widget 0 failed',
        bursting: false,
        like: undefined,
      },
    ]);
  });

  it('forgets what has not been logged for ten minutes', () => {
    const spots = new BlindSpots(catalogue);
    for (let at = 0; at < 5; at += 1) spots.observe(complaint('widget failed', at));
    expect(spots.list(9 * 60_000 + 59_999)).toHaveLength(1);
    expect(spots.list(10 * 60_000)).toHaveLength(0);
  });

  it('notices a burst over a background', () => {
    const spots = new BlindSpots(catalogue, { recurringMin: 1000 });
    for (let minute = 0; minute < 9; minute += 1) spots.observe(complaint('widget failed', minute * 60_000));
    expect(spots.list(9 * 60_000)).toEqual([]);
    for (let at = 0; at < 10; at += 1) spots.observe(complaint('widget failed', 9 * 60_000 + at));
    expect(spots.list(9 * 60_000 + 10)).toEqual([expect.objectContaining({ bursting: true, count: 19 })]);
  });

  it('keeps to its memory and counts what it forgets', () => {
    const spots = new BlindSpots(catalogue, { spotsMax: 10, recurringMin: 1 });
    for (let at = 0; at < 25; at += 1) spots.observe(complaint('widget failed', at, `ch${at}`));
    expect(spots.list(100)).toHaveLength(10);
    expect(spots.dropped).toBe(15);
  });
});
