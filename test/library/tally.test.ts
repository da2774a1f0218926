import { describe, expect, it } from 'vitest';
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
