import { describe, expect, it } from 'vitest';
import { pageLines, pageTable, type WirePage } from '../../src/cli/pages_text.ts';

const page = (with_: Partial<WirePage> = {}): WirePage => ({
  ...{ key: 'incident/inc-1', severity: 'critical', scope: 'channel:news', summary: 'news: process_crashed' },
  ...{ open_ms: 120_000, acked: null, delivered_to: ['oncall', 'chat'] },
  ...with_,
});

describe('open pages on the terminal', () => {
  it('are rows that say who has each, and whom it has reached', () => {
    const acked = { who: 'ann', ago_ms: 20_000 };
    const [, first, second, hint] = pageTable([page(), page({ acked, delivered_to: [] })]).split('\n');
    expect(first).toMatch(/^incident\/inc-1 +critical +2 m 0 s +- +oncall, chat +news: process_crashed$/);
    expect(second).toMatch(/^incident\/inc-1 +critical +2 m 0 s +ann, 20 s ago +nobody yet +news: process_crashed$/);
    expect(hint).toMatch(/^say that you have one with reeve ack KEY/);
  });

  it('stand in the status with the command that takes them, as long as nobody has', () => {
    expect(pageLines([page(), page({ key: 'b', acked: { who: 'ann', ago_ms: 1 } })])).toEqual([
      'page (critical): news: process_crashed — reeve ack incident/inc-1',
    ]);
    const many = (count: number) => pageLines(Array.from({ length: count }, () => page()));
    expect(many(8)).toHaveLength(8);
    expect([many(9).length, many(9).at(-1)]).toEqual([9, 'and 1 more open pages: reeve pages']);
  });

  it('send nothing to the terminal that a log line could have put there', () => {
    expect(pageLines([page({ summary: 'a\u001b[2Jb' })]).join()).not.toContain('\u001b');
    expect(pageTable([page({ key: 'k\u001b[2J', summary: 'a\u001b[2Jb' })])).not.toContain('\u001b');
  });
});
