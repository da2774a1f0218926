/** Checks the limits of the guard for soundness. */
import { DAY_MS } from '../core/duration.ts';
import type { Limits } from '../core/limits.ts';
import { FAILURES_KEPT } from './state/breaker.ts';
import { RESTARTS_KEPT } from './state/lifecycle.ts';
import { STARTS_KEPT } from './state/window.ts';

/**
 * Largest sound values: beyond them the guard could not remember enough to keep the limit. A time that is not here is
 * at most a day. What a configuration may say must be sound here, too.
 */
const VALUE_MAX: Partial<Record<keyof Limits, number>> = {
  windowStartsMax: STARTS_KEPT - 1,
  breakerFailuresMax: FAILURES_KEPT,
  dailyRestartCap: RESTARTS_KEPT,
  fleetDailyRestartCap: 100_000,
  highRiskPerGroupMax: 100,
  stagedStartsPerMinuteMax: 240,
  stepsMax: 3,
  sharedCauseChannelsMin: 1_000,
  poolPressureMax: 1,
  breakerOpenMsMax: 7 * DAY_MS,
  fingerprintMemoryMs: 30 * DAY_MS,
};

const isCount = (name: string): boolean =>
  /(StartsMax|PerMinuteMax|FailuresMax|GroupMax|Cap|stepsMax|ChannelsMin)$/.test(name);

/** Zero is a sound answer to "how many": none. It is no answer to "how long". */
const MAY_BE_ZERO: ReadonlySet<keyof Limits> = new Set([
  'dailyRestartCap',
  'fleetDailyRestartCap',
  'stepsMax',
  'viewerSecondsPerHourMax',
]);

/** Absent is sound: not limited, or a default that grows with the fleet. */
const MAY_BE_ABSENT: ReadonlySet<keyof Limits> = new Set(['viewerSecondsPerHourMax', 'fleetDailyRestartCap']);

function problemOf(name: keyof Limits, value: unknown): string | undefined {
  if (value === undefined && MAY_BE_ABSENT.has(name)) return undefined;
  if (typeof value !== 'number' || !Number.isFinite(value)) return `${name} is ${String(value)}, not a number`;
  if (value < 0 || (value === 0 && !MAY_BE_ZERO.has(name))) return `${name} is ${value}, and must be above 0`;
  if (isCount(name) && !Number.isInteger(value)) return `${name} is ${value}, not a whole number`;
  const max = VALUE_MAX[name] ?? (name.endsWith('Ms') || name.endsWith('MsMax') ? DAY_MS : Number.MAX_SAFE_INTEGER);
  return value > max ? `${name} is ${value}, above ${max}` : undefined;
}

/**
 * What is wrong with the limits; empty when they are sound. The guard refuses to start with others: a value
 * that is no number would silently switch its limit off.
 */
export function limitProblems(limits: Limits, names: readonly (keyof Limits)[]): readonly string[] {
  return names.map((name) => problemOf(name, limits[name])).filter((problem) => problem !== undefined);
}
