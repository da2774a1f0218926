/** Tells systemd that Reeve is up and does not hang: one that does is killed, and started again by its unit. */
import { type Clock, deadline } from '../core/clock.ts';
import { SECOND_MS } from '../core/duration.ts';
import { messageOf, ReeveError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import { runProgram } from '../engine/program.ts';

/** What systemd hands to a service that may notify it: `sd_notify(3)`, `sd_watchdog_enabled(3)`. */
export interface ServiceManager {
  readonly socket: string;
  /** So long without a sign of life, and it kills the service; undefined: it expects none. */
  readonly watchdogMs: number | undefined;
}

/** By the environment of this process; undefined: nobody is to be notified. */
export function serviceManagerOf(
  { NOTIFY_SOCKET: socket = '', WATCHDOG_USEC: usec, WATCHDOG_PID: wanted }: NodeJS.ProcessEnv,
  pid: number,
): ServiceManager | undefined {
  if (socket === '') return undefined;
  const watchdogMs = wanted === undefined || Number(wanted) === pid ? Number(usec) / 1_000 : Number.NaN;
  return { socket, watchdogMs: watchdogMs > 0 ? watchdogMs : undefined };
}

/** Node opens no datagram socket of this kind, so the messages are sent by systemd's own program. */
const PROGRAM = 'systemd-notify';
const TIMEOUT_MS = 10 * SECOND_MS;
const OUTPUT_BYTES_MAX = 4_096;
/** Signs of life in the time in which one is expected: some may be late, or lost. */
const BEATS = 4;
const NOT_NOTIFIED = 'systemd is not notified';

/**
 * Says at once that Reeve is up, and then again and again that it lives, until it is disposed of. That its event loop
 * turns is all that counts: a start mends nothing of a journal, a receiver or a mistake, which the heartbeat tells of.
 */
export function notifyServiceManager(
  { socket, watchdogMs }: ServiceManager,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
): Disposable {
  const stopped = new AbortController();
  let trouble: string | undefined;
  let isSending = false;
  const send = async (message: string): Promise<string | undefined> => {
    try {
      const late = () => new ReeveError('TIMED_OUT', `it did not end within ${TIMEOUT_MS / SECOND_MS} s`);
      using limit = deadline(clock, TIMEOUT_MS, late, stopped.signal);
      const env = { NOTIFY_SOCKET: socket };
      const run = { argv: [PROGRAM, message], env, bytesMax: OUTPUT_BYTES_MAX, clock, signal: limit.signal } as const;
      const { exitCode, stderr } = await runProgram(run);
      return exitCode === 0 ? undefined : `it ended with ${exitCode}: ${stderr.trim()}`;
    } catch (thrown) {
      return messageOf(thrown);
    }
  };
  const tell = async (message: string): Promise<void> => {
    if (isSending) return;
    isSending = true;
    const now = await send(message);
    isSending = false;
    if (stopped.signal.aborted || now === trouble) return;
    if (now === undefined) log.info({}, 'systemd is notified again');
    else
      log.error(
        { because: now },
        watchdogMs === undefined ? NOT_NOTIFIED : `${NOT_NOTIFIED}, and will start Reeve anew`,
      );
    trouble = now;
  };
  void tell('READY=1');
  const beats = watchdogMs === undefined ? undefined : clock.every(watchdogMs / BEATS, () => void tell('WATCHDOG=1'));
  return {
    [Symbol.dispose]() {
      stopped.abort();
      beats?.[Symbol.dispose]();
    },
  };
}
