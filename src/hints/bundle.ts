/** Reads a bundle of hints: `bridge_index.json` (clusters of troubles) and `code_patterns/*.md` (the hints). */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { messageOf, ReeveError } from '../core/errors.ts';
import type { Priority } from './maturity.ts';
import type { Cluster } from './nearest.ts';

/** What another field of engineering does about the same kind of trouble. */
export interface Analogy {
  readonly sourceDomain: string;
  readonly insight: string;
  readonly actionSuggestion: string;
}

/** A cluster with what the snippet is made of. */
export interface BundleCluster extends Cluster {
  readonly domain: string;
  readonly analogies: readonly Analogy[];
}

/** Everything of one folder, checked. */
export interface Bundle {
  readonly clusters: readonly BundleCluster[];
  /** Texts of hints by id. */
  readonly patterns: ReadonlyMap<string, string>;
  /** When the index was last written. */
  readonly writtenAt: number;
}

/** The file that makes a folder a bundle. */
export const INDEX_FILE = 'bridge_index.json';
/** The folder of hints beside it. */
export const PATTERNS_FOLDER = 'code_patterns';
const INDEX_BYTES_MAX = 64 * 1024 * 1024;
const PATTERN_BYTES_MAX = 256 * 1024;
const CLUSTERS_MAX = 20_000;
const PATTERNS_MAX = 40_000;
const PROBLEMS_SHOWN = 5;

const text = z.string().max(4_000);
const list = z.array(text).max(200);
const cluster = z.looseObject({
  standard_name: text.min(1),
  domain: text.optional(),
  patterns: list.optional(),
  matched_keywords: list.optional(),
  associated_patterns: list.optional(),
  cross_domain_analogies: z
    .array(
      z.looseObject({ source_domain: text.optional(), insight: text.optional(), action_suggestion: text.optional() }),
    )
    .max(50)
    .optional(),
  priority: z.union([z.literal(-1), z.literal(0), z.literal(1)]).nullish(),
});
const index = z.looseObject({ symptom_clusters: z.record(z.string().min(1).max(300), cluster) });

/**
 * Reads and checks a folder. Throws CONFIG_INVALID with the first problems; nothing of a bundle that is not sound is
 * used. A hint without a file is allowed: its cluster is then described by its analogies alone.
 */
export function readBundle(folder: string): Bundle {
  const file = join(folder, INDEX_FILE);
  const { text: written, writtenAt } = readBounded(file, INDEX_BYTES_MAX);
  const patterns = readPatterns(join(folder, PATTERNS_FOLDER));
  return { clusters: parseIndex(file, written), patterns, writtenAt };
}

/** The clusters of an index. `file` is for messages. Throws CONFIG_INVALID. */
export function parseIndex(file: string, written: string): readonly BundleCluster[] {
  const parsed = index.safeParse(jsonOf(file, written));
  if (!parsed.success) {
    const problems = parsed.error.issues
      .slice(0, PROBLEMS_SHOWN)
      .map((issue) => `${file}: ${issue.path.join('.')}: ${issue.message}`);
    throw refused(problems.join('\n'));
  }
  const entries = Object.entries(parsed.data.symptom_clusters);
  if (entries.length > CLUSTERS_MAX) throw refused(`${file}: at most ${CLUSTERS_MAX} clusters, got ${entries.length}`);
  return entries.map(([id, each]) => clusterOf(id, each));
}

function jsonOf(file: string, written: string): unknown {
  try {
    return JSON.parse(written);
  } catch (thrown) {
    throw refused(`${file}: expected JSON: ${messageOf(thrown)}`);
  }
}

function readBounded(file: string, bytesMax: number): { readonly text: string; readonly writtenAt: number } {
  try {
    const { size, mtimeMs } = statSync(file);
    if (size > bytesMax) throw refused(`${file}: expected at most ${bytesMax} bytes, got ${size}`);
    return { text: readFileSync(file, 'utf8'), writtenAt: mtimeMs };
  } catch (thrown) {
    if (thrown instanceof ReeveError) throw thrown;
    throw refused(`${file}: expected a readable file: ${messageOf(thrown)}`);
  }
}

const clusterOf = (id: string, each: z.output<typeof cluster>): BundleCluster => ({
  id,
  standardName: each.standard_name,
  domain: each.domain ?? '',
  patterns: each.patterns ?? [],
  keywords: each.matched_keywords ?? [],
  associatedPatterns: each.associated_patterns ?? [],
  analogies: (each.cross_domain_analogies ?? []).map((analogy) => ({
    sourceDomain: analogy.source_domain ?? '',
    insight: analogy.insight ?? '',
    actionSuggestion: analogy.action_suggestion ?? '',
  })),
  priority: (each.priority ?? undefined) as Priority | undefined,
});

function readPatterns(folder: string): ReadonlyMap<string, string> {
  const names = namesIn(folder).filter((name) => name.endsWith('.md') && !name.startsWith('.'));
  if (names.length > PATTERNS_MAX) throw refused(`${folder}: at most ${PATTERNS_MAX} files, got ${names.length}`);
  const idOf = (name: string): string => name.slice(0, -'.md'.length);
  return new Map(names.sort().map((name) => [idOf(name), readBounded(join(folder, name), PATTERN_BYTES_MAX).text]));
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw refused(`${folder}: expected a readable folder: ${messageOf(thrown)}`);
  }
}

const refused = (because: string): ReeveError =>
  new ReeveError('CONFIG_INVALID', because, {
    hint: `A bundle is a folder with ${INDEX_FILE} and ${PATTERNS_FOLDER}/.`,
  });
