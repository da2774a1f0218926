import { describe, expect, it } from 'vitest';
import { ahoCorasick } from '../../../src/detect/search/aho_corasick.ts';
import { Hits, type Prefilter } from '../../../src/detect/search/prefilter.ts';

const found = (prefilter: Prefilter, bytes: Buffer, start = 0, end = bytes.length): string[] => {
  const hits = new Hits();
  prefilter.scan(bytes, start, end, hits);
  return Array.from({ length: hits.length }, (_, at) => `${hits.offsetAt(at)}:${hits.literalAt(at)}`).sort();
};

describe('Aho and Corasick', () => {
  it('finds short literals without minding case', () => {
    const prefilter = ahoCorasick([{ text: 'eio', ignoreCase: true }]);
    expect(found(prefilter, Buffer.from('x EIO eio Eio'))).toEqual(['10:0', '2:0', '6:0']);
  });
});
