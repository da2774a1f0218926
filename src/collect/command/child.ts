/** Keeps a child process running. */
import type { ChildProcess } from 'node:child_process';
import type { Clock } from '../../core/clock.ts';
import { MINUTE_MS } from '../../core/duration.ts';
import { messageOf } from '../../core/errors.ts';
import { signalGroup, startGroup } from '../../resilience/program_group.ts';

export interface ChildOptions {
  /** Asked for anew at each start. The first argument is the program; no shell is between. */
  readonly argv: () => readonly string[];
  readonly clock: Clock;
  readonly onOutput: (bytes: Buffer, stream: 'stdout' | 'stderr') => void;
  /** A run ended: nothing more comes of it. */
  readonly onEnd: () => void;
  /** Called for every end that was not requested. */
  readonly report: (because: string) => void;
}

/** A program that is kept running. */
export interface Child extends AsyncDisposable {
  start(): void;
  readonly starts: number;
}

const BACKOFF_MS_MIN = 1_000;
const BACKOFF_MS_MAX = MINUTE_MS;
/** A run of this length counts as good: the next pause is a short one again. */
const SETTLED_MS = MINUTE_MS;
const KILL_AFTER_MS = 2_000;

/** Starts the program, and again when it ends, after 1 s to 60 s. Ends it, and what it started, when disposed. */
export function createChild(options: ChildOptions): Child {
  const { argv, clock, onOutput, onEnd, report } = options;
  let running: { readonly process: ChildProcess; readonly ended: Promise<void> } | undefined;
  let pauseMs = BACKOFF_MS_MIN;
  let timer: Disposable | undefined;
  let starts = 0;
  let isClosed = false;

  const begin = (): void => {
    const words = argv();
    const startedMs = clock.monotonicMs();
    starts += 1;
    const process = startGroup(words);
    const { promise: ended, resolve } = Promise.withResolvers<void>();
    running = { process, ended };
    process.stdout?.on('data', (bytes: Buffer) => onOutput(bytes, 'stdout'));
    process.stderr?.on('data', (bytes: Buffer) => onOutput(bytes, 'stderr'));
    let because: string | undefined;
    process.on('error', (error) => {
      because = messageOf(error);
    });
    const over = (): void => {
      running = undefined;
      onEnd();
      resolve();
      if (isClosed) return;
      pauseMs = clock.monotonicMs() - startedMs >= SETTLED_MS ? BACKOFF_MS_MIN : pauseMs;
      report(`${words[0]} ${because ?? 'ended'}; it is started again in ${pauseMs / 1_000} s`);
      timer = clock.after(pauseMs, begin);
      pauseMs = Math.min(pauseMs * 2, BACKOFF_MS_MAX);
    };
    process.on('close', (code, signal) => {
      because ??= code === null ? `was ended by ${signal}` : `ended with ${code}`;
      over();
    });
  };

  return {
    start: begin,
    get starts() {
      return starts;
    },
    async [Symbol.asyncDispose]() {
      isClosed = true;
      timer?.[Symbol.dispose]();
      if (running === undefined) return;
      const { process, ended } = running;
      signalGroup(process, 'SIGTERM');
      using _ = clock.after(KILL_AFTER_MS, () => {
        signalGroup(process, 'SIGKILL');
        // Whatever still holds its pipes open does not hold up the end.
        process.stdout?.destroy();
        process.stderr?.destroy();
      });
      await ended;
    },
  };
}
