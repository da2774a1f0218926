/** Reads ISO 8601 timestamps fast where consecutive lines repeat them. */
import type { EpochMs } from '../core/clock.ts';
import { ISO, millisOf, secondEnd } from './stamps.ts';

const ZERO = 48;
const NINE = 57;
const BLANK = 32;
const COMMA = 44;
const POINT = 46;
const FRACTION_DIGITS_MAX = 9;
const ZONE_STARTS = new Set([...'Z+-'].map((char) => char.charCodeAt(0)));
/** What the digits of a fraction are worth in milliseconds. */
const WORTH = [100, 10, 1];

const isDigit = (code: number | undefined): boolean => code !== undefined && code >= ZERO && code <= NINE;

/**
 * Most lines of a log repeat the time of the line before, up to the second and in the same spelling. Then only the
 * fraction has to be read, and no text be made of the bytes. Anything out of the ordinary is left to the expression.
 */
export class IsoTimestamps {
  #head = Buffer.alloc(0);
  /** What names the zone, with a blank before it if there is one. */
  #zone = Buffer.alloc(0);
  #secondAt: EpochMs = 0;

  /** Remembers a line's time that the expression read. Only where it begins the line. */
  learn(line: string, at: EpochMs): void {
    const found = ISO.exec(line);
    this.#head = Buffer.alloc(0);
    if (found === null || found.index !== 0) return;
    const fraction = found[7];
    const end = secondEnd(found[0]);
    this.#head = Buffer.from(found[0].slice(0, end), 'latin1');
    const zoneFrom = end + (fraction === undefined ? 0 : fraction.length + 1);
    this.#zone = Buffer.from(found[8] === undefined ? '' : found[0].slice(zoneFrom), 'latin1');
    this.#secondAt = at - millisOf(fraction);
  }

  /** The time of the line at `start`, where it differs from the one remembered in the fraction alone. */
  read(bytes: Uint8Array, start: number): EpochMs | undefined {
    const head = this.#head;
    if (head.length === 0 || !isAt(bytes, start, head)) return undefined;
    let at = start + head.length;
    let millis = 0;
    if ((bytes[at] === POINT || bytes[at] === COMMA) && isDigit(bytes[at + 1])) {
      const from = at + 1;
      for (at = from; at - from < FRACTION_DIGITS_MAX && isDigit(bytes[at]); at += 1) {
        millis += (bytes[at]! - ZERO) * (WORTH[at - from] ?? 0);
      }
    }
    return this.#isZoneAt(bytes, at) ? this.#secondAt + millis : undefined;
  }

  /** The same zone, and nothing that would make it another one. */
  #isZoneAt(bytes: Uint8Array, at: number): boolean {
    const zone = this.#zone;
    if (zone.length > 0) return isAt(bytes, at, zone) && !isDigit(bytes[at + zone.length]);
    const next = bytes[at] === BLANK ? bytes[at + 1] : bytes[at];
    return next === undefined || !ZONE_STARTS.has(next);
  }
}

function isAt(bytes: Uint8Array, at: number, wanted: Uint8Array): boolean {
  for (let offset = 0; offset < wanted.length; offset += 1) {
    if (bytes[at + offset] !== wanted[offset]) return false;
  }
  return true;
}
