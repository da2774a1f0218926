// How many bytes more a process holds once the memory is loaded, fed and asked: node --expose-gc memory_rss.ts STATE
import { join } from 'node:path';
import { SqliteStore } from '../src/journal/sqlite.ts';

const state = process.argv[2] ?? '.';
const journal = SqliteStore.openForReading(join(state, 'journal.db'));
for (const _ of journal.read({ limit: 5_000 }));
const restingRss = (): number => {
  for (let round = 0; round < 3; round += 1) globalThis.gc?.();
  return process.memoryUsage().rss;
};
const before = restingRss();
const [{ DerivedFile }, { Graph }, { Reads }, { MEMORY_SCHEMA }, { recallFor, searchPlanOf }] = await Promise.all([
  import('../src/journal/derived.ts'),
  import('../src/memory/graph.ts'),
  import('../src/memory/reads.ts'),
  import('../src/memory/schema.ts'),
  import('../src/memory/recall.ts'),
]);
const file = DerivedFile.open(join(state, 'memory.db'), MEMORY_SCHEMA);
const graph = new Graph(file);
const reads = new Reads(file);
for (let index = 0; index < 50; index += 1) {
  graph.take([], file.cursor());
  recallFor(reads, searchPlanOf(`why did ch${index} fail with 403?`));
}
process.stdout.write(String(restingRss() - before));
