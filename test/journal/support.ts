import { execFileSync } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import type { Draft, JournalEntry, Projection } from '../../src/core/journal.ts';
import type { PermitTerms } from '../../src/core/tool.ts';
import { GENESIS, hashOf } from '../../src/journal/chain.ts';
import { SqliteStore } from '../../src/journal/sqlite.ts';
import type { StoredEntry } from '../../src/journal/store.ts';

export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'reeve-journal-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** A file that is not even opened until the test ends, as one of a file server that is away. */
export function aDeadFile(): string {
  const path = join(temporaryDirectory(), 'dead');
  execFileSync('mkfifo', [path]);
  onTestFinished(() => closeSync(openSync(path, constants.O_RDWR | constants.O_NONBLOCK)));
  return path;
}

export const journalPath = (): string => join(temporaryDirectory(), 'state', 'journal.db');

/** A journal file that is closed when the test ends. */
export function opened(path: string): SqliteStore {
  const store = SqliteStore.open(path);
  onTestFinished(() => store.close());
  return store;
}

/** An error of this code with a hint. */
export const coded = (code: string, message: RegExp) =>
  expect.objectContaining({ code, message: expect.stringMatching(message), hint: expect.any(String) });

/** A fact that carries a number, and nothing else matters. */
export const jump = (byMs: number, about: Omit<Draft, 'fact'> = {}): Draft => ({
  ...about,
  fact: { type: 'clock.jumped', byMs },
});

/** Counts entries and adds up their numbers. */
export const sum = (name = 'sum'): Projection<{ readonly entries: number; readonly total: number }> => ({
  name,
  initial: { entries: 0, total: 0 },
  apply: ({ entries, total }, { fact }: JournalEntry) => ({
    entries: entries + 1,
    total: total + (fact.type === 'clock.jumped' ? fact.byMs : 0),
  }),
});

/** Rows 1 to `count` in one whole chain. */
export function chainOf(count: number, change: (seq: number) => Partial<StoredEntry> = () => ({})): StoredEntry[] {
  const rows: StoredEntry[] = [];
  for (let seq = 1; seq <= count; seq += 1) {
    const row = {
      seq,
      at: 1_000 + seq,
      monoMs: seq,
      boot: 'boot-1+0',
      channel: undefined,
      incident: undefined,
      run: undefined,
      type: 'clock.jumped',
      body: `{"by_ms":${seq},"type":"clock.jumped"}`,
      ...change(seq),
    };
    rows.push({ ...row, hash: hashOf(rows.at(-1)?.hash ?? GENESIS, row) });
  }
  return rows;
}

export const permit = (id: string, terms: Partial<PermitTerms> = {}): PermitTerms => ({
  id,
  call: { tool: 'restart_channel', target: { kind: 'channel', id: 'news' }, channels: [] },
  incident: 'inc-1',
  run: 'run-1',
  risk: 'high',
  generation: 0,
  fence: 1,
  grantedMs: 0,
  expiresMs: 5_000,
  parent: undefined,
  ...terms,
});
