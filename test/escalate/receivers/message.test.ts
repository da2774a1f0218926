import { describe, expect, it } from 'vitest';
import type { Notice } from '../../../src/escalate/receiver.ts';
import { dedupKeyOf, detailsOf, factsOf, headlineOf, required } from '../../../src/escalate/receivers/message.ts';

const notice = (with_: Partial<Notice> = {}): Notice => ({
  id: 'n-1',
  what: 'trigger',
  key: 'incident/inc-1',
  scope: { kind: 'channel', id: 'news' },
  incident: 'inc-1',
  severity: 'critical',
  reason: 'no_plan',
  classification: 'output_stalled',
  summary: 'news: output_stalled',
  details: 'What was done: nothing.',
  openedAt: 0,
  resolvedAt: undefined,
  because: undefined,
  raised: 1,
  previous: [],
  ...with_,
});

describe('what a person reads', () => {
  it.each([
    ['trigger', 'CRITICAL news: output_stalled'],
    ['repeat', 'STILL CRITICAL news: output_stalled'],
    ['resolve', 'RESOLVED news: output_stalled'],
  ] as const)('begins a %s with %s', (what, headline) => {
    expect(headlineOf(notice({ what }), 100)).toBe(headline);
  });

  it('keeps the headline in one line of its bound', () => {
    const headline = headlineOf(notice({ summary: `a\nb ${'x'.repeat(300)}` }), 50);
    expect(headline).toMatch(/^CRITICAL a b x+…$/);
    expect(headline).toHaveLength(50);
  });

  it('says first why it was resolved, and only then', () => {
    expect(detailsOf(notice({ what: 'resolve', because: 'it plays' }))).toBe(
      'Resolved: it plays\n\nWhat was done: nothing.',
    );
    expect(detailsOf(notice({ because: 'it plays' }))).toBe('What was done: nothing.');
    expect(detailsOf(notice({ details: 'y'.repeat(3_000) }))).toHaveLength(2_000);
  });

  it('names what is known, and counts what flood control held back', () => {
    const names = (one: Notice) => factsOf(one).map(([name]) => name);
    expect(names(notice({ classification: undefined, incident: undefined }))).toEqual([
      'about',
      'severity',
      'reason',
      'key',
    ]);
    expect(Object.fromEntries(factsOf(notice({ raised: 3 })))).toMatchObject({
      about: 'channel:news',
      raised: '3 times since the last message',
    });
  });
});

describe('the key for other systems', () => {
  it('is the page’s own up to 255 characters, and a bounded, stable and distinct one beyond', () => {
    const long = 'k'.repeat(256);
    expect(dedupKeyOf(notice({ key: 'k'.repeat(255) }))).toBe('k'.repeat(255));
    expect(dedupKeyOf(notice({ key: long })).length).toBeLessThanOrEqual(255);
    expect(dedupKeyOf(notice({ key: `${long}a` }))).toBe(dedupKeyOf(notice({ key: `${long}a` })));
    expect(dedupKeyOf(notice({ key: `${long}a` }))).not.toBe(dedupKeyOf(notice({ key: `${long}b` })));
  });
});

describe('a secret that a receiver needs', () => {
  it('is given back, or refused with the keys that would give it', () => {
    expect(required('s3cret', { id: 'hook', name: 'token' })).toBe('s3cret');
    expect(() => required(undefined, { id: 'hook', name: 'token' })).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', hint: 'Set token_env or token_file.' }),
    );
  });
});
