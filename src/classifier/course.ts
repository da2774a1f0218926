/** Weighs what several lines of an excerpt say together. */
import type { SymptomKind } from '../core/symptom.ts';
import type { ExcerptLine } from './lines.ts';
import type { Remedy } from '../detect/patterns/pattern.ts';

/** One reason to believe in a symptom. `at` is the line, counted from 0. */
export interface Evidence {
  readonly at: number;
  readonly symptom: SymptomKind;
  readonly severity: number;
  readonly confidence: number;
  readonly remedy: Remedy;
  readonly pattern: string;
  /** Words that any program may say, not those of one software. */
  readonly general?: boolean;
  /** What the line says is over. */
  readonly ends?: readonly SymptomKind[];
  /** What came of a trouble. */
  readonly consequence?: boolean;
  /** The line says that the process was started. */
  readonly restarts?: boolean;
}

/** Up to here a claim says only that a line is ordinary; a complaint beside it may still be the point. */
export const ROUTINE_SEVERITY = 10;

/** The same words, found to be ordinary. */
export const asNoise = (one: Evidence): Evidence => ({
  ...one,
  symptom: 'benign_noise',
  severity: ROUTINE_SEVERITY,
  remedy: 'none',
});

/** A viewer's leaving ranks as its patterns do. */
const LEFT_SEVERITY = 20;

/** The same phrases, about a viewer who has left. */
export const asLeft = (one: Evidence): Evidence => ({
  ...one,
  symptom: 'client_disconnect_benign',
  severity: LEFT_SEVERITY,
  remedy: 'none',
});

const NO_TROUBLE: ReadonlySet<SymptomKind> = new Set(['benign_noise', 'client_disconnect_benign']);

export const isSerious = ({ severity, symptom }: Evidence): boolean =>
  severity > ROUTINE_SEVERITY && !NO_TROUBLE.has(symptom);

export const noise = (at: number, pattern: string): Evidence => ({
  at,
  symptom: 'benign_noise',
  severity: ROUTINE_SEVERITY,
  confidence: 0.7,
  remedy: 'none',
  pattern,
});

/** What only several lines together say: standing still, falling behind, going round in circles. */
export function courseOf(lines: readonly ExcerptLine[]): readonly Evidence[] {
  return [
    frozenProgress(lines),
    slowProgress(lines),
    reloadingOnly(lines),
    windowSlip(lines),
    segmentsGone(lines),
    stoppedEmpty(lines),
  ].filter((found) => found !== undefined);
}

const PROGRESS = /(?:\bframe= *(\d+)|^size= *[\d.]+\w*).*?\btime=(-?\d+):(\d+):(\d+(?:\.\d+)?)/;
const SPEED = /\bspeed= *([\d.]+(?:e[+-]?\d+)?)x/;
/** So many reports of the same position make a standstill; fewer where their speeds show how long it lasted. */
const FROZEN_REPORTS_MIN = 4;
const FROZEN_TIMED_MIN = 3;
const FROZEN_S = 10;
const SLOW_REPORTS_MIN = 3;
const SLOW_SPEED = 0.95;
/** The first seconds of an encoder are slow by nature. */
const WARM_UP_S = 10;
/** One that is as slow as this does not reach that position for minutes; it is past its start after some seconds. */
const CRAWL_SPEED = 0.5;
const CRAWL_WARM_UP_S = 5;

interface Report {
  readonly at: number;
  /** 0 where there is only sound. */
  readonly frame: number;
  readonly timeS: number;
  readonly speed: number | undefined;
}

function reportsOf(lines: readonly ExcerptLine[]): readonly Report[] {
  return lines.flatMap(({ at, text }) => {
    const found = PROGRESS.exec(text);
    if (found === null) return [];
    const timeS = Number(found[2]) * 3600 + Number(found[3]) * 60 + Number(found[4]);
    const speed = SPEED.exec(text)?.[1];
    return [{ at, frame: Number(found[1] ?? 0), timeS, speed: speed === undefined ? undefined : Number(speed) }];
  });
}

function frozenProgress(lines: readonly ExcerptLine[]): Evidence | undefined {
  const reports = reportsOf(lines);
  let same = 1;
  for (let at = 1; at < reports.length; at += 1) {
    const [before, now] = [reports[at - 1]!, reports[at]!];
    same = now.frame > 0 && now.frame === before.frame && now.timeS === before.timeS ? same + 1 : 1;
    if (same >= FROZEN_REPORTS_MIN || (same >= FROZEN_TIMED_MIN && stoodS(reports[at + 1 - same]!, now) >= FROZEN_S)) {
      return evidence(now.at, 'stalled_output', 'restart_channel', 'course_frozen_progress');
    }
  }
  return undefined;
}

/** How long the same position lasted: the speed is the position by the time since the start. */
const stoodS = (first: Report, last: Report): number =>
  first.speed && last.speed ? last.timeS / last.speed - first.timeS / first.speed : 0;

/** Below real time, past the warm-up, and not getting better, or so slow that better is not enough. */
function slowProgress(lines: readonly ExcerptLine[]): Evidence | undefined {
  const reports = reportsOf(lines).filter(isWarm);
  const slow = reports.filter(({ speed }) => speed! < SLOW_SPEED);
  const [first, last] = [reports[0], reports.at(-1)];
  if (first === undefined || last === undefined || slow.length < SLOW_REPORTS_MIN) return undefined;
  if (slow.length < reports.length * 0.8) return undefined;
  if (last.speed! > first.speed! + 0.05 && last.speed! >= CRAWL_SPEED) return undefined;
  if (reports.every(({ timeS }) => timeS === first.timeS)) return undefined;
  return evidence(last.at, 'encoder_overload', 'escalate', 'course_slow_progress');
}

const isWarm = ({ speed, timeS }: Report): boolean =>
  speed !== undefined && (timeS >= WARM_UP_S || (speed < CRAWL_SPEED && timeS / speed >= CRAWL_WARM_UP_S));

/** What a reader gets over by itself: the source was away for a moment. */
export const PASSING: ReadonlySet<SymptomKind> = new Set(['upstream_unreachable', 'upstream_timeout', 'dns_failure']);
/** What a reader of segments says of each, one after the other: two of it are a segment that came through. */
const SEGMENT_DONE = /\bsegment \d+ complete\b|\b(?:adding|writing) segment \d+ to (?:queue|output)\b/i;
/** A reader that lost its source says that it tries once more; an encoder that lost a target goes on without. */
const TRIES_AGAIN = /\bre-?(?:connect|try|load|open)|\bagain\b|\battempt\b/i;

/**
 * Complaints about a source that the output has outlived become noise: its reader tried again, and after that it
 * went on growing at full speed, up to the end of the excerpt.
 */
export function withoutOutlived(lines: readonly ExcerptLine[], evidence: readonly Evidence[]): readonly Evidence[] {
  const sinceAt = goesOnSince(lines);
  if (sinceAt === undefined) return evidence;
  // What else is wrong was there before, or came of it: then it is not over.
  const isPast = ({ at, symptom }: Evidence): boolean =>
    at < sinceAt &&
    PASSING.has(symptom) &&
    (SEGMENT_DONE.test(lines[sinceAt]!.text) || lines.slice(at, at + 2).some(({ text }) => TRIES_AGAIN.test(text)));
  if (!evidence.every((one) => one.severity <= ROUTINE_SEVERITY || isPast(one))) return evidence;
  return evidence.map((one) => (PASSING.has(one.symptom) ? asNoise(one) : one));
}

/** Nothing is complained of after that line, and the output grows at full speed to the end. */
export function playsAfter(lines: readonly ExcerptLine[], at: number): boolean {
  const since = goesOnSince(lines);
  return since !== undefined && since > at;
}

/** The line from which on nothing but growth is reported, at least twice, to the end; undefined where it is not so. */
function goesOnSince(lines: readonly ExcerptLine[]): number | undefined {
  const troubleAt = lines.findLast(({ tone }) => tone === 'complaint')?.at ?? -1;
  const done = lines.filter(({ at, text }) => at > troubleAt && SEGMENT_DONE.test(text));
  if (done.length >= 2) return done[0]!.at;
  const reports = reportsOf(lines).filter(({ at }) => at > troubleAt);
  const [first, last] = [reports[0], reports.at(-1)];
  if (
    first === undefined ||
    last === undefined ||
    (last.frame <= first.frame && last.frame > 0) ||
    last.timeS <= first.timeS
  )
    return undefined;
  return (last.speed ?? 0) >= SLOW_SPEED ? first.at : undefined;
}

const OPENING = /Opening '(?:[^']*?)(\.[a-z0-9]{2,5})?' for reading/;
const RELOADS_MIN = 4;

/** A live playlist that is read again and again, and never a new segment: the origin stands still. */
function reloadingOnly(lines: readonly ExcerptLine[]): Evidence | undefined {
  const opened = lines.flatMap(({ at, text }) => {
    const found = OPENING.exec(text);
    return found === null ? [] : [{ at, isPlaylist: found[1] === '.m3u8' || found[1] === '.mpd' }];
  });
  const last = opened.at(-1);
  if (last === undefined || opened.length < RELOADS_MIN || opened.some(({ isPlaylist }) => !isPlaylist))
    return undefined;
  return evidence(last.at, 'stalled_output', 'escalate', 'course_reloading_only');
}

const SKIP = /skipping (\d+) segments ahead, expired/;
const SLIPS_MIN = 2;
const SLIP_SEGMENTS_MIN = 3;

/** Falling out of the live window again and again: the reader does not catch up by itself. */
function windowSlip(lines: readonly ExcerptLine[]): Evidence | undefined {
  const slips = lines.filter(({ text }) => Number(SKIP.exec(text)?.[1] ?? 0) >= SLIP_SEGMENTS_MIN);
  const last = slips.at(-1);
  if (last === undefined || slips.length < SLIPS_MIN) return undefined;
  return { ...evidence(last.at, 'segment_missing', 'restart_channel', 'course_window_slip'), severity: 64 };
}

const GONE = /\bHTTP error (?:404|410)\b|\bServer returned (?:404|410)\b/;

/** The playlist names segments that the origin has no more: the source itself is there. */
function segmentsGone(lines: readonly ExcerptLine[]): Evidence | undefined {
  const at = lines.findLastIndex(
    ({ text }, index) => text.includes('Failed to open segment ') && GONE.test(lines[index - 1]?.text ?? ''),
  );
  if (at < 0) return undefined;
  return { ...evidence(at, 'segment_missing', 'invalidate_cache', 'course_segments_gone'), severity: 71 };
}

/** An ordered stop of an encoder that never wrote a frame: the stop explains the end, not the silence before it. */
function stoppedEmpty(lines: readonly ExcerptLine[]): Evidence | undefined {
  const stopped = lines.find(({ text }) => text.includes('Exiting normally, received signal'));
  const last = reportsOf(lines).at(-1);
  if (stopped === undefined || last === undefined || last.frame > 0 || last.timeS > 0) return undefined;
  return { ...evidence(stopped.at, 'unknown', 'escalate', 'course_stopped_empty'), severity: 62 };
}

const evidence = (at: number, symptom: SymptomKind, remedy: Remedy, pattern: string): Evidence => ({
  at,
  symptom,
  severity: 56,
  confidence: 0.8,
  remedy,
  pattern,
});
