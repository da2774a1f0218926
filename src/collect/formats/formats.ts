/** Decodes the formats in which the lines of a log may be written. */
import type { ChunkSink } from '../../core/chunk.ts';
import type { ProgressSample } from '../../core/sample.ts';
import { dockerJson } from './docker_json.ts';
import { ffmpegProgress } from './ffmpeg_progress.ts';
import type { LogFormat } from './schema.ts';

/** For each format what its chunks go through; a format without a decoder does not compile. */
export const decodersFor = (
  plain: ChunkSink,
  onProgress: (sample: ProgressSample) => void,
): Readonly<Record<LogFormat, ChunkSink>> => ({
  text: plain,
  docker_json: dockerJson(plain),
  ffmpeg_progress: ffmpegProgress(onProgress),
});
