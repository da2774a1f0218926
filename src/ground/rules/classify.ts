// Classifies a channel from its facts by an order of precedence, and computes the confidence.
import { FAILURE_CLASSES, type FailureClass, hasTrait } from '../../core/classification.ts';
import type { MonoMs } from '../../core/clock.ts';
import { MINUTE_MS } from '../../core/duration.ts';
import type { Signal } from '../../core/envelope.ts';
import { HARMLESS_SYMPTOMS, type SymptomKind, type EvidenceKind, evidenceKindOf } from '../../core/symptom.ts';
import type { ChannelFacts } from '../facts/facts.ts';
import { withoutTrial } from '../facts/symptom_facts.ts';
import { type ClassifyContext, type ClassifyInput, classifyInputAt, reported } from './classify_input.ts';
import type { Match, Row, Want } from './rule.ts';
import * as host from './host.ts';
import * as media from './media.ts';
import * as observer from './observer.ts';
import * as upstream from './upstream.ts';
import { better, byLines, byReading } from './whole_reading.ts';
import * as processRules from './process.ts';
import { CHURN_WINDOW_MS, SETTLING_MAX_MS } from '../facts/setup.ts';

/** What is concluded of a channel or of an engine at one moment, and on which evidence. */
export interface Trouble {
  readonly trouble: true;
  readonly classification: FailureClass;
  /** 0 to 1, see `confidenceOf`. */
  readonly confidence: number;
  readonly healthy: boolean | undefined;
  readonly because: string;
  /** Independent witnesses, each with the origin of what it saw. */
  readonly signals: readonly Signal[];
  readonly lastErrorType: SymptomKind | undefined;
  /** Class, source and item. */
  readonly fingerprint: string;
  /** When the trouble began, as far as it was seen; may be before it had this name. */
  readonly sinceMs: MonoMs;
  /** The engine may still deal with it itself, or the evidence is not complete yet. */
  readonly settling: boolean;
  /** Nothing may be done before this. */
  readonly actNotBeforeMs: MonoMs;
  /** Without patterns in staging it would have no name. */
  readonly onTrial?: true;
  /** Looks that, taken now, would settle the doubt sooner. */
  readonly wants: readonly Want[];
}

/** Of a channel: its lines are counted. */
export interface Assessment extends Trouble {
  /** Failing symptoms per minute, over the last minute. */
  readonly errorFrequency: number;
}

/** Nothing is wrong, or nothing is known to be. `quiet`: no output is expected. */
export interface NoTrouble {
  readonly trouble: false;
  readonly classification: 'expected_quiet' | undefined;
  readonly healthy: boolean | undefined;
  readonly quiet: boolean;
  readonly because: string;
  /**
   * Its log complains of this, while its output still moves: where neighbours are in that trouble, it is on its way.
   */
  readonly omen: FailureClass | undefined;
}

export type Finding = Assessment | NoTrouble;

/** What recognises each class; the first that holds wins. A class without one does not compile. */
const RULES: Readonly<Record<FailureClass, Row['holds']>> = {
  telemetry_untrusted: observer.telemetryUntrusted,
  control_plane_down: observer.controlPlaneDown,
  expected_quiet: observer.expectedQuiet,
  host_exhausted: host.hostExhausted,
  pool_exhausted: host.poolExhausted,
  datastore_contention: host.datastoreContention,
  upstream_auth_expired: upstream.upstreamAuthExpired,
  upstream_url_expired: upstream.upstreamUrlExpired,
  upstream_not_found: upstream.upstreamNotFound,
  upstream_rate_limited: upstream.upstreamRateLimited,
  upstream_unavailable: upstream.upstreamUnavailable,
  hls_window_slip: media.hlsWindowSlip,
  media_unplayable: media.mediaUnplayable,
  item_churn: media.itemChurn,
  playout_empty: media.playoutEmpty,
  guide_stale: media.guideStale,
  encoder_session_limit: media.encoderSessionLimit,
  encoder_misconfigured: media.encoderMisconfigured,
  encode_too_slow: media.encodeTooSlow,
  ghost_publisher: media.ghostPublisher,
  publish_rejected: media.publishRejected,
  tuner_slots_exhausted: media.tunerSlotsExhausted,
  publisher_lost: media.publisherLost,
  process_crashed: processRules.processCrashed,
  output_stalled: processRules.outputStalled,
  unknown: processRules.unknownTrouble,
};

export const ROWS: readonly Row[] = FAILURE_CLASSES.map((classification) => ({
  classification,
  holds: RULES[classification],
}));

/**
 * Pure: the same facts at the same moment always give the same finding (docs/classification.md). Patterns in staging
 * come last: they name what would have no name without them, and change nothing about what has one. A reading of the
 * last lines as a whole may name another cause than they do one by one.
 */
export function classify(facts: ChannelFacts, context: ClassifyContext, nowMs: MonoMs): Finding {
  const lines = withTrial(byLines(facts), context, nowMs);
  const read = lines.trouble ? byReading(facts) : undefined;
  return read === undefined ? lines : better(lines, withTrial(read, context, nowMs));
}

function withTrial(facts: ChannelFacts, context: ClassifyContext, nowMs: MonoMs): Finding {
  const symptoms = withoutTrial(facts.symptoms);
  if (symptoms === facts.symptoms) return findingOf(facts, context, nowMs);
  const rest = findingOf({ ...facts, symptoms }, context, nowMs);
  if (rest.trouble && rest.classification !== 'unknown') return rest;
  const found = findingOf(facts, context, nowMs);
  if (!found.trouble || (rest.trouble && found.classification === 'unknown')) return rest;
  if (!rest.trouble) return { ...found, onTrial: true };
  // What has no name yet may get one by itself: that is waited for as it is without them.
  const { settling, actNotBeforeMs } = rest.actNotBeforeMs > found.actNotBeforeMs ? rest : found;
  return { ...found, settling, actNotBeforeMs, onTrial: true };
}

function findingOf(facts: ChannelFacts, context: ClassifyContext, nowMs: MonoMs): Finding {
  const input = classifyInputAt(facts, context, nowMs);
  for (const { classification, holds } of ROWS) {
    const match = holds(input);
    if (match === undefined) continue;
    if (classification === 'expected_quiet') return quiet(input, match.because);
    return assessed(input, classification, match);
  }
  const { healthy, because } = input.health;
  return { trouble: false, classification: undefined, healthy, quiet: false, because, omen: omenOf(input) };
}

const quiet = (input: ClassifyInput, because: string): NoTrouble => ({
  trouble: false,
  classification: 'expected_quiet',
  healthy: input.health.healthy,
  quiet: true,
  because,
  omen: undefined,
});

const OMEN_MS = 10_000;

/** Only of the source: a channel with a buffer plays on for a while after its source is gone. */
function omenOf(input: ClassifyInput): FailureClass | undefined {
  const [first] = reported(input, 'upstream_unreachable', 'upstream_timeout', 'dns_failure');
  return first !== undefined && input.nowMs - first.lastMs <= OMEN_MS ? 'upstream_unavailable' : undefined;
}

function assessed(input: ClassifyInput, classification: FailureClass, match: Match): Assessment {
  const settledMs = Math.max(engineSettlesMs(input, classification), match.notBeforeMs ?? 0);
  return {
    trouble: true,
    classification,
    confidence: confidenceOf(match, input.facts.symptoms),
    healthy: hasTrait(classification, 'beside_output') ? input.health.healthy : false,
    because: match.because.slice(0, 300),
    signals: match.signals.slice(0, 8),
    lastErrorType: match.symptom ?? strongest(input),
    errorFrequency: errorFrequencyOf(input.facts, input.nowMs),
    fingerprint: [classification, input.facts.source?.last.host ?? input.facts.setup.engine, input.facts.setup.id].join(
      '|',
    ),
    sinceMs: match.sinceMs ?? input.nowMs,
    settling: input.nowMs < settledMs,
    actNotBeforeMs: settledMs,
    wants: match.wants ?? [],
  };
}

/**
 * Until when the engine may still deal with it itself. 0: it has nothing to deal with. Processes that end one after
 * another are not settling, however often the engine tries; and no series of tries settles for longer than its limit.
 */
function engineSettlesMs(input: ClassifyInput, classification: FailureClass): MonoMs {
  const { process, context } = input;
  if (process === undefined || !input.down || process.state === 'fatal') return 0;
  if (input.churning && classification !== 'process_crashed') return 0;
  if (process.state === 'exited') return process.stateSinceMs + context.autorestartGraceMs;
  const seriesMs = process.ends.find((endMs) => input.nowMs - endMs < CHURN_WINDOW_MS) ?? process.stateSinceMs;
  return Math.min(seriesMs, process.stateSinceMs) + SETTLING_MAX_MS;
}

/** The weight of each evidence kind alone; log text is multiplied by the confidence of its pattern. */
const WEIGHT: Readonly<Record<EvidenceKind, number>> = {
  forgeable: 0.5,
  metric: 0.5,
  probe: 0.7,
  process: 0.7,
  host: 0.8,
};
const CONFIDENCE_MAX = 0.95;
const AGAINST = 0.7;

/**
 * 1 − Π(1 − weight) over the kinds of witnesses (each counts once), at most 0.95; times 0.7 for each fact
 * that speaks against. So a log alone stays below 0.6, and two kinds of witness reach 0.8 and more.
 */
export function confidenceOf(match: Match, symptoms: ChannelFacts['symptoms']): number {
  const witnesses = new Set(match.signals.map(evidenceKindOf));
  let doubt = 1;
  for (const witness of witnesses) {
    const weight = witness === 'forgeable' ? WEIGHT.forgeable * patternConfidence(match, symptoms) : WEIGHT[witness];
    doubt *= 1 - weight;
  }
  return round(Math.min(CONFIDENCE_MAX, 1 - doubt) * AGAINST ** (match.against ?? 0));
}

const round = (value: number): number => Math.round(value * 1000) / 1000;

/** Of the best log symptom among the witnesses; a progress report is no pattern and counts in full. */
function patternConfidence(match: Match, symptoms: ChannelFacts['symptoms']): number {
  const kinds = new Set(
    match.signals.filter((one) => evidenceKindOf(one) === 'forgeable').map(({ symptom }) => symptom),
  );
  const known = symptoms.filter((one) => evidenceKindOf(one) === 'forgeable' && kinds.has(one.kind));
  return known.length === 0 ? 1 : Math.max(...known.map(({ confidence }) => confidence));
}

const strongest = (input: ClassifyInput): SymptomKind | undefined =>
  input.facts.symptoms
    .filter(({ lastMs }) => input.nowMs - lastMs <= MINUTE_MS)
    .reduce<ChannelFacts['symptoms'][number] | undefined>(
      (best, one) => (best === undefined || one.confidence > best.confidence ? one : best),
      undefined,
    )?.kind;

/** Counts of the last minute's failing symptoms, each scaled from its own window to a minute. */
export function errorFrequencyOf(facts: ChannelFacts, nowMs: MonoMs): number {
  const perMinute = facts.symptoms
    .filter(({ kind, lastMs }) => !HARMLESS_SYMPTOMS.has(kind) && nowMs - lastMs < MINUTE_MS)
    .map(({ count, windowMs }) => (count * MINUTE_MS) / Math.max(windowMs, 1_000));
  return round(perMinute.reduce((sum, one) => sum + one, 0));
}
