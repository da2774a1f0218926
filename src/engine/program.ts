/** Runs a program with a bound on time and output. */
import type { ChildProcess } from 'node:child_process';
import type { Clock } from '../core/clock.ts';
import { messageOf, ReeveError } from '../core/errors.ts';
import { RequestFailed } from '../resilience/failure.ts';
import { signalGroup, startGroup } from '../resilience/program_group.ts';

export interface ProgramRun {
  /** The full path of a program and its arguments: no shell reads them. */
  readonly argv: readonly [string, ...string[]];
  /** The most that it may print on either stream. */
  readonly bytesMax: number;
  /** When it aborts, the program and everything that it started get TERM, and KILL after `graceMs`. */
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** Default 2 s. */
  readonly graceMs?: number;
  /** Variables besides PATH and LANG. */
  readonly env?: Readonly<Record<string, string>>;
}

export interface ProgramEnd {
  /** Undefined: a signal ended it. */
  readonly exitCode: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

/** How long streams may stay open after the program's end: something that it left behind may hold them. */
const STREAMS_MS = 500;

/**
 * Runs a program and resolves when it has ended, whatever its exit code. Throws the signal's reason when it was
 * ended for that, ANSWER_TOO_LARGE when it was ended for printing too much, ENGINE_UNREACHABLE when it cannot start.
 */
export async function runProgram(run: ProgramRun): Promise<ProgramEnd> {
  const { argv, clock, signal, bytesMax } = run;
  signal.throwIfAborted();
  const child = startGroup(argv, { cwd: '/', env: run.env });
  using killer = killerOf(child, clock, run.graceMs ?? 2_000);
  let tooMuch = false;
  const onTooMuch = (): void => {
    tooMuch = true;
    killer.kill();
  };
  const stdout = collect(child.stdout, bytesMax, onTooMuch);
  const stderr = collect(child.stderr, bytesMax, onTooMuch);
  signal.addEventListener('abort', killer.kill, { once: true });
  try {
    const exitCode = await ended(child, clock);
    signal.throwIfAborted();
    if (tooMuch) throw new ReeveError('ANSWER_TOO_LARGE', `${argv[0]} printed more than ${bytesMax} bytes`);
    return { exitCode, stdout: stdout(), stderr: stderr() };
  } finally {
    signal.removeEventListener('abort', killer.kill);
  }
}

function collect(stream: ChildProcess['stdout'], bytesMax: number, onTooMuch: () => void): () => string {
  const chunks: Buffer[] = [];
  let bytes = 0;
  stream?.on('error', () => {});
  stream?.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes <= bytesMax) chunks.push(chunk);
    else onTooMuch();
  });
  return () => Buffer.concat(chunks).toString();
}

/** The exit code, once the streams are closed too, or soon after. */
function ended(child: ChildProcess, clock: Clock): Promise<number | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>();
  child.once('error', (cause) => {
    const message = `${child.spawnfile} could not be started: ${messageOf(cause)}`;
    reject(new RequestFailed('ENGINE_UNREACHABLE', message, { failure: 'refused', cause }));
  });
  child.once('close', (code) => resolve(code ?? undefined));
  child.once('exit', (code) => {
    const timer = clock.after(STREAMS_MS, () => {
      child.stdout?.destroy();
      child.stderr?.destroy();
      resolve(code ?? undefined);
    });
    child.once('close', () => timer[Symbol.dispose]());
  });
  return promise;
}

/** TERM to the whole process group, then KILL to whatever is left of it. Disposing calls the KILL off. */
function killerOf(child: ChildProcess, clock: Clock, graceMs: number): Disposable & { readonly kill: () => void } {
  let timer: Disposable | undefined;
  return {
    kill() {
      if (timer !== undefined) return;
      signalGroup(child, 'SIGTERM');
      timer = clock.after(graceMs, () => signalGroup(child, 'SIGKILL'));
    },
    [Symbol.dispose]() {
      if (timer === undefined) return;
      timer[Symbol.dispose]();
      // The program has ended; what it started and left behind in its group has had its TERM.
      signalGroup(child, 'SIGKILL');
    },
  };
}
