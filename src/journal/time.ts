import type { Clock, MonoMs } from '../core/clock.ts';

/** The last moment that the journal knows of. */
export interface LastMoment {
  readonly monoMs: MonoMs;
  /** As in `JournalEntry.boot`: `<boot id>+<offset in ms>`. */
  readonly boot: string;
}

/** `core/clock.ts` gives such an id where the machine does not name its boots: each process is then its own boot. */
const PROCESS_BOOT = /^process-/;

/**
 * A clock whose monotonic time goes on where the journal left off, so that readings compare over restarts and
 * reboots (law T2). On the same boot the elapsed time is exact. After a reboot it is the uptime: never more than
 * really passed. Where boots have no name it is zero. The wall clock is passed through and decides nothing.
 */
export function continueClock(clock: Clock, last: LastMoment | undefined): Clock {
  const rawNowMs = Math.floor(clock.monotonicMs());
  const offsetMs = offsetOf(clock.bootId, rawNowMs, last);
  let latestMs = rawNowMs + offsetMs;
  return {
    bootId: `${clock.bootId}+${offsetMs}`,
    now: () => clock.now(),
    monotonicMs: () => {
      latestMs = Math.max(latestMs, Math.floor(clock.monotonicMs()) + offsetMs);
      return latestMs;
    },
    ...(clock.bootTimeMs === undefined ? {} : { bootTimeMs: () => clock.bootTimeMs!() }),
    after: (delayMs, task) => clock.after(delayMs, task),
    every: (intervalMs, tick) => clock.every(intervalMs, tick),
    sleep: (durationMs, signal) => clock.sleep(durationMs, signal),
  };
}

function offsetOf(bootId: string, rawNowMs: number, last: LastMoment | undefined): number {
  if (last === undefined) return 0;
  const sameBoot = parseBoot(last.boot);
  const neverBackMs = last.monoMs - rawNowMs;
  if (sameBoot?.bootId === bootId) return Math.max(sameBoot.offsetMs, neverBackMs);
  return PROCESS_BOOT.test(bootId) ? neverBackMs : last.monoMs;
}

function parseBoot(boot: string): { readonly bootId: string; readonly offsetMs: number } | undefined {
  const match = /^(.*)\+(-?\d+)$/.exec(boot);
  return match === null ? undefined : { bootId: match[1]!, offsetMs: Number(match[2]) };
}
