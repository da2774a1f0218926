import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { MUTANTS, SCENES } from './mutants.ts';
import { probe, probeAll } from './run.ts';

/** Worlds in which a law was broken once: two by the lab's own clock and judge, one by the guard. */
const ONCE_BROKEN = ['looks:5', 'crashes:3', 'crashes:12'];

/** A short run tries each mutant where it is known to die; `node test/simulation/mutants/run.ts` tries everything. */
describe('known-bad guards', () => {
  it('are at least 25, each with a name of its own', () => {
    expect(new Set(MUTANTS.map(({ name }) => name)).size).toBeGreaterThanOrEqual(25);
  });

  /** Costs milliseconds, so that a change of a line that a mutant replaces is noticed before all of them are run. */
  it('each find the piece that they replace exactly once in its file', () => {
    const root = join(import.meta.dirname, '../../..');
    const times = ([file, find]: (typeof MUTANTS)[number]['edits'][number]): number =>
      readFileSync(join(root, file), 'utf8').split(find).length - 1;
    const stale = MUTANTS.flatMap(({ name, edits }) =>
      edits.filter((edit) => times(edit) !== 1).map(([file]) => `${name}: ${file}`),
    );
    expect(stale).toEqual([]);
  });

  it('are all killed', { timeout: 600_000 }, async () => {
    const verdicts = await probeAll([], false);
    expect(verdicts.filter(({ killed }) => !killed)).toEqual([]);
  });

  it('fail for their mutation: the Reeve that is not mutated passes every scene', {
    timeout: 600_000,
  }, async () => {
    const scenes = SCENES.filter((scene) => scene !== 'property').map((scene) => `${scene}:1`);
    const whole = await probe('', [...scenes, ...ONCE_BROKEN]);
    expect(whole).toMatchObject({ killed: false });
  });
});
