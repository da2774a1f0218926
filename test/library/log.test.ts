import { describe, expect, it } from 'vitest';
import { aReeve } from './three_rules.ts';

describe('Theow 3.8, the log', () => {
  it('says what is searched and tried, and on which attempt a rule helped', async () => {
    const { reeve, lines } = aReeve();
    let isFixed = false;
    reeve.action('fix_first', () => undefined);
    reeve.action('fix_second', () => {
      isFixed = true;
    });
    const run = () => {
      if (!isFixed) throw new Error('quota exceeded');
    };
    const contextFrom = (thrown: unknown) => ({ stderr: String(thrown) });
    await reeve.mark(run, { contextFrom, rules: ['third', 'first'] })();
    expect(lines).toEqual([
      'trying "third": no match',
      'trying "first": match',
      '"first" did not help: Error: quota exceeded',
      'searching 3 candidates',
      'trying "second": match',
      'resolved by "second" on attempt 2',
    ]);
  });

  it('says when nothing was found', async () => {
    const { reeve, lines } = aReeve();
    expect(reeve.resolve({ stderr: 'all is well' })).toBeUndefined();
    expect(lines.at(-1)).toBe('no match found');
    const run = () => {
      throw new Error('no route');
    };
    await expect(reeve.mark(run, { contextFrom: () => ({ stderr: 'no route' }) })()).rejects.toThrow('no route');
    expect(lines.at(-1)).toBe('no rule resolved it after 0 attempts');
  });
});
