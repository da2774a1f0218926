/** What `reeve hints` needs beside a daemon; the code behind it is loaded by the command that needs it. */
import type { HintsDeps } from '../cli/commands/hints.ts';
import { formatProblem } from '../config/check.ts';
import type { LoadedConfig } from '../config/config.ts';
import { type Problem, ReeveError } from '../core/errors.ts';

/** What is wrong with hints: with these files, or with those of the configuration where none is named. */
export async function hintProblems(load: () => LoadedConfig, files: readonly string[]): Promise<readonly Problem[]> {
  if (files.length > 0) return (await import('../hints/files.ts')).hintsIn(files).problems;
  const { config } = load();
  return config === undefined ? [] : (await import('../hints/sources.ts')).problemsOf(config.hints);
}

/** `load` reads the configuration; its folder is where a bundle goes. */
export const hintsCommand = (load: () => LoadedConfig): HintsDeps => ({
  folder() {
    const { config, problems } = load();
    if (config !== undefined) return config.hints.folder;
    throw new ReeveError('CONFIG_INVALID', problems.map(formatProblem).join('\n'), { hint: 'reeve check lists them' });
  },
  async inspect(folder) {
    const { clusters, patterns } = (await import('../hints/bundle.ts')).readBundle(folder);
    return { clusters: clusters.length, patterns: patterns.size };
  },
  trial: async (order) => (await import('../simulation/hint_trial.ts')).tryHints(order),
});
