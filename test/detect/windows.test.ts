import { fc, it as property } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { WINDOW_MS, Windows } from '../../src/detect/windows.ts';

describe('Windows', () => {
  it('counts an event for its minute and not longer', () => {
    const windows = new Windows(4);
    windows.add(0, 1, 5000);
    expect(windows.count(0, 1, 5000 + WINDOW_MS - 1001)).toBe(1);
    expect(windows.count(0, 1, 5000 + WINDOW_MS)).toBe(0);
  });

  it('keeps rows and columns apart', () => {
    const windows = new Windows(3);
    windows.add(0, 2, 0);
    windows.add(1, 0, 0);
    expect([windows.count(0, 2, 1), windows.count(1, 0, 1), windows.count(0, 0, 1)]).toEqual([1, 1, 0]);
  });

  it('gives the slots of quiet pairs to others, and counts what finds none', () => {
    const windows = new Windows(1, 64);
    for (let row = 0; row < 64; row += 1) windows.add(row, 0, 0);
    windows.add(64, 0, 10);
    expect(windows.dropped).toBe(1);
    expect(windows.add(65, 0, 2 * WINDOW_MS)).toBe(1);
    expect([windows.dropped, windows.active]).toEqual([1, 1]);
  });

  it('lets an older reading count as the newest seen', () => {
    const windows = new Windows(1);
    windows.add(0, 0, 100_000);
    expect(windows.add(0, 0, 90_000)).toBe(2);
  });

  it('grows without losing a count', () => {
    const windows = new Windows(2);
    for (let row = 0; row < 500; row += 1) windows.add(row, row % 2, 1000);
    for (let row = 0; row < 500; row += 1) expect(windows.count(row, row % 2, 1500)).toBe(1);
  });

  property.prop([fc.array(fc.record({ step: fc.nat(9000), row: fc.nat(70), column: fc.nat(1) }), { maxLength: 300 })])(
    'agrees with a plain list of whole seconds',
    (events) => {
      const windows = new Windows(2);
      const seen: { second: number; key: string }[] = [];
      let nowMs = 0;
      for (const { step, row, column } of events) {
        nowMs += step;
        const second = Math.floor(nowMs / 1000);
        seen.push({ second, key: `${row}/${column}` });
        const expected = seen.filter((event) => event.key === `${row}/${column}` && event.second > second - 60).length;
        // The first reading fixes where seconds begin: allow for the fraction.
        const got = windows.add(row, column, nowMs - (nowMs % 1000));
        expect(got).toBe(expected);
      }
    },
  );
});
