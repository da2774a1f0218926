import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const MODEL = resolve(import.meta.dirname, 'guard.pml');

const has = (program: string): boolean => {
  try {
    execFileSync(program, ['-V'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};

const missing = ['spin'].filter((program) => !has(program));
const why = missing.length === 0 ? '' : ` (skipped: ${missing.join(' and ')} is not installed)`;

describe.skipIf(missing.length > 0)(`a model of guard, breaker and crash, explored whole${why}`, () => {
  let folder = '';

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'reeve-spin-'));
    execFileSync('spin', ['-a', MODEL], { cwd: folder });
    const how = ['-O2', '-w', '-DNFAIR=3', '-o', 'pan', 'pan.c'];
    execFileSync('gcc', how, { cwd: folder });
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const explore = (...flags: string[]): { errors: number; states: number } => {
    const output = execFileSync('./pan', ['-m1000000', ...flags], { cwd: folder, encoding: 'utf8' });
    const number = (pattern: RegExp): number => Number(pattern.exec(output)?.[1] ?? Number.NaN);
    return { errors: number(/errors: (\d+)/), states: number(/(\d+) states, stored/) };
  };

  it('keeps S2, S3, S6, S8 and L1 in every state', () => {
    const { errors, states } = explore('-noclaim');
    console.info(`spin: ${states} states, all safety invariants hold`);
    expect(errors).toBe(0);
    expect(states).toBeGreaterThan(1_000);
  });

  it.each(['L2_half_open_ends', 'L2_containment_ends', 'L2_unknown_can_be_left'])('keeps %s', (law) => {
    const { errors, states } = explore('-a', '-f', '-N', law);
    console.info(`spin: ${law}: ${states} states`);
    expect(errors).toBe(0);
  });
});
