import { describe, expect, it } from 'vitest';
import { termsOf } from '../../src/memory/search.ts';
import { aMemory, incidentDrafts } from './support.ts';

describe('the words that are searched for', () => {
  it('are in lower case, each once, without those that mean nothing', () => {
    expect(termsOf('Why did the encoder fail, and which ENCODER?')).toEqual(['encoder', 'fail']);
    expect(termsOf('the of and')).toEqual([]);
  });

  it('are at most ten, the first of the text', () => {
    const words = Array.from({ length: 12 }, (_, at) => `word${String.fromCharCode(97 + at)}`);
    expect(termsOf(words.join(' '))).toEqual(words.slice(0, 10));
  });
});

describe('a search', () => {
  it('finds events, insights or both, at most as many as are asked for, and none for words that mean nothing', () => {
    const { live, reads } = aMemory();
    for (const id of ['inc-1', 'inc-2', 'inc-3']) live(incidentDrafts({ id, line: 'Connection refused by icecast' }));
    const rows = (only?: 'insights' | 'events') => reads.search.find('icecast refused', 50, only).map(({ row }) => row);
    expect(rows('events').every((row) => row > 0)).toBe(true);
    expect(rows('events').length).toBeGreaterThan(2);
    expect(rows('insights').every((row) => row < 0)).toBe(true);
    expect(reads.search.find('icecast refused', 1)).toHaveLength(1);
    expect(reads.search.find('the of and', 50)).toEqual([]);
  });

  it('gives the text of a row, and none of a row that is not there', () => {
    const { live, reads } = aMemory();
    live(incidentDrafts({ id: 'inc-1', line: 'Connection refused by icecast' }));
    const [found] = reads.search.find('icecast', 1);
    expect(reads.search.textOf(found!.row)).toContain('icecast');
    expect(reads.search.textOf(999_999)).toBeUndefined();
  });
});
