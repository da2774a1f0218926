// JSONL {"id","lines"} on stdin, NDJSON {"id","symptom","confidence","pattern","remedy"} on stdout.
import { readFileSync } from 'node:fs';
import { classifyExcerpt } from '../src/classifier/excerpt.ts';
import { readCatalogue } from './corpus.ts';

const catalogue = readCatalogue();
const items = readFileSync(0, 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => JSON.parse(line) as { id: string; lines: string[] });
for (const { id, lines } of items) {
  process.stdout.write(`${JSON.stringify({ id, ...classifyExcerpt(lines, catalogue) })}\n`);
}
