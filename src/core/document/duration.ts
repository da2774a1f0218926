/** Parses and formats durations. */
import { checked, type Meaning } from './checked.ts';
import { UNIT_MS } from '../duration.ts';
import { shown } from './shown.ts';

type Unit = keyof typeof UNIT_MS;
const UNITS = Object.keys(UNIT_MS) as Unit[];

/** One year: whatever is longer was meant to switch something off. */
const DURATION_MS_MAX = 365 * UNIT_MS.d;

/** Spellings of other systems, and the unit they mean here. */
const OTHER_UNITS: Readonly<Record<string, Unit>> = {
  sec: 's',
  secs: 's',
  second: 's',
  seconds: 's',
  min: 'm',
  mins: 'm',
  minute: 'm',
  minutes: 'm',
  hr: 'h',
  hrs: 'h',
  hour: 'h',
  hours: 'h',
  day: 'd',
  days: 'd',
  msec: 'ms',
  millis: 'ms',
  milliseconds: 'ms',
};

const EXAMPLES = 'write a whole number with a unit: 250ms, 30s, 5m, 4h or 30d';

/**
 * Milliseconds of a duration such as `30s`. Only text with a unit (ms, s, m, h, d) is one: never 0, never negative,
 * at most 365 d. Anything else comes back with the reason.
 */
export function parseDuration(input: unknown): Meaning<number> {
  if (typeof input === 'number' && Number.isFinite(input) && input > 0) {
    return no(`${shown(input)} without a unit`, `write ${input}s for seconds, ${input}m for minutes`);
  }
  if (typeof input === 'number') return no(shown(input), neverOff(input));
  if (typeof input !== 'string') return no(shown(input), EXAMPLES);
  const [, sign, digits, gap, unitText] = /^\s*([+-]?)(\d[\d.,_]*)(\s*)(\S*)\s*$/.exec(input) ?? [];
  if (digits === undefined) return no(shown(input), neverOff(input));
  if (sign === '-') return no(shown(input), 'a negative duration is never "off": leave the key out for the default');
  const unit = UNITS.find((candidate) => candidate === unitText);
  if (unit === undefined || gap !== '') return no(shown(input), unitHint(digits, unitText ?? ''));
  if (sign !== '' || !/^\d+$/.test(digits)) return no(shown(input), wholeHint(Number(digits), unit));
  const ms = Number(digits) * UNIT_MS[unit];
  if (ms === 0) return no(shown(input), 'zero is never "off": leave the key out for the default');
  return ms <= DURATION_MS_MAX ? { ok: ms } : { no: `expected at most 365d, got ${shown(input)}`, hint: EXAMPLES };
}

const no = (got: string, hint: string): Meaning<number> => ({
  no: `expected a duration such as 30s, got ${got}`,
  hint,
});

function neverOff(input: string | number): string {
  const off = typeof input === 'number' || /inf|nan|never|off|none|unlimited|disabled|max/i.test(input);
  return off ? 'a duration cannot be switched off: leave the key out for the default' : EXAMPLES;
}

function unitHint(digits: string, unitText: string): string {
  if (unitText === '') return `add a unit: ${digits}s for seconds, ${digits}m for minutes`;
  if (/^\d|\d/.test(unitText)) return 'one number with one unit: 90m instead of 1h30m';
  const lower = unitText.toLowerCase();
  const meant = OTHER_UNITS[lower] ?? UNITS.find((unit) => unit === lower);
  return meant === undefined ? EXAMPLES : `write ${digits}${meant}`;
}

/** 1.5h is 90m: the next smaller unit that makes it whole. */
function wholeHint(amount: number, unit: Unit): string {
  const ms = amount * UNIT_MS[unit];
  return Number.isInteger(ms) && ms > 0 ? `write ${formatDuration(ms)}` : EXAMPLES;
}

/** The shortest exact spelling: 90,000 ms is `90s`, 60,000 ms is `1m`. */
export function formatDuration(ms: number): string {
  const unit = [...UNITS].reverse().find((candidate) => ms % UNIT_MS[candidate] === 0) ?? 'ms';
  return `${ms / UNIT_MS[unit]}${unit}`;
}

/** The JSON Schema of a duration, for editors. */
export const DURATION_JSON = { type: 'string', pattern: '^[0-9]+(ms|s|m|h|d)$', examples: ['30s', '5m', '250ms'] };

/** A duration within bounds (`30s` to `5m`), as milliseconds. */
export function duration(least: string, most: string, description: string) {
  const [leastMs, mostMs] = [parseDuration(least), parseDuration(most)].map((end) =>
    'ok' in end ? end.ok : Number.NaN,
  );
  return checked(
    (input) => {
      const meaning = parseDuration(input);
      if (!('ok' in meaning)) return meaning;
      if (meaning.ok < leastMs!) return tooFar(`at least ${least}`, input, least);
      return meaning.ok > mostMs! ? tooFar(`at most ${most}`, input, most) : meaning;
    },
    { ...DURATION_JSON, description: `${description} ${least} to ${most}.` },
  );
}

const tooFar = (bound: string, input: unknown, nearestAllowed: string): Meaning<number> => ({
  no: `expected ${bound}, got ${shown(input)}`,
  hint: `the nearest allowed value is ${nearestAllowed}`,
});
