/** How the lines of a log may be written, and the key that says so. */
import { z } from 'zod';

/** How the lines of a log are written down. `text`: as they are. */
const LOG_FORMATS = ['text', 'docker_json', 'ffmpeg_progress'] as const;
export type LogFormat = (typeof LOG_FORMATS)[number];

export const formatField = z
  .enum(LOG_FORMATS)
  .optional()
  .describe('How its lines are written: text, docker_json (json-file driver) or ffmpeg_progress. Default text.');
