import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Draft } from '../../src/core/journal.ts';
import { DerivedFile } from '../../src/journal/derived.ts';
import { Ledger } from '../../src/journal/ledger.ts';
import { SqliteStore } from '../../src/journal/sqlite.ts';
import { openMemoryFile, rebuildMemoryFile } from '../../src/memory/memory_file.ts';
import { MEMORY_SCHEMA } from '../../src/memory/schema.ts';
import { temporaryDirectory } from '../journal/support.ts';
import { fakeClock } from '../support/fake_clock.ts';
import { incidentDrafts } from './support.ts';

/** Appends to the journal of a state directory, as a daemon that then stops. */
function write(state: string, drafts: readonly Draft[]): void {
  using ledger = new Ledger(SqliteStore.open(join(state, 'journal.db')), fakeClock().clock);
  ledger.open();
  ledger.append(drafts);
}
/** A state directory with the journal of these incidents. */
function aState(...ids: readonly string[]): string {
  const state = temporaryDirectory();
  write(
    state,
    ids.flatMap((id) => incidentDrafts({ id })),
  );
  return state;
}
/** What a command finds, and what it was told meanwhile. */
function opened(state: string) {
  const told: string[] = [];
  using file = openMemoryFile(state, (text) => told.push(text));
  const incidents = file.reads.list({ type: 'incident', limit: 9 }).map(({ id }) => id);
  return { incidents, told: told.length, shown: file.face.stat() };
}
/** As a running daemon keeps it. */
const kept = (state: string) => DerivedFile.open(join(state, 'memory.db'), MEMORY_SCHEMA);

describe('the memory that a command opens', () => {
  it('is read from the journal the first time, and says so', () => {
    const state = aState('inc-1');
    expect(opened(state)).toMatchObject({ incidents: ['inc-1'], told: 1 });
    expect(opened(state)).toMatchObject({ incidents: ['inc-1'], told: 0 });
  });

  it('is brought up to date with what the journal got since', () => {
    const state = aState('inc-1');
    const { throughSeq } = opened(state).shown;
    write(state, incidentDrafts({ id: 'inc-2' }));
    const { incidents, shown } = opened(state);
    expect(incidents).toEqual(['inc-2', 'inc-1']);
    expect(shown.throughSeq).toBeGreaterThan(throughSeq);
  });

  it('is read anew where the journal is another one, or an older copy that has grown', () => {
    const state = aState('inc-1', 'inc-2');
    opened(state);
    for (const file of readdirSync(state)) if (file.startsWith('journal.db')) rmSync(join(state, file));
    write(
      state,
      ['inc-3', 'inc-4', 'inc-5'].flatMap((id) => incidentDrafts({ id })),
    );
    expect(opened(state).incidents).toEqual(['inc-5', 'inc-4', 'inc-3']);
  });

  it('is read as it stands while a daemon keeps it', () => {
    const state = aState('inc-1');
    opened(state);
    write(state, incidentDrafts({ id: 'inc-2' }));
    using _daemon = kept(state);
    expect(opened(state).incidents).toEqual(['inc-1']);
  });

  it('is none without a journal', () => {
    expect(() => opened(temporaryDirectory())).toThrow(expect.objectContaining({ code: 'JOURNAL_BROKEN' }));
    const gone = join(temporaryDirectory(), 'gone');
    const told: string[] = [];
    const open = () => openMemoryFile(gone, (text) => told.push(text));
    expect(open).toThrow(expect.objectContaining({ code: 'JOURNAL_BROKEN' }));
    expect(told).toEqual([`reading the journal into ${join(gone, 'memory.db')}\n`]);
  });

  it('is refused where its file is none, and the file is left alone', () => {
    const state = aState('inc-1');
    writeFileSync(join(state, 'memory.db'), 'not a database, but longer than the header of one'.repeat(4), {
      mode: 0o600,
    });
    expect(() => opened(state)).toThrow(expect.objectContaining({ code: 'DERIVED_BROKEN' }));
    expect(existsSync(join(state, 'memory.db'))).toBe(true);
  });
});

describe('a memory that is built anew', () => {
  it('is the same as the one that was there, in its place, and leaves nothing else behind', () => {
    const state = aState('inc-1', 'inc-2');
    const before = opened(state);
    const files = readdirSync(state);
    const rebuilt = rebuildMemoryFile(state);
    expect(rebuilt).toMatchObject({ replaced: true, hashBefore: rebuilt.hash, insightsKept: 2 });
    expect([rebuilt.throughSeq, rebuilt.throughSeqBefore]).toEqual([before.shown.throughSeq, before.shown.throughSeq]);
    expect(rebuilt.entries).toBe(before.shown.throughSeq);
    expect(readdirSync(state).filter((name) => !files.includes(name))).toEqual([]);
    expect(opened(state).incidents).toEqual(before.incidents);
  });

  it('is compared as far as the old one had read, and then reads on', () => {
    const state = aState('inc-1');
    const { throughSeq } = opened(state).shown;
    write(state, incidentDrafts({ id: 'inc-2' }));
    const rebuilt = rebuildMemoryFile(state);
    expect([rebuilt.hashBefore, rebuilt.throughSeqBefore]).toEqual([rebuilt.hash, throughSeq]);
    expect(rebuilt.throughSeq).toBeGreaterThan(throughSeq);
    expect(opened(state).incidents).toEqual(['inc-2', 'inc-1']);
  });

  it('differs from one that does not follow from the journal', () => {
    const state = aState('inc-1');
    opened(state);
    using changed = kept(state);
    changed.advance(changed.cursor(), () => changed.run("UPDATE node SET label = 'forged' WHERE type = 'incident'"));
    changed[Symbol.dispose]();
    const { hash, hashBefore } = rebuildMemoryFile(state);
    expect(hashBefore).not.toBe(hash);
    expect(rebuildMemoryFile(state)).toMatchObject({ hash, hashBefore: hash });
  });

  it('keeps the insights of the old one, though the journal holds their incident no more', () => {
    const state = aState('inc-1');
    opened(state);
    using changed = kept(state);
    const outlived = "UPDATE insight SET id = 'ins-outlived', origin = 'inc-0' WHERE origin = 'inc-1'";
    changed.advance(changed.cursor(), () => changed.run(outlived));
    changed[Symbol.dispose]();
    expect(rebuildMemoryFile(state).insightsKept).toBe(1);
    using file = openMemoryFile(state, () => undefined);
    expect(file.reads.insights.get('ins-outlived')).toMatchObject({ origin: 'inc-0' });
  });

  it('is compared with nothing where there was none, and where the file that was there is none', () => {
    const state = aState('inc-1');
    const none = { hashBefore: undefined, throughSeqBefore: undefined, replaced: true, insightsKept: 0 };
    expect(rebuildMemoryFile(state)).toMatchObject(none);
    writeFileSync(join(state, 'memory.db'), 'not a database, but longer than the header of one'.repeat(4));
    expect(rebuildMemoryFile(state)).toMatchObject(none);
    expect(opened(state).incidents).toEqual(['inc-1']);
  });

  it('takes no file from a daemon that keeps it: only the hashes are compared', () => {
    const state = aState('inc-1');
    opened(state);
    using _daemon = kept(state);
    const rebuilt = rebuildMemoryFile(state);
    expect(rebuilt).toMatchObject({ replaced: false, hashBefore: rebuilt.hash });
    expect(readdirSync(state).filter((name) => name.includes('.new'))).toEqual([]);
    expect(opened(state).incidents).toEqual(['inc-1']);
  });

  it('is not begun without a journal', () => {
    const state = temporaryDirectory();
    expect(() => rebuildMemoryFile(state)).toThrow(expect.objectContaining({ code: 'JOURNAL_BROKEN' }));
    expect(readdirSync(state)).toEqual([]);
  });
});
