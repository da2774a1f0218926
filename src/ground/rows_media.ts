import type { SymptomKind } from '../core/symptom.ts';
import { dropsFrames, type Look, outageIsOver, sourceFails, sourceIsBack, told } from './look.ts';
import type { ProcessFacts } from './process_facts.ts';
import type { Match } from './row.ts';
import { loopHasRested } from './rows_process.ts';
import { LAST_WORDS_MS } from './setup.ts';
import { fallsBehind, isSlow, recentSpeeds } from './speed.ts';
import type { SymptomFacts } from './symptom_facts.ts';
import {
  churnSignal,
  deadSignal,
  idleSignal,
  outputSignal,
  progressSignal,
  sourceSignal,
  spoken,
  symptomSignal,
} from './witness.ts';

/** Skips this often in one window are no hiccup. */
const SKIPS_MIN = 5;
/** A decoder that joins in the middle complains for a moment, and is healthy. */
const JOINING_MS = 5_000;
const CORRUPT_MIN = 3;
/** A position that is the same over so many intervals stands; one may be the encoder's habit. */
const STANDING_INTERVALS = 2;
/** A life that was about to end when its source came back may still end this much later. */
const REACTION_MS = 5_000;

function matched(look: Look, because: string, lines: readonly SymptomFacts[]): Match {
  return {
    because,
    signals: spoken(...lines.map(symptomSignal), deadSignal(look), outputSignal(look)),
    symptom: lines[0]?.kind,
    sinceMs: lines[0]?.firstMs,
  };
}

/** The reader fell out of the source's window and does not find back. One small skip heals itself. */
export function hlsWindowSlip(look: Look): Match | undefined {
  const lines = told(look, 'segment_missing');
  const [first] = lines;
  if (first === undefined || look.down || look.young) return undefined;
  const frozen = look.health.healthy === false ? outputSignal(look) : undefined;
  if (frozen === undefined && first.count < SKIPS_MIN) return undefined;
  if (look.facts.setup.hasSource && sourceFails(look) !== false) return undefined;
  const match = matched(
    look,
    frozen === undefined ? 'segments are skipped again and again' : 'segments were skipped, and the output stands',
    lines,
  );
  return { ...match, signals: [...match.signals, ...spoken(idleSignal(look))] };
}

/** What comes in is damaged: the same bytes would come in again after a restart. */
export function mediaUnplayable(look: Look): Match | undefined {
  const lines = outageIsOver(look) ? [] : told(look, 'corrupt_input');
  const [first] = lines;
  const source = look.facts.source?.last.failure === 'corrupt' ? sourceSignal(look) : undefined;
  if (source !== undefined && (look.troubled || first !== undefined)) {
    const match = matched(look, 'the source sends damaged media', lines);
    return { ...match, symptom: 'corrupt_input', signals: [source, ...match.signals] };
  }
  if (first === undefined) return undefined;
  const lifeMs = first.lastMs - (look.process?.bornMs ?? Number.NEGATIVE_INFINITY);
  const lasting = first.count >= CORRUPT_MIN && lifeMs >= JOINING_MS;
  const spoilt = look.health.healthy === false || look.churning;
  return lasting || spoilt ? matched(look, 'the input is damaged', lines) : undefined;
}

/** Each of these explains by itself why lives are short; without one the loop itself is the finding. */
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
export function itemChurn(look: Look): Match | undefined {
  const { process } = look;
  if (process === undefined || outageIsOver(look) || diedInOutage(look, process)) return undefined;
  if (told(look, ...EXPLAINS_CHURN).length > 0) return undefined;
  const givenUp = process.state === 'fatal' && process.failedLives >= 2;
  if ((!look.churning && !givenUp) || loopHasRested(look, process)) return undefined;
  const lines = told(look, 'process_crash', 'process_exit_nonzero');
  const because = givenUp
    ? `the engine gave it up after ${process.failedLives} short lives`
    : `${look.recentEnds} lives ended within 60 s`;
  return {
    because,
    signals: spoken(churnSignal(look) ?? deadSignal(look), outputSignal(look), ...lines.map(symptomSignal)),
    symptom: lines[0]?.kind ?? 'process_exit_nonzero',
    sinceMs: process.ends.at(0),
  };
}

/** Its lives ended while the source failed, and none has since the source is back: that loop has been explained. */
function diedInOutage(look: Look, process: ProcessFacts): boolean {
  const { source } = look.facts;
  if (!look.running || source?.lastFailMs === undefined || !sourceIsBack(look, source.lastFailMs)) return false;
  const lastEndMs = process.ends.at(-1) ?? Number.NEGATIVE_INFINITY;
  const backMs = source.okSinceMs ?? Number.NEGATIVE_INFINITY;
  return lastEndMs >= (source.lastFailFromMs ?? backMs) - LAST_WORDS_MS && lastEndMs <= backMs + REACTION_MS;
}

export function playoutEmpty(look: Look): Match | undefined {
  const lines = told(look, 'playout_gap');
  const [first] = lines;
  if (first === undefined || (!look.troubled && first.count < 2)) return undefined;
  return { ...matched(look, 'nothing is left to play', lines), against: look.health.healthy === true ? 1 : 0 };
}

export function guideStale(look: Look): Match | undefined {
  const lines = told(look, 'guide_stale');
  return lines.length === 0 ? undefined : matched(look, 'the guide is out of date', lines);
}

export function encoderSessionLimit(look: Look): Match | undefined {
  const lines = told(look, 'hw_accel_failure').filter(({ pattern }) => pattern?.includes('session'));
  return look.troubled && lines.length > 0 ? matched(look, 'the encoder has no session left', lines) : undefined;
}

export function encoderMisconfigured(look: Look): Match | undefined {
  const lines = told(look, 'config_error', 'codec_unsupported', 'permission_denied', 'port_in_use', 'hw_accel_failure');
  const [first] = lines;
  if (!look.troubled || first === undefined) return undefined;
  const match = matched(look, `it cannot run as it is set up (${first.kind})`, lines);
  return { ...match, signals: [...match.signals, ...spoken(churnSignal(look))] };
}

/** Slower than time passes, by successive positions: an average since the start hides a fall for minutes. */
export function encodeTooSlow(look: Look): Match | undefined {
  if (look.down) return undefined;
  const lines = told(look, 'encoder_overload');
  const slow = slowSignal(look, lines.length > 0);
  if (slow !== undefined) {
    const match = matched(look, slow.says, lines);
    return { ...match, signals: [slow, ...match.signals], symptom: 'encoder_overload' };
  }
  const [first] = lines;
  if (first === undefined || (recentSpeeds(look.facts, look.nowMs) !== undefined && look.health.healthy === true))
    return undefined;
  return look.troubled || first.count >= CORRUPT_MIN
    ? matched(look, 'the encoder says that it is too slow', lines)
    : undefined;
}

/** By successive positions; what stands is not slow, unless it says so itself. */
function slowSignal(look: Look, overloaded: boolean) {
  const { facts, nowMs } = look;
  const { progress } = facts;
  const speeds = isSlow(facts, nowMs) ? recentSpeeds(facts, nowMs) : undefined;
  if (progress === undefined || speeds === undefined) return undefined;
  const stands = speeds.slice(-STANDING_INTERVALS).every((speed) => speed === 0);
  if (stands ? !overloaded : !fallsBehind(facts, nowMs)) return undefined;
  const mean = speeds.reduce((a, b) => a + b, 0) / speeds.length;
  const says = `encoding at ${mean.toFixed(2)}x over ${speeds.length} intervals`;
  return { origin: 'log', says, symptom: 'encoder_overload', monoMs: progress.lastMs } as const;
}

/** Troubles of ingest that only a log tells. */
const ingest =
  (kind: SymptomKind, because: string) =>
  (look: Look): Match | undefined => {
    const lines = told(look, kind);
    return look.troubled && lines.length > 0 ? matched(look, because, lines) : undefined;
  };

export const ghostPublisher = ingest('ghost_publisher', 'the server still holds a publisher that is gone');
export const tunerSlotsExhausted = ingest('tuner_slots_exhausted', 'no tuner or stream slot is free');
const publisherGone = ingest('publisher_lost', 'the publisher is gone');

/** By the log; or by what its return leaves behind, for which the encoder is not to blame. */
export function publisherLost(look: Look): Match | undefined {
  const gone = publisherGone(look);
  if (gone !== undefined || look.down || !dropsFrames(look)) return gone;
  const because = 'its publisher came back with its clock at zero: frames are dropped until the time is caught up';
  const match = matched(look, because, told(look, 'clock_skew_or_dts'));
  const signals = [...spoken(progressSignal(look)), ...match.signals];
  return { ...match, signals, symptom: 'publisher_lost', sinceMs: look.facts.progress?.advancedMs };
}

export function publishRejected(look: Look): Match | undefined {
  const lines = told(look, 'auth_denied').filter(({ pattern }) => /publish|ingest|stream_key/.test(pattern ?? ''));
  return look.troubled && lines.length > 0 ? matched(look, 'the server refuses the publisher', lines) : undefined;
}
