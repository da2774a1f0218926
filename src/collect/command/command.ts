/** Follows the output of a command as a log. */
import type { ChildProcess } from 'node:child_process';
import type { Readable } from 'node:stream';
import type { CheckpointStore, ChunkSink } from '../../core/chunk.ts';
import type { Clock, MonoMs } from '../../core/clock.ts';
import { MINUTE_MS } from '../../core/duration.ts';
import { messageOf } from '../../core/errors.ts';
import type { ChannelId } from '../../core/scope.ts';
import { signalGroup, startGroup } from '../../resilience/program_group.ts';
import { safeText } from '../clean.ts';
import { RecordStream } from '../feed/record_stream.ts';
import { Rows } from '../tail/rows.ts';
import { LineCounts } from '../tail/line_counts.ts';
import { DEFAULT_TAIL_LIMITS, type SourceState, type SourceStats, type TailNotice } from '../tail/types.ts';

export interface CommandSource {
  /** Unique over all sources. */
  readonly id: string;
  /** The program and its arguments, without a shell. For example `['journalctl', '-f', '-n', '0', '-o', 'cat']`. */
  readonly argv: readonly [string, ...string[]];
  readonly channel?: ChannelId | undefined;
}

export interface CommandOptions {
  readonly source: CommandSource;
  readonly clock: Clock;
  readonly checkpoints: CheckpointStore;
  readonly sink: ChunkSink;
  readonly report?: (notice: TailNotice) => void;
  /** What comes this soon after a start may be old: backlog. Default 500. */
  readonly settleMs?: number;
}

/** Follows what a command prints, on both its outputs, and starts it again when it ends. */
export interface CommandLog extends AsyncDisposable {
  start(): void;
  stats(): SourceStats;
}

const SETTLE_MS = 500;
const RESTART_MS = 1_000;
const RESTART_MS_MAX = MINUTE_MS;
/** A command that ran this long is started again without further delay. */
const HEALTHY_MS = MINUTE_MS;
const KILL_AFTER_MS = 2_000;

export const createCommandLog = (options: CommandOptions): CommandLog => new Following(options);

class Following implements CommandLog {
  readonly #options: CommandOptions;
  readonly #tally = new LineCounts();
  readonly #rows: Rows;
  #child: ChildProcess | undefined;
  #state: SourceState = 'missing';
  #startedMs: MonoMs = 0;
  #restartMs = RESTART_MS;
  #gaps = 0;
  #reported = '';
  #restart: Disposable | undefined;
  #saving: Disposable | undefined;
  #isClosed = false;

  constructor(options: CommandOptions) {
    const { source, checkpoints } = options;
    this.#options = options;
    this.#rows = new Rows(source.id, `command:${source.id}`, checkpoints);
  }

  start(): void {
    this.#rows.load(this.#tally);
    this.#launch();
  }

  #launch(): void {
    const { source, clock } = this.#options;
    this.#startedMs = clock.monotonicMs();
    const child = startGroup(source.argv);
    this.#child = child;
    let failure: string | undefined;
    child.on('spawn', () => {
      this.#state = 'following';
      this.#say('following', `${source.argv[0]} runs`);
    });
    child.on('error', (error) => {
      failure = messageOf(error);
    });
    child.on('close', (code, signal) => this.#ended(failure ?? `it ended with ${signal ?? `exit code ${code}`}`));
    this.#read(child.stdout);
    this.#read(child.stderr);
  }

  #read(output: Readable | null): void {
    const stream = new RecordStream(DEFAULT_TAIL_LIMITS.lineBytesMax, {
      hand: (bytes, start, end) => this.#hand(bytes, start, end),
      drop: (reason, lines) => this.#tally.drop(reason, lines),
    });
    const guarded = (task: () => void): void => {
      if (this.#state === 'failed') return;
      try {
        task();
      } catch (error) {
        // The sink threw: a bug, and this lane ends here.
        this.#state = 'failed';
        this.#say('failed', messageOf(error));
        if (this.#child !== undefined) signalGroup(this.#child, 'SIGKILL');
      }
    };
    output?.on('data', (bytes: Buffer) => guarded(() => stream.push(bytes)));
    output?.on('end', () => guarded(() => stream.end()));
    output?.on('error', () => undefined);
  }

  #hand(bytes: Buffer, start: number, end: number): void {
    const { source, clock, sink, settleMs = SETTLE_MS } = this.#options;
    const monoMs = clock.monotonicMs();
    const backlog = monoMs - this.#startedMs < settleMs;
    const { id, channel } = source;
    this.#tally.add(sink({ source: id, channel, bytes, start, end, backlog, at: clock.now(), monoMs }));
    this.#saving ??= clock.after(DEFAULT_TAIL_LIMITS.checkpointMs, () => this.#save());
  }

  #ended(because: string): void {
    this.#child = undefined;
    if (this.#isClosed || this.#state === 'failed') return;
    const { clock } = this.#options;
    this.#state = 'missing';
    // What it printed while it was not running is nowhere.
    this.#gaps += 1;
    this.#say('missing', because);
    if (clock.monotonicMs() - this.#startedMs >= HEALTHY_MS) this.#restartMs = RESTART_MS;
    this.#restart = clock.after(this.#restartMs, () => this.#launch());
    this.#restartMs = Math.min(this.#restartMs * 2, RESTART_MS_MAX);
  }

  #save(): void {
    this.#saving = undefined;
    try {
      const batch = this.#rows.batch([], this.#tally);
      if (batch.changed.length > 0) this.#options.checkpoints.save(batch.changed);
      this.#rows.saved(batch);
    } catch (error) {
      this.#say('checkpoint_failed', messageOf(error));
      if (!this.#isClosed)
        this.#saving = this.#options.clock.after(DEFAULT_TAIL_LIMITS.checkpointMs, () => this.#save());
    }
  }

  #say(kind: TailNotice['kind'], because: string): void {
    if (this.#reported === `${kind} ${because}`) return;
    this.#reported = `${kind} ${because}`;
    const { source, clock, report } = this.#options;
    const [path, clean] = [safeText(source.argv.join(' '), 512), safeText(because, 512)];
    report?.({ kind, at: clock.now(), source: source.id, path, because: clean });
  }

  stats(): SourceStats {
    const { id } = this.#options.source;
    const rest = { files: this.#child === undefined ? 0 : 1, behindBytes: 0, gaps: this.#gaps };
    return { source: id, state: this.#state, ...this.#tally.counts, ...rest };
  }

  /** Ends the command and what it started, by force when they do not go, and saves the counts. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#restart?.[Symbol.dispose]();
    await this.#stop();
    this.#saving?.[Symbol.dispose]();
    this.#save();
  }

  async #stop(): Promise<void> {
    const child = this.#child;
    if (child === undefined) return;
    using _ = this.#options.clock.after(KILL_AFTER_MS, () => {
      signalGroup(child, 'SIGKILL');
      // Whatever still holds its outputs open does not hold up the end.
      child.stdout?.destroy();
      child.stderr?.destroy();
    });
    const closed = new Promise((resolve) => child.once('close', resolve));
    signalGroup(child, 'SIGTERM');
    await closed;
  }
}
