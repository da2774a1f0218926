/** The envelope: everything that a decision may rest on. */
import type { FailureClass } from './classification.ts';
import type { EpochMs, MonoMs } from './clock.ts';
import type { ChannelId, EngineId, GroupId, Scope } from './scope.ts';
import type { Excerpt, Origin, SymptomKind } from './symptom.ts';
import type { ToolName } from './tool.ts';

export const CONTAINMENT_REASONS = [
  'restart_storm',
  'breaker_open',
  'pool_pressure',
  'pool_unknown',
  'shared_cause',
  'clock_anomaly',
  'journal_error',
  'operator_freeze',
] as const;
export type ContainmentReason = (typeof CONTAINMENT_REASONS)[number];

export type Containment =
  | { readonly active: false }
  | { readonly active: true; readonly reasons: readonly [ContainmentReason, ...ContainmentReason[]] };

/** Evidence of a trouble. Two independent kinds (`evidenceKindOf`) corroborate each other. */
export interface Signal {
  readonly origin: Origin;
  /** As in `Symptom`: others pushed it. */
  readonly pushed?: boolean;
  /** What it says, in a few words: `playlist unchanged for 14 s`. */
  readonly says: string;
  readonly symptom: SymptomKind | undefined;
  readonly monoMs: MonoMs;
}

/** Largest envelope as JSON on the wire. What does not fit is cut from the evidence and counted. */
export const ENVELOPE_BYTES_MAX = 8_192;

/**
 * Everything a decision may rest on, taken at one moment: twelve fields of the plan, `channelHealthy` and `evidence`,
 * and what names the moment. The rulebook and the planner read this and nothing else, so a plan can be made again
 * from the journal. The guard reads it too, and then asks its own live counters.
 */
export interface GroundedContextEnvelope {
  /** Undefined when the envelope is about a whole group or engine. */
  readonly channelId: ChannelId | undefined;
  readonly failureClassification: FailureClass | undefined;
  /** Starts of the channel (any origin) in the last hour. */
  readonly restartCount: number;
  /** Starts over all channels in the last 60 s. */
  readonly restartVelocity: number;
  /** 0 to 1: active over maximum; undefined where the engine has no pool to report. */
  readonly poolPressure: number | undefined;
  /** The strongest failing symptom, for example `auth_denied`. */
  readonly lastErrorType: SymptomKind | undefined;
  /** Failing symptoms per minute, over the last minute. */
  readonly errorFrequency: number;
  readonly lastAction: ToolName | undefined;
  /** Milliseconds until restart_channel may run again on this channel; 0 when it may. */
  readonly cooldownRemaining: number;
  /** 0 to 1: how sure the classification is (docs/classification.md). */
  readonly confidence: number;
  readonly timestamp: EpochMs;
  readonly containmentMode: Containment;

  readonly channelHealthy: boolean | undefined;
  readonly evidence: readonly Excerpt[];

  /** The same moment on the monotonic clock; what the guard compares. */
  readonly takenMs: MonoMs;
  readonly scope: Scope;
  readonly group: GroupId;
  readonly engine: EngineId;
  /** The independent witnesses of the classification. */
  readonly signals: readonly Signal[];
  /** Class, source and item: the same one treated twice without a cure is a fix that does not work. */
  readonly fingerprint: string;
  /** How long the present classification has held. */
  readonly lastingMs: number;
  /** The failing channels, where the envelope is about a group or engine. */
  readonly channels: readonly ChannelId[];
  /** A shared cause is suspected for the channel's group. */
  readonly sharedCause: boolean;
  /** The classification rests on patterns in staging: without them there would be none. */
  readonly onTrial?: true;
  /** Excerpts that did not fit. */
  readonly evidenceDropped: number;
}
