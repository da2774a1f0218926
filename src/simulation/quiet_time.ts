/** How long a stretch may be skipped in which nothing can happen. */
import { MINUTE_MS } from '../core/duration.ts';
import type { SimulatedHost, TimerQueue } from './virtual_time.ts';

/** Before the next event everything is lived through. */
const RUN_UP_MS = 45_000;

interface Queues {
  readonly ofWorld: TimerQueue;
  readonly ofReeve: TimerQueue;
  readonly host: SimulatedHost;
}

/** In whole minutes, up to a run-up before the next event that belongs to no regular series; 0: none. */
export function skippableMs({ ofWorld, ofReeve, host }: Queues, nowMs: number, endMs: number): number {
  const singleMs = Math.min(ofWorld.firstSingleMs(), host.worldMsAt(ofReeve.firstSingleMs()), endMs);
  return Math.max(0, Math.floor((singleMs - RUN_UP_MS - nowMs) / MINUTE_MS)) * MINUTE_MS;
}
