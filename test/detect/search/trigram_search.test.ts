import { describe, expect, it } from 'vitest';
import { Hits } from '../../../src/detect/search/prefilter.ts';
import { trigramSearch } from '../../../src/detect/search/trigram_search.ts';

const foundIn = (text: string, texts: readonly string[], sample?: Buffer): string[] => {
  const hits = new Hits();
  const bytes = Buffer.from(text, 'latin1');
  trigramSearch(
    texts.map((literal) => ({ text: literal, ignoreCase: false })),
    sample,
  ).scan(bytes, 0, bytes.length, hits);
  return Array.from({ length: hits.length }, (_, at) => `${hits.offsetAt(at)}:${texts[hits.literalAt(at)]}`);
};

describe('the search by trigrams', () => {
  it('finds a literal of four bytes at every offset, once each', () => {
    for (let before = 0; before < 20; before += 1) {
      for (let after = 0; after < 10; after += 1) {
        expect(foundIn(`${'-'.repeat(before)}gone${'-'.repeat(after)}`, ['gone'])).toEqual([`${before}:gone`]);
      }
    }
  });

  it('says every hit of a line before those of the next', () => {
    const text = 'connection lost, link lost\nlink gone, link lost\n';
    const lines = foundIn(text, ['link lost', 'lost', 'connection lost', 'link gone']).map((hit) =>
      Number.parseInt(hit, 10) < text.indexOf('\n') ? 1 : 2,
    );
    expect(lines).toEqual([1, 1, 1, 1, 2, 2, 2]);
  });

  it('finds the same whatever the sample says is ordinary', () => {
    const text = 'segment 7 failed: connection refused by upstream';
    const texts = ['failed: connection', 'refused by', 'upstream', 'segment 8 failed'];
    const expected = ['10:failed: connection', '29:refused by', '40:upstream'];
    for (const sample of [Buffer.alloc(0), Buffer.from(text), Buffer.from('upstream refused '.repeat(99))]) {
      expect(foundIn(text, texts, sample).sort()).toEqual(expected);
    }
  });

  it('refuses a literal that is shorter than a window', () => {
    expect(() => foundIn('', ['abc'])).toThrow(RangeError);
  });
});
