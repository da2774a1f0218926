// Builds the envelope of a channel or of a shared cause, and cuts it to its maximum size.
import type { EpochMs, MonoMs } from '../core/clock.ts';
import {
  ENVELOPE_BYTES_MAX,
  type EnvelopeHistory,
  type GroundedContextEnvelope,
  NULLABLE_FIELDS,
  type Signal,
} from '../core/envelope.ts';
import { type ChannelId, type EngineId, type GroupId, keyOfScope } from '../core/scope.ts';
import type { Excerpt } from '../core/symptom.ts';
import { type Json, toWire } from '../core/wire.ts';
import type { Finding, Trouble } from './rules/classify.ts';
import type { SharedCause } from './correlate/correlate.ts';
import type { ChannelFacts } from './facts/facts.ts';

/** The moment at which an envelope is taken, on both clocks. */
export interface EnvelopeInput {
  readonly at: EpochMs;
  readonly nowMs: MonoMs;
}

const EXCERPTS_MAX = 24;
const EXCERPT_CHARS = 400;
const SAYS_CHARS = 200;
const SOURCE_CHARS = 120;
const SIGNALS_MAX = 8;
const CHANNELS_BYTES = 3_000;

/** The envelope of one channel. */
export function channelEnvelope(
  about: { readonly facts: ChannelFacts; readonly finding: Finding; readonly poolPressure: number | undefined },
  history: EnvelopeHistory,
  moment: EnvelopeInput,
): GroundedContextEnvelope {
  const { setup } = about.facts;
  return fitted({
    ...common(history, moment),
    ...judged(about.finding, setup.id),
    channelId: setup.id,
    poolPressure: about.poolPressure,
    scope: { kind: 'channel', id: setup.id },
    group: setup.group,
    engine: setup.engine,
    channels: [],
    ...excerptsOf([about.facts], signalsOf(about.finding), moment.at),
  });
}

/** One channel of a shared cause, with what was found of it. */
export interface CauseMember {
  readonly facts: ChannelFacts;
  readonly finding: Finding;
}

/**
 * The envelope of a group or an engine under a shared cause. While the cause is active it speaks of the cause and
 * of every channel that it touched; when it is over, of the channels that it left down, as what they are now.
 */
export function causeEnvelope(
  about: {
    readonly cause: SharedCause;
    readonly members: readonly CauseMember[];
    readonly engine: EngineId;
    readonly group: GroupId;
    readonly poolPressure: number | undefined;
    readonly assessment: Trouble | undefined;
  },
  history: EnvelopeHistory,
  moment: EnvelopeInput,
): GroundedContextEnvelope {
  const { cause } = about;
  const over = cause.phase === 'over';
  const channels = over ? cause.down : cause.channels;
  const members = about.members.filter(({ facts }) => channels.includes(facts.setup.id));
  const findings = members.flatMap(({ finding }) => (finding.trouble ? [finding] : []));
  const spokenFor = [...findings, ...(about.assessment === undefined ? [] : [about.assessment])];
  const first = spokenFor[0];
  const signals = distinctSignals(spokenFor);
  const classification = over ? first?.classification : cause.classification;
  return fitted({
    ...common(history, moment),
    sharedCause: !over,
    channelId: undefined,
    failureClassification: classification,
    lastErrorType: first?.lastErrorType,
    errorFrequency: findings.reduce((sum, { errorFrequency }) => sum + errorFrequency, 0),
    confidence: confidenceOfMany(
      spokenFor.map(({ confidence }) => confidence),
      over,
    ),
    channelHealthy: channels.length > 0 ? false : over ? true : undefined,
    signals,
    fingerprint: fingerprintOf(cause, classification),
    ...(isOnTrial(spokenFor, classification) ? { onTrial: true } : {}),
    poolPressure: about.poolPressure,
    scope: cause.scope,
    group: about.group,
    engine: about.engine,
    channels,
    ...excerptsOf(
      members.map(({ facts }) => facts),
      signals,
      moment.at,
    ),
  });
}

/** A cause is called what its channels are called: it is on trial where nothing else calls any of them that. */
function isOnTrial(findings: readonly Trouble[], classification: Trouble['classification'] | undefined): boolean {
  const named = findings.filter((finding) => finding.classification === classification);
  const behind = named.length > 0 ? named : findings;
  return behind.length > 0 && behind.every(({ onTrial }) => onTrial === true);
}

/** Agreement of several raises an active cause; a plan over several channels is as sure as its least sure one. */
function confidenceOfMany(each: readonly number[], over: boolean): number {
  if (each.length === 0) return 0;
  if (over) return Math.min(...each);
  return Math.min(0.95, Math.round((Math.max(...each) + (each.length > 1 ? 0.1 : 0)) * 1000) / 1000);
}

const fingerprintOf = (cause: SharedCause, classification: string | undefined): string =>
  `${classification ?? cause.classification}|${cause.family}|${keyOfScope(cause.scope)}`.slice(0, 200);

const common = (history: EnvelopeHistory, moment: EnvelopeInput) => ({
  ...history,
  timestamp: moment.at,
  takenMs: moment.nowMs,
});

function judged(finding: Finding, channel: ChannelId) {
  if (!finding.trouble) {
    return {
      failureClassification: finding.classification,
      lastErrorType: undefined,
      errorFrequency: 0,
      confidence: 0,
      channelHealthy: finding.healthy,
      signals: [],
      fingerprint: `${finding.classification ?? 'none'}|-|${channel}`,
    };
  }
  return {
    failureClassification: finding.classification,
    lastErrorType: finding.lastErrorType,
    errorFrequency: finding.errorFrequency,
    confidence: finding.confidence,
    channelHealthy: finding.healthy,
    signals: signalsOf(finding),
    fingerprint: finding.fingerprint.slice(0, 200),
    ...(finding.onTrial === true ? { onTrial: true as const } : {}),
  };
}

const signalsOf = (finding: Finding | Trouble): readonly Signal[] =>
  finding.trouble
    ? finding.signals.slice(0, SIGNALS_MAX).map((one) => ({ ...one, says: clip(one.says, SAYS_CHARS) }))
    : [];

const senderOf = ({ origin, pushed }: Signal): string => (pushed === true ? `pushed ${origin}` : origin);

/** Each sentence of each origin once. */
function distinctSignals(findings: readonly Trouble[]): readonly Signal[] {
  const byText = new Map(
    findings.flatMap(signalsOf).map((one) => [`${senderOf(one)}|${one.symptom}|${one.says}`, one]),
  );
  const kinds = new Map([...byText.values()].map((one) => [`${senderOf(one)}|${one.symptom}`, one]));
  return [...new Set([...kinds.values(), ...byText.values()])].slice(0, SIGNALS_MAX);
}

const clip = (text: string, chars: number): string =>
  text
    .replace(/[\u0000-\u001f\u007f-\u009f]+/g, ' ')
    .slice(0, chars)
    .toWellFormed();

/** The statements of the signals and the lines behind them; the kinds that are signals first, then the newest. */
function excerptsOf(facts: readonly ChannelFacts[], signals: readonly Signal[], at: EpochMs) {
  const kinds = new Set(signals.map(({ symptom }) => symptom));
  const symptoms = facts
    .flatMap((one) => one.symptoms)
    .sort((a, b) => Number(kinds.has(b.kind)) - Number(kinds.has(a.kind)) || b.lastMs - a.lastMs);
  const lines = symptoms.flatMap((one) =>
    [...one.evidence].reverse().map(({ source, text }) => ({ at: one.at, origin: one.origin, source, text })),
  );
  const seen = signals
    .filter(({ origin }) => origin !== 'log')
    .map(({ origin, says }) => ({ at, origin, source: origin, text: says }));
  const all = [...seen, ...lines];
  const evidence: readonly Excerpt[] = all.slice(0, EXCERPTS_MAX).map((one, index) => ({
    ...one,
    id: `e${index + 1}`,
    source: clip(one.source, SOURCE_CHARS),
    text: clip(one.text, EXCERPT_CHARS),
  }));
  return { evidence, evidenceDropped: all.length - evidence.length };
}

/** Cuts the list of channels and then the evidence, last first, until the wire form fits. What is cut is counted. */
function fitted(envelope: GroundedContextEnvelope): GroundedContextEnvelope {
  let bytes = 0;
  const channels = envelope.channels.filter((id) => {
    bytes += Buffer.byteLength(JSON.stringify(id)) + 1;
    return bytes <= CHANNELS_BYTES;
  });
  let fit = { ...envelope, channels };
  while (bytesOf(fit) > ENVELOPE_BYTES_MAX && fit.evidence.length > 0) {
    fit = { ...fit, evidence: fit.evidence.slice(0, -1), evidenceDropped: fit.evidenceDropped + 1 };
  }
  return fit;
}

const bytesOf = (envelope: GroundedContextEnvelope): number =>
  Buffer.byteLength(JSON.stringify(envelopeWire(envelope)));

/** Fields that are always there, so that a reader can distinguish "not known" from "not asked". */
const ABSENT: { readonly [key: string]: Json } = Object.fromEntries(NULLABLE_FIELDS.map((name) => [name, null]));

/**
 * The form that people and programs read: snake_case, what is not known as null. At most `ENVELOPE_BYTES_MAX` bytes.
 */
export function envelopeWire(envelope: GroundedContextEnvelope): { readonly [key: string]: Json } {
  return { ...ABSENT, ...(toWire(envelope) as { readonly [key: string]: Json }) };
}
