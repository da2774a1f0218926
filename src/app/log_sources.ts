/** Names the log files and commands that a configuration follows, and decodes their formats. */
import { decodersFor } from '../collect/formats/formats.ts';
import type { LogFormat } from '../collect/formats/schema.ts';
import { type ExpectedReadings, nameOfQuery } from '../collect/prometheus/pool.ts';
import type { CommandSource } from '../collect/command/command.ts';
import type { TailSource } from '../collect/tail/types.ts';
import type { Config, LogSourceConfig } from '../config/config.ts';
import type { Chunk, ChunkSink } from '../core/chunk.ts';
import { unreachable } from '../core/errors.ts';
import type { ProgressSample } from '../core/sample.ts';
import type { ChannelId, EngineId } from '../core/scope.ts';

/** The log of something that belongs to no channel says what its visitors asked for: such ids begin with `source:`. */
const idOfSource = ({ id, channel }: LogSourceConfig): string => (channel === undefined ? `source:${id}` : `log:${id}`);

/** The first log of a channel or engine bears its name. */
const idOfLog = (owner: string, index: number): string => (index === 0 ? owner : `${owner}#${index + 1}`);

/**
 * Every file that is followed. Those of engines come first: each speaks of many channels, so it is opened before the
 * files that a process may open are spent on channels.
 */
export function filesOf(config: Config): readonly TailSource[] {
  const own = (prefix: string, paths: readonly string[], channel: ChannelId | undefined): TailSource[] =>
    paths.map((path, index) => ({ id: idOfLog(prefix, index), path, channel }));
  return [
    ...config.engines.flatMap(({ id, logs }) =>
      own(
        `engine:${id}`,
        logs.map(({ path }) => path),
        undefined,
      ),
    ),
    ...config.channels.flatMap(({ id, logs }) => own(id, logs, id)),
    ...followed(config).files,
  ];
}

interface Followed {
  readonly files: readonly TailSource[];
  readonly commands: readonly CommandSource[];
  readonly inputs: readonly { readonly id: string; readonly channel: ChannelId | undefined }[];
}

/** The entries of `sources:` by what follows them: a kind that nothing follows does not compile. */
export function followed({ sources }: Pick<Config, 'sources'>): Followed {
  const files: TailSource[] = [];
  const commands: CommandSource[] = [];
  const inputs: Followed['inputs'][number][] = [];
  for (const source of sources) {
    const { from, channel } = source;
    const id = idOfSource(source);
    if (from.kind === 'file') files.push({ id, path: from.path, channel });
    else if (from.kind === 'command') commands.push({ id, argv: from.argv, channel });
    else if (from.kind === 'stdin') inputs.push({ id, channel });
    else unreachable(from);
  }
  return { files, commands, inputs };
}

/** Whose log each source is that is an engine's: there a channel has the name that its engine gives it. */
export function enginesOf({ engines, sources }: Config): ReadonlyMap<string, EngineId> {
  const own = engines.flatMap(({ id, logs }) => logs.map((_, index) => [idOfLog(`engine:${id}`, index), id] as const));
  const others = sources.flatMap((source) =>
    source.engine === undefined ? [] : [[idOfSource(source), source.engine] as const],
  );
  return new Map([...own, ...others]);
}

/** The form of each log, by the id of its source; what is not named is plain text. */
export function formatsOf(config: Config): ReadonlyMap<string, LogFormat> {
  const logs = config.channels.flatMap(({ id, logs: paths, logFormats }) =>
    logFormats.map(({ path, format }) => [idOfLog(id, paths.indexOf(path)), format] as const),
  );
  return new Map([...logs, ...config.sources.map((source) => [idOfSource(source), source.format] as const)]);
}

/** Each chunk goes through the decoder of its source, where it has one. */
export function sinkFor(config: Config, plain: ChunkSink, onProgress: (sample: ProgressSample) => void): ChunkSink {
  const decoders = decodersFor(plain, onProgress);
  const bySource = new Map([...formatsOf(config)].map(([id, format]) => [id, decoders[format]]));
  return (chunk: Chunk) => (bySource.get(chunk.source) ?? plain)(chunk);
}

/** A pool that Prometheus is asked about must be answered at least every second time (law S8: a reading has an age). */
export const poolReadingsOf = (config: Config): ((engine: EngineId) => ExpectedReadings | undefined) => {
  const asked = config.collectors.prometheus.flatMap(({ id, everyMs, queries }) =>
    queries.flatMap(({ engine, query }) =>
      engine === undefined ? [] : [{ engine, name: nameOfQuery(id, query), staleMs: 2 * everyMs }],
    ),
  );
  const byEngine = Map.groupBy(asked, ({ engine }) => engine);
  const expected = new Map(
    [...byEngine].map(([engine, own]) => [engine, new Map(own.map(({ name, staleMs }) => [name, staleMs]))]),
  );
  return (engine) => expected.get(engine);
};
