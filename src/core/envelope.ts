/** The envelope: everything that a decision may rest on, one row for each of its fields. */
import { FAILURE_CLASSES, type FailureClass } from './classification.ts';
import type { EpochMs, MonoMs } from './clock.ts';
import {
  type FactKind,
  type FactValue,
  field,
  fieldsByKind,
  fieldsOf,
  history,
  type HistoryOf,
  known,
  optional,
  own,
  type ValuesOf,
} from './envelope_field.ts';
import type { ChannelId, EngineId, GroupId, Scope } from './scope.ts';
import { type Excerpt, type Origin, type SymptomKind, SYMPTOMS } from './symptom.ts';
import { TOOL_NAMES, type ToolName } from './tool.ts';

export type { FactKind, FactValue } from './envelope_field.ts';

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
 * The only list of the fields: type, wire form, facts of rules and lines of the prompt follow from it. To add one: its
 * row here, and who fills it, whom the compiler then asks: `ground/envelope.ts`, or who hands in the `history`.
 * The order is the prompt's. No text of outsiders goes to a planner: only rows with `prompt` do. No fact: times of day,
 * because the same envelope must give the same plan at any hour; and lists of channels.
 */
const ENVELOPE_FIELDS = {
  /** The independent witnesses of the classification. */
  signals: field<readonly Signal[]>({
    fact: { name: 'signal', kind: 'text', inRules: false, read: (signals) => signals.map(({ says }) => says) },
  }),
  evidence: field<readonly Excerpt[]>({
    fact: { kind: 'text', read: (evidence) => evidence.map(({ text }) => text) },
  }),
  scope: field<Scope>({ fact: { kind: 'text', inRules: false, read: ({ kind }) => [kind] } }),
  /** Undefined when the envelope is about a whole group or engine. */
  channelId: field<ChannelId | undefined>({ nullable: true, fact: own('text'), prompt: known }),
  group: field<GroupId>({ fact: own('text') }),
  engine: field<EngineId>({ fact: own('text') }),
  failureClassification: field<FailureClass | undefined>({
    nullable: true,
    fact: own('text', FAILURE_CLASSES),
    prompt: known,
  }),
  /** Starts of the channel (any origin) in the last hour. */
  restartCount: history<number>({ fact: own('number'), prompt: known }),
  /** Starts over all channels in the last 60 s. */
  restartVelocity: history<number>({ fact: own('number'), prompt: known }),
  /** 0 to 1: active over maximum; undefined where the engine has no pool to report. */
  poolPressure: field<number | undefined>({
    nullable: true,
    fact: own('number'),
    prompt: (ratio) => known(ratio?.toFixed(2)),
  }),
  /** The strongest failing symptom, for example `auth_denied`. */
  lastErrorType: field<SymptomKind | undefined>({ nullable: true, fact: own('text', SYMPTOMS), prompt: known }),
  /** Failing symptoms per minute, over the last minute. */
  errorFrequency: field<number>({ fact: own('number'), prompt: known }),
  lastAction: history<ToolName | undefined>({
    nullable: true,
    fact: own('text', TOOL_NAMES),
    prompt: (tool) => tool ?? 'none',
  }),
  /** Milliseconds until restart_channel may run again on this channel; 0 when it may. */
  cooldownRemaining: history<number>({ fact: own('milliseconds'), prompt: known }),
  /** 0 to 1: how sure the classification is (docs/classification.md). */
  confidence: field<number>({ fact: own('number'), prompt: (sure) => known(sure?.toFixed(2)) }),
  timestamp: field<EpochMs>({ prompt: (at) => known(at === undefined ? at : new Date(at).toISOString()) }),
  containmentMode: history<Containment>({
    fact: { kind: 'truth', read: ({ active }) => [active] },
    prompt: (mode) => known(mode?.active === true ? mode.reasons.join(', ') : mode?.active),
  }),
  channelHealthy: field<boolean | undefined>({ nullable: true, fact: own('truth'), prompt: known }),
  /** The same moment on the monotonic clock; what the guard compares. */
  takenMs: field<MonoMs>(),
  /** Class, source and item: the same one treated twice without a cure is a fix that does not work. */
  fingerprint: field<string>({ fact: own('text') }),
  /** How long the present classification has held. */
  lastingMs: history<number>({ fact: own('milliseconds') }),
  /** The failing channels, where the envelope is about a group or engine. */
  channels: field<readonly ChannelId[]>(),
  /** A shared cause is suspected for the channel's group. */
  sharedCause: history<boolean>({ fact: own('truth') }),
  /** The classification rests on patterns in staging: without them there would be none. */
  onTrial: optional<true>(),
  /** Excerpts that did not fit. */
  evidenceDropped: field<number>({ fact: own('number') }),
};

/**
 * Everything a decision may rest on, taken at one moment. The rulebook and the planner read this and nothing else, so a
 * plan can be made again from the journal. The guard reads it too, and then asks its own live counters.
 */
export type GroundedContextEnvelope = ValuesOf<typeof ENVELOPE_FIELDS>;

/** What the guard and the history say; they live above the room that makes envelopes. */
export type EnvelopeHistory = HistoryOf<typeof ENVELOPE_FIELDS>;

const BY_KIND = fieldsByKind(ENVELOPE_FIELDS);

/** Names on the wire of what is always there, as null where it is not known. */
export const NULLABLE_FIELDS: readonly string[] = BY_KIND.flatMap(({ name, row }) => (row.nullable ? [name] : []));

export interface EnvelopeFact {
  /** Its name in rules and on the wire, in snake_case. */
  readonly name: string;
  readonly kind: FactKind;
  readonly values?: readonly string[];
  readonly inRules?: false;
  readonly read: (envelope: GroundedContextEnvelope) => readonly (FactValue | undefined)[];
}

/** Every fact, in the order in which the schema lists them. One is given by two fields. */
export const ENVELOPE_FACTS: readonly EnvelopeFact[] = [
  {
    name: 'symptom',
    kind: 'text',
    values: SYMPTOMS,
    read: ({ lastErrorType, signals }) => [lastErrorType, ...signals.map(({ symptom }) => symptom)],
  },
  ...BY_KIND.flatMap(({ key, name, row: { fact } }) =>
    fact === undefined
      ? []
      : [{ ...fact, name: fact.name ?? name, read: (envelope: GroundedContextEnvelope) => fact.read(envelope[key]) }],
  ),
];

/** What a planner reads of an envelope, a line for each field that it may see; what is left out is unknown. */
export const promptLines = (fields: Partial<GroundedContextEnvelope>): readonly string[] =>
  fieldsOf(ENVELOPE_FIELDS).flatMap(({ key, name, row }) =>
    row.prompt === undefined ? [] : [`${withUnit(name, row.fact?.kind)}: ${row.prompt(fields[key])}`],
  );

const withUnit = (name: string, kind: FactKind | undefined): string =>
  kind === 'milliseconds' && !name.endsWith('_ms') ? `${name}_ms` : name;
