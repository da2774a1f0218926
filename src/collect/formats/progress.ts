/** Parses progress reports of encoders. */
import { HOUR_MS } from '../../core/duration.ts';

/** Where an encoder is in its output. */
export interface Progress {
  /** Media time that was put out. */
  readonly outTimeMs: number;
  readonly frame: number | undefined;
}

/** `time=00:00:12.34`, `out_time=00:00:12.340000`; ffmpeg writes a sign before its first frame. */
const CLOCK_TIME = /(?:^|[\s_])time= {0,8}-?\d{2,6}:\d{2}:\d{2}(?:\.\d{1,9})?/g;

/** ffmpeg's `out_time_ms` has always been microseconds, like `out_time_us`. */
const OUT_TIME_US = /(?:^|\s)out_time_[um]s=(-?\d{1,15})/;

const FRAME = /(?:^|\s)frame= {0,8}\d{1,12}/g;

/** How an encoder's report begins: by its first key, after the level, the component or the time that a logger adds. */
const REPORT =
  /^\s{0,8}(?:\d{4}-\d\d-\d\d[T ]\S{8,30}\s{1,4})?(?:\[[^\]\n]{0,60}\]\s{0,4}){0,3}(?:frame|L?size|fps|out_time\w{0,3}|bitrate)=/;

/** What only a progress record holds beside the time. A line of somebody's log may say `time=12:00:00`, too. */
const COMPANION = /(?:bitrate|speed|out_time(?:_[um]s)?)=/;

/** Before its first packet ffmpeg said `N/A` from version 7 on, and before that what its clock held: -577014 hours. */
const OUT_TIME_MS_MIN = -10_000 * HOUR_MS;

/**
 * One status line of ffmpeg, or one block of its `-progress` output. Undefined for anything else (a line that only
 * contains such text is somebody's request or quotation), and while the position is not known (`time=N/A`): that is no
 * standstill.
 */
export function parseProgress(record: string): Progress | undefined {
  if (!REPORT.test(record) || !COMPANION.test(record)) return undefined;
  const outTimeMs = clockTimeMs(record) ?? microseconds(record);
  if (outTimeMs === undefined || outTimeMs < OUT_TIME_MS_MIN) return undefined;
  return { outTimeMs, frame: frameOf(record) };
}

const [ZERO, NINE, DOT, COLON, MINUS] = [48, 57, 46, 58, 45];

/** Reports come twice a second from each encoder: the digits are read where they stand, without copies of them. */
function clockTimeMs(record: string): number | undefined {
  const end = endOfMatch(CLOCK_TIME, record);
  if (end < 0) return undefined;
  let at = record.lastIndexOf('=', end - 1) + 1;
  while (record.charCodeAt(at) < MINUS) at += 1;
  const sign = record.charCodeAt(at) === MINUS ? -1 : 1;
  let wholeS = 0;
  let field = 0;
  let fractionMs = 0;
  for (let unitMs = 0; at < end; at += 1) {
    const code = record.charCodeAt(at);
    if (code === COLON) {
      wholeS = (wholeS + field) * 60;
      field = 0;
    } else if (code === DOT) unitMs = 100;
    else if (unitMs > 0) {
      fractionMs += (code - ZERO) * unitMs;
      unitMs /= 10;
    } else if (code !== MINUS) field = field * 10 + code - ZERO;
  }
  return sign * ((wholeS + field) * 1_000 + Math.floor(fractionMs + 1e-6));
}

function frameOf(record: string): number | undefined {
  const end = endOfMatch(FRAME, record);
  if (end < 0) return undefined;
  let frame = 0;
  let unit = 1;
  for (let at = end - 1; record.charCodeAt(at) >= ZERO && record.charCodeAt(at) <= NINE; at -= 1) {
    frame += (record.charCodeAt(at) - ZERO) * unit;
    unit *= 10;
  }
  return frame;
}

/** Where the first match ends; -1: there is none. */
function endOfMatch(regex: RegExp, record: string): number {
  regex.lastIndex = 0;
  return regex.test(record) ? regex.lastIndex : -1;
}

function microseconds(record: string): number | undefined {
  const us = OUT_TIME_US.exec(record)?.[1];
  return us === undefined ? undefined : Math.trunc(Number(us) / 1_000);
}
