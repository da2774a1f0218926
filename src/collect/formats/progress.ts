/** Parses progress reports of encoders. */

/** Where an encoder is in its output. */
export interface Progress {
  /** Media time that was put out. */
  readonly outTimeMs: number;
  readonly frame: number | undefined;
}

/** `time=00:00:12.34`, `out_time=00:00:12.340000`; ffmpeg writes a sign before its first frame. */
const CLOCK_TIME = /(?:^|[\s_])time= {0,8}(-?)(\d{2,6}):(\d{2}):(\d{2})(?:\.(\d{1,9}))?/;

/** ffmpeg's `out_time_ms` has always been microseconds, like `out_time_us`. */
const OUT_TIME_US = /(?:^|\s)out_time_[um]s=(-?\d{1,15})/;

const FRAME = /(?:^|\s)frame= {0,8}(\d{1,12})/;

/** How an encoder's report begins: by its first key, after the level, the component or the time that a logger adds. */
const REPORT =
  /^\s{0,8}(?:\d{4}-\d\d-\d\d[T ]\S{8,30}\s{1,4})?(?:\[[^\]\n]{0,60}\]\s{0,4}){0,3}(?:frame|L?size|fps|out_time\w{0,3}|bitrate)=/;

/** What only a progress record holds beside the time. A line of somebody's log may say `time=12:00:00`, too. */
const COMPANION = /(?:bitrate|speed|out_time(?:_[um]s)?)=/;

/**
 * One status line of ffmpeg, or one block of its `-progress` output. Undefined for anything else (a line that only
 * contains such text is somebody's request or quotation), and while the position is not known (`time=N/A`): that is no
 * standstill.
 */
export function parseProgress(record: string): Progress | undefined {
  if (!REPORT.test(record) || !COMPANION.test(record)) return undefined;
  const outTimeMs = clockTimeMs(record) ?? microseconds(record);
  if (outTimeMs === undefined) return undefined;
  const frame = FRAME.exec(record)?.[1];
  return { outTimeMs, frame: frame === undefined ? undefined : Number(frame) };
}

function clockTimeMs(record: string): number | undefined {
  const [, sign, hours, minutes, seconds, fraction = ''] = CLOCK_TIME.exec(record) ?? [];
  if (hours === undefined) return undefined;
  const wholeMs = (Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds)) * 1_000;
  const ms = wholeMs + Math.floor(Number(`0.${fraction || 0}`) * 1_000 + 1e-6);
  return sign === '-' ? -ms : ms;
}

function microseconds(record: string): number | undefined {
  const us = OUT_TIME_US.exec(record)?.[1];
  return us === undefined ? undefined : Math.trunc(Number(us) / 1_000);
}
