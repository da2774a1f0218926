// Finds out that the journal is older than a head of it that was sent out, or another one.
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { messageOf } from '../core/errors.ts';
import { type HeadKey, headKeyFrom, type HeadStatement, statementIn } from './heads.ts';
import type { JournalStore } from './store.ts';

/** A line has some 250 bytes; what a witness file ends with lies within this. */
const TAIL_BYTES = 64 * 1024;

/**
 * The newest head in a witness file; undefined where the file is missing or its end holds none. With a key, lines whose
 * signature does not hold are not heads. Throws what the file system throws when the file is there and cannot be read.
 */
export function newestHeadIn(path: string, key: HeadKey | undefined): HeadStatement | undefined {
  const lines = tailOf(path).split('\n');
  for (const line of lines.reverse()) {
    const statement = statementIn(line);
    if (statement !== undefined && key?.holds(statement) !== false) return statement;
  }
  return undefined;
}

function tailOf(path: string): string {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw thrown;
  }
  try {
    const { size } = fstatSync(file);
    const bytes = Buffer.alloc(Math.min(size, TAIL_BYTES));
    const read = readSync(file, bytes, 0, bytes.length, size - bytes.length);
    return bytes.toString('utf8', 0, read);
  } finally {
    closeSync(file);
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

/** As `setBackSince`, of the newest head in the file. One that cannot be read proves nothing: `onUnreadable`. */
export function setBackByWitness(
  store: Pick<JournalStore, 'highestSeq' | 'read'>,
  { file, key }: WitnessFile,
  onUnreadable: (because: string) => void,
): string | undefined {
  if (file === undefined) return undefined;
  try {
    const head = newestHeadIn(file, key === undefined ? undefined : headKeyFrom(key.reveal()));
    return head === undefined ? undefined : setBackSince(store, head);
  } catch (thrown) {
    onUnreadable(messageOf(thrown));
    return undefined;
  }
}
