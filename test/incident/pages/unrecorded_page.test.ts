import { describe, expect, it } from 'vitest';
import { isUnrecordedKey, keyOfUnrecorded, unrecordedPage } from '../../../src/incident/pages/unrecorded_page.ts';

const down = (...channels: string[]) =>
  channels.map((channel) => ({ channel, classification: 'process_crashed' }) as const);

describe('the page about who is down while the journal takes nothing', () => {
  it('names the channel and its trouble, and what to do by hand', () => {
    expect(unrecordedPage(keyOfUnrecorded('esc-1'), down('news'))).toMatchObject({
      key: 'unrecorded/esc-1',
      severity: 'critical',
      reason: 'journal_broken',
      scope: { kind: 'fleet' },
      channels: ['news'],
      summary: 'news (process_crashed) is in trouble while the journal takes nothing: Reeve restarts nothing',
      details: expect.stringMatching(/Restart by hand[\s\S]*\nIn trouble \(1\): news$/),
    });
  });

  it.each([
    [2, 'and 1 more are in trouble'],
    [3, 'and 2 more are in trouble'],
  ])('counts the others of %s', (count, says) => {
    const ids = Array.from({ length: count }, (_, at) => `ch${at}`);
    expect(unrecordedPage('unrecorded/a', down(...ids)).summary).toContain(says);
  });

  it('keeps its texts within what a page may hold, however many there are', () => {
    const ids = Array.from({ length: 500 }, (_, at) => `${'long'.repeat(40)}${at}`);
    const page = unrecordedPage('unrecorded/a', down(...ids));
    expect([page.summary.length, page.details.length, page.channels?.length]).toEqual([200, 2_000, 500]);
  });

  it('is known by its key, as the dispatcher names it, and by no other', () => {
    expect(isUnrecordedKey(`unjournaled/${keyOfUnrecorded('esc-1')}`)).toBe(true);
    expect(isUnrecordedKey(keyOfUnrecorded('esc-1'))).toBe(false);
    expect(isUnrecordedKey('unjournaled/reeve/internal/journal')).toBe(false);
  });
});
