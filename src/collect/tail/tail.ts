/** Follows log files. */
import type { CheckpointStore, ChunkSink } from '../../core/chunk.ts';
import type { Clock } from '../../core/clock.ts';
import { messageOf, ReeveError } from '../../core/errors.ts';
import { anyOf } from './glob.ts';
import { ANCHOR_BYTES } from './reader.ts';
import { Source } from './source.ts';
import { ReadQueue } from './read_queue.ts';
import { DEFAULT_TAIL_LIMITS, type SourceStats, type TailLimits, type TailNotice, type TailSource } from './types.ts';
import { DirectoryWatch } from '../directory_watch.ts';
import { ALWAYS_CLEAR, type MountChecks, type PathCheck } from '../mounts/mount_checks.ts';

export interface TailOptions {
  readonly sources: readonly TailSource[];
  readonly clock: Clock;
  readonly checkpoints: CheckpointStore;
  /** Takes whole records at once. What it throws ends the source that they came from, and is reported. */
  readonly sink: ChunkSink;
  /** Hears of every change for better or worse, once each. */
  readonly report?: (notice: TailNotice) => void;
  readonly limits?: Partial<TailLimits>;
  /** What is asked before a read that a dead file server would hold. Default: nothing. */
  readonly mounts?: Pick<MountChecks, 'check'>;
}

/** Follows log files over rotation, truncation, replacement, absence and crashes, with an exact count of every line. */
export interface Tail extends AsyncDisposable {
  /** Reads the checkpoints, looks for every file once, and follows from then on. */
  start(): void;
  /** Looks at everything now; resolves when all that was there is handed over. A `\r` at a file's end ends a record. */
  drainNow(): Promise<void>;
  stats(): readonly SourceStats[];
  /** How long lines that are known to be there have waited to be read, at most, in milliseconds. */
  lateMs(): number;
}

/** Throws `CONFIG_INVALID` when two sources share an id or a pattern cannot be read. */
export function createTail(options: TailOptions): Tail {
  return new Tailing(options);
}

/** Saves at once in the time of one ordinary save, because files came and went. */
const URGENT_SAVES_MAX = 16;
/**
 * An ordinary save takes so many sources, in the order in which they changed: of hundreds that are all written to, each
 * is saved every few seconds. Those of thousands together would hold the loop. What a crash makes read again is
 * backlog, and evidence of nothing.
 */
const SAVED_AT_ONCE_MAX = 64;

class Tailing implements Tail {
  readonly #options: TailOptions;
  readonly #limits: TailLimits;
  readonly #readQueue: ReadQueue;
  readonly #watch: DirectoryWatch<Source>;
  readonly #sources: readonly Source[];
  /** Sources with something to save. */
  readonly #changed = new Set<Source>();
  #round = 0;
  #poll: Disposable | undefined;
  #saving: Disposable | undefined;
  /** Of them, those whose files came or went. */
  readonly #urgent = new Set<Source>();
  #urgentSaves = 0;
  #isSaveBroken = false;
  #isClosed = false;

  constructor(options: TailOptions) {
    this.#options = options;
    this.#limits = { ...DEFAULT_TAIL_LIMITS, ...options.limits };
    this.#readQueue = new ReadQueue(options.clock, this.#limits.readMs, () => this.#saveAtOnce());
    this.#watch = new DirectoryWatch<Source>({
      event: (source, directory, name, structural) => source.heard(directory, name, structural),
      trouble: (source, path, because) => this.#report('watch_failed', source.id, path, because),
      check: (directory) => this.#check(directory),
    });
    this.#sources = this.#build();
  }

  #build(): readonly Source[] {
    const { clock, sources, sink, checkpoints, report } = this.#options;
    const twice = sources.find(({ id }, at) => sources.findIndex((other) => other.id === id) !== at);
    if (twice !== undefined) throw new ReeveError('CONFIG_INVALID', `two log sources are called ${twice.id}`);
    const ports = {
      ...{ clock, sink, checkpoints, limits: this.#limits, openFiles: { count: 0 } },
      isLog: anyOf(sources.map(({ path }) => path)),
      shared: Buffer.allocUnsafeSlow(this.#limits.lineBytesMax + ANCHOR_BYTES),
      report: (notice: TailNotice) => report?.(notice),
      check: (path: string, isPattern: boolean) => this.#check(path, isPattern),
      wake: (source: Source) => this.#readQueue.wake(source),
      wakeLater: (source: Source) => this.#readQueue.wakeLater(source),
      changed: (source: Source, atOnce: boolean) => this.#saveSoon(source, atOnce),
      watch: (source: Source, interests: Parameters<DirectoryWatch<Source>['want']>[1]) =>
        this.#watch.want(source, interests),
      tells: (interests: Parameters<DirectoryWatch<Source>['tells']>[0]) => this.#watch.tells(interests),
    };
    return sources.map((source) => new Source(source, ports));
  }

  #check(path: string, withBelow = false): PathCheck {
    return this.#options.mounts?.check(path, withBelow) ?? ALWAYS_CLEAR;
  }

  start(): void {
    for (const source of this.#sources) {
      source.start();
      this.#changed.add(source);
    }
    // Without this a crash in the next moment would make the next start a first one again.
    this.#save([...this.#changed]);
    this.#poll = this.#options.clock.every(this.#limits.pollMs, () => this.#lookAround());
  }

  /** In each round at those that need it, and at some of the others: each of those is looked at once in a while. */
  #lookAround(): void {
    this.#watch.check();
    this.#round += 1;
    for (const [at, source] of this.#sources.entries()) {
      source.lookLater((at + this.#round) % this.#limits.heardLooks === 0);
    }
  }

  drainNow(): Promise<void> {
    this.#watch.check();
    for (const source of this.#sources) source.lookSoon(true);
    return this.#readQueue.idle();
  }

  stats(): readonly SourceStats[] {
    return this.#sources.map((source) => source.stats());
  }

  lateMs(): number {
    return this.#readQueue.lateMs;
  }

  #saveSoon(source: Source, atOnce: boolean): void {
    if (this.#isClosed) return;
    this.#changed.add(source);
    if (atOnce) this.#urgent.add(source);
    this.#saveLater();
  }

  #saveLater(): void {
    this.#saving ??= this.#options.clock.after(this.#limits.checkpointMs, () => {
      this.#saving = undefined;
      this.#urgentSaves = 0;
      this.#save([...this.#changed].slice(0, SAVED_AT_ONCE_MAX));
      if (this.#changed.size > 0) this.#saveLater();
    });
  }

  /** A file that a crash forgets and that is renamed meanwhile is never found again. */
  #saveAtOnce(): void {
    if (this.#urgent.size === 0 || this.#urgentSaves >= URGENT_SAVES_MAX) return;
    this.#urgentSaves += 1;
    this.#save([...this.#urgent]);
  }

  /** All offsets and counts of these sources in one save. */
  #save(sources: readonly Source[]): void {
    for (const source of sources) {
      this.#changed.delete(source);
      this.#urgent.delete(source);
    }
    const batches = sources.map((source) => ({ source, batch: source.batch() }));
    const rows = batches.flatMap(({ batch }) => batch.changed);
    try {
      if (rows.length > 0) this.#options.checkpoints.save(rows);
      for (const { source, batch } of batches) source.saved(batch);
      this.#isSaveBroken = false;
    } catch (error) {
      // Reading goes on: the counts are in memory, and the next save holds everything that this one did.
      for (const source of sources) this.#saveSoon(source, false);
      if (!this.#isSaveBroken) this.#report('checkpoint_failed', sources[0]?.id ?? '', '', messageOf(error));
      this.#isSaveBroken = true;
    }
  }

  #report(kind: TailNotice['kind'], source: string, path: string, because: string): void {
    this.#options.report?.({ kind, at: this.#options.clock.now(), source, path, because });
  }

  /** Stops following and saves once more. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#poll?.[Symbol.dispose]();
    this.#saving?.[Symbol.dispose]();
    this.#watch[Symbol.dispose]();
    this.#readQueue[Symbol.dispose]();
    this.#save([...this.#changed]);
    for (const source of this.#sources) source.close();
  }
}
