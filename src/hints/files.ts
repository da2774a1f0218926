/** An operator's own hints: Markdown files, each with what it is for at its head and the hint below. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { validate } from '../config/validate.ts';
import { parseYaml } from '../config/yaml.ts';
import { messageOf, type Problem } from '../core/errors.ts';
import type { Bundle, BundleCluster } from './bundle.ts';

const text = z.string().trim().min(1).max(1_000);

/** The head of a hint's file, between two lines of `---`. */
export const hintDocument = z
  .strictObject({
    id: z
      .string()
      .regex(/^[a-z][a-z0-9_-]{0,99}$/)
      .describe('What feedback and statistics call it.'),
    describes: z.array(text).min(1).max(20).describe('How the trouble looks in logs: one way to say it each.'),
    keywords: z.array(text).max(50).optional().describe('Words that such a log has.'),
    domain: text.optional().describe('The field of engineering.'),
    analogies: z
      .array(
        z.strictObject({
          from: text.describe('Another field that has the same trouble.'),
          insight: text.describe('What it knows about it.'),
          action: text.optional().describe('What to try.'),
        }),
      )
      .max(5)
      .optional(),
    priority: z
      .union([z.literal(-1), z.literal(0), z.literal(1)])
      .optional()
      .describe('-1: never sent; 0: staging, sent with a mark; 1: production. Default 1.'),
  })
  .meta({ title: 'Reeve hint', description: 'The head of a Markdown file with one hint: docs/hints.md.' });

/** What the files of a folder hold, and what is wrong with them. */
export interface HintFiles {
  readonly bundle: Bundle;
  readonly problems: readonly Problem[];
}

const FILES_MAX = 1_000;
const BYTES_MAX = 64 * 1024;
/** Ids of clusters made of files: no bundle has such a one. */
const OWN = 'own:';

/** Every `*.md` of a folder but its README and hidden ones; a folder that is not there holds none. */
export function readHintFiles(folder: string): HintFiles {
  const names = namesIn(folder);
  if (typeof names === 'string') return { bundle: bundleOf([]), problems: [problemOf(folder, names)] };
  const files = names.filter((name) => /^[^.].*\.md$/.test(name) && name !== 'README.md').sort();
  if (files.length > FILES_MAX) {
    const because = `expected at most ${FILES_MAX} files, got ${files.length}`;
    return { bundle: bundleOf([]), problems: [problemOf(folder, because)] };
  }
  return hintsIn(files.map((name) => join(folder, name)));
}

/** The hints of these files; each id once over all of them. */
export function hintsIn(files: readonly string[]): HintFiles {
  const read = files.map(readHint);
  const problems = read.flatMap((one) => one.problems);
  const seen = new Map<string, string>();
  for (const { file, hint } of read) {
    if (hint === undefined) continue;
    const before = seen.get(hint.cluster.id);
    if (before !== undefined) problems.push(problemOf(file, `the id of this hint stands in ${before}, too`));
    seen.set(hint.cluster.id, file);
  }
  return { bundle: bundleOf(read.flatMap(({ hint }) => hint ?? [])), problems };
}

interface Hint {
  readonly cluster: BundleCluster;
  readonly body: string;
  readonly writtenAt: number;
}
interface ReadHint {
  readonly file: string;
  readonly hint?: Hint;
  readonly problems: readonly Problem[];
}

function readHint(file: string): ReadHint {
  try {
    const { size, mtimeMs } = statSync(file);
    if (size > BYTES_MAX) return broken(file, `expected at most ${BYTES_MAX} bytes, got ${size}`);
    const parts = /^---\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)([\s\S]*)$/.exec(readFileSync(file, 'utf8'));
    if (parts === null) return broken(file, 'expected a head between two lines of --- at the beginning of the file');
    const [, head = '', body = ''] = parts;
    // The line of --- stands before it, so that places are those of the file.
    const parsed = parseYaml(file, `\n${head}\n`);
    if (parsed.problems.length > 0) return { file, problems: parsed.problems };
    const checked = validate(hintDocument, parsed);
    if (!checked.ok) return { file, problems: checked.problems };
    if (body.trim() === '') return broken(file, 'expected the hint below its head, for example under ## Fix');
    return { file, hint: { cluster: clusterOf(checked.value), body, writtenAt: mtimeMs }, problems: [] };
  } catch (thrown) {
    return broken(file, `expected a readable file: ${messageOf(thrown)}`);
  }
}

function clusterOf({ id, describes, ...head }: z.output<typeof hintDocument>): BundleCluster {
  const [standardName = id, ...patterns] = describes;
  return {
    ...{ id: `${OWN}${id}`, standardName, patterns, associatedPatterns: [id] },
    ...{ keywords: head.keywords ?? [], domain: head.domain ?? '', priority: head.priority },
    analogies: (head.analogies ?? []).map(({ from, insight, action = '' }) => ({
      ...{ sourceDomain: from, insight, actionSuggestion: action },
    })),
  };
}

const bundleOf = (hints: readonly Hint[]): Bundle => ({
  clusters: hints.map(({ cluster }) => cluster),
  patterns: new Map(hints.map(({ cluster, body }) => [cluster.associatedPatterns[0] ?? cluster.id, body])),
  writtenAt: hints.reduce((last, { writtenAt }) => Math.max(last, writtenAt), 0),
});

const problemOf = (file: string, message: string): Problem => ({ file, line: 1, column: 1, path: '', message });
const broken = (file: string, message: string): ReadHint => ({ file, problems: [problemOf(file, message)] });

function namesIn(folder: string): readonly string[] | string {
  try {
    return readdirSync(folder);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return [];
    return `expected a readable folder: ${messageOf(thrown)}`;
  }
}
