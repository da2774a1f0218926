// Defines what the configuration says of channels and engines, and the time limits of classification.
import { SECOND_MS } from '../../core/duration.ts';
import type { ChannelRef, EngineId } from '../../core/scope.ts';

/** What the configuration says of a channel, as far as a judgement on it depends on that. */
export interface ChannelSetup extends ChannelRef {
  /** Output that has not changed for this long stands still (see `stallAfterOf`). */
  readonly stallAfterMs: number;
  /** How often the output and the source are looked at. */
  readonly outputEveryMs: number;
  readonly sourceEveryMs: number;
  /** How often the output is looked at while nothing is in doubt; undefined: at its own pace. */
  readonly outputCalmEveryMs?: number | undefined;
  /** The longest time between two looks at the source while nothing is in doubt; undefined: at its own pace. */
  readonly sourceCalmEveryMs?: number | undefined;
  /** The streaming server that it publishes to, where a look at its output shows whether that is there. */
  readonly publishesTo?: string | undefined;
}

/** What the configuration says of an engine. */
export interface EngineSetup {
  readonly id: EngineId;
  readonly pollMs: number;
  /** How long the engine itself gets to restart what died, before anybody else may. */
  readonly autorestartGraceMs: number;
  /** How often its machine is looked at; undefined where it is not. */
  readonly hostEveryMs: number | undefined;
}

/** A log symptom older than this says nothing about a process that runs. */
export const SYMPTOM_FRESH_MS = 30 * SECOND_MS;
/**
 * Damaged input is judged a little sooner: what is stuck afterwards needs another answer than what is being damaged.
 */
export const CORRUPT_FRESH_MS = 25 * SECOND_MS;
/** Lines from this long before a death still explain it. */
export const FINAL_OUTPUT_MS = 15 * SECOND_MS;

/** A process sample older than this is no sample: the state is unknown. */
export const PROCESS_STALE_MS = 10 * SECOND_MS;
/** The least time after which a probe's silence means that it does not look any more. */
export const PROBE_STALE_MS = 10 * SECOND_MS;
/** An encoder that went on this lately vouches for what was seen of its output and its source before. */
export const VOUCH_MS = 3 * SECOND_MS;
/** Nothing was heard of a channel for this long although it is looked at: the observer is broken. */
export const OBSERVER_LOST_MS = 60 * SECOND_MS;

/** A process that ran at least this long ends a series of failures. */
export const SETTLED_GENERATION_MS = 30 * SECOND_MS;
/** This many processes that end within the window are a loop, whatever the exit codes say. */
export const CHURN_ENDS_MIN = 3;
export const CHURN_WINDOW_MS = 60 * SECOND_MS;
/** A loop whose last process ended longer ago than this is over. */
export const CHURN_RECENT_MS = 25 * SECOND_MS;
/**
 * A loop that ended in death, that nothing explains and that no person mended for this long is worth one start: what
 * made its processes short-lived may have passed. Twice the longest wait between two tries of Kubernetes'
 * CrashLoopBackOff.
 */
export const LOOP_REST_MS = 600 * SECOND_MS;
/** Ends this soon after Reeve's own action belong to the action. */
export const OWN_ACTION_MS = 15 * SECOND_MS;

/** What an earlier process of Reeve saw last is a witness for as long as evidence is fresh, and no longer. */
export const RECALL_MS = 120 * SECOND_MS;

/** True speed below this on three successive intervals is too slow. */
export const SPEED_MIN = 0.95;
export const SPEED_INTERVALS = 3;
/** And it must have cost at least this much: a busy moment is caught up with, a machine too weak is not. */
export const LAG_MS_MIN = 1_500;

/** A disk fuller than this counts as full (docs/classification.md). */
export const DISK_FULL_RATIO = 0.95;
/** An out-of-memory kill this near to a SIGKILL explains it. */
export const OOM_NEAR_MS = 10 * SECOND_MS;
/** How long a SIGKILL waits for the machine's count of out-of-memory kills. */
export const OOM_WAIT_MS = 1_500;

/** Consecutive failures after which an engine's control plane is down. */
export const ENGINE_FAILURES_MIN = 3;
/** Consecutive failures after which a probe of the output says something of its server, and is not chance. */
export const PROBE_FAILURES_MIN = 2;

/** Processes that died together died of something: it is over when no more have died for this long. */
export const DEATHS_QUIET_MS = 30 * SECOND_MS;
/** A source must have answered well this often and this long before it counts as back. */
export const SOURCE_BACK_SAMPLES = 2;
export const SOURCE_BACK_MS = 3 * SECOND_MS;

/** Starting, stopping or backing off longer than this is not settling any more. */
export const SETTLING_MAX_MS = 30 * SECOND_MS;
/** What is not understood gets this long to become clearer before a person is asked. */
export const UNKNOWN_PATIENCE_MS = 10 * SECOND_MS;
/** A refusal in the log may be read this much later than the exit that it explains. */
export const LOG_LAG_MS = 500;
const START_GRACE_MS_MIN = 8 * SECOND_MS;
/** A process that has had no output yet is not stuck before this: it may be waiting for its source. */
export const FIRST_OUTPUT_MS = 20 * SECOND_MS;

/** Unchanged output is a stall after the configured time, but never before two target durations and one look. */
export const stallAfterOf = (setup: ChannelSetup, targetDurationMs: number | undefined): number =>
  Math.max(setup.stallAfterMs, 2 * (targetDurationMs ?? 0) + setup.outputEveryMs);

/** A young process has no output yet: three target durations, at least 8 s. */
export const startGraceOf = (targetDurationMs: number | undefined): number =>
  Math.max(START_GRACE_MS_MIN, 3 * (targetDurationMs ?? 0));

/** Nothing at all was expected sooner than this from a probe that looks every so often. */
export const probeStaleOf = (everyMs: number): number => Math.max(PROBE_STALE_MS, 3 * everyMs);

/** Nothing at all was expected sooner than this from the probe of a calm channel. */
export const calmStaleOf = ({ outputEveryMs, outputCalmEveryMs }: ChannelSetup): number =>
  Math.max(probeStaleOf(outputEveryMs), outputCalmEveryMs === undefined ? 0 : outputCalmEveryMs + PROBE_STALE_MS);

/** The same of the probe of a calm channel's source. */
export const calmSourceStaleOf = ({ sourceEveryMs, sourceCalmEveryMs }: ChannelSetup): number =>
  Math.max(probeStaleOf(sourceEveryMs), sourceCalmEveryMs === undefined ? 0 : sourceCalmEveryMs + PROBE_STALE_MS);
