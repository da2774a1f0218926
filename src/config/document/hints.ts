/** The part of the configuration about hints: where their bundle lies, and what counts as a blind spot. */
import { dirname, join, resolve } from 'node:path';
import { z } from 'zod';
import { duration } from '../../core/document/duration.ts';
import { HOUR_MS } from '../../core/duration.ts';

export const hintsDocument = z
  .strictObject({
    folder: z
      .string()
      .min(1)
      .optional()
      .describe('The bundle: bridge_index.json and code_patterns/. Default: hints/ in the state directory.'),
    files: z
      .string()
      .min(1)
      .optional()
      .describe('Hints of your own, one Markdown file each. Default: hints/ beside this file.'),
    router: z
      .enum(['auto', 'store', 'memory'])
      .optional()
      .describe(
        'store: clusters are kept and serve without the bundle; memory: read anew at each start. Default auto.',
      ),
    similarity_floor: z.number().min(0.05).max(1).optional().describe('Likeness that a hint needs. Default 0.3.'),
    blind_spot_window: duration('1m', '7d', 'How long an unknown error is counted. Default 1h.').optional(),
    blind_spot_threshold: z
      .int()
      .min(1)
      .max(1_000)
      .optional()
      .describe('So many within the window make a blind spot. Default 3.'),
  })
  .describe('Hints for agents and for the planner: docs/hints.md. Nothing of it is loaded before it is used.');

/** Hints as the daemon uses them. */
export interface HintsConfig {
  /** The bundle. */
  readonly folder: string;
  /** The operator's own. */
  readonly files: string;
  readonly router: 'auto' | 'store' | 'memory';
  readonly similarityFloor: number;
  readonly blindSpotWindowMs: number;
  readonly blindSpotThreshold: number;
}

/** With the defaults filled in; a relative folder is one beside the file. */
export function hintsOf(
  written: z.output<typeof hintsDocument> | undefined,
  { file, state }: { readonly file: string; readonly state: string },
): HintsConfig {
  return {
    folder: written?.folder === undefined ? join(state, 'hints') : resolve(dirname(file), written.folder),
    files: resolve(dirname(file), written?.files ?? 'hints'),
    router: written?.router ?? 'auto',
    similarityFloor: written?.similarity_floor ?? 0.3,
    blindSpotWindowMs: written?.blind_spot_window ?? HOUR_MS,
    blindSpotThreshold: written?.blind_spot_threshold ?? 3,
  };
}
