import type { Limits } from '../../core/limits.ts';
import { parseDuration } from '../duration.ts';

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

const ms = (text: string): number => {
  const meaning = parseDuration(text);
  return 'ok' in meaning ? meaning.ok : Number.NaN;
};

type Bounds = readonly [strictest: string | number, laxest: string | number];

function row(
  unit: Unit,
  laxer: LimitRow['laxer'],
  key: string,
  name: keyof Limits,
  bounds: Bounds,
  says: string,
): LimitRow {
  const [strictest, laxest] = bounds.map((bound) => (typeof bound === 'string' ? ms(bound) : bound)) as [
    number,
    number,
  ];
  return { key, name, unit, laxer, strictest, laxest, says };
}

/** Every limit of the guard. Times are stricter when longer, except those that say how long something stays good. */
export const LIMIT_ROWS: readonly LimitRow[] = [
  row('count', 'more', 'window_starts_max', 'windowStartsMax', [1, 100], 'S2: starts per window, whoever began them.'),
  row('duration', 'less', 'window', 'windowMs', ['24h', '10s'], 'S2: the window in which starts are counted.'),
  row('duration', 'less', 'restart_cooldown', 'restartCooldownMs', ['24h', '5s'], 'S1: quiet time after a restart.'),
  row('count', 'more', 'breaker_failures_max', 'breakerFailuresMax', [1, 20], 'S3: failures that open a breaker.'),
  row('duration', 'less', 'breaker_window', 'breakerWindowMs', ['24h', '30s'], 'S3: how long a failure counts.'),
  row('duration', 'less', 'breaker_open', 'breakerOpenMs', ['24h', '10s'], 'S3: how long a breaker is open at first.'),
  row('duration', 'less', 'breaker_open_max', 'breakerOpenMsMax', ['7d', '1m'], 'S3: how far doubling goes.'),
  row('duration', 'less', 'high_risk_spacing', 'highRiskSpacingMs', ['24h', '5s'], 'S4: between two on one channel.'),
  row('count', 'more', 'high_risk_per_group_max', 'highRiskPerGroupMax', [1, 20], 'S4: in any 60 s in one group.'),
  row('count', 'more', 'daily_restart_cap', 'dailyRestartCap', [1, 100], 'S5: restarts of a channel in 24 h.'),
  row('ratio', 'more', 'pool_pressure_max', 'poolPressureMax', [0.1, 0.99], 'S8: a fuller pool means containment.'),
  row(
    'duration',
    'less',
    'containment_quiet',
    'containmentQuietMs',
    ['24h', '10s'],
    'S8: quiet before containment ends.',
  ),
  row('duration', 'less', 'containment_cooldown', 'containmentCooldownMs', ['24h', '10s'], 'S8: tool cooldown in it.'),
  row('duration', 'more', 'evidence_age_max', 'evidenceAgeMsMax', ['5s', '15m'], 'S10: older evidence does not count.'),
  row('count', 'more', 'steps_max', 'stepsMax', [1, 3], 'S11: steps of one run.'),
  row('duration', 'less', 'between_tools', 'betweenToolsMs', ['10m', '1s'], 'S11: quiet time between two tools.'),
  row('duration', 'more', 'run_max', 'runMsMax', ['30s', '30m'], 'S11: deadline of one run.'),
  row(
    'duration',
    'less',
    'fingerprint_memory',
    'fingerprintMemoryMs',
    ['30d', '5m'],
    'How long a failed fix is not repeated.',
  ),
  row(
    'count',
    'more',
    'shared_cause_channels_min',
    'sharedCauseChannelsMin',
    [2, 20],
    'Channels that make a shared cause.',
  ),
  row('duration', 'less', 'shared_cause_window', 'sharedCauseWindowMs', ['1h', '10s'], 'How close together they fail.'),
  row('duration', 'more', 'approval', 'approvalMs', ['30s', '24h'], 'How long a question waits for an answer.'),
  row('duration', 'more', 'permit', 'permitMs', ['1s', '60s'], 'How long a permit is good.'),
  row(
    'count',
    'more',
    'viewer_seconds_per_hour_max',
    'viewerSecondsPerHourMax',
    [1, 1_000_000_000],
    'What restarts may cost viewers. Absent: not limited.',
  ),
];
