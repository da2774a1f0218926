import { describe, expect, it } from 'vitest';
import { entryOf, stamp } from '../../src/journal/entry.ts';
import { GENESIS } from '../../src/journal/chain.ts';
import { fakeClock } from '../support/fake_clock.ts';
import { chainOf, coded, jump } from './support.ts';

describe('an entry', () => {
  it('is read as it was written', () => {
    const [row] = stamp([jump(7, { channel: 'news' })], { seq: 4, hash: GENESIS }, fakeClock().clock);
    expect(entryOf(row!)).toMatchObject({ seq: 5, channel: 'news', fact: { type: 'clock.jumped', byMs: 7 } });
  });

  it('is no TypeError of its reader where the record holds no fact, but a broken journal, with the place', () => {
    for (const body of ['{"by_ms":9}', 'null', '7', '"reeve"', '[]', '{"type":7}', '{']) {
      const [row] = chainOf(1, () => ({ body }));
      expect(() => entryOf(row!)).toThrow(coded('JOURNAL_BROKEN', /^record 1 cannot be read: it holds no fact$/));
    }
  });
});
