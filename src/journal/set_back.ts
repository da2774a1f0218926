// Finds out that the journal is older than a head of it that was sent out, or another one.
import { type FileHandle, open } from 'node:fs/promises';
import type { Clock } from '../core/clock.ts';
import { messageOf } from '../core/errors.ts';
import { answeredInTime } from './elsewhere.ts';
import { type HeadKey, headKeyFrom, type HeadStatement, statementIn } from './heads.ts';
import type { JournalStore } from './store.ts';

/** A line has some 250 bytes; what a witness file ends with lies within this. */
const TAIL_BYTES = 64 * 1024;

/**
 * The newest head in a witness file; undefined where the file is missing or its end holds none. With a key, lines whose
 * signature does not hold are not heads. Throws what the file system throws when the file is there and cannot be read.
 */
export async function newestHeadIn(path: string, key: HeadKey | undefined): Promise<HeadStatement | undefined> {
  const lines = (await tailOf(path)).split('\n');
  for (const line of lines.reverse()) {
    const statement = statementIn(line);
    if (statement !== undefined && key?.holds(statement) !== false) return statement;
  }
  return undefined;
}

async function tailOf(path: string): Promise<string> {
  let file: FileHandle;
  try {
    file = await open(path, 'r');
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw thrown;
  }
  try {
    const { size } = await file.stat();
    const bytes = Buffer.alloc(Math.min(size, TAIL_BYTES));
    const { bytesRead } = await file.read(bytes, 0, bytes.length, size - bytes.length);
    return bytes.toString('utf8', 0, bytesRead);
  } finally {
    await file.close();
  }
}

/**
 * Why the journal is not the one whose head this was: its end is missing, as after a restore from a backup, or it holds
 * another record in that place. Undefined: the head is found, or retention has deleted its record.
 */
export function setBackSince(
  store: Pick<JournalStore, 'highestSeq' | 'read'>,
  { at, seq, hash }: HeadStatement,
): string | undefined {
  const highest = store.highestSeq();
  if (highest < seq) return `it ends at record ${highest}, and at ${at} it had ${seq}`;
  const [row] = store.read({ sinceSeq: seq, throughSeq: seq, limit: 1 });
  return row === undefined || row.hash === hash ? undefined : `its record ${seq} is not the one it had at ${at}`;
}

export interface WitnessFile {
  /** Undefined: none is configured, and nothing is known. */
  readonly file: string | undefined;
  /** Signs the heads. */
  readonly key: { reveal(): string } | undefined;
}

/**
 * The newest head in the file; undefined where there is none, or no file is configured. One that cannot be read, or
 * whose file system does not answer, proves nothing: `onUnreadable`.
 */
export async function witnessedHead(
  { file, key }: WitnessFile,
  clock: Clock,
  onUnreadable: (because: string) => void,
): Promise<HeadStatement | undefined> {
  if (file === undefined) return undefined;
  try {
    const signedBy = key === undefined ? undefined : headKeyFrom(key.reveal());
    return await answeredInTime(newestHeadIn(file, signedBy), clock);
  } catch (thrown) {
    onUnreadable(messageOf(thrown));
    return undefined;
  }
}

/** As `setBackSince`, of a head that was found. A record that cannot be read proves nothing either. */
export function setBackBy(
  store: Pick<JournalStore, 'highestSeq' | 'read'>,
  head: HeadStatement | undefined,
  onUnreadable: (because: string) => void,
): string | undefined {
  try {
    return head && setBackSince(store, head);
  } catch (thrown) {
    onUnreadable(messageOf(thrown));
    return undefined;
  }
}
