/**
 * `npm run learning`: the learning run, as a table by week for docs/learning.md and a chart (docs/learning.svg).
 * The same seeds are lived through with recall, without it, and without a model. `--recall on` or `off`: that alone.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { chartOf, type Compared, fatesOf, pairsOf, tableOf } from './learning/chart.ts';
import { learn, type LearningReport } from './learning/run.ts';
import { overSeeds, type Share, shareOfThis, tell, workersFor } from './seeds.ts';
import { optionsOf } from './options.ts';

const values = optionsOf(import.meta.filename, {
  seeds: { type: 'string', default: '2' },
  days: { type: 'string', default: '35' },
  recall: { type: 'string' },
  out: { type: 'string', default: 'docs' },
  workers: { type: 'string' },
});

const days = Number(values.days);

/** In a worker: its own seeds, each in three ways. */
async function work({ first, count, step }: Share): Promise<void> {
  for (let seed = first; seed < first + count * step; seed += step) {
    const recall = await learn({ seed, days, recall: true });
    const forgetful = await learn({ seed, days, recall: false });
    const untaught = await learn({ seed, days, recall: false, learns: false });
    tell({ seed, recall, forgetful, untaught });
  }
}

async function measure(): Promise<readonly Compared[]> {
  const results: Compared[] = [];
  const seeds = Number(values.seeds);
  await overSeeds(import.meta.filename, { first: 1, seeds, workers: workersFor(values.workers, seeds) }, (message) => {
    results.push(message as Compared);
    process.stderr.write(`seed ${(message as Compared).seed}: ${results.length} of ${seeds}\n`);
    return false;
  });
  return results.sort((a, b) => a.seed - b.seed);
}

async function one(recall: boolean): Promise<void> {
  for (let seed = 1; seed <= Number(values.seeds); seed += 1) {
    const { weeks, modelCalls }: LearningReport = await learn({ seed, days, recall });
    const results = weeks.map((week, at) => ({ week: at + 1, ...week, llm_needed_ratio: week.asked / week.incidents }));
    process.stdout.write(`${JSON.stringify({ seed, recall, model_calls: modelCalls, weeks: results })}\n`);
  }
}

async function main(): Promise<void> {
  if (values.recall !== undefined) return one(values.recall !== 'off');
  const results = await measure();
  const caption = `${results.length} seeds × ${days} days × 8 channels, a model that is right in 70 % of its answers`;
  const out = resolve(values.out);
  mkdirSync(out, { recursive: true });
  writeFileSync(resolve(out, 'learning.svg'), chartOf(results, caption));
  process.stdout.write(`${caption}\n\n${tableOf(results)}\n\n${pairsOf(results)}\n\n${fatesOf(results)}\n`);
}

const share = shareOfThis();
await (share === undefined ? main() : work(share));
