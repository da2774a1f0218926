import type { PersonaId } from '../../core/persona.ts';
import type { ChannelRef } from '../../core/scope.ts';
import { valueAt } from '../validate.ts';
import { nearest } from '../words.ts';
import type { Path } from '../yaml.ts';
import { CHANNELS_MAX, type ChannelDocument, channelDocument } from './document.ts';
import { PLACEHOLDER, parseAddress } from './fields.ts';
import type { Reading } from './reading.ts';

/** How a channel's output is seen from outside. Times are milliseconds. */
export type OutputProbe = (
  | { readonly kind: 'hls'; readonly url: string }
  | { readonly kind: 'http'; readonly url: string }
  | { readonly kind: 'tcp'; readonly host: string; readonly port: number }
) & { readonly everyMs: number; readonly stallAfterMs: number };

/** A look at what a channel reads from. */
export interface SourceProbe {
  readonly url: string;
  readonly everyMs: number;
  readonly expect: 'mpegts' | 'any';
}

/** One channel, with nothing left to look up but its persona's and its group's own words. */
export interface ChannelConfig extends ChannelRef {
  /** What the engine calls it. */
  readonly name: string;
  /** By the channel, else its group, else the default. */
  readonly persona: PersonaId;
  readonly logs: readonly string[];
  readonly output: OutputProbe | undefined;
  readonly source: SourceProbe | undefined;
}

/** A channel whose persona is not settled yet. */
export type ChannelDraft = Omit<ChannelConfig, 'persona'> & {
  readonly persona: PersonaId | undefined;
  readonly path: Path;
};

const OUTPUT_EVERY_MS = 2_000;
const STALL_AFTER_MS = 6_000;
const SOURCE_EVERY_MS = 10_000;
const OUTPUT_KINDS = ['hls', 'http', 'tcp'] as const;

/** Every channel of the file, written out one by one; notes what two of them may not share. */
export function readChannels(reading: Reading): readonly ChannelDraft[] {
  const engines = reading.idsOf('engines');
  const drafts = reading.entries('channels', channelDocument).flatMap(({ path, value }) => {
    checkEntry(reading, path, { value, engines });
    return idsOf(reading, path, value).map(({ id, at }) => draftOf(reading, { path: at, entry: path, id, value }));
  });
  if (drafts.length > CHANNELS_MAX) {
    reading.note(
      ['channels'],
      `expected at most ${CHANNELS_MAX} channels, got ${drafts.length}`,
      'share them out over several Reeves',
    );
  }
  checkShared(reading, drafts);
  return drafts;
}

function idsOf(reading: Reading, path: Path, value: ChannelDocument): readonly { id: string; at: Path }[] {
  const { id, ids } = value;
  if ((id === undefined) === (ids === undefined)) {
    reading.note(
      path,
      `expected either id or ids, got ${id === undefined ? 'neither' : 'both'}`,
      'id: one, or ids: [one, two]',
    );
  }
  if (id !== undefined) return [{ id, at: [...path, 'id'] }];
  return (ids ?? []).map((each, index) => ({ id: each, at: [...path, 'ids', index] }));
}

interface Entry {
  readonly value: ChannelDocument;
  readonly engines: ReadonlySet<string>;
}

function checkEntry(reading: Reading, path: Path, { value, engines }: Entry): void {
  if (!engines.has(value.engine)) {
    const meant = nearest(value.engine, engines);
    const hint = meant === undefined ? 'add it under engines:' : `did you mean ${meant}?`;
    reading.note([...path, 'engine'], `there is no engine ${value.engine}`, hint);
  }
  const { output } = value;
  const kinds = output ? OUTPUT_KINDS.filter((kind) => output[kind] !== undefined) : [];
  if (output && kinds.length !== 1) {
    reading.note(
      [...path, 'output'],
      `expected one of hls, http and tcp, got ${kinds.length}`,
      'say how the output is reached',
    );
  }
  const everyMs = output?.every ?? OUTPUT_EVERY_MS;
  if (output?.stall_after !== undefined && output.stall_after < 2 * everyMs) {
    reading.note(
      [...path, 'output', 'stall_after'],
      `expected at least twice the interval of ${everyMs} ms`,
      'one late look is no stall',
    );
  }
  checkTemplates(reading, path, value);
}

/** `own`: two channels may not share it, because then one would answer for the other. */
const TEMPLATES: readonly { readonly path: Path; readonly own: boolean }[] = [
  { path: ['name'], own: true },
  ...OUTPUT_KINDS.map((kind) => ({ path: ['output', kind], own: true })),
  { path: ['source', 'url'], own: false },
];

function checkTemplates(reading: Reading, path: Path, value: ChannelDocument): void {
  const logs = (value.logs ?? []).map((_, index) => ({ path: ['logs', index] as Path, own: true }));
  for (const { path: at, own } of [...TEMPLATES, ...logs]) {
    const text = valueAt(value, at);
    if (typeof text !== 'string') continue;
    const stray = text.match(PLACEHOLDER)?.find((word) => word !== '{id}');
    if (stray !== undefined)
      reading.note([...path, ...at], `unknown placeholder ${stray}`, 'only {id} is replaced here');
    if (own && (value.ids?.length ?? 0) > 1 && !text.includes('{id}')) {
      reading.note([...path, ...at], `${value.ids?.length} channels would share this`, 'put {id} where they differ');
    }
  }
}

interface Draft {
  readonly path: Path;
  readonly entry: Path;
  readonly id: string;
  readonly value: ChannelDocument;
}

function draftOf(reading: Reading, { path, id, value }: Draft): ChannelDraft {
  const fill = (text: string): string => text.replaceAll('{id}', id);
  const { output, source } = value;
  return {
    path,
    id,
    engine: value.engine,
    group: value.group ?? value.engine,
    persona: value.persona,
    name: fill(value.name ?? '{id}'),
    expected: value.expected ?? 'always',
    logs: (value.logs ?? []).map((log) => reading.pathOf(fill(log))),
    output: output && probeOf(output, fill),
    source: source && {
      url: fill(source.url),
      everyMs: source.every ?? SOURCE_EVERY_MS,
      expect: source.expect ?? 'any',
    },
    hasSource: source !== undefined,
    hasOutputProbe: output !== undefined,
  };
}

function probeOf(
  output: NonNullable<ChannelDocument['output']>,
  fill: (text: string) => string,
): OutputProbe | undefined {
  const everyMs = output.every ?? OUTPUT_EVERY_MS;
  const times = { everyMs, stallAfterMs: output.stall_after ?? Math.max(STALL_AFTER_MS, 3 * everyMs) };
  if (output.hls !== undefined) return { kind: 'hls', url: fill(output.hls), ...times };
  if (output.http !== undefined) return { kind: 'http', url: fill(output.http), ...times };
  const address = parseAddress(fill(output.tcp ?? ''));
  return 'ok' in address ? { kind: 'tcp', ...address.ok, ...times } : undefined;
}

/** Ids are unique over all engines; a name, a log and an output belong to one channel. */
function checkShared(reading: Reading, drafts: readonly ChannelDraft[]): void {
  const owners = new Map<string, ChannelDraft>();
  const claim = (
    draft: ChannelDraft,
    key: string,
    says: (first: ChannelDraft) => { message: string; hint: string },
  ): void => {
    const first = owners.get(key);
    if (first === undefined) owners.set(key, draft);
    else if (first !== draft || key.startsWith('log ')) {
      const { message, hint } = says(first);
      reading.note(draft.path, message, hint);
    }
  };
  for (const draft of drafts) {
    claim(draft, `id ${draft.id}`, (first) => ({
      message: `the channel ${draft.id} stands here a second time`,
      hint: `the first is in line ${reading.source.at(first.path).line}`,
    }));
  }
  for (const draft of new Map(drafts.map((each) => [each.id, each])).values()) {
    const shares = (what: string) => (first: ChannelDraft) => ({
      message: `${draft.id} and ${first.id} have the same ${what}`,
      hint: 'then one would answer for the other: give each its own',
    });
    claim(draft, `name ${draft.engine} ${draft.name}`, shares('name in one engine'));
    const { output } = draft;
    if (output)
      claim(draft, `output ${'url' in output ? output.url : `${output.host}:${output.port}`}`, shares('output'));
    for (const log of draft.logs) claim(draft, `log ${log}`, shares('log file'));
  }
}
