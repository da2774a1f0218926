/** Compiles the pattern files of a configuration. */
import { compileCatalogue } from '../detect/patterns/catalogue.ts';
import type { Configuration } from './load.ts';

/** The files without the patterns that must not be heard; those that are whole stay the same objects. */
export function heardOf(patterns: Configuration['patterns'], isHeard: (id: string) => boolean = () => true) {
  return patterns.flatMap((file) => {
    const { patterns: entries } = file.value as { readonly patterns: readonly { readonly id: string }[] };
    const kept = entries.filter(({ id }) => isHeard(id));
    if (kept.length === entries.length) return [file];
    return kept.length === 0 ? [] : [{ ...file, value: { ...(file.value as object), patterns: kept } }];
  });
}

/** For its check and for its use: a file that was compiled once is not compiled again. */
export const compiledOf = (patterns: Configuration['patterns']) => compileCatalogue(patternSourcesOf(patterns));

/** Pattern files as detect wants them. */
export const patternSourcesOf = (patterns: Configuration['patterns']) =>
  patterns.map(({ file, value, at }) => ({
    file,
    value,
    position: (path: readonly PropertyKey[]) => at(path.filter((part) => typeof part !== 'symbol')),
  }));
