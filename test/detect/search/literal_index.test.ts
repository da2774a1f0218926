import { describe, expect, it } from 'vitest';
import { KEY_BYTES, keyAt, LiteralIndex } from '../../../src/detect/search/literal_index.ts';
import { Hits, type Literal } from '../../../src/detect/search/prefilter.ts';

/** Literals whose window is all of them, collected at every place of the text. */
function collected(literals: readonly Literal[], text: string, { start = 0, end = text.length } = {}): string[] {
  const index = new LiteralIndex(literals);
  for (const [at, { text: own }] of literals.entries()) index.place(at, own.length - 1);
  const bytes = Buffer.from(text, 'latin1');
  const hits = new Hits();
  for (let at = start + KEY_BYTES - 1; at < end; at += 1) index.collect({ bytes, start, end }, at, hits);
  return Array.from({ length: hits.length }, (_, at) => `${hits.offsetAt(at)}:${hits.literalAt(at)}`);
}
const literal = (text: string, ignoreCase = false): Literal => ({ text, ignoreCase });

describe('the index of literals', () => {
  it('finds each literal where its window ends, also several with the same last bytes', () => {
    const literals = [literal('connection lost'), literal('link lost'), literal('lost')];
    expect(collected(literals, 'link lost').sort()).toEqual(['0:1', '5:2']);
  });

  it('minds case where the literal does', () => {
    expect(collected([literal('Disk full')], 'disk full, Disk full')).toEqual(['11:0']);
    expect(collected([literal('Disk full', true)], 'DISK FULL, disk full')).toEqual(['0:0', '11:0']);
  });

  it('finds none that reaches over the start or the end of the range', () => {
    const literals = [literal('abcdef')];
    expect(collected(literals, 'abcdef', { start: 0, end: 6 })).toEqual(['0:0']);
    expect(collected(literals, 'abcdef', { start: 1, end: 6 })).toEqual([]);
    expect(collected(literals, 'abcdef', { start: 0, end: 5 })).toEqual([]);
  });

  it('gives the same key for both cases, so that a key only rules out', () => {
    expect(keyAt(Buffer.from('LOST'), 3)).toBe(keyAt(Buffer.from('lost'), 3));
    expect(keyAt(Buffer.from('last'), 3)).not.toBe(keyAt(Buffer.from('lost'), 3));
  });
});
