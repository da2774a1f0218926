import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { Violation } from '../../../src/simulation/invariants/invariants.ts';
import { TRUTH_MUTANTS, TRUTH_SCENES, type TruthSceneName } from './mutants.ts';

const run = promisify(execFile);
const at = (file: string): string => resolve(import.meta.dirname, file);

interface Played {
  readonly violations: readonly Violation[];
  readonly starts: number;
}

async function played(scene: TruthSceneName, name: string): Promise<Played> {
  const args = ['--import', at('patch.ts'), at('probe.ts'), scene];
  const { stdout } = await run(process.execPath, args, { env: { ...process.env, TRUTH_MUTANT: name } });
  return JSON.parse(stdout);
}

describe('a Reeve whose journal is in order and whose actions are not', () => {
  it.each(TRUTH_MUTANTS)(
    'is found by the service itself, and by no other oracle: $name',
    {
      timeout: 120_000,
    },
    async (mutant) => {
      const { violations } = await played(mutant.scene, mutant.name);
      expect(violations.length).toBeGreaterThan(0);
      expect(violations.filter(({ law, because }) => law !== mutant.law || !mutant.says.test(because))).toEqual([]);
    },
  );

  it.each(TRUTH_SCENES)(
    'fails for its mutation: the Reeve that is not mutated breaks no law there: %s',
    {
      timeout: 120_000,
    },
    async (scene) => {
      expect((await played(scene, '')).violations).toEqual([]);
    },
  );
});
