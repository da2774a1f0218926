// Recognises trouble with media: damaged input, encoders, playlists, guides and publishers.
import type { SymptomKind } from '../../core/symptom.ts';
import {
  dropsFrames,
  type ClassifyInput,
  outageIsOver,
  sourceFails,
  sourceIsBack,
  reported,
} from './classify_input.ts';
import type { ProcessFacts } from '../facts/process_facts.ts';
import type { Match } from './rule.ts';
import { loopHasRested } from './process.ts';
import { FINAL_OUTPUT_MS } from '../facts/setup.ts';
import { fallsBehind, isSlow, recentSpeeds } from '../facts/speed.ts';
import { isOfPublisher, isSaidOnce, type SymptomFacts } from '../facts/symptom_facts.ts';
import {
  churnSignal,
  deadSignal,
  idleSignal,
  outputSignal,
  progressSignal,
  sourceSignal,
  spoken,
  symptomSignal,
} from './signals.ts';

/** Skips this often in one window are no hiccup. */
const SKIPS_MIN = 5;
/** What starts or joins in the middle complains for a moment, and is healthy. */
const JOINING_MS = 5_000;
const CORRUPT_MIN = 3;
/** A position that is the same over so many intervals stands; one may be the encoder's habit. */
const STANDING_INTERVALS = 2;
/** A process that was about to end when its source came back may still end this much later. */
const REACTION_MS = 5_000;

function matched(input: ClassifyInput, because: string, lines: readonly SymptomFacts[]): Match {
  return {
    because,
    signals: spoken(...lines.map(symptomSignal), deadSignal(input), outputSignal(input)),
    symptom: lines[0]?.kind,
    sinceMs: lines[0]?.firstMs,
  };
}

/** The reader fell out of the source's window and does not find back. One small skip heals itself. */
export function hlsWindowSlip(input: ClassifyInput): Match | undefined {
  const lines = reported(input, 'segment_missing');
  const [first] = lines;
  if (first === undefined || input.down || input.young) return undefined;
  const frozen = input.health.healthy === false ? outputSignal(input) : undefined;
  if (frozen === undefined && first.count < SKIPS_MIN) return undefined;
  if (input.facts.setup.hasSource && sourceFails(input) !== false) return undefined;
  const match = matched(
    input,
    frozen === undefined ? 'segments are skipped again and again' : 'segments were skipped, and the output stands',
    lines,
  );
  return { ...match, signals: [...match.signals, ...spoken(idleSignal(input))] };
}

/** What comes in is damaged: the same bytes would come in again after a restart. */
export function mediaUnplayable(input: ClassifyInput): Match | undefined {
  const lines = outageIsOver(input) ? [] : reported(input, 'corrupt_input');
  const [first] = lines;
  const source = input.facts.source?.last.failure === 'corrupt' ? sourceSignal(input) : undefined;
  if (source !== undefined && (input.troubled || first !== undefined)) {
    const match = matched(input, 'the source sends damaged media', lines);
    return { ...match, symptom: 'corrupt_input', signals: [source, ...match.signals] };
  }
  if (first === undefined) return undefined;
  const ageMs = first.lastMs - (input.process?.bornMs ?? Number.NEGATIVE_INFINITY);
  const lasting = first.count >= CORRUPT_MIN && ageMs >= JOINING_MS;
  const spoilt = input.health.healthy === false || input.churning;
  return lasting || spoilt ? matched(input, 'the input is damaged', lines) : undefined;
}

/** Each of these explains by itself why processes are short-lived; without one the loop itself is the finding. */
const EXPLAINS_CHURN: readonly SymptomKind[] = [
  'playout_gap',
  'hw_accel_failure',
  'config_error',
  'codec_unsupported',
  'permission_denied',
  'port_in_use',
  'ghost_publisher',
  'tuner_slots_exhausted',
];

/** It dies as often as it is started, or the engine has given it up. Starting it at once is what does not work. */
export function itemChurn(input: ClassifyInput): Match | undefined {
  const { process } = input;
  if (process === undefined || outageIsOver(input) || diedInOutage(input, process)) return undefined;
  if (reported(input, ...EXPLAINS_CHURN).length > 0) return undefined;
  const givenUp = process.state === 'fatal' && process.failedProcesses >= 2;
  if ((!input.churning && !givenUp) || loopHasRested(input, process)) return undefined;
  const lines = reported(input, 'process_crash', 'process_exit_nonzero');
  const because = givenUp
    ? `the engine gave it up after ${process.failedProcesses} short-lived processes`
    : `${input.recentEnds} processes ended within 60 s`;
  return {
    because,
    signals: spoken(churnSignal(input) ?? deadSignal(input), outputSignal(input), ...lines.map(symptomSignal)),
    symptom: lines[0]?.kind ?? 'process_exit_nonzero',
    sinceMs: process.ends.at(0),
  };
}

/** Its processes ended while the source failed, and none has since the source is back: that loop has been explained. */
function diedInOutage(input: ClassifyInput, process: ProcessFacts): boolean {
  const { source } = input.facts;
  if (!input.running || source?.lastFailMs === undefined || !sourceIsBack(input, source.lastFailMs)) return false;
  const lastEndMs = process.ends.at(-1) ?? Number.NEGATIVE_INFINITY;
  const backMs = source.okSinceMs ?? Number.NEGATIVE_INFINITY;
  return lastEndMs >= (source.lastFailFromMs ?? backMs) - FINAL_OUTPUT_MS && lastEndMs <= backMs + REACTION_MS;
}

/** Said since a player fell back to its blank, these are why nothing comes out. None of their rows starts anything. */
const MORE_THAN_A_BLANK: readonly SymptomKind[] = [
  'auth_denied',
  'ghost_publisher',
  'config_error',
  'codec_unsupported',
  'permission_denied',
  'port_in_use',
];

/** A player that starts has nothing to play for a moment, and says so: two starts are no repetition. */
export function playoutEmpty(input: ClassifyInput): Match | undefined {
  const lines = reported(input, 'playout_gap');
  const [first] = lines;
  if (first === undefined) return undefined;
  const bornMs = input.process?.bornMs ?? Number.NEGATIVE_INFINITY;
  const once = isSaidOnce(first);
  // What was said before Reeve built it again, and not since, says nothing against an output that goes on.
  const isSince = first.lastMs > (input.facts.actedMs ?? Number.NEGATIVE_INFINITY);
  const isOld = bornMs <= Math.max(first.firstMs, input.nowMs - first.windowMs);
  const again = !once && first.count >= 2 && isOld && isSince;
  if (!input.troubled && !again) return undefined;
  if (once && reported(input, ...MORE_THAN_A_BLANK).some(({ lastMs }) => lastMs >= first.lastMs)) return undefined;
  const match = matched(input, 'nothing is left to play', lines);
  const sinceMs = Math.max(once ? first.lastMs : first.firstMs, bornMs);
  const lull = input.running && !input.churning ? { sinceMs, notBeforeMs: sinceMs + JOINING_MS } : {};
  return { ...match, ...lull, against: input.health.healthy === true ? 1 : 0 };
}

export function guideStale(input: ClassifyInput): Match | undefined {
  const lines = reported(input, 'guide_stale');
  return lines.length === 0 ? undefined : matched(input, 'the guide is out of date', lines);
}

export function encoderSessionLimit(input: ClassifyInput): Match | undefined {
  const lines = reported(input, 'hw_accel_failure').filter(({ pattern }) => pattern?.includes('session'));
  return input.troubled && lines.length > 0 ? matched(input, 'the encoder has no session left', lines) : undefined;
}

export function encoderMisconfigured(input: ClassifyInput): Match | undefined {
  const lines = reported(
    input,
    'config_error',
    'codec_unsupported',
    'permission_denied',
    'port_in_use',
    'hw_accel_failure',
  );
  const [first] = lines;
  if (!input.troubled || first === undefined) return undefined;
  const match = matched(input, `it cannot run as it is set up (${first.kind})`, lines);
  return { ...match, signals: [...match.signals, ...spoken(churnSignal(input))] };
}

/** Slower than time passes, by successive positions: an average since the start hides a fall for minutes. */
export function encodeTooSlow(input: ClassifyInput): Match | undefined {
  if (input.down) return undefined;
  const lines = reported(input, 'encoder_overload');
  const slow = slowSignal(input, lines.length > 0);
  if (slow !== undefined) {
    const match = matched(input, slow.says, lines);
    return { ...match, signals: [slow, ...match.signals], symptom: 'encoder_overload' };
  }
  const [first] = lines;
  if (first === undefined || (recentSpeeds(input.facts, input.nowMs) !== undefined && input.health.healthy === true))
    return undefined;
  return input.troubled || first.count >= CORRUPT_MIN
    ? matched(input, 'the encoder says that it is too slow', lines)
    : undefined;
}

/** By successive positions; what stands is not slow, unless it says so itself. */
function slowSignal(input: ClassifyInput, overloaded: boolean) {
  const { facts, nowMs } = input;
  const { progress } = facts;
  const speeds = isSlow(facts, nowMs) ? recentSpeeds(facts, nowMs) : undefined;
  if (progress === undefined || speeds === undefined) return undefined;
  const stands = speeds.slice(-STANDING_INTERVALS).every((speed) => speed === 0);
  if (stands ? !overloaded : !fallsBehind(facts, nowMs)) return undefined;
  const mean = speeds.reduce((a, b) => a + b, 0) / speeds.length;
  const says = `encoding at ${mean.toFixed(2)}x over ${speeds.length} intervals`;
  return { origin: 'log', says, symptom: 'encoder_overload', monoMs: progress.lastMs } as const;
}

/** Troubles of ingest that only a log reports. */
const ingest =
  (kind: SymptomKind, because: string) =>
  (input: ClassifyInput): Match | undefined => {
    const lines = reported(input, kind);
    return input.troubled && lines.length > 0 ? matched(input, because, lines) : undefined;
  };

export const ghostPublisher = ingest('ghost_publisher', 'the server still holds a publisher that is gone');
export const tunerSlotsExhausted = ingest('tuner_slots_exhausted', 'no tuner or stream slot is free');
const publisherGone = ingest('publisher_lost', 'the publisher is gone');

/** By the log; or by what its return leaves behind, for which the encoder is not to blame. */
export function publisherLost(input: ClassifyInput): Match | undefined {
  const gone = publisherGone(input);
  if (gone !== undefined || input.down || !dropsFrames(input)) return gone;
  const because = 'its publisher came back with its clock at zero: frames are dropped until the time is caught up';
  const match = matched(input, because, reported(input, 'clock_skew_or_dts'));
  const signals = [...spoken(progressSignal(input)), ...match.signals];
  return { ...match, signals, symptom: 'publisher_lost', sinceMs: input.facts.progress?.advancedMs };
}

export function publishRejected(input: ClassifyInput): Match | undefined {
  const lines = reported(input, 'auth_denied').filter(isOfPublisher);
  return input.troubled && lines.length > 0 ? matched(input, 'the server refuses the publisher', lines) : undefined;
}
