/** Reads when a line was written, by its own text. */
import type { EpochMs } from '../core/clock.ts';
import { HOUR_MS, MINUTE_MS } from '../core/duration.ts';

export interface LogTime {
  readonly atMs: EpochMs;
  /** How far from it the true time may be: a log may write local time, and clocks may differ. */
  readonly unsureMs: number;
}

const UNSURE_MS = 15 * HOUR_MS;
export const SURE_MS = MINUTE_MS;

/** Before the words of a line, as its first value too: an address has its own dates further on. */
const OWN_TIME =
  /^(?:\W{0,2}|\{?"?@?(?:time|ts|timestamp)"?[=:] ?"?)(\d{4})[-/](\d\d)[-/](\d\d)[T ]{1,2}(\d\d):(\d\d):(\d\d)(?:[.,]\d{1,9})?(?: ?(Z|UTC|[+-]\d\d:?\d\d)\b)?/;
const OWN_CLF = /\[(\d\d)\/(\w{3})\/(\d{4}):(\d\d):(\d\d):(\d\d) ([+-]\d{4})\]/;
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** Undefined where the line does not begin with a date. */
export function logTimeOf(line: string): LogTime | undefined {
  const clf = OWN_CLF.exec(line);
  if (clf !== null) {
    const [day, year, hour, minute, second] = [clf[1], clf[3], clf[4], clf[5], clf[6]].map(Number) as number[];
    const local = Date.UTC(year!, MONTHS.indexOf(clf[2]!), day, hour, minute, second);
    return { atMs: local - offsetMs(clf[7]!), unsureMs: SURE_MS };
  }
  const own = OWN_TIME.exec(line);
  if (own === null) return undefined;
  const [year, month, day, hour, minute, second] = own.slice(1, 7).map(Number) as number[];
  const local = Date.UTC(year!, month! - 1, day, hour, minute, second);
  const zone = own[7];
  return zone === undefined
    ? { atMs: local, unsureMs: UNSURE_MS }
    : { atMs: local - offsetMs(zone), unsureMs: SURE_MS };
}

function offsetMs(zone: string): number {
  const [, sign, hours, minutes] = /^([+-])(\d\d):?(\d\d)$/.exec(zone) ?? [];
  const ms = Number(hours ?? 0) * HOUR_MS + Number(minutes ?? 0) * MINUTE_MS;
  return sign === '-' ? -ms : ms;
}
