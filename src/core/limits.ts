/**
 * The numbers of the guard (docs/guard.md). Defaults are the most permissive values that need no
 * `i_accept_the_risk`; configuration may only tighten them without it.
 */
import { MINUTE_MS, SECOND_MS } from './duration.ts';
export interface Limits {
  /** S2: starts per window, all origins, per engine and over all. */
  readonly windowStartsMax: number;
  readonly windowMs: number;
  /** S1: restart cooldown after the end of the last one. */
  readonly restartCooldownMs: number;
  /** S3. */
  readonly breakerFailuresMax: number;
  readonly breakerWindowMs: number;
  readonly breakerOpenMs: number;
  readonly breakerOpenMsMax: number;
  /** S4. */
  readonly highRiskSpacingMs: number;
  readonly highRiskPerGroupMax: number;
  /** S2: starts of staged plans that begin in any 60 s, verified ones included. */
  readonly stagedStartsPerMinuteMax: number;
  /** S5: restarts per channel and 24 h. */
  readonly dailyRestartCap: number;
  /**
   * S5: restarts over all channels and 24 h that single channels asked for, or a staged plan could not verify;
   * undefined: as many as there are channels, and at least `FLEET_RESTARTS_MIN`.
   */
  readonly fleetDailyRestartCap: number | undefined;
  /** S8. */
  readonly poolPressureMax: number;
  readonly containmentQuietMs: number;
  readonly containmentCooldownMs: number;
  /** S10. */
  readonly evidenceAgeMsMax: number;
  /** S11. */
  readonly stepsMax: number;
  readonly betweenToolsMs: number;
  readonly runMsMax: number;
  /** Question 9: how long a fix that did not cure blocks its repetition for the same fingerprint. */
  readonly fingerprintMemoryMs: number;
  /** Correlation: this many channels with one trouble within the window are one shared cause. */
  readonly sharedCauseChannelsMin: number;
  readonly sharedCauseWindowMs: number;
  readonly approvalMs: number;
  readonly permitMs: number;
  /** Question 15: viewer-seconds that restarts may cost per hour, where viewers are known; undefined: not limited. */
  readonly viewerSecondsPerHourMax: number | undefined;
}

/** S5: what a small fleet may use in 24 h where nothing is configured. */
const FLEET_RESTARTS_MIN = 20;

/** S5: the budget of a fleet of so many channels where nothing is configured. */
export const standardFleetCap = (channels: number): number => Math.max(FLEET_RESTARTS_MIN, channels);

export const DEFAULT_LIMITS: Limits = {
  windowStartsMax: 10,
  windowMs: 60 * SECOND_MS,
  restartCooldownMs: 30 * SECOND_MS,
  breakerFailuresMax: 5,
  breakerWindowMs: 300 * SECOND_MS,
  breakerOpenMs: 120 * SECOND_MS,
  breakerOpenMsMax: 30 * MINUTE_MS,
  highRiskSpacingMs: 60 * SECOND_MS,
  highRiskPerGroupMax: 2,
  stagedStartsPerMinuteMax: 60,
  dailyRestartCap: 10,
  fleetDailyRestartCap: undefined,
  poolPressureMax: 0.9,
  containmentQuietMs: 60 * SECOND_MS,
  containmentCooldownMs: 60 * SECOND_MS,
  evidenceAgeMsMax: 120 * SECOND_MS,
  stepsMax: 3,
  betweenToolsMs: 5 * SECOND_MS,
  runMsMax: 5 * MINUTE_MS,
  fingerprintMemoryMs: 60 * MINUTE_MS,
  sharedCauseChannelsMin: 3,
  sharedCauseWindowMs: 60 * SECOND_MS,
  approvalMs: 10 * MINUTE_MS,
  permitMs: 5 * SECOND_MS,
  viewerSecondsPerHourMax: undefined,
};
