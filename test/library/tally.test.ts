import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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

describe('a record that cannot be read', () => {
  const beginWith = (write: (file: string) => void) => {
    const { directory } = aReeve();
    mkdirSync(`${directory}/runs`, { recursive: true });
    write(`${directory}/runs/stats.json`);
    const lines: string[] = [];
    const reeve = createReeve({ directory, log: (line) => lines.push(line) });
    return { reeve, directory, lines };
  };

  it.each([
    ['is cut short', '{"resolves":7,'],
    ['has another form', '{"resolves":"seven"}'],
  ])('because it %s is put aside, and told', async (_, text) => {
    const { reeve, directory, lines } = beginWith((file) => writeFileSync(file, text));
    reeve.action('fix_third', () => undefined);
    await reeve.resolve({ stderr: 'certificate expired' })?.act();
    expect(reeve.stats()).toMatchObject({ resolves: 1 });
    expect(readFileSync(`${directory}/runs/stats.json.broken`, 'utf8')).toBe(text);
    expect(lines[0]).toMatch(
      /^what rules have done begins anew: .*stats\.json: .*; it was put aside as stats\.json\.broken$/,
    );
  });

  it('because a folder has its name is put aside, too', () => {
    const { directory } = beginWith((file) => mkdirSync(file));
    expect(existsSync(`${directory}/runs/stats.json.broken`)).toBe(true);
  });
});
