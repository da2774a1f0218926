/** Reads facts from an engine's JSON by pointers. */
import type { HttpEngineDocument } from './http/schema.ts';
import type { MonoMs } from '../core/clock.ts';
import { ReeveError } from '../core/errors.ts';
import { PROCESS_STATES, type ProcessSample, type ProcessState, type ViewerSample } from '../core/sample.ts';
import type { ChannelId, EngineId } from '../core/scope.ts';
import type { Ages } from './ages.ts';
import type { ProcessGenerations } from './process_generations.ts';
import type { ChannelName, ReadingTime } from './parts.ts';

/** Where the facts stand in an engine's answer. */
export type Reading = Pick<HttpEngineDocument['list'], 'items' | 'fields' | 'states'>;

/** JSON, or a typed failure. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (cause) {
    throw new ReeveError('ENGINE_ANSWER_INVALID', `expected JSON, got ${JSON.stringify(text.slice(0, 40))}`, { cause });
  }
}

/** The value that a JSON pointer (RFC 6901) leads to; undefined where nothing is. */
export function valueAt(value: unknown, pointer: string): unknown {
  let found = value;
  for (const key of keysOf(pointer)) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, key)) return undefined;
    found = (found as Readonly<Record<string, unknown>>)[key];
  }
  return found;
}

/** Pointers are written in a configuration: a few, each asked for every channel with every look. */
const parsed = new Map<string, readonly string[]>();
const PARSED_MAX = 1_000;

function keysOf(pointer: string): readonly string[] {
  const known = parsed.get(pointer);
  if (known !== undefined) return known;
  const keys = pointer
    .split('/')
    .slice(1)
    .map((raw) => raw.replaceAll('~1', '/').replaceAll('~0', '~'));
  if (parsed.size >= PARSED_MAX) parsed.clear();
  parsed.set(pointer, keys);
  return keys;
}

/** A whole number of 0 or more, also where it is written as text; undefined for anything else. */
export function countAt(value: unknown, pointer: string | undefined): number | undefined {
  const number = numberAt(value, pointer);
  return number !== undefined && number >= 0 ? number : undefined;
}

/** Any finite number, also where it is written as text: an exit code below zero names the signal that killed it. */
function numberAt(value: unknown, pointer: string | undefined): number | undefined {
  const found = pointer === undefined ? undefined : valueAt(value, pointer);
  const number = typeof found === 'string' && found.trim() !== '' ? Number(found) : found;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

function itemsOf(answer: unknown, pointer: string): readonly unknown[] {
  const items = valueAt(answer, pointer);
  if (Array.isArray(items)) return items;
  if (typeof items === 'object' && items !== null) return Object.entries(items).map(([key, value]) => ({ key, value }));
  throw new ReeveError('ENGINE_ANSWER_INVALID', `expected a list of channels at "${pointer}", got ${typeof items}`);
}

function stateOf(item: unknown, { fields, states }: Reading): ProcessState {
  if (fields.state === undefined) return 'unknown';
  const says = valueAt(item, fields.state);
  for (const state of states) if (state.says === says) return state.means;
  return PROCESS_STATES.find((state) => state === says) ?? 'unknown';
}

interface ReadingOf {
  readonly engine: EngineId;
  readonly source: string;
  readonly moment: ReadingTime;
  readonly generations: ProcessGenerations;
  readonly ages: Ages;
  /** When the answer was there. */
  readonly answeredMs: MonoMs;
}

/** Which item a name has. One that is listed twice in different states, such as an older run beside it, is unknown. */
function itemsByName(answer: unknown, reading: Reading): ReadonlyMap<string, unknown> {
  const byName = new Map<string, unknown>();
  for (const item of itemsOf(answer, reading.items)) {
    const name = String(valueAt(item, reading.fields.name));
    const contradicts = byName.has(name) && stateOf(byName.get(name), reading) !== stateOf(item, reading);
    byName.set(name, contradicts ? undefined : item);
  }
  return byName;
}

/** Samples of the configured channels, from an engine's answer. A channel that is not in it is unknown. */
export function readChannels(
  answer: unknown,
  reading: Reading,
  { channels, ...of }: ReadingOf & { readonly channels: readonly ChannelName[] },
): { readonly processes: readonly ProcessSample[]; readonly viewers: readonly ViewerSample[] } {
  const byName = itemsByName(answer, reading);
  const context = { reading, of };
  const processes: ProcessSample[] = [];
  const viewers: ViewerSample[] = [];
  for (const { id, name } of channels) {
    const item = byName.get(name);
    processes.push(processOf(id, item, context));
    const watching = viewersOf(id, item, context);
    if (watching !== undefined) viewers.push(watching);
  }
  return { processes, viewers };
}

/**
 * What the engine's list would have as the item of that name, from an answer about one channel alone. Throws
 * ENGINE_ANSWER_INVALID where the answer is about another.
 */
export function itemNamed(name: string, answer: unknown, { fields }: Reading): unknown {
  // A mapping of all channels has the name as a key, which an answer about one does not have.
  const item = fields.name === '/key' ? { key: name, value: answer } : answer;
  const named = String(valueAt(item, fields.name));
  if (named === name) return item;
  throw new ReeveError('ENGINE_ANSWER_INVALID', `asked for ${name}, got ${named.slice(0, 100)}`);
}

/** Samples of one channel, from its item. */
export function readItem(
  channel: ChannelId,
  item: unknown,
  context: Context,
): readonly (ProcessSample | ViewerSample)[] {
  const watching = viewersOf(channel, item, context);
  return [processOf(channel, item, context), ...(watching === undefined ? [] : [watching])];
}

interface Context {
  readonly reading: Reading;
  readonly of: ReadingOf;
}

function processOf(channel: ChannelId, item: unknown, { reading, of }: Context): ProcessSample {
  const { fields } = reading;
  const state = stateOf(item, reading);
  const pid = countAt(item, fields.pid) ?? 0;
  const current = of.generations.look(channel, { pid, start: 0, now: 0, monoMs: of.moment.monoMs, parent: undefined });
  const generation = fields.generation === undefined ? undefined : valueAt(item, fields.generation);
  const seconds = countAt(item, fields.uptime_seconds);
  const uptimeMs = seconds === undefined ? undefined : Math.round(seconds * 1_000);
  return {
    kind: 'process',
    channel,
    engine: of.engine,
    source: of.source,
    at: of.moment.at,
    monoMs: of.moment.monoMs,
    state,
    pid: current.pid,
    generation: generation === undefined || generation === null ? current.generation : String(generation).slice(0, 200),
    uptimeMs: of.ages.at(channel, { uptimeMs, beganMs: of.moment.monoMs, answeredMs: of.answeredMs }),
    exitCode: numberAt(item, fields.exit_code),
    exitSignal: undefined,
    stoppedOnPurpose: state === 'stopped' || state === 'stopping',
    cpuMs: current.cpuMs,
    halted: current.halted,
    bytesWritten: current.bytesWritten,
  };
}

/** Nothing is known of the channel. */
export const unknownProcess = (
  channel: ChannelId,
  of: Pick<ReadingOf, 'engine' | 'source' | 'moment'>,
): ProcessSample => ({
  kind: 'process',
  channel,
  engine: of.engine,
  source: of.source,
  ...of.moment,
  state: 'unknown',
  pid: undefined,
  generation: undefined,
  uptimeMs: undefined,
  exitCode: undefined,
  exitSignal: undefined,
  stoppedOnPurpose: false,
  cpuMs: undefined,
  halted: undefined,
  bytesWritten: undefined,
});

function viewersOf(channel: ChannelId, item: unknown, { reading, of }: Context): ViewerSample | undefined {
  const viewers = countAt(item, reading.fields.viewers);
  return viewers === undefined ? undefined : { kind: 'viewers', channel, source: of.source, ...of.moment, viewers };
}
