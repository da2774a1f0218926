/** Plays a recording through the decision path. */
import { decodersFor } from '../collect/formats/formats.ts';
import type { LogFormat } from '../collect/formats/schema.ts';
import { DEFAULT_CALM_PACES } from '../config/document/calm_paces.ts';
import type { Configuration } from '../config/load.ts';
import type { EpochMs } from '../core/clock.ts';
import { MINUTE_MS } from '../core/duration.ts';
import type { Sample } from '../core/sample.ts';
import type { ChannelId, EngineId } from '../core/scope.ts';
import type { Capability } from '../core/tool.ts';
import type { ChannelSetup } from '../ground/facts/setup.ts';
import type { Settings } from '../incident/pipeline/settings.ts';
import type { CreateDetector, Recognising } from '../policy_tests/by_logs.ts';
import { type Batch, batchesOf, batchesOfLines, type LogTally, newTally } from './batches.ts';
import { ALL_CAPABILITIES } from '../replay/recording_engine.ts';
import { Replica, type ReplicaSetup } from '../replay/replica.ts';
import { type Scene, settingOf } from './scene.ts';

/** One course of a recording through the decision path. */
export interface Played {
  readonly replica: Replica;
  readonly from: EpochMs;
  readonly to: EpochMs;
  readonly tallies: readonly LogTally[];
  readonly samples: number;
}

export interface PlayOrder {
  readonly scene: Scene;
  readonly settings: Settings;
  readonly configuration: Configuration | undefined;
  /** The configured channels, as the daemon takes them. */
  readonly setups: readonly ChannelSetup[];
  /** Of configured logs that are an engine's, by their source. */
  readonly sourceEngines: ReadonlyMap<string, EngineId>;
  /** Of the configured engines; any other is taken to be able to do everything. */
  readonly capabilities: ReadonlyMap<EngineId, ReadonlySet<Capability>>;
  readonly createDetector: CreateDetector;
}

/**
 * After the last record it goes on for this long: enough for what is held back for some seconds, and too short for the
 * end of the recording to look like an observer that has gone blind.
 */
const TAIL_MS = 10_000;
/** A stretch this long without any record is passed at once, where nothing is open. */
const GAP_MS = 10 * MINUTE_MS;
const GAP_LEFT_MS = 5_000;

/** Plays the recording, in the order of its times, through the decision path of the daemon. */
export async function play(order: PlayOrder): Promise<Played> {
  const { scene, createDetector } = order;
  let readLog: Recognising['readLog'] = () => undefined;
  const replica = new Replica({ ...setupOf(order), at: scene.from, readLog: (id) => readLog(id) });
  const { clock, pipeline } = replica;
  // As the daemon does, what one batch of lines says is judged once.
  let isNews = false;
  const names = new Map(order.configuration?.config.channels.map(({ id, name }) => [id, name]));
  const recognising = createDetector({
    clock,
    channels: scene.channels.map((id) => ({ id, name: names.get(id) ?? id, ...engineOf(id, order) })),
    engines: order.sourceEngines,
    onSymptom: (symptom) => pipeline.symptom(symptom),
    onSample: (sample) => {
      isNews = pipeline.take(sample) || isNews;
    },
  });
  const tallies = scene.logs.map(({ source }) => newTally(source));
  const { detector } = recognising;
  readLog = recognising.readLog;
  // Reports of an encoder in a file of their own have no times: nothing can be said of its pace.
  const decoders = decodersFor(detector.accept, () => undefined);
  pipeline.start();
  let to = scene.from;
  for (const item of merged(scene, tallies)) {
    to = Math.max(to, item.at);
    const monoMs = clock.monoAt(item.at);
    if (monoMs - clock.monotonicMs() > GAP_MS && pipeline.incidents().open.length === 0)
      clock.skip(monoMs - GAP_LEFT_MS);
    if (monoMs > clock.monotonicMs()) await replica.runUntil(monoMs);
    if ('samples' in item) see(replica, item.samples);
    else decoders[item.written]({ ...item, backlog: false, at: clock.now(), monoMs: clock.monotonicMs() });
    if (isNews) pipeline.settle();
    isNews = false;
    if (replica.busy) await replica.settle();
  }
  await replica.runUntil(clock.monoAt(to) + TAIL_MS);
  replica[Symbol.dispose]();
  return { replica, from: scene.from, to, tallies, samples: scene.samples.length };
}

function engineOf(channel: ChannelId, { setups }: PlayOrder): { readonly engine?: EngineId } {
  const known = setups.find(({ id }) => id === channel);
  return known === undefined ? {} : { engine: known.engine };
}

function see({ pipeline, clock, engines }: Replica, samples: readonly Sample[]): void {
  for (const recorded of samples) {
    const sample = { ...recorded, at: clock.now(), monoMs: clock.monotonicMs() };
    if (sample.kind === 'engine' || sample.kind === 'credential') engines.get(sample.engine)?.heard(sample);
    pipeline.take(sample);
  }
  pipeline.settle();
}

interface Looks {
  readonly at: EpochMs;
  readonly samples: readonly Sample[];
}

type Written = Batch & { readonly written: LogFormat };

/** All records in the order of their times; at equal times logs first, by the name of their source. */
function* merged(scene: Scene, tallies: readonly LogTally[]): Generator<Written | Looks, void, undefined> {
  const streams: { readonly rest: Iterator<Written | Looks>; head: Written | Looks }[] = [];
  const add = (rest: Iterator<Written | Looks>): void => {
    const first = rest.next();
    if (first.done !== true) streams.push({ rest, head: first.value });
  };
  scene.logs.forEach((log, index) => {
    const { lines, source, channel, written = 'text' } = log;
    const tally = tallies[index] ?? newTally(source);
    if (lines !== undefined) add(asWritten(batchesOfLines(lines, { source, channel }, tally), written));
    else add(asWritten(batchesOf(log, { at: scene.from, setting: settingOf(log, scene.setting) }, tally), written));
  });
  add(looksOf(scene.samples));
  while (streams.length > 0) {
    const next = streams.reduce((first, one) => (one.head.at < first.head.at ? one : first));
    yield next.head;
    const following = next.rest.next();
    if (following.done === true) streams.splice(streams.indexOf(next), 1);
    else next.head = following.value;
  }
}

function* asWritten(batches: Iterable<Batch>, written: LogFormat): Generator<Written, void, undefined> {
  for (const batch of batches) yield { ...batch, written };
}

/** Samples of one moment are one look, judged together. */
function* looksOf(samples: readonly Sample[]): Generator<Looks, void, undefined> {
  for (let from = 0, to = 1; from < samples.length; to += 1) {
    if (samples[to]?.at === samples[from]?.at) continue;
    yield { at: samples[from]!.at, samples: samples.slice(from, to) };
    from = to;
  }
}

const STALL_AFTER_MS = 6_000;
const LOOK_EVERY_MS = 2_000;
const SOURCE_EVERY_MS = 10_000;
const POLL_MS = 1_000;

/** What was not recorded was not looked at: a silent probe must not look like a blind observer. */
function setupOf({ scene, settings, configuration, setups, capabilities }: PlayOrder): Omit<ReplicaSetup, 'at'> {
  const seen = new Set(scene.samples.map((sample) => ('channel' in sample ? `${sample.kind}|${sample.channel}` : '')));
  const engineOf = new Map(scene.samples.flatMap((one) => (one.kind === 'process' ? [[one.channel, one.engine]] : [])));
  const configured = new Map(setups.map((setup) => [setup.id, setup]));
  const channels = scene.channels.map((id): ChannelSetup => {
    const known = configured.get(id);
    const engine = known?.engine ?? engineOf.get(id) ?? 'recorded';
    return {
      id,
      engine,
      group: engine,
      expected: 'always',
      stallAfterMs: STALL_AFTER_MS,
      outputEveryMs: LOOK_EVERY_MS,
      sourceEveryMs: SOURCE_EVERY_MS,
      // Between two looks at a calm channel its daemon was not blind either.
      ...DEFAULT_CALM_PACES,
      ...known,
      hasSource: seen.has(`source|${id}`),
      hasOutputProbe: seen.has(`playlist|${id}`) || seen.has(`reach|${id}`),
    };
  });
  const ids = new Set([...channels.map(({ engine }) => engine), ...scene.samples.flatMap(engineIn)]);
  const hosts = new Set(scene.samples.flatMap((one) => (one.kind === 'host' ? [one.engine] : [])));
  const engines = [...ids].sort().map((id) => {
    const known = configuration?.config.engines.find((engine) => engine.id === id);
    return {
      id,
      pollMs: known?.poll ?? POLL_MS,
      autorestartGraceMs: known?.autorestart_grace ?? POLL_MS,
      hostEveryMs: hosts.has(id) ? (known?.host?.every ?? SOURCE_EVERY_MS) : undefined,
      capabilities: capabilities.get(id) ?? ALL_CAPABILITIES,
    };
  });
  return { settings, channels, engines };
}

const engineIn = (sample: Sample): readonly string[] => ('engine' in sample ? [sample.engine] : []);
