/** The table of all limits of the guard. */
import type { Limits } from '../../core/limits.ts';
import { parseDuration } from '../../core/document/duration.ts';

type Unit = 'count' | 'duration' | 'ratio';

/**
 * One limit as an operator sees it. `laxer` is the direction in which more is permitted. Between the default and
 * `strictest` every value is free; from there to `laxest` it needs `i_accept_the_risk: true`; outside it is refused.
 */
export interface LimitRow {
  readonly key: string;
  readonly name: keyof Limits;
  readonly unit: Unit;
  readonly laxer: 'more' | 'less';
  readonly strictest: number;
  readonly laxest: number;
  readonly says: string;
}

type Bound = string | number;
type Row = readonly [
  key: string,
  name: keyof Limits,
  unit: Unit,
  laxer: LimitRow['laxer'],
  strictest: Bound,
  laxest: Bound,
  says: string,
];

/** Times are stricter when longer, except those that say how long something stays good. */
const TABLE: readonly Row[] = [
  ['window_starts_max', 'windowStartsMax', 'count', 'more', 1, 100, 'S2: starts per window, whoever began them.'],
  ['window', 'windowMs', 'duration', 'less', '24h', '10s', 'S2: the window in which starts are counted.'],
  ['restart_cooldown', 'restartCooldownMs', 'duration', 'less', '24h', '5s', 'S1: quiet time after a restart.'],
  ['breaker_failures_max', 'breakerFailuresMax', 'count', 'more', 1, 20, 'S3: failures that open a breaker.'],
  ['breaker_window', 'breakerWindowMs', 'duration', 'less', '24h', '30s', 'S3: how long a failure counts.'],
  ['breaker_open', 'breakerOpenMs', 'duration', 'less', '24h', '10s', 'S3: how long a breaker is open at first.'],
  ['breaker_open_max', 'breakerOpenMsMax', 'duration', 'less', '7d', '1m', 'S3: how far doubling goes.'],
  ['high_risk_spacing', 'highRiskSpacingMs', 'duration', 'less', '24h', '5s', 'S4: between two on one channel.'],
  ['high_risk_per_group_max', 'highRiskPerGroupMax', 'count', 'more', 1, 20, 'S4: in any 60 s in one group.'],
  [
    'staged_starts_per_minute_max',
    'stagedStartsPerMinuteMax',
    'count',
    'more',
    1,
    240,
    'S2: starts of staged plans in 60 s, the verified included.',
  ],
  ['daily_restart_cap', 'dailyRestartCap', 'count', 'more', 0, 100, 'S5: restarts of a channel in 24 h.'],
  [
    'fleet_daily_restart_cap',
    'fleetDailyRestartCap',
    'count',
    'more',
    0,
    10_000,
    'S5: restarts of all channels in 24 h but verified ones of plans. Absent: as many as channels, at least 20.',
  ],
  ['pool_pressure_max', 'poolPressureMax', 'ratio', 'more', 0.1, 0.99, 'S8: a fuller pool means containment.'],
  ['containment_quiet', 'containmentQuietMs', 'duration', 'less', '24h', '10s', 'S8: quiet before containment ends.'],
  ['containment_cooldown', 'containmentCooldownMs', 'duration', 'less', '24h', '10s', 'S8: tool cooldown in it.'],
  ['evidence_age_max', 'evidenceAgeMsMax', 'duration', 'more', '5s', '15m', 'S10: older evidence does not count.'],
  ['steps_max', 'stepsMax', 'count', 'more', 1, 3, 'S11: steps of one run.'],
  ['between_tools', 'betweenToolsMs', 'duration', 'less', '10m', '1s', 'S11: quiet time between two tools.'],
  ['run_max', 'runMsMax', 'duration', 'more', '30s', '30m', 'S11: deadline of one run.'],
  [
    'fingerprint_memory',
    'fingerprintMemoryMs',
    'duration',
    'less',
    '30d',
    '5m',
    'How long a failed fix is not repeated.',
  ],
  ['shared_cause_channels_min', 'sharedCauseChannelsMin', 'count', 'more', 2, 20, 'Channels that make a shared cause.'],
  ['shared_cause_window', 'sharedCauseWindowMs', 'duration', 'less', '1h', '10s', 'How close together they fail.'],
  ['approval', 'approvalMs', 'duration', 'more', '30s', '24h', 'How long a question waits for an answer.'],
  ['permit', 'permitMs', 'duration', 'more', '1s', '60s', 'How long a permit is good.'],
  [
    'viewer_seconds_per_hour_max',
    'viewerSecondsPerHourMax',
    'count',
    'more',
    1,
    1_000_000_000,
    'What restarts may cost viewers. Absent: not limited.',
  ],
];

/** Every limit of the guard. */
export const LIMIT_ROWS: readonly LimitRow[] = TABLE.map(([key, name, unit, laxer, strictest, laxest, says]) => ({
  key,
  name,
  unit,
  laxer,
  strictest: numeric(strictest),
  laxest: numeric(laxest),
  says,
}));

function numeric(bound: Bound): number {
  const meaning = typeof bound === 'string' ? parseDuration(bound) : { ok: bound };
  return 'ok' in meaning ? meaning.ok : Number.NaN;
}
