import { describe, expect, it } from 'vitest';
import { heldPhasePage, KEYS_OF_HELD_PHASE } from '../../../src/incident/pages/phase_page.ts';

const pageOf = (cause: 'empty' | 'set_back' | 'damaged', because = 'so it is') =>
  heldPhasePage({ held: 1, configured: 4, cause, because });

describe('the page about a held phase', () => {
  it('has a key of its own for each cause, so that none holds back another', () => {
    const keys = (['empty', 'set_back', 'damaged'] as const).map((cause) => pageOf(cause).key);
    expect(keys).toEqual(['phase/held', 'phase/set_back', 'phase/damaged']);
    expect(KEYS_OF_HELD_PHASE).toEqual(keys);
  });

  it('says what is held, why, and the command that ends it', () => {
    const { summary, details } = pageOf('set_back', 'the journal was set back: it ends early');
    expect(summary).toContain('stays at phase 1');
    expect(summary).toContain('although phase 4 is set: the journal was set back: it ends early');
    expect(details).toContain('reeve phase 4 --because');
    expect(details).toContain('pages that it does not know any more have to be closed where you read them');
  });

  it('is critical where the journal was damaged, and names the file that is kept and how to bring a copy back', () => {
    const { severity, reason, details } = pageOf(
      'damaged',
      'the journal was damaged: torn; it is kept as /x/journal.db.d',
    );
    expect([severity, reason]).toEqual(['critical', 'journal_broken']);
    for (const part of ['/x/journal.db.d', 'journal.db (without -wal and -shm)', 'reeve phase 4 --because'])
      expect(details).toContain(part);
  });
});
