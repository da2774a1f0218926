import type { Log } from './app_world.ts';
import { safeText } from './collect/clean.ts';
import { createEnginePoll } from './collect/engines.ts';
import { createProbes } from './collect/probes.ts';
import { parseProgress } from './collect/progress.ts';
import { createTail, type Tail } from './collect/tail.ts';
import type { TailSource } from './collect/tail/types.ts';
import type { ChannelConfig } from './config/config.ts';
import type { Configuration } from './config/load.ts';
import type { CheckpointStore } from './core/chunk.ts';
import type { Clock } from './core/clock.ts';
import type { Engine } from './core/engine.ts';
import type { Sample } from './core/sample.ts';
import type { ChannelId, EngineId } from './core/scope.ts';
import type { Symptom, SymptomKind } from './core/symptom.ts';
import { BlindSpots } from './detect/blind_spots.ts';
import { compileCatalogue } from './detect/catalogue.ts';
import { createChannelTable } from './detect/channels.ts';
import { createDetector, type Detector } from './detect/detector.ts';
import type { Want } from './ground/row.ts';
import type { ChannelSetup, EngineSetup } from './ground/setup.ts';

export interface CollectDeps {
  readonly clock: Clock;
  readonly checkpoints: CheckpointStore;
  readonly engines: ReadonlyMap<EngineId, Engine>;
  readonly log: Log;
  readonly onSample: (sample: Sample) => void;
  /** Everything one look at an engine told. */
  readonly onPolled: (samples: readonly Sample[]) => void;
  readonly onSymptom: (symptom: Symptom) => void;
}

/** All that watches the world: log files, engines, probes. */
export interface Collectors extends AsyncDisposable {
  readonly channelSetups: readonly ChannelSetup[];
  readonly engineSetups: readonly EngineSetup[];
  start(): void;
  lookCloser(channels: readonly ChannelId[], forMs: number): void;
  lookNow(channel: ChannelId, wants: readonly Want[]): void;
  /** Takes a new pattern catalogue into use. */
  recompile(configuration: Configuration): void;
  lines(): readonly { readonly source: string; readonly result: string; readonly lines: number }[];
  blindSpots(): readonly unknown[];
}

const NO_STALL_MS = 6_000;
const NO_PROBE_MS = 2_000;
const NO_SOURCE_MS = 10_000;

export function createCollectors(configuration: Configuration, deps: CollectDeps): Collectors {
  const { config } = configuration;
  const channels = createChannelTable(
    config.channels.map(({ id }) => id),
    config.channels.map(({ id, name }) => ({ name, channel: id })),
  );
  const onNotice = (channel: ChannelId) => hint(channel);
  let sight = sightFor(configuration, channels, { ...deps, onNotice });
  const tail = createTail({
    sources: sourcesOf(configuration),
    clock: deps.clock,
    checkpoints: deps.checkpoints,
    sink: (chunk) => sight.detector.accept(chunk),
    report: ({ kind, source, path, because }) =>
      deps.log[ORDINARY.has(kind) ? 'info' : 'warn']({ source, path, kind }, because),
  });
  const polled: Sample[] = [];
  const poll = createEnginePoll({
    engines: config.engines.flatMap(({ id, poll: pollMs }) => {
      const engine = deps.engines.get(id);
      return engine === undefined ? [] : [{ engine, pollMs }];
    }),
    clock: deps.clock,
    onSample: (sample) => polled.push(sample),
    onLooked: () => deps.onPolled(polled.splice(0)),
  });
  const probes = createProbes({
    channels: config.channels.map(({ id, output, source }) => ({ id, output, source })),
    hosts: config.engines.flatMap(({ id, host }) =>
      host === undefined ? [] : [{ engine: id, disks: host.disks, everyMs: host.every }],
    ),
    clock: deps.clock,
    onSample: deps.onSample,
  });
  const engineOf = new Map(config.channels.map(({ id, engine }) => [id, engine]));
  /** A supervisor's log says that something ended: the process table is asked at once. */
  const hint = (channel: ChannelId): void => {
    const engine = engineOf.get(channel);
    if (engine === undefined) return;
    poll.now(engine);
    probes.fast(channel, HINT_FAST_MS);
  };
  return {
    channelSetups: config.channels.map(setupOf),
    engineSetups: config.engines.map(({ id, poll: pollMs, autorestart_grace: autorestartGraceMs, host }) => ({
      id,
      pollMs,
      autorestartGraceMs,
      hostEveryMs: host?.every,
    })),
    start() {
      tail.start();
      poll.start();
      probes.start();
    },
    lookCloser(ids, forMs) {
      for (const id of ids) probes.fast(id, forMs);
      for (const engine of new Set(ids.map((id) => engineOf.get(id)))) if (engine !== undefined) poll.now(engine);
    },
    lookNow(channel, wants) {
      const engine = engineOf.get(channel);
      if (wants.includes('process') && engine !== undefined) poll.now(engine);
      if (wants.includes('host') && engine !== undefined) probes.hostNow(engine);
      if (wants.includes('source') || wants.includes('output')) probes.now(channel, wants);
    },
    recompile(next) {
      sight = sightFor(next, channels, { ...deps, onNotice });
    },
    lines: () => linesOf(tail),
    blindSpots: () => sight.blindSpots.list(deps.clock.monotonicMs()),
    async [Symbol.asyncDispose]() {
      poll[Symbol.dispose]();
      probes[Symbol.dispose]();
      await tail[Symbol.asyncDispose]();
    },
  };
}

const HINT_FAST_MS = 15_000;
/** What log files do every day. */
const ORDINARY: ReadonlySet<string> = new Set(['following', 'rotated']);

interface Sight {
  readonly detector: Detector;
  readonly blindSpots: BlindSpots;
}

/**
 * What recognises lines, and what remembers those that nothing recognised; both of one catalogue. A replay uses it too:
 * it must hear what the daemon would.
 */
export function sightFor(
  { patterns }: Pick<Configuration, 'patterns'>,
  channels: ReturnType<typeof createChannelTable>,
  deps: Pick<CollectDeps, 'clock' | 'onSymptom' | 'onSample'> & { readonly onNotice: (channel: ChannelId) => void },
): Sight {
  const { catalogue } = compiledOf(patterns);
  const blindSpots = new BlindSpots(catalogue);
  const detector = createDetector({
    catalogue,
    clock: deps.clock,
    channels,
    clean: (text) => safeText(text),
    parseProgress,
    onSymptom: (symptom) => {
      if (!isVisitorsWord(symptom)) deps.onSymptom(symptom);
    },
    onProgress: deps.onSample,
    onNotice: ({ channel }) => deps.onNotice(channel),
    onUnrecognised: (complaint) => {
      blindSpots.observe(complaint);
    },
  });
  return { detector, blindSpots };
}

/** Symptoms that any visitor of a web server can write into its log, by asking for what is not there. */
const VISITORS: ReadonlySet<SymptomKind> = new Set<SymptomKind>([
  'upstream_not_found',
  'upstream_unreachable',
  'upstream_timeout',
  'segment_missing',
  'auth_denied',
  'auth_expired',
  'rate_limited',
  'tls_failure',
]);

/** The log of a server that belongs to no channel says what its visitors asked for, not what the channel suffers. */
const isVisitorsWord = ({ kind, evidence }: Symptom): boolean =>
  VISITORS.has(kind) && evidence.length > 0 && evidence.every(({ source }) => source.startsWith('source:'));

type Compiled = ReturnType<typeof compileCatalogue>;
const compiled = new WeakMap<Configuration['patterns'], Compiled>();

/** The same set of files is compiled once, for its check and for its use: it is most of the work of a start. */
export function compiledOf(patterns: Configuration['patterns']): Compiled {
  const known = compiled.get(patterns);
  if (known !== undefined) return known;
  const fresh = compileCatalogue(patternSourcesOf(patterns));
  compiled.set(patterns, fresh);
  return fresh;
}

/** Pattern files as detect wants them. */
export const patternSourcesOf = (patterns: Configuration['patterns']) =>
  patterns.map(({ file, value, at }) => ({
    file,
    value,
    position: (path: readonly PropertyKey[]) => at(path.filter((part) => typeof part !== 'symbol')),
  }));

function sourcesOf({ config }: Configuration): readonly TailSource[] {
  const own = (prefix: string, paths: readonly string[], channel: ChannelId | undefined): TailSource[] =>
    paths.map((path, index) => ({ id: index === 0 ? prefix : `${prefix}#${index + 1}`, path, channel }));
  return [
    ...config.channels.flatMap(({ id, logs }) => own(id, logs, id)),
    ...config.engines.flatMap(({ id, logs }) =>
      own(
        `engine:${id}`,
        logs.map(({ path }) => path),
        undefined,
      ),
    ),
    ...config.sources.map(({ id, path }) => ({ id: `source:${id}`, path, channel: undefined })),
  ];
}

const setupOf = ({
  id,
  group,
  engine,
  expected,
  hasSource,
  hasOutputProbe,
  output,
  source,
}: ChannelConfig): ChannelSetup => ({
  id,
  group,
  engine,
  expected,
  hasSource,
  hasOutputProbe,
  stallAfterMs: output?.stallAfterMs ?? NO_STALL_MS,
  outputEveryMs: output?.everyMs ?? NO_PROBE_MS,
  sourceEveryMs: source?.everyMs ?? NO_SOURCE_MS,
});

const linesOf = (tail: Tail) =>
  tail
    .stats()
    .flatMap(({ source, matched, unmatched, dropped }) => [
      { source, result: 'matched', lines: matched },
      { source, result: 'unmatched', lines: unmatched },
      ...dropped.map(({ reason, lines }) => ({ source, result: `dropped_${reason}`, lines })),
    ]);
