import { rmSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createReeve } from '../../src/library/reeve.ts';
import { aReeve } from './three_rules.ts';

describe('Theow 7, the record of a rule that a program acts on itself', () => {
  it('counts actions that went through, and actions that failed', async () => {
    const { reeve } = aReeve();
    let isBroken = false;
    reeve.action('fix_third', () => {
      if (isBroken) throw new Error('no right to do that');
    });
    const rule = reeve.resolve({ stderr: 'certificate expired' });
    expect(reeve.stats()).toMatchObject({ resolves: 0, top: [] });
    await rule?.act();
    isBroken = true;
    await expect(reeve.resolve({ stderr: 'certificate expired' })?.act()).rejects.toThrow('no right');
    expect(reeve.stats()).toMatchObject({ resolves: 1, top: [{ rule: 'third', successes: 1, failures: 1 }] });
  });
});

describe('a disk that does not take the record', () => {
  it('undoes no cure, is told once, and gets what was counted when it takes it again', async () => {
    const { reeve, lines, directory } = aReeve();
    let isBroken = true;
    reeve.action('fix_third', () => {
      isBroken = false;
    });
    const serve = reeve.mark(
      async () => {
        if (isBroken) throw new Error('certificate expired');
        return 'served';
      },
      { contextFrom: (thrown) => ({ stderr: String(thrown) }) },
    );
    writeFileSync(`${directory}/runs`, '');
    expect(await serve()).toBe('served');
    expect(lines.filter((line) => line.includes('cannot be written down'))).toHaveLength(1);
    rmSync(`${directory}/runs`);
    isBroken = true;
    expect(await serve()).toBe('served');
    const { stats } = createReeve({ directory });
    expect(stats()).toMatchObject({ resolves: 2, top: [{ rule: 'third', successes: 2 }] });
  });
});
