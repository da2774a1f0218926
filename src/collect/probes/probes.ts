/** Runs the active probes of outputs, sources and hosts. */
import type { Clock } from '../../core/clock.ts';
import { SECOND_MS } from '../../core/duration.ts';
import type { Sample } from '../../core/sample.ts';
import type { ChannelId, EngineId } from '../../core/scope.ts';
import { type BoundedFetch, boundedFetch } from '../../resilience/http.ts';
import { createDashProbe } from './dash.ts';
import { createHlsProbe, type PlaylistLook } from './hls.ts';
import { createHostProbe, type DiskQuestions } from './host.ts';
import type { MountChecks } from '../mounts/mount_checks.ts';
import { createPlaylistFileProbe } from './playlist_file.ts';
import { PlaylistWatch } from './playlist_watch.ts';
import { Poller, type PollerOptions, type PollerStats } from './poller.ts';
import type { Probe } from './scheduled_probe.ts';
import { createRests, type Rests, watchDoubts } from './rests.ts';
import { reachHttp, reachTcp } from './reach.ts';
import { type OpenSource, probeSource } from './source.ts';
import type { OutputKind, OutputLook } from './schema.ts';
import { type StatusProbe, statusProbes } from '../status/probe.ts';
import type { StatusTarget } from '../status/schema.ts';

export interface ChannelProbes {
  readonly id: ChannelId;
  /** How its output is seen from outside; undefined where it is not configured. */
  readonly output:
    | (OutputLook & { readonly everyMs: number; readonly calmEveryMs?: number; readonly stallAfterMs?: number })
    | undefined;
  /** What it reads from. */
  readonly source:
    | {
        readonly url: string;
        readonly everyMs: number;
        readonly calmEveryMs?: number;
        readonly expect: 'mpegts' | 'any';
        readonly redirectsTo?: readonly string[];
        /** Looked at through its server's status page instead. */
        readonly status?: StatusTarget | undefined;
      }
    | undefined;
}

export interface HostProbe {
  readonly engine: EngineId;
  readonly disks: readonly string[];
  readonly everyMs: number;
}

export interface ProbesOptions {
  readonly channels: readonly ChannelProbes[];
  readonly hosts: readonly HostProbe[];
  readonly clock: Clock;
  readonly onSample: (sample: Sample) => void;
  /** A probe threw, which none should. */
  readonly onBug?: (probe: string, thrown: unknown) => void;
  /** Hears once of each change: a status page cannot be read, or can again. */
  readonly report?: (channel: ChannelId, because: string) => void;
  /** Default: one of its own, closed with the probes. */
  readonly ask?: BoundedFetch;
  /** How sources are opened. Default: by HTTP. */
  readonly openSource?: OpenSource;
  readonly concurrencyMax?: number;
  /** How late logs are read now, in milliseconds: what they say of a channel is so old. Default: never late. */
  readonly lateMs?: () => number;
  /** What is asked before a file that a dead file server would hold. Default: nothing. */
  readonly mounts?: Pick<MountChecks, 'check'>;
}

/** Active looks at outputs, sources and hosts. Each gives a sample, also when it fails. */
export interface Probes extends Disposable {
  start(): void;
  /** Looks at the channel's output and source now. */
  now(channel: ChannelId, wants?: readonly string[]): void;
  hostNow(engine: EngineId): void;
  /** A faster pace for the channel's probes, for a while: trouble is suspected. */
  fast(channel: ChannelId, forMs: number): void;
  /** What else is seen: it tells which channels need no close look. */
  saw(sample: Sample): void;
  /** Something complains of the channel: it is looked at at full pace for a while, from now on. */
  disturb(channel: ChannelId): void;
  stats(): { readonly outputs: PollerStats; readonly sources: PollerStats; readonly hosts: PollerStats };
}

/** Looks at once, of one kind. */
const CONCURRENCY_MAX = 64;
const LOOKS_PER_SECOND = 250;
const FAST_HLS_MS = 500;
const FAST_MS = 1_000;
/** Per try. A playlist that takes longer is as good as none: its segments are shorter. */
const HLS_TIMEOUT_MS = 3_000;
const REACH_TIMEOUT_MS = 3_000;
const SOURCE_TIMEOUT_MS = 5_000;
const HOST_TIMEOUT_MS = 5_000;
/** Master playlist, playlist, size of the newest segment: one try each. */
const HLS_DEADLINE_MS = 3 * HLS_TIMEOUT_MS;

export function createProbes(options: ProbesOptions): Probes {
  const { channels, hosts, clock, lateMs, onBug = () => undefined, report = () => undefined } = options;
  const ask = options.ask ?? boundedFetch(clock, { connectionsMax: CONCURRENCY_MAX });
  // Of what is in no doubt it is enough that it was heard.
  const written = playlistWatchOf(options, (channel) => {
    if (rests.outputMs(channel, clock.monotonicMs()) === 0) outputs.now(channel);
  });
  const rests = createRests(channels, { heardMs: (channel) => written.heardMs(channel), lateMs });
  const onSample = (sample: Sample): void => {
    rests.observe(sample);
    if (sample.kind === 'playlist') written.looked(sample);
    options.onSample(sample);
  };
  const { mounts, openSource: open } = options;
  const make: Make = { clock, ask, rests, mounts, open, emit: emitter({ ...options, onSample }) };
  const pollerOf = (probes: readonly Probe[], paced: Pick<PollerOptions, 'restMs' | 'perSecondMax'> = {}): Poller =>
    new Poller({ clock, onBug, probes, concurrencyMax: options.concurrencyMax ?? CONCURRENCY_MAX, ...paced });
  const byStatus = (of: StatusProbe['of']): readonly Probe[] =>
    statusProbes(
      channels.flatMap((channel) => statusLook(channel, of)),
      { clock, ask, onSample, report },
    );
  // Kept apart, so that an origin that does not answer delays no look at an output.
  const outputs = pollerOf([...channels.flatMap((channel) => outputProbe(channel, make)), ...byStatus('output')], {
    restMs: rests.outputMs,
    perSecondMax: perSecondMaxOf(channels, 'output'),
  });
  const sources = pollerOf([...channels.flatMap((channel) => sourceProbe(channel, make)), ...byStatus('source')], {
    restMs: rests.sourceMs,
    perSecondMax: perSecondMaxOf(channels, 'source'),
  });
  const asked: DiskQuestions = new Map();
  const machines = pollerOf(hosts.map((host) => hostProbe(host, make, asked)));
  const pollers = [outputs, sources, machines];
  const disturb = (channel: ChannelId): void => rests.calm.disturb(channel, clock.monotonicMs());
  // Begun with the probes: a timer of something that was never started would keep a failed process from ending.
  let watch: Disposable | undefined;
  return {
    start: () => {
      for (const poller of pollers) poller.start();
      written.start();
      if (rests.isAny) watch = watchDoubts(clock, [outputs, sources]);
    },
    now: (channel, wants = ['output', 'source']) => {
      disturb(channel);
      if (wants.includes('output')) outputs.now(channel);
      if (wants.includes('source')) sources.now(channel);
    },
    hostNow: (engine) => machines.now(engine),
    fast: (channel, forMs) => {
      disturb(channel);
      outputs.fast(channel, forMs);
      sources.fast(channel, forMs);
    },
    saw: (sample) => rests.observe(sample),
    disturb,
    stats: () => ({ outputs: outputs.stats(), sources: sources.stats(), hosts: machines.stats() }),
    [Symbol.dispose]: () => {
      watch?.[Symbol.dispose]();
      written[Symbol.dispose]();
      for (const poller of pollers) poller[Symbol.dispose]();
      if (options.ask === undefined) ask[Symbol.dispose]();
    },
  };
}

const playlistWatchOf = (
  { channels, clock, mounts, report = () => undefined }: ProbesOptions,
  onChange: (channel: ChannelId) => void,
): PlaylistWatch =>
  new PlaylistWatch({
    playlists: channels.flatMap(({ id: channel, output }) =>
      output?.kind === 'file' ? [{ channel, path: output.path }] : [],
    ),
    ...{ clock, report, onChange, check: mounts && ((folder) => mounts.check(folder)) },
  });

/** Twice as many looks as calm channels need; at least as many as some hundred channels need at full pace. */
function perSecondMaxOf(channels: readonly ChannelProbes[], of: 'output' | 'source'): number {
  const perSecond = channels.reduce((sum, { [of]: look }) => {
    return look === undefined ? sum : sum + SECOND_MS / Math.max(look.everyMs, look.calmEveryMs ?? 0);
  }, 0);
  return Math.max(LOOKS_PER_SECOND, 2 * perSecond);
}

type Unstamped<Kind extends Sample> = Kind extends Sample ? Omit<Kind, 'at' | 'monoMs'> : never;
type Emit = (sample: Unstamped<Sample>, signal: AbortSignal) => void;

interface Make {
  readonly clock: Clock;
  readonly ask: BoundedFetch;
  readonly emit: Emit;
  readonly rests: Rests;
  readonly open: OpenSource | undefined;
  readonly mounts: ProbesOptions['mounts'];
}

/** A sample is dated when it is there. A look that was ended because Reeve stops is no sample. */
const emitter =
  ({ clock, onSample }: ProbesOptions): Emit =>
  (sample, signal) => {
    if (signal.aborted && isStopped(signal)) return;
    onSample({ ...sample, at: clock.now(), monoMs: clock.monotonicMs() } as Sample);
  };

/** A deadline gives a `ReeveError`; the end of all probes gives the platform's own `AbortError`. */
const isStopped = (signal: AbortSignal): boolean => signal.reason instanceof DOMException;

function statusLook({ id: channel, output, source }: ChannelProbes, of: StatusProbe['of']): StatusProbe[] {
  if (of === 'source') {
    const { status, everyMs = 0 } = source ?? {};
    return status === undefined ? [] : [{ ...status, channel, of, everyMs, stallAfterMs: 0 }];
  }
  if (output?.kind !== 'status') return [];
  const { status, everyMs, stallAfterMs = 0 } = output;
  return [{ ...status, channel, of, everyMs, stallAfterMs }];
}

function outputProbe({ id: channel, output }: ChannelProbes, make: Make): Probe[] {
  if (output === undefined || output.kind === 'status') return [];
  const { kind, everyMs } = output;
  const create = OUTPUT_PROBES[kind] as (look: OutputLook, channel: ChannelId, make: Make) => Omit<Probe, 'everyMs'>;
  return [{ ...create(output, channel, make), everyMs, peer: peerOf(output) }];
}

function peerOf(look: Exclude<OutputLook, { readonly kind: 'status' }>): string | undefined {
  if (look.kind === 'file') return undefined;
  return look.kind === 'tcp' ? `${look.host}:${look.port}` : new URL(look.url).host;
}

/** One way to look. Those through a status page are made together, because one page covers many streams. */
type OutputProbes = {
  readonly [Kind in Exclude<OutputKind, 'status'>]: (
    look: Extract<OutputLook, { readonly kind: Kind }>,
    channel: ChannelId,
    make: Make,
  ) => Omit<Probe, 'everyMs'>;
};

/** A kind without a probe does not compile. */
const OUTPUT_PROBES: OutputProbes = {
  hls: ({ url }, channel, make) => playlistProbe('hls', channel, { make, look: createHlsProbe(askedOf(url, make)) }),
  dash: ({ url }, channel, make) => playlistProbe('dash', channel, { make, look: createDashProbe(askedOf(url, make)) }),
  file: ({ path }, channel, make) => playlistProbe('file', channel, { make, look: playlistFile(path, make) }),
  http: ({ url }, channel, make) =>
    reachProbe('http', {
      channel,
      make,
      look: (signal) => reachHttp({ url, ask: make.ask, timeoutMs: REACH_TIMEOUT_MS }, signal),
    }),
  tcp: ({ host, port }, channel, make) =>
    reachProbe('tcp', { channel, make, look: (signal) => reachTcp(host, port, signal) }),
};

const playlistFile = (path: string, { clock, mounts }: Make): PlaylistLook =>
  createPlaylistFileProbe({ path, clock, check: mounts?.check(path) });

const askedOf = (url: string, { ask, clock }: Make) => ({ url, ask, clock, timeoutMs: HLS_TIMEOUT_MS });

function playlistProbe(
  source: 'hls' | 'dash' | 'file',
  channel: ChannelId,
  { make: { clock, emit, rests }, look }: { readonly make: Make; readonly look: PlaylistLook },
): Omit<Probe, 'everyMs'> {
  const run = async (signal: AbortSignal): Promise<void> => {
    const isCalm = rests.goesOn(channel, clock.monotonicMs());
    emit({ kind: 'playlist', channel, source, ...(await look(signal, isCalm)) }, signal);
  };
  return { name: channel, fastEveryMs: FAST_HLS_MS, timeoutMs: HLS_DEADLINE_MS, run };
}

interface ReachParts {
  readonly channel: ChannelId;
  readonly make: Make;
  readonly look: (signal: AbortSignal) => ReturnType<typeof reachTcp>;
}

function reachProbe(source: 'http' | 'tcp', { channel, make, look }: ReachParts): Omit<Probe, 'everyMs'> {
  const run = async (signal: AbortSignal): Promise<void> =>
    make.emit({ kind: 'reach', channel, source, ...(await look(signal)) }, signal);
  return { name: channel, fastEveryMs: FAST_MS, timeoutMs: REACH_TIMEOUT_MS, run };
}

function sourceProbe({ id: channel, source }: ChannelProbes, { clock, emit, rests, open }: Make): Probe[] {
  if (source === undefined || source.status !== undefined) return [];
  const { url, expect, redirectsTo, everyMs } = source;
  const run = async (signal: AbortSignal): Promise<void> => {
    const isCalm = rests.goesOn(channel, clock.monotonicMs());
    const reading = await probeSource({ url, expect, redirectsTo, clock, isCalm, open }, signal);
    emit({ kind: 'source', channel, source: 'source', ...reading }, signal);
  };
  const peer = new URL(url).host;
  return [{ name: channel, everyMs, peer, fastEveryMs: FAST_MS, timeoutMs: SOURCE_TIMEOUT_MS, run }];
}

function hostProbe({ engine, disks, everyMs }: HostProbe, { emit }: Make, asked: DiskQuestions): Probe {
  const look = createHostProbe(disks, asked);
  const run = async (signal: AbortSignal): Promise<void> =>
    emit({ kind: 'host', engine, source: 'host', ...(await look(signal)) }, signal);
  return { name: engine, everyMs, fastEveryMs: FAST_MS, timeoutMs: HOST_TIMEOUT_MS, run };
}
