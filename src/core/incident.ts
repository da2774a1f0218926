/** Types of incidents, run outcomes and escalations. */
import type { FailureClass, Severity } from './classification.ts';
import type { EpochMs, MonoMs } from './clock.ts';
import type { DenialCode } from './plan.ts';
import type { ChannelId, EngineId, GroupId, IncidentId, Place, Scope } from './scope.ts';

export const ESCALATION_REASONS = [
  'containment',
  'no_plan',
  'lasting',
  'guard_refused',
  'approval_needed',
  'approval_expired',
  'not_helping',
  'steps_spent',
  'outcome_unknown',
  'journal_broken',
  'config_rejected',
  'clock_anomaly',
  'internal',
  'test',
] as const;
export type EscalationReason = (typeof ESCALATION_REASONS)[number];

/** How a run ended. Every run ends in exactly one of these. */
export type Outcome =
  | { readonly kind: 'resolved'; readonly score: number; readonly because: string }
  | {
      readonly kind: 'watching';
      readonly because: string;
      readonly retryAfterMs: number | undefined;
      readonly escalateAfterMs: number | undefined;
      /** What the guard refused for, where that is waited for. */
      readonly denial?: DenialCode | undefined;
    }
  | { readonly kind: 'approval_needed'; readonly because: string }
  | {
      readonly kind: 'escalated';
      readonly reason: EscalationReason;
      readonly because: string;
      readonly denial: DenialCode | undefined;
    };

/** One stretch of trouble on one channel, or one shared-cause stretch on a group or engine. */
export interface Incident {
  readonly id: IncidentId;
  readonly scope: Scope;
  readonly group: GroupId;
  readonly engine: EngineId;
  readonly openedAt: EpochMs;
  readonly openedMs: MonoMs;
  readonly classification: FailureClass;
  /** Of a shared cause: the channels it covers. */
  readonly channels: readonly ChannelId[];
}

/** A shared cause may have reached further channels since its incident was opened: it is about those, too. */
export const reaching = (incident: Incident, channels: readonly ChannelId[]): Incident => ({
  ...incident,
  channels: [...new Set([...incident.channels, ...channels])],
});

/** The line of a page that lists the channels of a shared cause. */
export const channelsLine = (channels: readonly ChannelId[]): string => `Channels: ${channels.join(', ')}`;
/** The line of a page about a containment or a mass outage that lists who is in trouble under it. */
export const inTroubleLine = (channels: readonly ChannelId[]): string =>
  `In trouble (${channels.length}): ${channels.join(', ')}`;

/** Cuts a summary or details at so many characters, and shows that it did. */
export const clip = (text: string, max: number): string => (text.length <= max ? text : `${text.slice(0, max - 1)}…`);

/** How an incident ended, for metrics and people. */
const INCIDENT_ENDINGS = ['resolved', 'self_healed', 'absorbed', 'by_person'] as const;
export type IncidentEnding = (typeof INCIDENT_ENDINGS)[number];

export interface Closing {
  readonly ending: IncidentEnding;
  readonly because: string;
  /** No person was seen to stop the channel: it left the configuration, or nobody watches it. */
  readonly unseen?: true;
}

/** One message to a person, kept until some receiver took it. One stable key: trigger, repeats and resolve share it. */
export interface Escalation {
  readonly id: string;
  /** Dedup key, at most 255 characters, stable over retries and restarts. */
  readonly key: string;
  readonly severity: Severity;
  readonly reason: EscalationReason;
  readonly scope: Scope;
  readonly incident: IncidentId | undefined;
  readonly classification: FailureClass | undefined;
  /** Of a shared cause, a containment or a mass outage: the channels that the page lists. */
  readonly channels?: readonly ChannelId[];
  /** What makes it news where the same reason was given before: the hold that has ended. */
  readonly occasion?: string;
  /** Where its scope lay when it was raised. Absent where it lies nowhere, and in an entry of an earlier version. */
  readonly place?: Place | undefined;
  /** One line, at most 200 characters, redacted. */
  readonly summary: string;
  /** What Reeve saw and did, and what a person may do next; at most 2,000 characters, redacted. */
  readonly details: string;
  readonly at: EpochMs;
}

/** The key of every escalation about an incident: trigger, updates, repeats and resolve find each other by it. */
export const keyOfIncidentPage = (incident: IncidentId): string => `incident/${incident}`;
