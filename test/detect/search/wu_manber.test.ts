import { describe, expect, it } from 'vitest';
import { Hits, type Prefilter } from '../../../src/detect/search/prefilter.ts';
import { wuManber } from '../../../src/detect/search/wu_manber.ts';

const found = (prefilter: Prefilter, bytes: Buffer, start = 0, end = bytes.length): string[] => {
  const hits = new Hits();
  prefilter.scan(bytes, start, end, hits);
  return Array.from({ length: hits.length }, (_, at) => `${hits.offsetAt(at)}:${hits.literalAt(at)}`).sort();
};

describe('Wu and Manber', () => {
  it('finds literals of the same last four bytes, whichever case they mind', () => {
    const prefilter = wuManber([
      { text: 'connection lost', ignoreCase: false },
      { text: 'link lost', ignoreCase: true },
      { text: 'lost', ignoreCase: false },
    ]);
    expect(found(prefilter, Buffer.from('a LINK LOST; connection lost; LOST'))).toEqual(['13:0', '24:2', '2:1']);
  });

  it('refuses a literal that is too short to skip by', () => {
    expect(() => wuManber([{ text: 'abc', ignoreCase: false }])).toThrow(RangeError);
  });
});
