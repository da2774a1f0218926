/** Reads the timestamp at the head of a log line. */
import type { EpochMs } from '../core/clock.ts';
import { DAY_MS, MINUTE_MS } from '../core/duration.ts';

/** How the times of one log are read. */
export interface StampSetting {
  /** Of times that name none, in minutes east of UTC. */
  readonly offsetMinutes: number;
  /** Of times that name none (syslog). */
  readonly year: number;
}

/** Reads the time at the head of a line; undefined when the line has none. Called for each line in order. */
export type ReadStamp = (head: string) => EpochMs | undefined;

/** So much of a line is looked at for its time. */
export const STAMP_CHARS = 160;

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const monthOf = (name: string): number => MONTHS.indexOf(name);

/** Digits after the second, as milliseconds. */
export const millisOf = (fraction: string | undefined): number =>
  fraction === undefined ? 0 : Number(fraction.slice(0, 3).padEnd(3, '0'));

function offsetOf(zone: string | undefined, { offsetMinutes }: StampSetting): number {
  if (zone === undefined) return offsetMinutes;
  if (zone === 'Z') return 0;
  const sign = zone.startsWith('-') ? -1 : 1;
  const digits = zone.replace(/[^0-9]/g, '');
  return sign * (Number(digits.slice(0, 2)) * 60 + Number(digits.slice(2, 4)));
}

/** Parts of a time in the order year, month (0 to 11), day, hour, minute, second. */
type Civil = readonly [number, number, number, number, number, number];

function epochOf(civil: Civil, fraction: string | undefined, minutes: number): EpochMs | undefined {
  const [, month, day, hour, minute, second] = civil;
  const sound = month >= 0 && month < 12 && day >= 1 && day <= 31 && hour < 24 && minute < 60 && second < 61;
  return sound ? Date.UTC(...civil) + millisOf(fraction) - minutes * MINUTE_MS : undefined;
}

const numbers = (parts: readonly (string | undefined)[]): readonly number[] => parts.map(Number);

export const ISO =
  /(\d{4})[-/](\d\d)[-/](\d\d)[T ]{1,2}(\d\d):(\d\d):(\d\d)(?:[.,](\d{1,9}))? ?(Z|[+-]\d\d:?\d\d(?!\d))?/;
const CLF = /\[(\d\d)\/([A-Z][a-z]{2})\/(\d{4}):(\d\d):(\d\d):(\d\d) ([+-]\d{4})\]/;
const SYSLOG = /^(?:<\d{1,3}>)?([A-Z][a-z]{2}) ([ \d]\d) (\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))? (?!\d{4}\b)/;
const CTIME = /([A-Z][a-z]{2}) ([ \d]\d) (\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))? (\d{4})\b/;
const EPOCH = /(?:^\[?|"(?:ts|time|timestamp|@timestamp)"\s*:\s*"?)(\d{10})(\d{3})?(?:\.(\d{1,9}))?(?!\d)/;

/** Where the second ends in what ISO found: there may be two blanks before the hour. */
export const secondEnd = (found: string): number => (found.startsWith('  ', 10) ? 20 : 19);

/** 2026-07-28T12:00:00.123Z and its many spellings: a comma, slashes, a blank, in brackets, behind a priority. */
function iso(setting: StampSetting): ReadStamp {
  // Lines of one second share their beginning: all but the fraction is worked out once.
  let known = { text: '', zone: '' as string | undefined, ms: 0 };
  return (head) => {
    const found = ISO.exec(head);
    if (found === null) return undefined;
    const [, year, month, day, hour, minute, second, fraction, zone] = found;
    const text = found[0].slice(0, secondEnd(found[0]));
    if (text === known.text && zone === known.zone) return known.ms + millisOf(fraction);
    const [y, m, d, ...rest] = numbers([year, month, day, hour, minute, second]) as [
      number,
      number,
      number,
      number,
      number,
      number,
    ];
    const ms = epochOf([y, m - 1, d, ...rest], undefined, offsetOf(zone, setting));
    if (ms === undefined) return undefined;
    known = { text, zone, ms };
    return ms + millisOf(fraction);
  };
}

function clf(setting: StampSetting): ReadStamp {
  return (head) => {
    const found = CLF.exec(head);
    if (found === null) return undefined;
    const [, day, month, year, hour, minute, second, zone] = found;
    const [d, y, h, min, s] = numbers([day, year, hour, minute, second]) as [number, number, number, number, number];
    return epochOf([y, monthOf(month!), d, h, min, s], undefined, offsetOf(zone, setting));
  };
}

/** So much later than the line before it may a line come that was written before it. */
const LATE_MS = DAY_MS;

/**
 * Has no year: the setting's, and the next one when December is followed by January. A line of December that comes
 * late, when January has begun, belongs to the year before.
 */
function syslog(setting: StampSetting): ReadStamp {
  let year = setting.year;
  let lastMonth = -1;
  let lastAt = 0;
  return (head) => {
    const found = SYSLOG.exec(head);
    if (found === null) return undefined;
    const [, name, day, hour, minute, second, fraction] = found;
    const month = monthOf(name!);
    if (lastMonth - month > 6) year += 1;
    const [d, h, min, s] = numbers([day, hour, minute, second]) as [number, number, number, number];
    const inYear = (of: number) => epochOf([of, month, d, h, min, s], fraction, setting.offsetMinutes);
    const before = lastMonth >= 0 && month - lastMonth > 6 ? inYear(year - 1) : undefined;
    if (before !== undefined && lastAt - before <= LATE_MS) return before;
    const at = inYear(year);
    if (at !== undefined) [lastMonth, lastAt] = [month, at];
    return at;
  };
}

function ctime(setting: StampSetting): ReadStamp {
  return (head) => {
    const found = CTIME.exec(head);
    if (found === null) return undefined;
    const [, month, day, hour, minute, second, fraction, year] = found;
    const [y, d, h, min, s] = numbers([year, day, hour, minute, second]) as [number, number, number, number, number];
    return epochOf([y, monthOf(month!), d, h, min, s], fraction, setting.offsetMinutes);
  };
}

/** Seconds or milliseconds since 1970, at the head of the line or in a JSON field. */
const epoch = (): ReadStamp => (head) => {
  const found = EPOCH.exec(head);
  if (found === null) return undefined;
  const [, seconds, millis, fraction] = found;
  return Number(seconds) * 1_000 + (millis === undefined ? millisOf(fraction) : Number(millis));
};

const FORMATS = [
  { name: 'iso', create: iso },
  { name: 'clf', create: clf },
  { name: 'ctime', create: ctime },
  { name: 'syslog', create: syslog },
  { name: 'epoch', create: epoch },
] as const;

/** The format that fits most of these lines, and whether it needs the year; undefined when none fits any. */
export function formatOf(
  heads: readonly string[],
): { readonly name: string; readonly create: (setting: StampSetting) => ReadStamp } | undefined {
  const setting: StampSetting = { offsetMinutes: 0, year: 2024 };
  let best: { readonly format: (typeof FORMATS)[number]; readonly hits: number } | undefined;
  for (const format of FORMATS) {
    const read = format.create(setting);
    const hits = heads.filter((head) => read(head) !== undefined).length;
    if (hits > (best?.hits ?? 0)) best = { format, hits };
  }
  return best?.format;
}
