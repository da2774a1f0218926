import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join, resolve } from 'node:path';
import { systemClock } from '../../src/core/clock.ts';

export const ROOT = resolve(import.meta.dirname, '../..');
const MAIN = join(ROOT, 'src/main.ts');
/** Where bin/reeve.js keeps the stripped sources: a start from there takes half the time. */
const STRIPPED = join(ROOT, 'node_modules/.cache/reeve');
const POLL_MS = 25;

export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Asks again until it holds, or throws with what was waited for. */
export async function until(what: string, holds: () => boolean | Promise<boolean>, withinMs = 45_000): Promise<void> {
  const endMs = systemClock.monotonicMs() + withinMs;
  for (;;) {
    const held = await Promise.resolve()
      .then(holds)
      .catch(() => false);
    if (held) return;
    if (systemClock.monotonicMs() > endMs) throw new Error(`not within ${withinMs} ms: ${what}`);
    await systemClock.sleep(POLL_MS);
  }
}

/** The folder of a daemon. */
export interface Place {
  readonly dir: string;
  readonly state: string;
  readonly configPath: string;
  readonly logPath: string;
  /** Everything that was logged there so far. */
  log(): string;
}

/** The real daemon as a process. */
export class Daemon {
  readonly child: ChildProcess;
  /** Its exit code, or 128 and the number of the signal that ended it. */
  readonly ended: Promise<number>;
  readonly #at: Place;
  #running = true;
  readonly #logFrom: number;

  constructor(place: Place, wrap: readonly string[]) {
    this.#at = place;
    this.#logFrom = place.log().length;
    const log = openSync(place.logPath, 'a');
    const line = [...wrap, process.execPath, MAIN, 'run', '--config', place.configPath];
    this.child = spawn(line[0]!, line.slice(1), {
      ...{ stdio: ['ignore', log, log], cwd: place.dir },
      env: { NODE_COMPILE_CACHE: STRIPPED, ...process.env },
    });
    closeSync(log);
    this.ended = once(this.child, 'exit').then(([code, signal]) => {
      this.#running = false;
      return (code as number | null) ?? 128 + constants.signals[signal as NodeJS.Signals];
    });
  }

  get isRunning(): boolean {
    return this.#running;
  }

  /** It had come up before it ended. */
  get wasReady(): boolean {
    return this.#at.log().slice(this.#logFrom).includes('"Reeve watches"');
  }

  get url(): string {
    return readFileSync(join(this.#at.state, 'address'), 'utf8').trim();
  }

  get token(): string {
    return readFileSync(join(this.#at.state, 'token'), 'utf8').trim();
  }

  /** Until it answers, whether or not it trusts its journal; throws with its log when it ended instead. */
  async ready(withinMs = 60_000): Promise<void> {
    await until(
      `the daemon is up\n${this.#at.log().slice(-2_000)}`,
      async () => !this.#running || (await fetch(`${this.url}/healthz`)).ok,
      withinMs,
    );
    if (!this.#running) throw new Error(`the daemon ended with ${await this.ended}:\n${this.#at.log().slice(-2_000)}`);
  }

  async get<T>(path: string): Promise<T> {
    const answer = await fetch(`${this.url}${path}`, { headers: { authorization: `Bearer ${this.token}` } });
    if (!answer.ok) throw new Error(`${path} answered ${answer.status}`);
    return (await answer.json()) as T;
  }

  /** Sends the signal and waits for the end. */
  async kill(signal: NodeJS.Signals): Promise<number> {
    if (this.#running) this.child.kill(signal);
    return this.ended;
  }
}

/** One command line of Reeve, run to its end without standard input; behind `wrap`, where that is given. */
export function reeve(
  args: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
  wrap: readonly string[] = [],
): Promise<Ended> {
  const [program = process.execPath, ...rest] = [...wrap, process.execPath, MAIN, ...args];
  return new Promise((done) => {
    const options = { env: { NODE_COMPILE_CACHE: STRIPPED, ...env }, maxBuffer: 1 << 28, timeout: 60_000 };
    execFile(program, rest, options, (error, stdout, stderr) => {
      done({ code: error === null ? 0 : Number(error.code ?? 1), stdout, stderr });
    });
  });
}
