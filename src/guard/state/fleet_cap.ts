// Counts what the restarts of all channels together use of the daily budget of the fleet (law S5).
import type { MonoMs } from '../../core/clock.ts';
import { DAY_MS } from '../../core/duration.ts';
import { type Limits, standardFleetCap } from '../../core/limits.ts';
import type { PermitId } from '../../core/tool.ts';
import type { GuardState, OwnRestart } from './state.ts';

/** Restarts that the fleet may use in 24 h: what is configured, else as many as it has channels. */
export const fleetCapOf = (limits: Limits, channels: number): number =>
  limits.fleetDailyRestartCap ?? standardFleetCap(channels);

export interface FleetDay {
  readonly count: number;
  /** 0 when one more fits; else the milliseconds until one does. Undefined with a cap of 0: none ever does. */
  readonly freeInMs: number | undefined;
}

/**
 * Law S5: restarts by Reeve in the half-open window (now − 24 h, now] over all channels. What a staged plan has started
 * and verified is no part of it, as it is no part of the window of starts: a whole fleet that comes back after an
 * outage must not use up what single channels may need an hour later.
 */
export function fleetRestartsOfDay(state: GuardState, max: number, nowMs: MonoMs): FleetDay {
  const times: MonoMs[] = [];
  for (const bucket of state.subjects) {
    for (const key in bucket) {
      for (const { atMs, proven } of bucket[key]?.restarts ?? []) {
        if (proven !== true && atMs > nowMs - DAY_MS) times.push(atMs);
      }
    }
  }
  if (times.length < max) return { count: times.length, freeInMs: 0 };
  if (max === 0) return { count: times.length, freeInMs: undefined };
  times.sort((a, b) => a - b);
  const last = times[times.length - max] ?? nowMs;
  return { count: times.length, freeInMs: Math.max(1, last + DAY_MS - nowMs) };
}

/** The restart of this permit was verified, or was not after all. */
export const withProof = (restarts: readonly OwnRestart[], permit: PermitId, isProven: boolean): OwnRestart[] =>
  restarts.map((one) => {
    if (one.permit !== permit) return one;
    const { proven: _, ...restart } = one;
    return isProven ? { ...restart, proven: true } : restart;
  });
