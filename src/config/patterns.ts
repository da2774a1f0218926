/** Compiles the pattern files of a configuration. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Findings, findingsFrom } from '../detect/patterns/analysis.ts';
import { compileCatalogue } from '../detect/patterns/catalogue.ts';
import { SHIPPED } from './document/paths.ts';
import type { Configuration } from './load.ts';

/**
 * What the check of each shipped pattern found; `node scripts/pattern_findings.ts` writes it. A pattern that is not in
 * it is checked at load, which takes a millisecond.
 */
export const FINDINGS_FILE = resolve(SHIPPED, 'config/pattern_findings.json');

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
export const compiledOf = (patterns: Configuration['patterns']) =>
  compileCatalogue(patternSourcesOf(patterns), shippedFindings);

function shippedFindings(): Findings {
  try {
    return findingsFrom(readFileSync(FINDINGS_FILE, 'utf8'));
  } catch {
    // It only saves time.
    return new Map();
  }
}

/** Pattern files as detect wants them. */
export const patternSourcesOf = (patterns: Configuration['patterns']) =>
  patterns.map(({ file, value, at }) => ({
    file,
    value,
    position: (path: readonly PropertyKey[]) => at(path.filter((part) => typeof part !== 'symbol')),
  }));
