/** The memory for commands: from the state directory, without the daemon. */
import { chmodSync, copyFileSync, existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ReeveError } from '../core/errors.ts';
import { takesWrites } from '../journal/at_rest.ts';
import { DerivedFile } from '../journal/derived.ts';
import { SqliteStore } from '../journal/sqlite.ts';
import { type MemoryReads, createMemoryApi } from './api.ts';
import { Graph } from './graph.ts';
import { type InsightQuery, InsightTable } from './insight_table.ts';
import { Reads } from './reads.ts';
import { adoptInsights, catchUp } from './rebuild.ts';
import { MEMORY_SCHEMA } from './schema.ts';

/** An open memory to read. */
export interface MemoryFile extends Disposable {
  readonly face: MemoryReads;
  readonly reads: Reads;
}

const FILE = 'memory.db';
const JOURNAL = 'journal.db';
/** Deleted in one transaction where the journal is another one. */
const ROWS_AT_ONCE = 10_000;
const isInUse = (thrown: unknown): boolean => thrown instanceof ReeveError && /is in use by/.test(thrown.message);

/**
 * Brings the file up to date with the journal, unless a daemon keeps it, and opens it for reading. Where the state
 * directory takes no writes, a copy is made that lasts as long as it is open. `tell` hears what takes long. Throws
 * JOURNAL_BROKEN where there is no journal.
 */
export function openMemoryFile(state: string, tell: (text: string) => void): MemoryFile {
  using cleanup = new DisposableStack();
  const path = existsSync(state) && !takesWrites(state) ? copyOf(state, cleanup) : join(state, FILE);
  if (!existsSync(path)) tell(`reading the journal into ${path}\n`);
  freshen(state, path);
  const reads = new Reads(cleanup.use(DerivedFile.openForReading(path, MEMORY_SCHEMA)));
  const kept = cleanup.move();
  return { reads, face: createMemoryApi(reads), [Symbol.dispose]: () => kept.dispose() };
}

/** Where a file of the state directory may be brought up to date that may not be changed in its place. */
function copyOf(state: string, cleanup: DisposableStack): string {
  const directory = cleanup.adopt(mkdtempSync(join(tmpdir(), 'reeve-memory-')), (each) =>
    rmSync(each, { recursive: true, force: true }),
  );
  const [from, path] = [join(state, FILE), join(directory, FILE)];
  // With a -wal somebody may be writing it, and half of a change could be copied: it is built from the journal then.
  if (existsSync(from) && !existsSync(`${from}-wal`)) {
    copyFileSync(from, path);
    chmodSync(path, 0o600);
  }
  return path;
}

function freshen(state: string, path: string): void {
  const journal = SqliteStore.openForReading(join(state, JOURNAL));
  try {
    using file = DerivedFile.open(path, MEMORY_SCHEMA, { journal });
    const graph = new Graph(file);
    if (file.otherJournal() !== undefined) while (graph.startOver(journal.highestSeq(), ROWS_AT_ONCE));
    catchUp(graph, journal);
  } catch (thrown) {
    if (!isInUse(thrown)) throw thrown;
  } finally {
    journal.close();
  }
}

export interface Rebuilt {
  readonly entries: number;
  readonly throughSeq: number;
  readonly hash: string;
  /** Of the file that was there; undefined where there was none, or it could not be read. */
  readonly hashBefore: string | undefined;
  readonly throughSeqBefore: number | undefined;
  /** False when a daemon keeps the file: then only the hashes were compared. */
  readonly replaced: boolean;
  readonly insightsKept: number;
}

/**
 * Builds the graph anew from what the journal holds, with the insights of the file that was there, and puts it in its
 * place. Both hashes are of the same entries: the new file reads exactly as far as the old one had when it began.
 */
export function rebuildMemoryFile(state: string): Rebuilt {
  const path = join(state, FILE);
  const fresh = `${path}.new`;
  for (const old of [fresh, `${fresh}-wal`, `${fresh}-shm`]) rmSync(old, { force: true });
  const before = olderAt(path);
  const journal = SqliteStore.openForReading(join(state, JOURNAL));
  try {
    using file = DerivedFile.open(fresh, MEMORY_SCHEMA, { rebuilding: true, journal });
    const graph = new Graph(file);
    const insightsKept = before === undefined ? 0 : adoptInsights(graph, before.insights);
    graph.store.advance(0, () => graph.insights.bornBy(journal.highestSeq()));
    const through = before?.throughSeq;
    const bounded = through === undefined || through === 0 ? journal : readingThrough(journal, through);
    let entries = catchUp(graph, bounded);
    const hash = graph.hash();
    entries += catchUp(graph, journal);
    file.finishRebuild(MEMORY_SCHEMA);
    const result = { entries, throughSeq: file.cursor(), hash, insightsKept };
    const earlier = { hashBefore: before?.hash, throughSeqBefore: through };
    return { ...result, ...earlier, replaced: replaced(path, fresh, file) };
  } finally {
    journal.close();
    for (const left of [fresh, `${fresh}-wal`, `${fresh}-shm`, `${fresh}.lock`]) rmSync(left, { force: true });
  }
}

const readingThrough = (journal: SqliteStore, throughSeq: number) => ({
  read: (query: Parameters<SqliteStore['read']>[0]) => journal.read({ ...query, throughSeq }),
});

/** What the old file holds that cannot be made again; undefined for a file that cannot be read. */
function olderAt(path: string) {
  if (!existsSync(path)) return undefined;
  try {
    using file = DerivedFile.openForReading(path, MEMORY_SCHEMA);
    return file.consistently(() => {
      const all = new InsightTable(file).list({ limit: Number.MAX_SAFE_INTEGER });
      const list = ({ limit, offset = 0 }: InsightQuery) => all.slice(offset, offset + limit);
      return { insights: { list }, hash: new Graph(file).hash(), throughSeq: file.cursor() };
    });
  } catch {
    return undefined;
  }
}

function replaced(path: string, fresh: string, file: DerivedFile): boolean {
  try {
    if (existsSync(path)) usable(path);
  } catch (thrown) {
    if (isInUse(thrown)) return false;
  }
  file[Symbol.dispose]();
  for (const old of [`${path}-wal`, `${path}-shm`]) rmSync(old, { force: true });
  renameSync(fresh, path);
  return true;
}

/** Throws when another process keeps it. */
function usable(path: string): void {
  DerivedFile.open(path, MEMORY_SCHEMA)[Symbol.dispose]();
}
