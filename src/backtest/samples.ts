/** Reads recorded samples. */
import { readFileSync, statSync } from 'node:fs';
import { z } from 'zod';
import { messageOf, ReeveError } from '../core/errors.ts';
import { PROCESS_STATES, type Sample } from '../core/sample.ts';
import { fromWire } from '../core/wire.ts';

const SAMPLES_BYTES_MAX = 512 * 1024 * 1024;

const base = { at: z.number(), source: z.string().default('recorded') };
const channel = z.string().min(1);
const failure = z.string().optional();
const maybe = z.number().optional();
const flag = z.boolean();

/** What each kind must say; further members pass through. `null` on the wire means not known, as no member does. */
const KINDS = z.discriminatedUnion('kind', [
  z.looseObject({ kind: z.literal('playlist'), ...base, channel, ok: flag, failure }),
  z.looseObject({
    kind: z.literal('process'),
    ...base,
    channel,
    engine: z.string().default('local'),
    state: z.enum(PROCESS_STATES),
    stopped_on_purpose: z.boolean().default(false),
  }),
  z.looseObject({
    kind: z.literal('source'),
    ...base,
    channel,
    ok: flag,
    failure,
    silent_ms: z.number().min(0).optional(),
    span_ms: z.number().min(0).optional(),
    host: z.string().default(''),
  }),
  z.looseObject({ kind: z.literal('reach'), ...base, channel, ok: flag, failure }),
  z.looseObject({ kind: z.literal('progress'), ...base, channel, out_time_ms: z.number(), frame: maybe }),
  z.looseObject({
    kind: z.literal('engine'),
    ...base,
    engine: z.string(),
    ok: flag,
    pool_pressure: maybe,
    reports_pool: z.boolean().default(false),
  }),
  z.looseObject({
    kind: z.literal('host'),
    ...base,
    engine: z.string(),
    disks: z.array(z.looseObject({ path: z.string() })).default([]),
  }),
  z.looseObject({ kind: z.literal('viewers'), ...base, channel, viewers: z.number().min(0) }),
  z.looseObject({ kind: z.literal('credential'), ...base, engine: z.string(), ok: flag }),
]);

/**
 * Recorded samples, one JSON object a line, in wire form (snake_case; `at` in milliseconds since 1970 or as RFC 3339).
 * Sorted by time. Throws USAGE that names the first line that is none.
 */
export function readSamples(path: string): readonly Sample[] {
  const samples = textOf(path)
    .split('\n')
    .flatMap((line, index) => (line.trim() === '' ? [] : [sampleIn(line, `${path}:${index + 1}`)]));
  return samples.sort((a, b) => a.at - b.at);
}

function textOf(path: string): string {
  try {
    if (statSync(path).size <= SAMPLES_BYTES_MAX) return readFileSync(path, 'utf8');
  } catch (thrown) {
    throw new ReeveError('USAGE', `readable samples were expected: ${messageOf(thrown)}`, { cause: thrown });
  }
  throw new ReeveError('USAGE', `${path} has more than ${SAMPLES_BYTES_MAX} bytes; record a shorter stretch of time`);
}

function sampleIn(line: string, where: string): Sample {
  const value = withoutNulls(dated(jsonIn(line, where)));
  const result = KINDS.safeParse(value);
  if (!result.success) {
    const [issue] = result.error.issues;
    const about = issue === undefined ? '' : `${issue.path.join('.')}: ${issue.message}`;
    throw new ReeveError('USAGE', `${where}: a sample in wire form was expected; ${about}`, {
      hint: 'docs/backtest.md lists the kinds and their members',
    });
  }
  // The monotonic reading is that of the machine that recorded it; the replay gives its own.
  return { ...fromWire<Sample>(result.data), monoMs: 0 };
}

function jsonIn(line: string, where: string): unknown {
  try {
    return JSON.parse(line);
  } catch (thrown) {
    throw new ReeveError('USAGE', `${where}: one JSON object a line was expected: ${messageOf(thrown)}`);
  }
}

function dated(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('at' in value) || typeof value.at !== 'string') return value;
  return { ...value, at: Date.parse(value.at) };
}

const withoutNulls = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).filter(([, member]) => member !== null))
    : value;
