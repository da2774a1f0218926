import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { addDataset } from '../../../src/cli/commands/dataset.ts';
import type { DatasetShown } from '../../../src/cli/data_card.ts';
import { temporaryDirectory } from '../../journal/support.ts';
import { type RunOptions, ran } from '../running.ts';

const row = (role: string, split: string) => ({ kind: 'chain', role, split, at: 1, openMs: 5 });
const rows = [row('planner', 'train'), row('planner', 'train'), row('planner', 'test')];
const found: DatasetShown = {
  ...{ rows, redactions: 0, throughSeq: 9 },
  replay: { same: 3, notReplayable: 0, different: [] },
};
const run = (line: string, data = found, options?: RunOptions) =>
  ran((program, cli) => addDataset(program, cli, async () => data), line.split(' '), options);

describe('a dataset', () => {
  it('is one document a row on stdout, in wire names', async () => {
    const { out, code } = await run('dataset export');
    expect(
      out
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).open_ms),
    ).toEqual([5, 5, 5]);
    expect(code).toBe(0);
  });

  it('is one file for each role and split, with a card, that only its owner may read', async () => {
    const directory = join(temporaryDirectory(), 'golden');
    const { out } = await run(`dataset export --out ${directory}`);
    expect(readdirSync(directory)).toEqual(['card.md', 'planner.test.jsonl', 'planner.train.jsonl']);
    expect(readFileSync(join(directory, 'planner.train.jsonl'), 'utf8').trim().split('\n')).toHaveLength(2);
    expect(statSync(join(directory, 'planner.test.jsonl')).mode & 0o777).toBe(0o600);
    expect(out).toContain('3 rows in 3 files');
  });

  it('takes the place of an earlier one, of which no file is left', async () => {
    const directory = join(temporaryDirectory(), 'golden');
    await run(`dataset export --out ${directory}`);
    writeFileSync(join(directory, 'own.jsonl'), '');
    await run(`dataset export --out ${directory}`, { ...found, rows: [row('synthesizer', 'train')] });
    expect(readdirSync(directory)).toEqual(['card.md', 'own.jsonl', 'synthesizer.train.jsonl']);
  });

  it('whose decisions come out otherwise ends with 1 and names each', async () => {
    const different = [{ id: 'inc-1', step: 0, because: 'the rulebook waits' }];
    const { err, code } = await run('dataset export', { ...found, replay: { ...found.replay, different } });
    expect([err, code]).toEqual(['inc-1, step 1: the rulebook waits\n', 1]);
  });

  it('says where it could not be written', async () => {
    const file = join(temporaryDirectory(), 'a-file');
    writeFileSync(file, '');
    await expect(run(`dataset export --out ${file}`)).rejects.toThrow(/--out: the dataset could not be written to/);
  });
});
