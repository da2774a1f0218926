/** Reads limits, and lets them loosen only by the operator's explicit order. */
import { z } from 'zod';
import { DEFAULT_LIMITS, type Limits } from '../../core/limits.ts';
import { DURATION_JSON, formatDuration, parseDuration } from '../../core/document/duration.ts';
import { checked, type Meaning } from '../validate.ts';
import { shown } from '../suggestions.ts';
import { LIMIT_ROWS, type LimitRow } from './limit_rows.ts';

/** A limit as read: its value, and whether it is laxer than the default by the operator's explicit order. */
export interface LimitChoice {
  readonly value: number;
  readonly risk: boolean;
  /** The operator wrote `i_accept_the_risk: true`. */
  readonly accepted: boolean;
}

/** A risk that an operator has accepted, for people to see. */
export interface AcceptedRisk {
  readonly limit: string;
  readonly value: string;
  readonly standard: string;
}

const RISK = 'i_accept_the_risk';

/** The `limits:` part. Every key may be left out; no value of any key switches its limit off. */
export const limitsDocument = z
  .strictObject(Object.fromEntries(LIMIT_ROWS.map((limit) => [limit.key, limitOf(limit).optional()])))
  .describe(
    'The numbers of the guard. Stricter values are free; laxer ones need { value: …, i_accept_the_risk: true }.',
  );

function limitOf(limit: LimitRow) {
  return checked((input) => meaningOf(limit, input), { description: describe(limit), ...jsonOf(limit) });
}

function meaningOf(limit: LimitRow, input: unknown): Meaning<LimitChoice> {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return judged(limit, input, false);
  const stray = Object.keys(input).find((key) => key !== 'value' && key !== RISK);
  if (stray !== undefined)
    return { no: `unknown key ${shown(stray)}`, hint: `known here: value and ${RISK}`, path: [stray] };
  const { value, [RISK]: accepted } = input as Record<string, unknown>;
  if (accepted !== undefined && typeof accepted !== 'boolean') {
    return { no: `expected true or false, got ${shown(accepted)}`, hint: 'write true to accept it', path: [RISK] };
  }
  const meaning = judged(limit, value, accepted === true);
  return 'no' in meaning ? { path: ['value'], ...meaning } : meaning;
}

function judged(limit: LimitRow, input: unknown, accepted: boolean): Meaning<LimitChoice> {
  const read = limit.unit === 'duration' ? parseDuration(input) : numberOf(limit, input);
  if ('no' in read) return read;
  const value = read.ok;
  const standard = standardOf(limit);
  const sign = limit.laxer === 'more' ? 1 : -1;
  if (sign * (value - limit.laxest) > 0) return outside(limit, limit.laxest, input);
  if (sign * (value - limit.strictest) < 0) return outside(limit, limit.strictest, input);
  const risk = sign * (value - standard) > 0;
  if (!risk || accepted) return { ok: { value, risk, accepted } };
  const shownValue = spell(limit, value);
  return {
    no: `expected ${limit.laxer === 'more' ? 'at most' : 'at least'} ${spell(limit, standard)}, got ${shown(input)}`,
    hint: `this permits more than the default; if you mean it, write { value: ${shownValue}, ${RISK}: true }`,
  };
}

function numberOf(limit: LimitRow, input: unknown): Meaning<number> {
  const what = limit.unit === 'count' ? 'a whole number' : 'a number between 0 and 1';
  const fits =
    typeof input === 'number' && (limit.unit === 'ratio' ? Number.isFinite(input) : Number.isSafeInteger(input));
  const off = 'a limit cannot be switched off: leave the key out for the default';
  if (!fits) return { no: `expected ${what}, got ${shown(input)}`, hint: quoted(input) ?? off };
  // None of what is counted is the strictest of all, and switches nothing off.
  const mayBeNone = limit.strictest === 0;
  if (input > 0 || (mayBeNone && Object.is(input, 0))) return { ok: input };
  return { no: `expected ${what} ${mayBeNone ? 'of at least' : 'above'} 0, got ${shown(input)}`, hint: off };
}

function quoted(input: unknown): string | undefined {
  return typeof input === 'string' && /^[\d.]+$/.test(input) ? 'write it without quotes' : undefined;
}

function outside(limit: LimitRow, bound: number, input: unknown): Meaning<LimitChoice> {
  const least = bound === Math.min(limit.strictest, limit.laxest);
  return {
    no: `expected ${least ? 'at least' : 'at most'} ${spell(limit, bound)}, got ${shown(input)}`,
    hint:
      bound === limit.laxest
        ? `no accepted risk goes further than ${spell(limit, bound)}`
        : `the nearest allowed value is ${spell(limit, bound)}`,
  };
}

function standardOf(limit: LimitRow): number {
  return DEFAULT_LIMITS[limit.name] ?? limit.laxest;
}

function spell(limit: LimitRow, value: number): string {
  return limit.unit === 'duration' ? formatDuration(value) : String(value);
}

function describe(limit: LimitRow): string {
  const [strictest, standard, laxest] = [limit.strictest, standardOf(limit), limit.laxest].map((at) =>
    spell(limit, at),
  );
  const laxer = standard === laxest ? '' : `, with the risk accepted to ${laxest}`;
  return `${limit.says} From ${strictest} (strictest) to ${standard}${laxer}.`;
}

function jsonOf(limit: LimitRow): Record<string, unknown> {
  const [minimum, maximum] = [limit.strictest, limit.laxest].sort((a, b) => a - b);
  const number = { type: limit.unit === 'count' ? 'integer' : 'number', minimum, maximum };
  const value = limit.unit === 'duration' ? { type: DURATION_JSON.type, pattern: DURATION_JSON.pattern } : number;
  const risky = {
    type: 'object',
    properties: { value, [RISK]: { type: 'boolean' } },
    required: ['value'],
    additionalProperties: false,
  };
  return { anyOf: [value, risky] };
}

/** The limits in force: what was chosen over the defaults, and which choices permit more than those. */
export function limitsFrom(chosen: Readonly<Record<string, LimitChoice | undefined>>): {
  readonly limits: Limits;
  readonly risks: readonly AcceptedRisk[];
} {
  const rows = LIMIT_ROWS.flatMap((limit) => {
    const choice = Object.hasOwn(chosen, limit.key) ? chosen[limit.key] : undefined;
    return choice ? [{ limit, choice }] : [];
  });
  const values = Object.fromEntries(rows.map(({ limit, choice }) => [limit.name, choice.value]));
  const risks = rows
    .filter(({ choice }) => choice.risk)
    .map(({ limit, choice }) => ({
      limit: limit.key,
      value: spell(limit, choice.value),
      standard: spell(limit, standardOf(limit)),
    }));
  const limits: Limits = { ...DEFAULT_LIMITS, ...values };
  // Where only the first time is made longer, the cap goes along: longer is stricter.
  const least = Object.hasOwn(values, 'breakerOpenMsMax') ? 0 : limits.breakerOpenMs;
  return { limits: { ...limits, breakerOpenMsMax: Math.max(limits.breakerOpenMsMax, least) }, risks };
}
