import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ONLY_NGRAMS, openSimilarity } from '../../src/app/similarity.ts';
import { NGRAMS } from '../../src/rulebook/rank.ts';
import { temporaryDirectory } from '../journal/support.ts';
import { fakeClock } from '../support/fake_clock.ts';
import { scriptedModel } from '../support/scripted_model.ts';

async function opened(isNamed: boolean, before: (state: string) => void = () => undefined) {
  const { clock } = fakeClock();
  const state = temporaryDirectory();
  before(state);
  const building = new AsyncDisposableStack();
  onTestFinished(() => building.disposeAsync());
  const warnings: string[] = [];
  const log = { info: () => undefined, error: () => undefined, warn: (_: object, text: string) => warnings.push(text) };
  const named = isNamed ? { server: 'local', model: 'nomic' } : undefined;
  const infrastructure = { clock, state, log };
  const similarity = await openSimilarity({ named, model: scriptedModel(() => ''), infrastructure } as never, building);
  return { similarity, warnings };
}

describe('what rules are compared by', () => {
  it('is n-grams alone where no model for vectors is configured', async () => {
    const { similarity } = await opened(false);
    expect(similarity).toBe(ONLY_NGRAMS);
    similarity.sync([]);
    expect(similarity.state()).toEqual(NGRAMS);
  });

  it('is named by its server and its model where one is', async () => {
    const { similarity, warnings } = await opened(true);
    expect(similarity.likeness).toBeDefined();
    expect(similarity.state().model).toBe('local/nomic');
    expect(warnings).toEqual([]);
  });

  it('is kept in memory where its file cannot be used, and a warning says so', async () => {
    const { similarity, warnings } = await opened(true, (state) => {
      symlinkSync('elsewhere', join(state, 'rule_vectors.db'));
    });
    expect(similarity.state().model).toBe('local/nomic');
    expect(warnings).toEqual([expect.stringContaining('vectors of rules are kept in memory only')]);
  });

  it('is made anew where something else stands in the place of its file, and a warning says so', async () => {
    const { warnings } = await opened(true, (state) => {
      mkdirSync(join(state, 'rule_vectors.db'));
    });
    expect(warnings).toEqual([expect.stringContaining('it was put aside as rule_vectors.db.broken')]);
  });
});
