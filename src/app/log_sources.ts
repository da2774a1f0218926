/** Names the log files and commands that a configuration follows, and decodes their formats. */
import { dockerJson } from '../collect/docker_json.ts';
import { ffmpegProgress } from '../collect/ffmpeg_progress.ts';
import type { TailSource } from '../collect/tail/types.ts';
import type { Config, LogSourceConfig } from '../config/config.ts';
import type { Chunk, ChunkSink } from '../core/chunk.ts';
import type { ProgressSample } from '../core/sample.ts';
import type { ChannelId, EngineId } from '../core/scope.ts';

/** The log of something that belongs to no channel says what its visitors asked for: such ids begin with `source:`. */
export const idOfSource = ({ id, channel }: LogSourceConfig): string =>
  channel === undefined ? `source:${id}` : `log:${id}`;

/** The first log of a channel or engine bears its name. */
const idOfLog = (owner: string, index: number): string => (index === 0 ? owner : `${owner}#${index + 1}`);

/** Every file that is followed. */
export function filesOf(config: Config): readonly TailSource[] {
  const own = (prefix: string, paths: readonly string[], channel: ChannelId | undefined): TailSource[] =>
    paths.map((path, index) => ({ id: idOfLog(prefix, index), path, channel }));
  return [
    ...config.channels.flatMap(({ id, logs }) => own(id, logs, id)),
    ...config.engines.flatMap(({ id, logs }) =>
      own(
        `engine:${id}`,
        logs.map(({ path }) => path),
        undefined,
      ),
    ),
    ...config.sources.flatMap((source) =>
      source.from.kind === 'file' ? [{ id: idOfSource(source), path: source.from.path, channel: source.channel }] : [],
    ),
  ];
}

/** Every command whose output is followed. */
export const commandsOf = (config: Config) =>
  config.sources.flatMap((source) =>
    source.from.kind === 'command' ? [{ id: idOfSource(source), argv: source.from.argv, channel: source.channel }] : [],
  );

/** Each chunk goes through the decoder of its source, where it has one. */
export function sinkFor(config: Config, plain: ChunkSink, onProgress: (sample: ProgressSample) => void): ChunkSink {
  const decoders = { text: plain, docker_json: dockerJson(plain), ffmpeg_progress: ffmpegProgress(onProgress) };
  const logs = config.channels.flatMap(({ id, logs: paths, logFormats }) =>
    logFormats.map(({ path, format }) => [idOfLog(id, paths.indexOf(path)), decoders[format]] as const),
  );
  const sources = config.sources.map((source) => [idOfSource(source), decoders[source.format]] as const);
  const bySource = new Map<string, ChunkSink>([...logs, ...sources]);
  return (chunk: Chunk) => (bySource.get(chunk.source) ?? plain)(chunk);
}

/** A pool that Prometheus is asked about must be told of at least every third time. */
export const poolStaleMs = (config: Config) => {
  const stale = new Map(
    config.collectors.prometheus.flatMap(({ everyMs, queries }) =>
      queries.flatMap(({ engine }) => (engine === undefined ? [] : [[engine, 3 * everyMs] as const])),
    ),
  );
  return (engine: EngineId) => stale.get(engine);
};
