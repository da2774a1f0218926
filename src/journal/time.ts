/** Continues the monotonic clock over restarts and reboots. */
import { type Clock, type MonoMs, UNNAMED_MACHINE } from '../core/clock.ts';

/** The last moment that the journal knows of. */
export interface LastMoment {
  readonly monoMs: MonoMs;
  /** As in `JournalEntry.boot`: `<boot id>+<offset in ms>`. */
  readonly boot: string;
}

/** `core/clock.ts` gives such an id where the machine does not name its boots: each process is then its own boot. */
const PROCESS_BOOT = /^process-/;

/**
 * A clock whose monotonic time goes on where the journal left off, so that readings compare over restarts and reboots
 * (law T2). On the same boot the elapsed time is exact. After a reboot of the same machine it is the uptime: never more
 * than really passed. On another machine, where machines or boots have no name, or where the journal was set back, it
 * is zero. The wall clock is passed through and decides nothing.
 */
export function continueClock(clock: Clock, last: LastMoment | undefined, isSetBack = false): Clock {
  const rawNowMs = Math.floor(clock.monotonicMs());
  const offsetMs = isSetBack && last !== undefined ? last.monoMs - rawNowMs : offsetOf(clock.bootId, rawNowMs, last);
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
  const before = placeOf(sameBoot?.bootId ?? last.boot);
  const now = placeOf(bootId);
  const isSameBoot = before.boot === now.boot && (before.machine ?? now.machine) === now.machine;
  if (sameBoot !== undefined && isSameBoot) return Math.max(sameBoot.offsetMs, neverBackMs);
  const isSameMachine = before.machine === now.machine && now.machine !== UNNAMED_MACHINE;
  return PROCESS_BOOT.test(bootId) || !isSameMachine ? neverBackMs : last.monoMs;
}

/** Journals of older versions name the boot alone. */
function placeOf(bootId: string): { readonly machine: string | undefined; readonly boot: string } {
  const at = bootId.lastIndexOf('/');
  return at < 0 ? { machine: undefined, boot: bootId } : { machine: bootId.slice(0, at), boot: bootId.slice(at + 1) };
}

function parseBoot(boot: string): { readonly bootId: string; readonly offsetMs: number } | undefined {
  const match = /^(.*)\+(-?\d+)$/.exec(boot);
  return match === null ? undefined : { bootId: match[1]!, offsetMs: Number(match[2]) };
}
