import FakeTimers from '@sinonjs/fake-timers';
import { type Clock, sleepOn } from '../../src/core/clock.ts';

/** As `fakeClock`, on a machine that can also sleep. */
export function suspendableClock(startAt = Date.UTC(2026, 0, 1), bootId = 'boot-1') {
  const timers = FakeTimers.createClock(startAt);
  let wallOffsetMs = 0;
  let sleptMs = 0;
  const after: Clock['after'] = (delayMs, task) => {
    const timer = timers.setTimeout(task, delayMs);
    return { [Symbol.dispose]: () => timers.clearTimeout(timer) };
  };
  const clock: Clock = {
    bootId,
    now: () => timers.now + wallOffsetMs,
    monotonicMs: () => timers.now - startAt + 1_000_000,
    bootTimeMs: () => timers.now - startAt + 1_000_000 + sleptMs,
    after,
    sleep: (durationMs, signal) => sleepOn(after, durationMs, signal),
    every(intervalMs, tick) {
      const timer = timers.setInterval(tick, intervalMs);
      return { [Symbol.dispose]: () => timers.clearInterval(timer) };
    },
  };
  return {
    clock,
    /** Moves time and lets every due timer and promise run. */
    advance: (ms: number) => timers.tickAsync(ms),
    /** The machine sleeps: monotonic time stands still, boot time and the wall clock go on. */
    suspend: (forMs: number) => {
      sleptMs += forMs;
      wallOffsetMs += forMs;
    },
    /** Moves the wall clock only, as a correction of the host's time does. */
    jumpWall: (byMs: number) => {
      wallOffsetMs += byMs;
    },
  };
}

/** A clock that only tests advance. It replaces no globals, so tests may run side by side. */
export function fakeClock(startAt?: number, bootId?: string) {
  const { suspend: _, ...time } = suspendableClock(startAt, bootId);
  return time;
}
