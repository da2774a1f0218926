/** Readiness and event-loop lag. */
import { monitorEventLoopDelay } from 'node:perf_hooks';

/** Watches how late the event loop runs. Costs one native timer, no wake-ups of JavaScript. */
export interface LoopLag extends Disposable {
  /** 99th percentile since the last call, in seconds. */
  p99Seconds(): number;
}

/** Each is a wake-up of the process, also of one that has nothing to do. */
const RESOLUTION_MS = 250;

export function watchLoopLag(): LoopLag {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  histogram.enable();
  return {
    p99Seconds() {
      const nanoseconds = histogram.count === 0 ? 0 : histogram.percentile(99);
      histogram.reset();
      // The histogram records the whole interval; what is beyond its own resolution is the lag.
      return Math.max(0, nanoseconds / 1e9 - RESOLUTION_MS / 1000);
    },
    [Symbol.dispose]: () => histogram.disable(),
  };
}

/** One reason why Reeve is not ready, or none. Alive is not ready: /healthz never asks these. */
export interface Readiness {
  readonly ready: boolean;
  readonly because: readonly string[];
}

export const readiness = (checks: readonly (readonly [ok: boolean, because: string])[]): Readiness => {
  const because = checks.filter(([ok]) => !ok).map(([, reason]) => reason);
  return { ready: because.length === 0, because };
};
