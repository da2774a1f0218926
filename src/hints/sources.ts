/** Everything that hints come from: the bundle of a refinery, and the operator's own files beside it. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { formatProblem } from '../config/check.ts';
import { messageOf, type Problem, ReeveError } from '../core/errors.ts';
import { type Bundle, INDEX_FILE, readBundle } from './bundle.ts';
import { readHintFiles } from './files.ts';

/** Where they lie. Neither folder need exist. */
export interface HintSources {
  /** With `bridge_index.json` and `code_patterns/`. */
  readonly folder: string;
  /** With `*.md` of one's own. */
  readonly files: string;
}

const hasBundle = ({ folder }: HintSources): boolean => existsSync(join(folder, INDEX_FILE));

/** Both together. Throws CONFIG_INVALID with the first problems, also where there is nothing at all. */
export function readSources(sources: HintSources): Bundle {
  const own = readHintFiles(sources.files);
  if (own.problems.length > 0) {
    throw new ReeveError('CONFIG_INVALID', own.problems.slice(0, 5).map(formatProblem).join('\n'), {
      hint: 'reeve check lists all of them',
    });
  }
  // Asked for what is not there, it says where it looked.
  if (!hasBundle(sources) && own.bundle.clusters.length > 0) return own.bundle;
  const bundle = readBundle(sources.folder);
  return {
    clusters: [...bundle.clusters, ...own.bundle.clusters],
    patterns: new Map([...bundle.patterns, ...own.bundle.patterns]),
    writtenAt: Math.max(bundle.writtenAt, own.bundle.writtenAt),
  };
}

/** Whether there is anything to read, sound or not. */
export function hasSources(sources: HintSources): boolean {
  if (hasBundle(sources)) return true;
  const { bundle, problems } = readHintFiles(sources.files);
  return bundle.clusters.length > 0 || problems.length > 0;
}

/** Every problem of both, for `reeve check`. */
export function problemsOf(sources: HintSources): readonly Problem[] {
  const { problems } = readHintFiles(sources.files);
  if (!hasBundle(sources)) return problems;
  try {
    readBundle(sources.folder);
    return problems;
  } catch (thrown) {
    const file = join(sources.folder, INDEX_FILE);
    return [...problems, { file, line: 1, column: 1, path: '', message: messageOf(thrown) }];
  }
}
