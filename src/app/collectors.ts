/** Everything that watches: log files, engines, probes, pushed lines; and the detector they feed. */
import type { PatternTrust } from '../rulebook/patterns/teaching.ts';
import { enginesOf, filesOf, followed, poolReadingsOf, sinkFor } from './log_sources.ts';
import { recognitionFor } from './recognition.ts';
import { createLogInputs, type LogInputs } from './log_inputs.ts';
import { safeText } from '../collect/clean.ts';
import { createCommandLog } from '../collect/command/command.ts';
import { createEnginePoll, type EnginePoll } from '../collect/engines.ts';
import { MountChecks } from '../collect/mounts/mount_checks.ts';
import { createProbes, type Probes } from '../collect/probes/probes.ts';
import { PoolReadings } from '../collect/prometheus/pool.ts';
import { ownFilesMax } from '../collect/tail/open_files.ts';
import { createTail } from '../collect/tail/tail.ts';
import type { SourceStats, TailNotice } from '../collect/tail/types.ts';
import type { Config } from '../config/config.ts';
import { channelSetupsOf, engineSetupsOf } from './channel_setups.ts';
import type { Configuration } from '../config/load.ts';
import type { CheckpointStore, ChunkSink } from '../core/chunk.ts';
import type { Clock } from '../core/clock.ts';
import type { Engine } from '../core/engine.ts';
import { messageOf } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import type { Sample } from '../core/sample.ts';
import type { ChannelId, EngineId } from '../core/scope.ts';
import { HARMLESS_SYMPTOMS, type LogReading, type Symptom } from '../core/symptom.ts';
import type { BlindSpots } from '../detect/templates/blind_spots.ts';
import { createChannelTable } from '../detect/channel_table.ts';
import { LastLinesOf } from '../detect/last_lines.ts';
import type { Want } from '../ground/rules/rule.ts';
import type { ChannelSetup, EngineSetup } from '../ground/facts/setup.ts';

export interface CollectDeps {
  readonly clock: Clock;
  readonly checkpoints: CheckpointStore;
  readonly engines: ReadonlyMap<EngineId, Engine>;
  readonly log: Log;
  readonly onSample: (sample: Sample) => void;
  /** What one poll of an engine returned, or a part of it; `onLooked` comes after the last. */
  readonly onPolled: (samples: readonly Sample[]) => void;
  readonly onLooked: () => void;
  readonly onSymptom: (symptom: Symptom) => void;
  /** A complaint that no pattern fits; its text is redacted. */
  readonly onUnrecognised?: (text: string, channel: ChannelId | undefined) => void;
  /** How far each pattern is trusted. Default: in full. */
  readonly trustIn?: (pattern: string) => PatternTrust;
  /** Reeve does not see what it should: a person must know. */
  readonly onBlind?: (text: string) => void;
  /** Log files that may be open at once. Default: what the limit of this process allows. */
  readonly filesMax?: number;
}

/** All that watches the world: log files, engines, probes. */
export interface Collectors extends AsyncDisposable {
  readonly channelSetups: readonly ChannelSetup[];
  readonly engineSetups: readonly EngineSetup[];
  /** Takes what others push. */
  readonly intake: LogInputs['intake'];
  start(): void;
  lookCloser(channels: readonly ChannelId[], forMs: number): void;
  lookNow(channel: ChannelId, wants: readonly Want[]): void;
  /** What the last lines of a channel's own log say as a whole. */
  readLog(channel: ChannelId): LogReading;
  /** Takes a new pattern catalogue into use. */
  recompile(configuration: Configuration): void;
  lines(): readonly { readonly source: string; readonly result: string; readonly lines: number }[];
  syslogClosed: LogInputs['syslogClosed'];
  /** What nothing recognised; another object after each `recompile`. */
  blindSpots(): BlindSpots;
}

export function createCollectors(configuration: Configuration, given: CollectDeps): Collectors {
  const { config } = configuration;
  const channels = createChannelTable(
    config.channels.map(({ id }) => id),
    config.channels.map(({ id, name, engine }) => ({ name, channel: id, engine })),
    enginesOf(config),
  );
  const deps = { ...given, ...seenBy(given, () => probes) };
  const heard = { ...deps, ...recognising(deps.log, (channel) => hint(channel)), lastLines: new LastLinesOf() };
  let sight = recognitionFor(configuration, channels, heard);
  const { clock } = deps;
  const sink = sinkFor(config, (chunk) => sight.detector.accept(chunk), deps.onSample);
  const mounts = new MountChecks({ clock });
  const { tail, commands } = logsOf(config, deps, { sink, mounts });
  const pools = new PoolReadings(clock, poolReadingsOf(config));
  const setups = channelSetupsOf(config);
  const inputs = inputsOf(config, deps, { sink, pools, channels });
  const engineOf = new Map(config.channels.map(({ id, engine }) => [id, engine]));
  const poll = pollOf(config, deps, pools, engineOf);
  const probes = probesOf(config, given, { mounts, lateMs: () => tail.lateMs() });
  /** A supervisor's log says that something ended: the process table is asked at once. */
  const hint = (channel: ChannelId): void => {
    poll.now(channel);
    probes.fast(channel, HINT_FAST_MS);
  };
  return {
    channelSetups: setups,
    intake: inputs.intake,
    engineSetups: engineSetupsOf(config),
    start() {
      tail.start();
      for (const each of [...commands, inputs, poll, probes]) each.start();
    },
    lookCloser(ids, forMs) {
      for (const id of ids) {
        probes.fast(id, forMs);
        poll.closer(id);
      }
    },
    lookNow(channel, wants) {
      const engine = engineOf.get(channel);
      if (wants.includes('process')) poll.now(channel);
      if (wants.includes('host') && engine !== undefined) probes.hostNow(engine);
      if (wants.includes('source') || wants.includes('output')) probes.now(channel, wants);
    },
    readLog: (channel) => sight.readLog(channel),
    recompile(next) {
      sight = recognitionFor(next, channels, heard);
    },
    lines: () => linesOf([...tail.stats(), ...commands.map((command) => command.stats()), ...inputs.stats()]),
    ...{ syslogClosed: inputs.syslogClosed, blindSpots: () => sight.blindSpots },
    async [Symbol.asyncDispose]() {
      poll[Symbol.dispose]();
      probes[Symbol.dispose]();
      await Promise.all(commands.map((command) => command[Symbol.asyncDispose]()));
      await inputs[Symbol.asyncDispose]();
      await tail[Symbol.asyncDispose]();
    },
  };
}

function logsOf(config: Config, deps: CollectDeps, own: { sink: ChunkSink; mounts: MountChecks }) {
  const { clock, checkpoints, filesMax = ownFilesMax() } = deps;
  const ports = { clock, checkpoints, sink: own.sink, report: reportOf(deps) };
  return {
    tail: createTail({ ...ports, mounts: own.mounts, sources: filesOf(config), limits: { filesMax } }),
    commands: followed(config).commands.map((source) => createCommandLog({ ...ports, source })),
  };
}

const recognising = (log: Log, onNotice: (channel: ChannelId) => void) => ({
  onNotice,
  onFailure: (because: string) => log.error({}, because),
});

/** Whatever is seen or heard of a channel also says how closely it must be looked at. */
function seenBy(deps: CollectDeps, probes: () => Probes): Pick<CollectDeps, 'onSample' | 'onPolled' | 'onSymptom'> {
  return {
    onSample: (sample) => {
      probes().saw(sample);
      deps.onSample(sample);
    },
    onPolled: (samples) => {
      for (const sample of samples) probes().saw(sample);
      deps.onPolled(samples);
    },
    onSymptom: (symptom) => {
      if (!HARMLESS_SYMPTOMS.has(symptom.kind)) probes().disturb(symptom.channel);
      deps.onSymptom(symptom);
    },
  };
}

function reportOf({ log, onBlind = () => undefined }: CollectDeps): (notice: TailNotice) => void {
  const paged = new Set<string>();
  return ({ source, path, kind, because }) => {
    log[ORDINARY.has(kind) ? 'info' : 'warn']({ source, path, kind }, because);
    if (!BLINDING.has(kind) || paged.has(kind)) return;
    paged.add(kind);
    onBlind(`logs: ${path}: ${kind === 'failed' ? `${NOT_READ}: ` : ''}${because}`);
  };
}

function inputsOf(
  config: Config,
  { clock, log, onSymptom, onSample, onBlind = () => undefined }: CollectDeps,
  own: {
    readonly sink: ReturnType<typeof sinkFor>;
    readonly pools: PoolReadings;
    readonly channels: ReturnType<typeof createChannelTable>;
  },
): LogInputs {
  return createLogInputs(config, {
    ...{ clock, sink: own.sink, pools: own.pools, log, onSymptom, onSample },
    onFailed: (source, because) => onBlind(`logs: ${source}: ${NOT_READ}: ${because}`),
    channelOf: (name) => {
      const number = own.channels.numberOf(name);
      return number === undefined ? undefined : own.channels.nameOf(number);
    },
  });
}

/** The poll of the engines, asked by channel. */
function pollOf(config: Config, deps: CollectDeps, pools: PoolReadings, engineOf: ReadonlyMap<ChannelId, EngineId>) {
  const poll = createEnginePoll({
    engines: config.engines.flatMap(({ id, poll: pollMs }) => {
      const engine = deps.engines.get(id);
      return engine === undefined ? [] : [{ engine, pollMs }];
    }),
    clock: deps.clock,
    onSamples: (samples) => deps.onPolled(samples.map((each) => (each.kind === 'engine' ? pools.over(each) : each))),
    onLooked: deps.onLooked,
    onBug: (engine, thrown) => deps.log.error({ engine }, `its look could not be taken: ${messageOf(thrown)}`),
    onChannelFailure: (engine, thrown) =>
      deps.log.warn({ engine }, `a look at one channel failed, its list is waited for: ${messageOf(thrown)}`),
    onFailure: (engine, because) => deps.log.warn({ engine }, `it does not answer well: ${safeText(because, 512)}`),
    onAnswer: (engine) => deps.log.info({ engine }, 'it answers well again'),
  });
  const of = (ask: EnginePoll['now']) => (channel: ChannelId) => {
    const engine = engineOf.get(channel);
    if (engine !== undefined) ask(engine, channel);
  };
  const end = (): void => poll[Symbol.dispose]();
  return { start: () => poll.start(), now: of(poll.now), closer: of(poll.closer), [Symbol.dispose]: end };
}

function probesOf(config: Config, deps: CollectDeps, read: { mounts: MountChecks; lateMs: () => number }) {
  return createProbes({
    channels: config.channels.map(({ id, output, source }) => ({ id, output, source })),
    hosts: config.engines.flatMap(({ id, host }) =>
      host === undefined ? [] : [{ engine: id, disks: host.disks, everyMs: host.every }],
    ),
    clock: deps.clock,
    onSample: deps.onSample,
    ...read,
    onBug: (probe, thrown) => deps.log.error({ probe }, `its look could not be taken: ${messageOf(thrown)}`),
    report: (channel, because) => deps.log.warn({ channel }, because),
  });
}

const HINT_FAST_MS = 15_000;
/** After these something is not read any more, whatever it says. */
const BLINDING: ReadonlySet<string> = new Set(['too_many_files', 'failed']);
const NOT_READ = 'it is not read any more until Reeve is started again';
/** What log files do every day. */
const ORDINARY: ReadonlySet<string> = new Set(['following', 'rotated']);

type Counted = Pick<SourceStats, 'source' | 'matched' | 'unmatched' | 'dropped'>;

const linesOf = (stats: readonly Counted[]) =>
  stats.flatMap(({ source, matched, unmatched, dropped }) => [
    { source, result: 'matched', lines: matched },
    { source, result: 'unmatched', lines: unmatched },
    ...dropped.map(({ reason, lines }) => ({ source, result: `dropped_${reason}`, lines })),
  ]);
