/** Until when a signed address holds, by the address itself. */
import type { EpochMs } from '../core/clock.ts';
import { MINUTE_MS } from '../core/duration.ts';

/** A parameter that names the end, in seconds since 1970 or as a date: of CDNs, stores and own makes. */
const END =
  /(?:[?&~;/]|\bhdn\w{1,3}=)(?:expires?|expiry|exp|valid_?(?:to|until)|se|st_?end|(?:\w{1,20}token)?end_?time|e)(?:=|%3D)(\d{10}(?:\d{3})?\b|\d{4}-\d\d-\d\dT\d\d(?::|%3A)\d\d(?:(?::|%3A)\d\d)?Z)/i;
/** The same in hexadecimal, as Tencent's CDN writes it. */
const HEXADECIMAL = /[?&]txTime=([0-9a-f]{8})\b/i;
/** When it was signed, and for how many seconds. */
const SIGNED = /[?&]X-(?:Amz|Goog)-Date=(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z/;
const FOR_S = /[?&]X-(?:Amz|Goog)-Expires=(\d{1,7})\b/;

/** Longer ones are not decoded: what they say stands at their beginning in all that are in use. */
const ENCODED = '{8,1400}';
/** The second part of a JSON web token: all of them begin with `{"`. */
const TOKEN = new RegExp(`[\\w-]\\.(eyJ[\\w-]${ENCODED})`);
const TOKEN_END = /"exp"\s{0,4}:\s{0,4}(\d{10})(?=[.,}\s])/;
/** CloudFront's policy, in base64 with three other characters. */
const POLICY = new RegExp(`(?:[?&;]|\\bCloudFront-)Policy=([\\w~-]${ENCODED})`);
const POLICY_END = /"DateLessThan"\s{0,4}:\s{0,4}\{\s{0,4}"AWS:EpochTime"\s{0,4}:\s{0,4}(\d{10})\b/;
/** Nimble Streamer's signature: when it was made, and for how many minutes. */
const NIMBLE = new RegExp(`[?&]wmsAuthSign=([\\w+/]${ENCODED})`);
const NIMBLE_TIME = /\bserver_time=(\d\d?)\/(\d\d?)\/(\d{4}) (\d\d?):(\d\d):(\d\d) ([AP])M\b/;
const NIMBLE_FOR = /&validminutes=(\d{1,6})\b/;

/** Seconds before that are no dates of an address that somebody signed. */
const SECONDS_MIN = 1_000_000_000;

/** Undefined where the line holds no address that says it. */
export function validUntil(line: string): EpochMs | undefined {
  for (const read of [signedFor, named, inHexadecimal, byToken, byPolicy, byNimble]) {
    const end = read(line);
    if (end !== undefined) return end;
  }
  return undefined;
}

function signedFor(line: string): EpochMs | undefined {
  const signed = SIGNED.exec(line);
  const forS = FOR_S.exec(line)?.[1];
  if (signed === null || forS === undefined) return undefined;
  const [year, month, day, hour, minute, second] = signed.slice(1).map(Number) as number[];
  return Date.UTC(year!, month! - 1, day, hour, minute, second) + Number(forS) * 1_000;
}

function named(line: string): EpochMs | undefined {
  const end = END.exec(line)?.[1];
  if (end === undefined) return undefined;
  if (/^\d+$/.test(end)) return end.length === 13 ? Number(end) : Number(end) * 1_000;
  const ms = Date.parse(end.replaceAll(/%3A/gi, ':'));
  return Number.isNaN(ms) ? undefined : ms;
}

function inHexadecimal(line: string): EpochMs | undefined {
  const seconds = Number.parseInt(HEXADECIMAL.exec(line)?.[1] ?? '', 16);
  return seconds >= SECONDS_MIN ? seconds * 1_000 : undefined;
}

function byToken(line: string): EpochMs | undefined {
  const payload = TOKEN.exec(line)?.[1];
  return payload === undefined ? undefined : secondsIn(TOKEN_END, Buffer.from(payload, 'base64url'));
}

function byPolicy(line: string): EpochMs | undefined {
  const policy = POLICY.exec(line)?.[1];
  if (policy === undefined) return undefined;
  const base64 = policy.replaceAll('-', '+').replaceAll('~', '/').replaceAll('_', '=');
  return secondsIn(POLICY_END, Buffer.from(base64, 'base64'));
}

function secondsIn(pattern: RegExp, decoded: Buffer): EpochMs | undefined {
  const seconds = pattern.exec(decoded.toString('latin1'))?.[1];
  return seconds === undefined ? undefined : Number(seconds) * 1_000;
}

function byNimble(line: string): EpochMs | undefined {
  const sign = NIMBLE.exec(line)?.[1];
  if (sign === undefined) return undefined;
  const text = Buffer.from(sign, 'base64').toString('latin1');
  const time = NIMBLE_TIME.exec(text);
  const minutes = NIMBLE_FOR.exec(text)?.[1];
  if (time === null || minutes === undefined) return undefined;
  const [month, day, year, hour, minute, second] = time.slice(1, 7).map(Number) as number[];
  const hours = (hour! % 12) + (time[7] === 'P' ? 12 : 0);
  return Date.UTC(year!, month! - 1, day, hours, minute, second) + Number(minutes) * MINUTE_MS;
}
