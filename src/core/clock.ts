/** The clock port, wall and monotonic, with timers. */
import { readFileSync } from 'node:fs';
import { uptime } from 'node:os';
import { sha256 } from './digest.ts';

/** Milliseconds since the Unix epoch. Written down and shown to people; never subtracted to wait. */
export type EpochMs = number;

/** Milliseconds on the monotonic clock of one boot of the machine. Only these are compared to decide. */
export type MonoMs = number;

/** Past this many milliseconds a platform timer fires at once instead of late (2^31 - 1). */
export const TIMER_MS_MAX = 2_147_483_647;

/** The only source of time in Reeve. Two readings, because they answer two questions. */
export interface Clock {
  /** Names the machine and its boot: `<machine>/<boot>`. Monotonic readings compare only within one boot. */
  readonly bootId: string;
  /** When did this happen? May jump when the host corrects its time. */
  now(): EpochMs;
  /** How long has it been? Counts from the machine's boot, stands still in suspend, never goes backwards. */
  monotonicMs(): MonoMs;
  /**
   * As `monotonicMs`, but goes on in suspend (CLOCK_BOOTTIME); only differences to it mean anything. Undefined: this
   * clock never stands still.
   */
  bootTimeMs?(): MonoMs;
  /** Runs `task` once after the delay (any length, 0 or more). Disposing cancels it. */
  after(delayMs: number, task: () => void): Disposable;
  /** The first tick comes after one full interval. Disposing stops it. */
  every(intervalMs: number, tick: () => void): Disposable;
  /** Rejects with the signal's reason when it aborts first. */
  sleep(durationMs: number, signal?: AbortSignal): Promise<void>;
}

/** A long delay is walked in steps, because one timer cannot hold it. */
function armTimer(delayMs: number, task: () => void): Disposable {
  let timer: NodeJS.Timeout;
  const arm = (remainingMs: number): void => {
    const stepMs = Math.min(Math.max(0, remainingMs), TIMER_MS_MAX);
    timer = setTimeout(() => (remainingMs > stepMs ? arm(remainingMs - stepMs) : task()), stepMs);
  };
  arm(delayMs);
  return { [Symbol.dispose]: () => clearTimeout(timer) };
}

/** A sleep made of `after`, so that every clock gets the same semantics. */
export function sleepOn(after: Clock['after'], durationMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const onAbort = (): void => {
      timer[Symbol.dispose]();
      reject(signal?.reason);
    };
    const timer = after(durationMs, () => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    });
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}

/** A machine without a name is no other start's machine. */
export const UNNAMED_MACHINE = 'unnamed';

/**
 * `<machine>/<boot>`. Linux names each boot in /proc, and systemd each machine (machine-id(5)): the uptime of one says
 * nothing of the time that passed on another. Elsewhere the process is its own boot: after a restart elapsed time then
 * starts at zero, which can only make the guard stricter.
 */
function readBootId(): string {
  try {
    return `${readMachineId()}/${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()}`;
  } catch {
    return `process-${process.pid}-${Date.now()}`;
  }
}

/** Hashed, for machine-id(5) asks not to let the id itself out of the machine, and journals travel. */
function readMachineId(): string {
  try {
    const id = /^[0-9a-f]{32}$/.exec(readFileSync('/etc/machine-id', 'utf8').trim())?.[0];
    if (id === undefined) return UNNAMED_MACHINE;
    return sha256(`reeve ${id}`).toString('hex').slice(0, 16);
  } catch {
    return UNNAMED_MACHINE;
  }
}

/**
 * `process.hrtime` counts from the machine's boot (CLOCK_MONOTONIC), so it compares across restarts of Reeve. Its pair
 * of numbers costs no object once compiled, as its BigInt does; `performance` would load a module of 2 ms.
 */
function readMonotonicMs(): MonoMs {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1_000 + Math.floor(nanoseconds / 1e6);
}

let bootId: string | undefined;

export const systemClock: Clock = {
  get bootId() {
    bootId ??= readBootId();
    return bootId;
  },
  now: () => Date.now(),
  monotonicMs: readMonotonicMs,
  bootTimeMs: () => Math.floor(uptime() * 1_000),
  after: armTimer,
  every(intervalMs, tick) {
    const timer = setInterval(tick, Math.min(intervalMs, TIMER_MS_MAX));
    return { [Symbol.dispose]: () => clearInterval(timer) };
  },
  sleep: (durationMs, signal) => sleepOn(armTimer, durationMs, signal),
};

/** A signal that aborts with `reason` after `durationMs` on the given clock, or with `parent`. Dispose it when done. */
export function deadline(
  clock: Clock,
  durationMs: number,
  reason: () => unknown,
  parent?: AbortSignal,
): Disposable & { readonly signal: AbortSignal } {
  const controller = new AbortController();
  const timer = clock.after(durationMs, () => controller.abort(reason()));
  const onParent = (): void => controller.abort(parent?.reason);
  if (parent?.aborted) onParent();
  parent?.addEventListener('abort', onParent, { once: true });
  return {
    signal: controller.signal,
    [Symbol.dispose]: () => {
      timer[Symbol.dispose]();
      parent?.removeEventListener('abort', onParent);
    },
  };
}
