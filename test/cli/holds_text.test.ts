import { describe, expect, it } from 'vitest';
import { holdLines } from '../../src/cli/holds_text.ts';

const leased = (id: string, leased_for_ms: number) => ({ id, leased_for_ms });
const WINDOW = { id: 'win-1', scope: 'group:pull', rolling: false, who: 'ann', because: 'origin upgrade' };

describe('what people hold', () => {
  it('is nothing where nobody holds anything', () => {
    expect(holdLines([leased('news', 0)], [])).toEqual([]);
  });

  it('names each leased channel with what is left, and of many how many more there are', () => {
    expect(holdLines([leased('news', 90_000), leased('film', 0)], [])).toEqual([
      'leased, nothing is changed there: news for 90 s',
    ]);
    const many = Array.from({ length: 12 }, (_, at) => leased(`c${at}`, 1_000));
    expect(holdLines(many, [])[0]).toMatch(/c9 for 1 s, and 2 more$/);
  });

  it('shows a window with who announced it and why, before it begins and until it ends', () => {
    const lines = [60_000, 0].map((starts_in_ms) => holdLines([], [{ ...WINDOW, starts_in_ms, ends_in_ms: 120_000 }]));
    expect(lines).toEqual([
      ['maintenance: win-1  group:pull  begins in 60 s  ann: origin upgrade'],
      ['maintenance: win-1  group:pull  ends in 2 m 0 s  ann: origin upgrade'],
    ]);
  });
});
