/** Writes docs/mutation.md from the report of the mutation run. */
import { globSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { parse } from 'yaml';
import { type Explained, pageOf, type Report } from './mutants/page.ts';

/**
 * Sums up a mutation run: reads reports/mutation/incremental.json (`npm run mutation` writes it, and keeps there what
 * it found earlier) and writes docs/mutation.md.
 */
const read = (path: string): string | undefined =>
  statSync(path, { throwIfNoEntry: false }) === undefined ? undefined : readFileSync(path, 'utf8');

const report = JSON.parse(read('reports/mutation/incremental.json')!) as Report;
const explained = (parse(read('scripts/mutants/explained.yaml') ?? '') ?? []) as readonly Explained[];
const { text, idle, survivors } = pageOf(report, explained, read);
const { mutate } = JSON.parse(read('stryker.config.json')!) as { readonly mutate: readonly string[] };
const open = globSync([...mutate])
  .filter((file) => report.files[file] === undefined)
  .sort()
  .map((file) => `\`${file}\``);
writeFileSync('docs/mutation.md', open.length === 0 ? text : `${text}\n## Not tried yet\n\n${open.join(', ')}.\n`);
process.stdout.write(`docs/mutation.md: ${survivors} survivors\n`);
for (const { file, line } of idle) process.stdout.write(`explains nothing any more: ${file}: ${line}\n`);
