/** Tells a refusal that is an expiry: the address itself says until when it holds. */
import { HOUR_MS, MINUTE_MS } from '../core/duration.ts';
import type { Evidence } from './course.ts';
import type { ExcerptLine } from './lines.ts';

/** A parameter that names the end of validity, in seconds since 1970 or as a date: of CDNs, stores and own makes. */
const END =
  /[?&~;](?:expires?|expiry|exp|valid_?(?:to|until)|se|st_?end|end_?time|e)(?:=|%3D)(\d{10}(?:\d{3})?\b|\d{4}-\d\d-\d\dT\d\d(?::|%3A)\d\d(?:(?::|%3A)\d\d)?Z)/i;
/** When it was signed, and for how many seconds. */
const SIGNED = /[?&]X-(?:Amz|Goog)-Date=(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z/;
const FOR_S = /[?&]X-(?:Amz|Goog)-Expires=(\d{1,7})\b/;

/** The log's own time, which stands before its words: an address has its own dates further on. */
const OWN_TIME = /^\W{0,2}(\d{4})[-/](\d\d)[-/](\d\d)[T ]{1,2}(\d\d):(\d\d):(\d\d)/;
const OWN_CLF = /\[(\d\d)\/(\w{3})\/(\d{4}):(\d\d):(\d\d):(\d\d) ([+-]\d\d)(\d\d)\]/;
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
/** A log may write local time, and clocks may differ: what ended only just before is not certain to have ended. */
const UNSURE_MS = 15 * HOUR_MS;
const SURE_MS = MINUTE_MS;

const HTTP_REFUSED = /\b40[13]\b|\b(?:forbidden|unauthori[sz]ed|access denied)\b/i;
/** Some servers call what is over gone. */
const GONE = /\b410\b/;

const isRefusal = ({ at, symptom }: Evidence, lines: readonly ExcerptLine[]): boolean =>
  symptom === 'auth_denied'
    ? HTTP_REFUSED.test(lines[at]!.whole)
    : (symptom === 'upstream_not_found' || symptom === 'segment_missing') && GONE.test(lines[at]!.whole);

/** A refusal of an address whose time was over by the log's own time is an expiry. */
export function signedAway(lines: readonly ExcerptLine[], evidence: readonly Evidence[]): readonly Evidence[] {
  if (!evidence.some((one) => isRefusal(one, lines))) return evidence;
  const ends = lines.flatMap(({ whole }) => endOf(whole) ?? []);
  const times = lines.flatMap(({ whole }) => ownTimeOf(whole) ?? []);
  // Lines that write their offset from UTC are the surer ones.
  const now = times.findLast(({ unsureMs }) => unsureMs === SURE_MS) ?? times.at(-1);
  // Several addresses: which of them was refused is not known, unless the time of all is over.
  if (now === undefined || ends.length === 0 || !ends.every((end) => end < now.atMs - now.unsureMs)) return evidence;
  return evidence.map((one) =>
    isRefusal(one, lines) ? { ...one, symptom: 'auth_expired', remedy: 'refresh_credentials' } : one,
  );
}

function endOf(line: string): number | undefined {
  const signed = SIGNED.exec(line);
  const forS = FOR_S.exec(line)?.[1];
  if (signed !== null && forS !== undefined) {
    const [year, month, day, hour, minute, second] = signed.slice(1).map(Number) as number[];
    return Date.UTC(year!, month! - 1, day, hour, minute, second) + Number(forS) * 1_000;
  }
  const end = END.exec(line)?.[1];
  if (end === undefined) return undefined;
  if (/^\d+$/.test(end)) return end.length === 13 ? Number(end) : Number(end) * 1_000;
  const ms = Date.parse(end.replaceAll(/%3A/gi, ':'));
  return Number.isNaN(ms) ? undefined : ms;
}

function ownTimeOf(line: string): { readonly atMs: number; readonly unsureMs: number } | undefined {
  const clf = OWN_CLF.exec(line);
  if (clf !== null) {
    const [day, year, hour, minute, second] = [clf[1], clf[3], clf[4], clf[5], clf[6]].map(Number) as number[];
    const local = Date.UTC(year!, MONTHS.indexOf(clf[2]!), day, hour, minute, second);
    return { atMs: local - Number(clf[7]) * HOUR_MS - Number(`${clf[7]![0]}${clf[8]}`) * MINUTE_MS, unsureMs: SURE_MS };
  }
  const own = OWN_TIME.exec(line);
  if (own === null) return undefined;
  const [year, month, day, hour, minute, second] = own.slice(1).map(Number) as number[];
  return { atMs: Date.UTC(year!, month! - 1, day, hour, minute, second), unsureMs: UNSURE_MS };
}
