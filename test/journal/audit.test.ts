import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { auditJournal } from '../../src/journal/audit.ts';
import { SqliteStore } from '../../src/journal/sqlite.ts';
import { chainOf, temporaryDirectory } from './support.ts';

describe('the audit against heads', () => {
  function aJournal(count: number, from = 1): { readonly path: string; readonly hashes: readonly string[] } {
    const path = join(temporaryDirectory(), 'journal.db');
    const store = SqliteStore.open(path);
    const rows = chainOf(count);
    store.append(rows);
    if (from > 1) store.deleteThrough(from - 1);
    store.close();
    return { path, hashes: rows.map(({ hash }) => hash) };
  }
  const at = (seq: number, hash: string) => ({ seq, hash });

  it('counts what came after the newest head: only the file itself shows that', () => {
    const { path, hashes } = aJournal(9);
    const report = auditJournal(path, [at(3, hashes[2]!), at(6, hashes[5]!)]);
    expect(report).toMatchObject({ ok: true, unwitnessed: 3, heads: [{ found: 'yes' }, { found: 'yes' }] });
    expect(auditJournal(path)).toMatchObject({ ok: true, unwitnessed: 9, heads: [] });
  });

  it('fails when one of many heads is missing, and names it', () => {
    const { path, hashes } = aJournal(9);
    const report = auditJournal(path, [at(3, hashes[2]!), at(6, 'f'.repeat(64))]);
    expect(report).toMatchObject({ ok: false, firstBad: 6, because: expect.stringContaining('record 6') });
    expect(auditJournal(path, [at(20, hashes[8]!)])).toMatchObject({ ok: false });
    expect(auditJournal(path, [{ seq: undefined, hash: 'f'.repeat(13) }])).toMatchObject({ ok: false });
  });

  it('looks at each of many heads once, not at all of them for each record', () => {
    const { path, hashes } = aJournal(9);
    let looks = 0;
    const watched = (seq: number, hash: string) => ({
      get seq() {
        looks += 1;
        return seq;
      },
      hash,
    });
    const others = Array.from({ length: 500 }, (_, index) => watched(5, index.toString(16).padStart(64, '0')));
    const report = auditJournal(path, [...others, watched(7, hashes[6]!)]);
    expect(report.heads.at(-1)?.found).toBe('yes');
    // Each is copied into its finding, and asked there whether it is gone: three times at most.
    expect(looks).toBeLessThan(4 * 501);
  });

  it('finds a right hash at a wrong place', () => {
    const { path, hashes } = aJournal(9);
    expect(auditJournal(path, [at(4, hashes[2]!)])).toMatchObject({ ok: false, heads: [{ found: 'no' }] });
    expect(auditJournal(path, [{ seq: undefined, hash: hashes[2]!.slice(0, 13) }])).toMatchObject({ ok: true });
  });
});
