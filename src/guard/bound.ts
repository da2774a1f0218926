/** What limits the agent over a stretch of time. */
import { DAY_MS } from '../core/duration.ts';
export interface BoundInput {
  readonly highRiskPerGroupMax: number;
  readonly highRiskSpacingMs: number;
  readonly groups: number;
  readonly channels: number;
  readonly dailyRestartCap: number;
  readonly fleetDailyRestartCap: number;
  /** Sum over the incidents of the stretch of their persona's `restart_cap`. */
  readonly incidentCaps: number;
}

/**
 * Law S12: the most high-risk actions outside staged starts that any planner, however hostile, can begin in `spanMs`.
 * The least of what the spacing allows per group, the daily caps of all channels, the daily budget of the fleet and the
 * caps of all incidents.
 */
export function highRiskBound(spanMs: number, input: BoundInput): number {
  const bySpacing = input.groups * input.highRiskPerGroupMax * (Math.floor(spanMs / input.highRiskSpacingMs) + 1);
  const byDay = input.channels * input.dailyRestartCap * (Math.floor(spanMs / DAY_MS) + 1);
  const byFleet = input.fleetDailyRestartCap * (Math.floor(spanMs / DAY_MS) + 1);
  return Math.min(bySpacing, byDay, byFleet, input.incidentCaps);
}
