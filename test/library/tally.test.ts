import { describe, expect, it } from 'vitest';
import { createReeve } from '../../src/library/reeve.ts';
import { aLibraryFolder, ruleText } from './support.ts';

const FILES = {
  'rules/a.rule.yaml': ruleText('first', { fact: 'quota' }),
  'rules/b.rule.yaml': ruleText('second', { fact: 'quota' }),
  'rules/c.rule.yaml': ruleText('third', { fact: 'certificate' }),
};

function aReeve() {
  const lines: string[] = [];
  const reeve = createReeve({ directory: aLibraryFolder(FILES), log: (line) => void lines.push(line) });
  return { reeve, lines };
}

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
