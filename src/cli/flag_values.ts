/** Reads values of flags that several commands have. */
import { ReeveError } from '../core/errors.ts';

/** Undefined for what is not written as one: `Number` takes the empty text for 0. */
export const wholeNumber = (text: string): number | undefined => (/^-?\d{1,15}$/.test(text) ? Number(text) : undefined);

/** As RFC 3339 writes it, or a day, which begins in UTC. A time without a zone would be another one elsewhere. */
const TIME = /^(\d{4})-(\d\d)-(\d\d)(?:[Tt ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:[Zz]|[+-]\d\d:\d\d))?$/;

/** Milliseconds since 1970. Throws USAGE that names the flag. */
export function timeOf(text: string | undefined, flag: string): number | undefined {
  if (text === undefined) return undefined;
  const [, year, month, day] = TIME.exec(text) ?? [];
  const at = year === undefined ? Number.NaN : Date.parse(text.toUpperCase());
  if (!Number.isNaN(at) && isDay(Number(year), Number(month), Number(day))) return at;
  const message = `${flag}: a time such as 2026-01-01T00:00:00Z was expected, got ${JSON.stringify(text)}`;
  throw new ReeveError('USAGE', message);
}

/** `Date` takes 30 February for 2 March. */
const isDay = (year: number, month: number, day: number): boolean =>
  new Date(Date.UTC(year, month - 1, day)).getUTCMonth() === month - 1;
