/** Writes what a command exports into files: whole or not at all, and a full disk is told from a wrong path. */
import { accessSync, chmodSync, constants, lstatSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { messageOf, ReeveError } from '../core/errors.ts';
import { writeWhole } from '../resilience/write_whole.ts';

/** One file of an export. */
export interface OutputFile {
  readonly path: string;
  readonly text: string;
}

export interface OutputOptions {
  /** For people, without the reason: `the report could not be written to FILE`. */
  readonly what: string;
  /** Who may read it, whatever held for a file that was there before. Absent: as the process is set to. */
  readonly mode?: number;
}

/** The disk has no room, or fails: no other path on it would help. */
const DISK: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG', 'EIO']);

/**
 * All of them or none: each is written beside its place first. What is no regular file (a pipe, a device, a link) is
 * written to as it is, and so is one in a folder that takes no other. Throws OUTPUT_UNWRITABLE where the disk is at
 * fault, USAGE where the path is.
 */
export function writeOutput(files: readonly OutputFile[], { what, mode }: OutputOptions): void {
  const drafts: { readonly path: string; readonly draft: string }[] = [];
  try {
    for (const { path, text } of files) {
      const draft = join(dirname(path), `.${basename(path)}.${process.pid}.new`);
      if (isWrittenAsItIs(path)) {
        // Before anything is in it: nobody else is to read even a part.
        if (mode !== undefined && isFile(path)) chmodSync(path, mode);
        writeFileSync(path, text);
      } else {
        writeWhole(draft, text, { flag: 'w', mode: mode ?? 0o666 });
        drafts.push({ path, draft });
      }
    }
    for (const { path, draft } of drafts) renameSync(draft, path);
  } catch (thrown) {
    for (const { draft } of drafts) rmSync(draft, { force: true });
    throw unwritten(what, thrown);
  }
}

/** A disk that refuses is no bug. */
export function unwritten(what: string, thrown: unknown): ReeveError {
  const message = `${what}: ${messageOf(thrown)}`;
  if (!DISK.has((thrown as NodeJS.ErrnoException).code ?? ''))
    return new ReeveError('USAGE', message, { cause: thrown });
  const hint = 'Make room there or name a place on another disk, and run it again; nothing was left half written.';
  return new ReeveError('OUTPUT_UNWRITABLE', message, { cause: thrown, hint });
}

const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() === true;

/** No regular file, or one in a folder in which no other may be made. */
function isWrittenAsItIs(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found !== undefined && !(found.isFile() && isWritable(dirname(path)));
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
