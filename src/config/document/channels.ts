/** Reads the channels of the configuration. */
import type { LogFormat } from '../../collect/formats/schema.ts';
import type { OutputKind, OutputLook } from '../../collect/probes/schema.ts';
import { ON_DEMAND_KINDS, STATUS_TARGETS, type StatusTarget } from '../../collect/status/schema.ts';
import type { PersonaId } from '../../core/persona.ts';
import type { ChannelRef } from '../../core/scope.ts';
import { valueAt } from '../shape.ts';
import { nearest } from '../suggestions.ts';
import type { Path } from '../yaml.ts';
import { OUTPUT_CALM_MS, SOURCE_CALM_MS } from './calm_paces.ts';
import { CHANNELS_MAX, type ChannelDocument, channelDocument } from './document.ts';
import { PLACEHOLDER, parseAddress } from './fields.ts';
import type { Reading } from './reading.ts';

/** How a channel's output is seen from outside. Times are milliseconds. */
export type OutputProbe = OutputLook & {
  readonly everyMs: number;
  /** While nothing is in doubt; never more often than `everyMs`. */
  readonly calmEveryMs: number;
  readonly stallAfterMs: number;
};

/** A look at what a channel reads from. */
export interface SourceProbe {
  readonly url: string;
  /** Seen through a server's status page, whose address `url` is then. */
  readonly status: StatusTarget | undefined;
  readonly everyMs: number;
  /** While nothing is in doubt; never more often than `everyMs`. */
  readonly calmEveryMs: number;
  readonly expect: 'mpegts' | 'any';
  /** Origins that a redirect may lead to, beside its own. */
  readonly redirectsTo: readonly string[];
}

/** One channel, with nothing left to look up but the text of its persona and its group. */
export interface ChannelConfig extends ChannelRef {
  /** What the engine calls it. */
  readonly name: string;
  /** By the channel, else its group, else the default. */
  readonly persona: PersonaId;
  readonly logs: readonly string[];
  /** Those of its logs that are not plain text. */
  readonly logFormats: readonly { readonly path: string; readonly format: LogFormat }[];
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

type OutputDocument = NonNullable<ChannelDocument['output']>;
type Fill = (text: string) => string;

/** How each kind is read; a kind without a row does not compile. Undefined: no address, which is reported already. */
const LOOKS: {
  readonly [Kind in OutputKind]: (written: NonNullable<OutputDocument[Kind]>, fill: Fill) => OutputLook | undefined;
} = {
  hls: (url, fill) => ({ kind: 'hls', url: fill(url) }),
  file: (path, fill) => ({ kind: 'file', path: fill(path) }),
  http: (url, fill) => ({ kind: 'http', url: fill(url) }),
  tcp: (written, fill) => {
    const address = parseAddress(fill(written));
    return 'ok' in address ? { kind: 'tcp', ...address.ok } : undefined;
  },
  dash: (url, fill) => ({ kind: 'dash', url: fill(url) }),
  status: (written, fill) => ({ kind: 'status', status: targetOf(written, fill) }),
};
const OUTPUT_KINDS = Object.keys(LOOKS) as readonly OutputKind[];

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
      `expected one of hls, file, http, tcp, dash and status, got ${kinds.length}`,
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
  checkSource(reading, path, value);
  checkTemplates(reading, path, value);
}

function checkSource(reading: Reading, path: Path, { source, output, expected, ids = [] }: ChannelDocument): void {
  if (source && (source.url === undefined) === (source.status === undefined)) {
    const got = source.url === undefined ? 'neither' : 'both';
    reading.note([...path, 'source'], `expected either url or status, got ${got}`, 'say how the source is reached');
  }
  const { status: page, expect, redirects_to: redirects } = source ?? {};
  for (const [key, written] of Object.entries({ expect: expect === 'mpegts', redirects_to: redirects !== undefined })) {
    if (page === undefined || !written) continue;
    reading.note([...path, 'source', key], 'a status page is looked at, not the stream', 'take it out, or write url:');
  }
  for (const [key, part] of [['output', output] as const, ['source', source] as const]) {
    const status = part?.status;
    if (!status) continue;
    const at = [...path, key, 'status'];
    const wanted = STATUS_TARGETS[status.kind];
    for (const name of ['mount', 'stream'] as const) {
      if ((status[name] !== undefined) === (wanted === name)) continue;
      const message = wanted === name ? `${status.kind} needs ${name}` : `${status.kind} has no ${name}`;
      reading.note(at, message, wanted === 'none' ? 'it has only one' : `write ${wanted}:`);
    }
    if (key === 'output' && wanted === 'none' && ids.length > 1 && !status.url.includes('{id}')) {
      reading.note(at, `${ids.length} channels would share this`, `${status.kind} reports one channel only`);
    }
    if (key === 'output' && ON_DEMAND_KINDS.has(status.kind) && expected !== 'on_demand') {
      reading.note(at, `${status.kind} makes a stream only while there is a viewer`, 'write expected: on_demand');
    }
  }
}

/** `own`: two channels may not share it, because then one would answer for the other. */
const TEMPLATES: readonly { readonly path: Path; readonly own: boolean }[] = [
  { path: ['name'], own: true },
  ...OUTPUT_KINDS.map((kind) => ({ path: ['output', kind], own: true })),
  ...['mount', 'stream'].map((name) => ({ path: ['output', 'status', name], own: true })),
  { path: ['output', 'status', 'url'], own: false },
  { path: ['source', 'url'], own: false },
  ...['mount', 'stream', 'url'].map((name) => ({ path: ['source', 'status', name], own: false })),
];

function checkTemplates(reading: Reading, path: Path, value: ChannelDocument): void {
  const logs = (value.logs ?? []).map((log, index) => ({
    path: (typeof log === 'string' ? ['logs', index] : ['logs', index, 'path']) as Path,
    own: true,
  }));
  const redirects = (value.source?.redirects_to ?? []).map((_, at) => ({
    path: ['source', 'redirects_to', at],
    own: false,
  }));
  for (const { path: at, own } of [...TEMPLATES, ...logs, ...redirects]) {
    const text = valueAt(value, at);
    if (typeof text !== 'string') continue;
    const stray = text.match(PLACEHOLDER)?.find((placeholder) => placeholder !== '{id}');
    if (stray !== undefined)
      reading.note([...path, ...at], `unknown placeholder ${stray}`, 'only {id} is replaced here');
    const bad = (value.ids ?? [value.id ?? '']).find((id) => isNoAddress(text.replaceAll('{id}', id)));
    if (bad !== undefined) reading.note([...path, ...at], `no address where {id} is ${bad}`, 'write that one out');
    if (own && (value.ids?.length ?? 0) > 1 && !text.includes('{id}')) {
      reading.note([...path, ...at], `${value.ids?.length} channels would share this`, 'put {id} where they differ');
    }
  }
}

/** 10.0.0.{id} is one up to 255. */
const isNoAddress = (filled: string): boolean => /^https?:/.test(filled) && !URL.canParse(filled);

interface Draft {
  readonly path: Path;
  readonly entry: Path;
  readonly id: string;
  readonly value: ChannelDocument;
}

function draftOf(reading: Reading, { path, id, value }: Draft): ChannelDraft {
  const fill = (text: string): string => text.replaceAll('{id}', id);
  const { output, source } = value;
  const logs = (value.logs ?? []).map((log) => {
    const { path: written, format = 'text' } = typeof log === 'string' ? { path: log } : log;
    return { path: reading.pathOf(fill(written)), format };
  });
  return {
    path,
    id,
    engine: value.engine,
    group: value.group ?? value.engine,
    persona: value.persona,
    name: fill(value.name ?? '{id}'),
    expected: value.expected ?? 'always',
    logs: logs.map(({ path: log }) => log),
    logFormats: logs.filter(({ format }) => format !== 'text'),
    output: output && probeOf(output, fill),
    source: source && {
      url: fill(source.url ?? source.status?.url ?? ''),
      status: source.status && targetOf(source.status, fill),
      everyMs: source.every ?? SOURCE_EVERY_MS,
      calmEveryMs: Math.max(source.every ?? SOURCE_EVERY_MS, source.calm_every ?? SOURCE_CALM_MS),
      expect: source.expect ?? 'any',
      redirectsTo: (source.redirects_to ?? []).flatMap((address) => URL.parse(fill(address))?.origin ?? []),
    },
    hasSource: source !== undefined,
    hasOutputProbe: output !== undefined,
  };
}

function probeOf(output: OutputDocument, fill: Fill): OutputProbe | undefined {
  const everyMs = output.every ?? OUTPUT_EVERY_MS;
  const times = {
    everyMs,
    calmEveryMs: Math.max(everyMs, output.calm_every ?? OUTPUT_CALM_MS),
    stallAfterMs: output.stall_after ?? Math.max(STALL_AFTER_MS, 3 * everyMs),
  };
  const kind = OUTPUT_KINDS.find((each) => output[each] !== undefined);
  if (kind === undefined) return undefined;
  const read = LOOKS[kind] as (written: unknown, fill: Fill) => OutputLook | undefined;
  const look = read(output[kind], fill);
  return look && { ...look, ...times };
}

function targetOf({ kind, url, mount, stream }: NonNullable<OutputDocument['status']>, fill: Fill): StatusTarget {
  return { kind, url: fill(url), target: fill(mount ?? stream ?? '') };
}

/** Where an output is, as one string: no two channels may have the same. */
function placeOf(output: OutputProbe): string {
  if (output.kind === 'tcp') return `${output.host}:${output.port}`;
  if (output.kind === 'file') return output.path;
  return output.kind === 'status' ? `${output.status.url} ${output.status.target}` : output.url;
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
    if (output) claim(draft, `output ${placeOf(output)}`, shares('output'));
    for (const log of draft.logs) claim(draft, `log ${log}`, shares('log file'));
  }
}
