// Loaded into the daemon before its own code: on demand it measures the lag of the event loop and the time in the garbage
// collector from inside. Until somebody connects to the socket it costs nothing. A connection is one measurement: its
// figures are sent when the other side has ended its half.
import { rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { monitorEventLoopDelay, PerformanceObserver } from 'node:perf_hooks';

/** What one measurement tells of the daemon; times in milliseconds. */
export interface InsideFigures {
  /** 99th percentile of how long the loop was late, by the clock on the wall. */
  readonly lagWallMs: number;
  /** 99th percentile of the processor's time between two rounds of the loop: what other processes hold it by is not in it. */
  readonly lagCpuMs: number;
  /** Time in the collector, of the processor's time of the thread. */
  readonly gcShare: number;
  /** The share of time in which the loop did not wait. */
  readonly loopShare: number;
}

const path = process.env.REEVE_BENCH_PROBE;
/** A look into the loop this often: short enough to see what holds it for 10 ms. */
const LOOK_MS = 2;

function measure(): () => InsideFigures {
  const delay = monitorEventLoopDelay({ resolution: LOOK_MS });
  delay.enable();
  const spentMs = (): number => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1000;
  };
  let gcMs = 0;
  const collector = new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) gcMs += duration;
  });
  collector.observe({ entryTypes: ['gc'] });
  const held: number[] = [];
  const loop = performance.eventLoopUtilization();
  const startMs = spentMs();
  let beforeMs = startMs;
  const timer = setInterval(() => {
    const nowMs = spentMs();
    held.push(nowMs - beforeMs);
    beforeMs = nowMs;
  }, LOOK_MS);
  return () => {
    clearInterval(timer);
    delay.disable();
    collector.disconnect();
    const busy = performance.eventLoopUtilization(loop);
    const lagCpuMs = held.sort((a, b) => a - b)[Math.floor(held.length * 0.99)] ?? Number.NaN;
    return {
      lagWallMs: Math.max(0, delay.percentile(99) / 1e6 - LOOK_MS),
      lagCpuMs,
      gcShare: gcMs / (spentMs() - startMs),
      loopShare: busy.utilization,
    };
  };
}

if (path !== undefined) {
  // The daemon replaces itself once as it starts, and what it was before has left its socket.
  rmSync(path, { force: true });
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    const end = measure();
    socket.on('error', () => undefined).on('end', () => socket.end(JSON.stringify(end())));
    socket.resume();
  });
  server.listen(path).unref();
}
