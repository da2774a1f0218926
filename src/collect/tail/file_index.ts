/** The files of one log source, rotated ones included. */
import { type BigIntStats, fstatSync } from 'node:fs';
import type { Checkpoint } from '../../core/chunk.ts';
import type { Clock, MonoMs } from '../../core/clock.ts';
import { HOUR_MS } from '../../core/duration.ts';
import { Copies } from './copies.ts';
import { type Finder, type Found, openBeside, type Sighting } from './finder.ts';
import { findMoved, generationsAfter } from './generations.ts';
import { closeQuietly, idOf, isOf, isStale, isStill, keyOfStat, type Opened } from './identity.ts';
import { LogFile } from './log_file.ts';
import { pathOfRow, type Rows } from './rows.ts';
import type { TailLimits, TailNotice } from './types.ts';

/** A file that was renamed and has no successor is followed this long after its last line. */
const RENAMED_LINGER_MS = HOUR_MS;

export interface FileIndexPorts {
  readonly finder: Finder;
  readonly rows: Rows;
  readonly limits: TailLimits;
  readonly clock: Clock;
  /** Counts open files over all sources. */
  readonly openFiles: { count: number };
  /** A log that is followed for itself, by this source or another, stands at the path. */
  isLog(path: string): boolean;
  say(kind: TailNotice['kind'], path: string, because: string): void;
  /** Something may have been lost uncounted. */
  gap(): void;
  /** The file may have something new. */
  wake(file: LogFile): void;
}

/** The files of one source: which stand at its path, which were rotated away, and where each begins to count. */
export class FileIndex {
  readonly #ports: FileIndexPorts;
  readonly #copies = new Copies();
  #files: LogFile[] = [];
  #byPath = new Map<string, LogFile>();
  #isFirstLook = true;
  #wasReachable = false;
  /** Counts up whenever files come, go or move. */
  changes = 0;
  /** Paths that were there before they could be read. */
  readonly #locked = new Set<string>();

  constructor(ports: FileIndexPorts) {
    this.#ports = ports;
  }

  get files(): readonly LogFile[] {
    return this.#files;
  }

  /** The file that stood at the path at the last look. */
  at(path: string): LogFile | undefined {
    return this.#byPath.get(path);
  }

  /** The one file of an exact path stands where it stood and did not grow. False where that takes a closer look. */
  standsStill(): boolean {
    const file = this.settled;
    return file !== undefined && isStill(file.path, file.id, file.size);
  }

  /** The one file of an exact path, where that is all there is and nothing waits for a look at it. */
  get settled(): LogFile | undefined {
    const [file, other] = this.#files;
    if (file === undefined || other !== undefined || this.#ports.finder.isPattern || this.#isFirstLook)
      return undefined;
    return this.#locked.size === 0 && !file.isDetached && !file.isHolding ? file : undefined;
  }

  /** Everything stands where it stood, nothing grew, and nothing waits: the look has nothing to report. */
  isAsSeen({ files, troubles }: Sighting): boolean {
    if (this.#isFirstLook || troubles.length > 0 || this.#locked.size > 0) return false;
    if (files.length === 0 || files.length !== this.#files.length) return false;
    return files.every(({ path, stat }) => {
      const file = this.#byPath.get(path);
      if (file === undefined || file.isDetached || file.isHolding) return false;
      return file.id.inode === stat.ino && file.id.device === stat.dev && file.size === Number(stat.size);
    });
  }

  /** Takes in what stands at the path now. */
  update(sighting: Sighting): void {
    const found = new Map(sighting.files.map((file) => [keyOfStat(file.stat), file]));
    for (const file of this.#files) {
      const there = found.get(file.key);
      found.delete(file.key);
      if (there !== undefined) this.#attach(file, there);
      else file.detachedMs ??= this.#ports.clock.monotonicMs();
      if (file.detachedMs !== undefined) this.#ports.wake(file);
    }
    for (const { kind, path } of sighting.troubles) if (kind === 'unreadable') this.#locked.add(path);
    for (const there of found.values()) this.#take(there);
    if (this.#isFirstLook) this.#recoverRest(sighting);
    this.#forgetLocked(sighting);
    this.#byPath = new Map(this.#files.filter((file) => !file.isDetached).map((file) => [file.path, file]));
    [this.#isFirstLook, this.#wasReachable] = [false, sighting.isReachable];
  }

  #forgetLocked({ files, troubles }: Sighting): void {
    if (this.#locked.size === 0) return;
    const present = new Set([...files, ...troubles].map(({ path }) => path));
    for (const path of this.#locked) if (!present.has(path)) this.#locked.delete(path);
  }

  #attach(file: LogFile, there: Found): void {
    const moved = file.isDetached || file.path !== there.path;
    if (moved) this.changes += 1;
    if (moved || Number(there.stat.size) !== file.size) this.#ports.wake(file);
    Object.assign(file, { detachedMs: undefined, replaced: false, path: there.path });
  }

  /** A file that is not open yet. */
  #take(there: Found): void {
    const copy = this.#isFirstLook ? undefined : this.#copies.of(there, this.#files, this.#ports.clock.monotonicMs());
    if (copy?.isUnderWay) return;
    const opened = this.#open(there.path, () => this.#ports.finder.open(there.path));
    if (opened === undefined) return;
    const file = this.#enrol(there.path, opened);
    const previous = this.#files.findLast((other) => other.path === there.path && other !== file && !other.replaced);
    if (previous !== undefined) previous.replaced = true;
    if (!(copy && file.resume(copy.original)) && !this.#resume(file)) this.#begin(file, there, previous);
    this.#locked.delete(there.path);
    this.#ports.say('following', there.path, `from byte ${file.offset} of ${file.size}`);
  }

  /** True when an earlier look knew this file, or another one in its inode; then where it begins is settled. */
  #resume(file: LogFile): boolean {
    const { rows } = this.#ports;
    const row = rows.of(file.id, file.fd);
    if (row === undefined) return this.#resumeFormer(file);
    rows.release(row);
    if (!file.resume(row)) this.#beginAgain(file, 'truncated', `it was read up to byte ${row.offset} before`);
    return true;
  }

  /** The same inode with another beginning: truncated and written again, or deleted and given to another file. */
  #resumeFormer(file: LogFile): boolean {
    const row = this.#ports.rows.formerOf(file.id);
    if (row === undefined) return false;
    this.#ports.rows.release(row);
    if (row.path !== file.path) return false;
    this.#beginAgain(file, 'rewritten', 'it no longer begins as it did when it was last read');
    return true;
  }

  #beginAgain(file: LogFile, kind: 'truncated' | 'rewritten', because: string): void {
    this.#ports.say(kind, file.path, because);
    this.#ports.gap();
    file.beginAtStart(true);
  }

  #begin(file: LogFile, there: Found, previous: LogFile | undefined): void {
    const { rows, limits } = this.#ports;
    const row = rows.at(there.path);
    if (previous !== undefined) {
      this.#ports.say('rotated', there.path, 'another file stands at the path');
      file.after = this.#openBetween(previous, fstatSync(previous.fd, { bigint: true }), false, file.key);
      file.beginAtStart(isStale(there));
    } else if (row !== undefined) {
      file.after = this.#recover(row, file.key);
      file.beginAtStart(true);
    } else if (!this.#isFirstLook && this.#wasReachable && !this.#locked.has(there.path)) {
      file.beginAtStart(isStale(there));
    } else if (rows.wasFollowed) {
      file.beginAtStart(true);
    } else {
      file.beginAtEnd(limits.backlogBytes);
    }
  }

  /**
   * The file that a checkpoint is about was rotated unseen. Gives the newest generation that was found.
   */
  #recover(row: Checkpoint, presentKey: string): LogFile | undefined {
    const { rows, say, gap } = this.#ports;
    const path = pathOfRow(row.path);
    const moved = findMoved(path, BigInt(row.inode));
    const opened = moved && this.#open(moved.path, () => openBeside(moved.path));
    if (opened !== undefined && isOf(row, idOf(opened.stat), opened.fd)) {
      const file = this.#enrolRotated(path, opened);
      if (file.resume(row)) {
        rows.release(row);
        // What followed a rotated file has rows of its own; what followed the last known one may have none.
        return path === row.path ? this.#openBetween(file, opened.stat, true, presentKey) : file;
      }
      this.#dismiss(file);
    } else if (opened !== undefined) {
      closeQuietly(opened.fd);
      this.#ports.openFiles.count -= 1;
    }
    rows.release(row);
    say('lost', path, `the file that was read up to byte ${row.offset} is gone`);
    gap();
    return undefined;
  }

  /** Generations that came and went between two looks. Gives the newest of all of them. */
  #openBetween(last: LogFile, stat: BigIntStats, backlog: boolean, presentKey: string): LogFile {
    const isKnown = (key: string): boolean => key === presentKey || this.#files.some((file) => file.key === key);
    let newest = last;
    for (const sibling of generationsAfter(last.path, stat, isKnown)) {
      if (this.#ports.isLog(sibling.path)) continue;
      const opened = this.#open(sibling.path, () => openBeside(sibling.path));
      if (opened === undefined) continue;
      const file = this.#enrolRotated(last.path, opened);
      file.after = newest;
      if (!this.#resume(file)) file.beginAtStart(backlog);
      newest = file;
    }
    return newest;
  }

  /** Rows of the last run that no file at the path answers to: rotated generations, and files renamed away. */
  #recoverRest(sighting: Sighting): void {
    const { rows } = this.#ports;
    const present = new Set(sighting.files.map((file) => file.path));
    for (const row of rows.remembered) {
      const path = pathOfRow(row.path);
      const isRotated = path !== row.path;
      if (isRotated) this.#recover(row, '');
      else if (!present.has(path) && findMoved(path, BigInt(row.inode)) !== undefined) {
        const file = this.#recover(row, '');
        if (file !== undefined) file.replaced = false;
      }
    }
  }

  #open(path: string, open: () => Opened): Extract<Opened, { kind: 'open' }> | undefined {
    const { openFiles, limits, say } = this.#ports;
    // What is there at the first look was written before, whenever it can be opened at last.
    if (this.#isFirstLook) this.#locked.add(path);
    if (openFiles.count >= limits.filesMax) {
      say('too_many_files', path, `it is not read: ${limits.filesMax} log files are open (raise LimitNOFILE=)`);
      return undefined;
    }
    const opened = open();
    if (opened.kind === 'open') {
      openFiles.count += 1;
      return opened;
    }
    if (opened.kind === 'unreadable' && /^E(?:ACCES|PERM)$/.test(opened.because)) this.#locked.add(path);
    if (opened.kind === 'refused' || opened.kind === 'unreadable') say(opened.kind, path, opened.because);
    return undefined;
  }

  #enrolRotated(path: string, opened: Extract<Opened, { kind: 'open' }>): LogFile {
    return Object.assign(this.#enrol(path, opened), { detachedMs: this.#ports.clock.monotonicMs(), replaced: true });
  }

  #enrol(path: string, opened: Extract<Opened, { kind: 'open' }>): LogFile {
    const file = new LogFile(path, opened, this.#ports.clock.monotonicMs());
    this.changes += 1;
    this.#files.push(file);
    this.#ports.wake(file);
    const rotated = this.#files.filter((other) => other.replaced);
    if (rotated.length > this.#ports.limits.generationsMax) rotated[0]?.skipAll();
    return file;
  }

  /** Lets go of rotated files that were read to their end and stayed quiet. `finish` reads what has no line's end. */
  retire(finish: (file: LogFile) => void): void {
    const nowMs = this.#ports.clock.monotonicMs();
    for (const file of this.#files.filter((candidate) => this.#isOver(candidate, nowMs))) {
      finish(file);
      if (file.replaced || file.isDeleted()) this.#ports.rows.retire(file);
      else this.#ports.rows.leave(file);
      this.#dismiss(file);
    }
  }

  #isOver(file: LogFile, nowMs: MonoMs): boolean {
    if (file.detachedMs === undefined || (file.behindBytes > 0 && !file.isHolding)) return false;
    const quietMs = nowMs - Math.max(file.detachedMs, file.grownMs);
    if (quietMs < this.#ports.limits.lingerMs || file.hasGrown()) return false;
    return file.replaced || quietMs >= RENAMED_LINGER_MS || file.isDeleted();
  }

  /** The file cannot be read any more; where it was left is remembered for when it can. */
  lose(file: LogFile, because: string): void {
    this.#ports.say('unreadable', file.path, because);
    this.#ports.rows.leave(file);
    this.#dismiss(file);
  }

  #dismiss(file: LogFile, isReadable = true): void {
    this.changes += 1;
    this.#files = this.#files.filter((other) => other !== file);
    for (const other of this.#files) if (other.after === file) other.after = undefined;
    file.close(isReadable);
    this.#ports.openFiles.count -= 1;
  }

  /** `isReadable`: see `LogFile.close`. */
  close(isReadable = true): void {
    for (const file of this.#files) this.#dismiss(file, isReadable);
  }
}
