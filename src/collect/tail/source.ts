/** One configured log and its files. */
import { join } from 'node:path';
import type { CheckpointStore, ChunkCount, ChunkSink, DropReason } from '../../core/chunk.ts';
import { messageOf } from '../../core/errors.ts';
import { type Finder, finderOf } from './finder.ts';
import type { LogFile } from './log_file.ts';
import { FileIndex, type FileIndexPorts } from './file_index.ts';
import { type RowBatch, Rows } from './rows.ts';
import { LineCounts } from './line_counts.ts';
import { MountWait } from './mount_wait.ts';
import { Notices } from './notices.ts';
import type { Worker } from './read_queue.ts';
import { type Reader, SinkFailed } from './reader.ts';
import { ReadSize } from './read_size.ts';
import type { SourceState, SourceStats, TailLimits, TailNotice, TailSource } from './types.ts';
import type { Interest } from '../directory_watch.ts';
import type { PathCheck } from '../mounts/mount_checks.ts';

/** What a source asks of the tail that it belongs to. */
export interface SourcePorts extends Pick<FileIndexPorts, 'clock' | 'limits' | 'openFiles' | 'isLog'> {
  readonly sink: ChunkSink;
  readonly checkpoints: CheckpointStore;
  readonly shared: Buffer;
  /** Of the path, or of the folder that a pattern is looked for in and what is mounted below it. */
  check(path: string, isPattern: boolean): PathCheck;
  report(notice: TailNotice): void;
  /** There is something to do: `work` is wanted. */
  wake(source: Source): void;
  /** At the next read that no file with new lines needs. */
  wakeLater(source: Source): void;
  /** Counts or offsets moved: a save is wanted. With `atOnce` files came or went, and a crash must not forget that. */
  changed(source: Source, atOnce: boolean): void;
  watch(source: Source, interests: readonly Interest[]): void;
  /** Changes at all of these are notified. */
  tells(interests: readonly Interest[]): boolean;
}

/** One configured log: its files, its exact count, and what it has to say. */
export class Source implements Worker, Reader<LogFile> {
  readonly id: string;
  readonly isShared: boolean;
  readonly shared: Buffer;
  readonly limits: TailLimits;
  readonly #config: TailSource;
  readonly #ports: SourcePorts;
  readonly #tally = new LineCounts();
  readonly #readSize: ReadSize;
  readonly #rows: Rows;
  readonly #finder: Finder;
  readonly #fileIndex: FileIndex;
  readonly #mount: MountWait;
  /** Files that may have something new, in order of waiting. */
  readonly #waiting = new Set<LogFile>();
  /** Files that ended in a `\r` at the last look; at the next one it is taken as an end. */
  #held = new Set<LogFile>();
  readonly #notices: Notices;
  #lookDue = false;
  /** Something came or went: what stands at the path is looked at closely, even if it seems to be what it was. */
  #isStirred = false;
  #interests: readonly Interest[] = [];
  #isDirect = false;
  /** Nothing was heard, so the look that is due should find nothing. */
  #expectsNothing = false;
  /** It found something, of which the notification may still be on its way. */
  #isUnreported = false;
  /** It never came: this is no directory to rely on. */
  #isDeaf = false;
  #flush = false;
  #state: SourceState = 'missing';
  #gaps = 0;
  /** How much of the roster's changes a save was asked for. */
  #changesSaved = 0;

  constructor(config: TailSource, ports: SourcePorts) {
    const { clock, limits, openFiles, shared, checkpoints, isLog } = ports;
    this.id = config.id;
    this.isShared = config.channel === undefined;
    this.limits = limits;
    this.shared = shared;
    this.#config = config;
    this.#ports = ports;
    this.#notices = new Notices(config.id, clock, (notice) => ports.report(notice));
    this.#readSize = new ReadSize(clock, limits.readBytes, limits.readMs);
    this.#rows = new Rows(config.id, config.path, checkpoints);
    this.#finder = finderOf(config.path, limits.matchesMax);
    this.#mount = new MountWait(ports.check(this.#finder.base, this.#finder.isPattern), {
      wake: () => ports.wake(this),
      // Its files stay open, and are read on when it answers again.
      silent: (because) => this.#stand('unreadable', because),
      back: () => this.#stand('following', 'its file system answers again'),
    });
    this.#fileIndex = new FileIndex({
      ...{ finder: this.#finder, rows: this.#rows, limits, clock, openFiles, isLog },
      say: (kind, path, because) => this.#notices.say(kind, path, because),
      gap: () => {
        this.#gaps += 1;
      },
      wake: (file) => this.#wake(file),
    });
  }

  /** Reads the checkpoints of earlier runs and takes a first look. */
  start(): void {
    this.#rows.load(this.#tally);
    if (this.#mount.mayRead()) this.#look();
    else this.#lookDue = true;
  }

  /** Looks at the paths and at every file at the next read. With `flush` a `\r` at a file's end is taken as an end. */
  lookSoon(flush = false): void {
    if (this.#state === 'failed') return;
    this.#lookDue = true;
    this.#flush ||= flush;
    this.#ports.wake(this);
  }

  /**
   * The same, though nothing says that there is anything to see: after those that have news. A file of which its
   * directory notifies everything is passed by, except when its regular look is due.
   */
  lookLater(isRegular: boolean): void {
    if (this.#state === 'failed') return;
    this.#isDeaf ||= this.#isUnreported;
    const isHeard = this.#isHeard();
    if (isHeard && !isRegular) return;
    this.#expectsNothing = isHeard;
    this.#lookDue = true;
    this.#ports.wakeLater(this);
  }

  #isHeard(): boolean {
    if (!this.#isDirect || this.#isDeaf || this.#held.size > 0) return false;
    return this.#fileIndex.settled !== undefined && this.#ports.tells(this.#interests);
  }

  /** Something happened in a directory. Files that were renamed away are only looked at with everything else. */
  heard(directory: string, name: string | undefined, structural: boolean): void {
    this.#expectsNothing = false;
    this.#isUnreported = false;
    this.#isStirred ||= structural && !this.#finder.isPattern;
    if (name === undefined) return this.lookSoon();
    const file = this.#finder.isPattern
      ? this.#fileIndex.at(join(directory, name))
      : this.#fileIndex.at(this.#config.path);
    if (file !== undefined && !structural) this.#wake(file);
    else if (this.#finder.concerns(name)) this.lookSoon();
  }

  #stand(state: 'unreadable' | 'following', because: string): void {
    [this.#state, this.#isStirred, this.#lookDue] = [state, true, true];
    this.#notices.say(state, this.#config.path, because);
  }

  work(): boolean {
    if (this.#state === 'failed' || !this.#mount.mayRead()) return false;
    try {
      if (this.#lookDue) this.#look();
      this.#readSize.read((bytes) => this.#drain(bytes));
    } catch (error) {
      return this.#fail(error);
    }
    return this.#waiting.size > 0 || this.#lookDue;
  }

  #look(): void {
    const mayStand = this.#held.size === 0 && !this.#isStirred;
    [this.#lookDue, this.#isStirred] = [false, false];
    // Most looks find nothing new, and they are what an idle machine is busy with.
    if (mayStand && this.#fileIndex.standsStill()) return;
    const sighting = this.#finder.look();
    if (mayStand && this.#fileIndex.isAsSeen(sighting)) return;
    this.#isUnreported ||= this.#expectsNothing;
    this.#fileIndex.update(sighting);
    this.#interests = sighting.interests;
    this.#isDirect = sighting.isDirect;
    for (const { kind, path, because } of sighting.troubles) this.#notices.say(kind, path, because);
    const closed = sighting.files.length > 0 ? 'unreadable' : (sighting.troubles[0]?.kind ?? 'missing');
    this.#state = this.#fileIndex.files.length > 0 ? 'following' : closed;
    this.#ports.watch(this, sighting.interests);
    this.#wakeHeld();
    this.#fileIndex.retire((file) => file.finish(this));
    if (this.#fileIndex.changes !== this.#changesSaved) this.#ports.changed(this, true);
    this.#changesSaved = this.#fileIndex.changes;
  }

  #wakeHeld(): void {
    const held = new Set(this.#fileIndex.files.filter((file) => file.isHolding));
    for (const file of held) if (this.#flush || this.#held.has(file)) this.#wake(file);
    this.#held = held;
  }

  #wake(file: LogFile): void {
    if (this.#state === 'failed') return;
    this.#waiting.add(file);
    this.#ports.wake(this);
  }

  /** At most the bytes of one read. A file that was rotated away is read to its end before the one that follows it. */
  #drain(bytesMax: number): void {
    let leftBytes = bytesMax;
    for (const file of this.#waiting) {
      if (file.after !== undefined && this.#waiting.has(file.after)) continue;
      file.after = undefined;
      leftBytes -= this.#drainOne(file, leftBytes);
      this.#waiting.delete(file);
      if (leftBytes > 0) continue;
      this.#waiting.add(file);
      return;
    }
    this.#flush = false;
  }

  #drainOne(file: LogFile, bytesMax: number): number {
    const flush = this.#flush || this.#held.has(file);
    let bytes = 0;
    try {
      while (bytes < bytesMax) {
        const step = file.read(this, bytesMax - bytes, flush);
        if (step === 0) break;
        bytes += step;
        file.grownMs = this.#ports.clock.monotonicMs();
        // What is written from now on is notified, or found at the next look.
        if (file.behindBytes === 0) break;
      }
    } catch (error) {
      if (error instanceof SinkFailed) throw error;
      this.#fileIndex.lose(file, messageOf(error));
    }
    if (bytes > 0) this.#ports.changed(this, false);
    return bytes;
  }

  hand({ path }: LogFile, span: Parameters<Reader<LogFile>['hand']>[1]): ChunkCount {
    const { clock, sink } = this.#ports;
    const chunk = {
      source: this.id,
      path,
      channel: this.#config.channel,
      bytes: this.shared,
      start: span.start,
      end: span.end,
      backlog: span.backlog,
      at: clock.now(),
      monoMs: clock.monotonicMs(),
    };
    try {
      const count = sink(chunk);
      this.#tally.add(count);
      return count;
    } catch (cause) {
      throw new SinkFailed(messageOf(cause), { cause });
    }
  }

  drop(reason: DropReason, lines: number): void {
    this.#tally.drop(reason, lines);
  }

  gap(file: LogFile, kind: 'truncated' | 'rewritten'): void {
    this.#gaps += 1;
    const because = kind === 'truncated' ? 'it is shorter than what was read' : 'it no longer holds what was read';
    this.#notices.say(kind, file.path, because, true);
  }

  flooded(file: LogFile, bytes: number): void {
    this.#notices.say('flood', file.path, `${bytes} bytes are skipped and their lines counted`, true);
  }

  /** What cannot be read now may be at a later look: the next one opens it anew. */
  #fail(error: unknown): false {
    this.#state = error instanceof SinkFailed ? 'failed' : 'unreadable';
    this.#waiting.clear();
    const lost = this.#state === 'failed' ? [] : this.#fileIndex.files;
    for (const file of lost) this.#fileIndex.lose(file, messageOf(error));
    this.#notices.say(this.#state, this.#config.path, messageOf(error));
    return false;
  }

  /** See `Rows.batch`. */
  batch(): RowBatch {
    return this.#rows.batch(this.#fileIndex.files, this.#tally, this.#mount.isClear);
  }

  saved(batch: RowBatch): void {
    this.#rows.saved(batch);
  }

  stats(): SourceStats {
    const { files } = this.#fileIndex;
    const behindBytes = files.reduce((sum, file) => sum + file.behindBytes, 0);
    const own = { source: this.id, state: this.#state, gaps: this.#gaps };
    return { ...own, ...this.#tally.counts, files: files.length, behindBytes };
  }

  close(): void {
    this.#fileIndex.close(this.#mount.isClear);
    this.#waiting.clear();
  }
}
