/** Starts, finds and ends the programs that a stage needs. */
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { constants as os } from 'node:os';
import { join } from 'node:path';
import { type Clock, systemClock } from '../src/core/clock.ts';
import { ReeveError } from '../src/core/errors.ts';

const PROGRAM_FOLDERS = ['/usr/local/bin', '/usr/bin', '/bin', '/usr/local/sbin', '/usr/sbin', '/sbin'];

/** Where a program of this machine lies; undefined when it is not installed. */
export function findProgram(name: string): string | undefined {
  return PROGRAM_FOLDERS.map((folder) => join(folder, name)).find((path) => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** The path of a program that must be there. Throws CONFIG_INVALID with what to install. */
export function needProgram(name: string, debianPackage = name): string {
  const path = findProgram(name);
  if (path) return path;
  throw new ReeveError('CONFIG_INVALID', `${name} is not installed`, {
    hint: `sudo apt-get install --no-install-recommends ${debianPackage}`,
  });
}

/** A program that runs beside us until it is disposed: asked to end, then made to. */
export interface Child extends AsyncDisposable {
  readonly pid: number;
  readonly process: ChildProcess;
  /** Resolves when it ended, with its exit code, or 128 and the signal's number. */
  readonly ended: Promise<number>;
  isRunning(): boolean;
}

export interface ChildOptions extends SpawnOptions {
  /** How long it gets to end after SIGTERM; milliseconds. */
  readonly graceMs?: number;
  readonly clock?: Clock;
}

/**
 * Starts a program in a session of its own, so that Ctrl-C reaches us alone and we end it in order.
 * Where the machine can, the kernel ends it when this process dies, whatever the way.
 */
export function startChild(command: string, args: readonly string[], options: ChildOptions = {}): Child {
  const { graceMs = 10_000, clock = systemClock, ...spawnOptions } = options;
  const setpriv = findProgram('setpriv');
  const line = setpriv ? [setpriv, '--pdeathsig', 'TERM', '--', command, ...args] : [command, ...args];
  const child = spawn(line[0]!, line.slice(1), { stdio: 'ignore', detached: true, ...spawnOptions });
  let running = true;
  const ended = new Promise<number>((resolve) => {
    const end = (code: number): void => {
      running = false;
      resolve(code);
    };
    child.once('exit', (code, signal) => end(code ?? 128 + os.signals[signal ?? 'SIGKILL']));
    child.once('error', () => end(127));
  });
  return {
    pid: child.pid ?? 0,
    process: child,
    ended,
    isRunning: () => running,
    async [Symbol.asyncDispose]() {
      if (!running) return;
      child.kill('SIGTERM');
      using _patience = clock.after(graceMs, () => child.kill('SIGKILL'));
      await ended;
    },
  };
}

/** Runs a short program to its end. Its exit code is the answer; what it prints is dropped. */
export async function runProgram(command: string, args: readonly string[]): Promise<number> {
  await using child = startChild(command, args, { graceMs: 2_000 });
  return await child.ended;
}

/** Sends a signal; false when the process is gone. */
export function signalProcess(pid: number, signal: NodeJS.Signals): boolean {
  try {
    process.kill(pid, signal);
    return true;
  } catch {
    return false;
  }
}

/** Asks again and again until the answer is true; false when it was not within `withinMs`. */
export async function until(
  ask: () => boolean | Promise<boolean>,
  withinMs: number,
  { clock = systemClock, everyMs = 200, signal }: { clock?: Clock; everyMs?: number; signal?: AbortSignal } = {},
): Promise<boolean> {
  const giveUpMs = clock.monotonicMs() + withinMs;
  for (;;) {
    if (await ask()) return true;
    if (clock.monotonicMs() >= giveUpMs) return false;
    await clock.sleep(everyMs, signal);
  }
}
