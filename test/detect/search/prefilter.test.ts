import { fc, it as property } from '@fast-check/vitest';
import { describe, expect } from 'vitest';
import { ahoCorasick } from '../../../src/detect/search/aho_corasick.ts';
import { Hits, type Literal, type Prefilter } from '../../../src/detect/search/prefilter.ts';
import { trigramSearch } from '../../../src/detect/search/trigram_search.ts';
import { wuManber } from '../../../src/detect/search/wu_manber.ts';

const found = (prefilter: Prefilter, bytes: Buffer, start = 0, end = bytes.length): string[] => {
  const hits = new Hits();
  prefilter.scan(bytes, start, end, hits);
  return Array.from({ length: hits.length }, (_, at) => `${hits.offsetAt(at)}:${hits.literalAt(at)}`).sort();
};

const naive = (literals: readonly Literal[], bytes: Buffer, start = 0, end = bytes.length): string[] => {
  const text = bytes.toString('latin1', start, end);
  return literals
    .flatMap((literal, at) => {
      const fold = (value: string) => (literal.ignoreCase ? value.replaceAll(/[A-Z]/g, (c) => c.toLowerCase()) : value);
      const offsets: string[] = [];
      for (
        let from = fold(text).indexOf(fold(literal.text));
        from >= 0;
        from = fold(text).indexOf(fold(literal.text), from + 1)
      ) {
        offsets.push(`${start + from}:${at}`);
      }
      return offsets;
    })
    .sort();
};

const letters = (min: number, max: number) =>
  fc.string({ unit: fc.constantFrom('a', 'b', 'A', 'B', '\n', '\xff'), minLength: min, maxLength: max });

const literalsOf = (min: number) =>
  fc.uniqueArray(fc.record({ text: letters(min, 9), ignoreCase: fc.boolean() }), {
    minLength: 1,
    maxLength: 8,
    selector: ({ text, ignoreCase }) => (ignoreCase ? `i${text.toLowerCase()}` : `s${text}`),
  });

describe.each([
  ['Wu and Manber', wuManber, 4],
  ['the search by trigrams', trigramSearch, 4],
  ['Aho and Corasick', ahoCorasick, 1],
])('%s', (name, build, min) => {
  const mixable =
    name === 'Aho and Corasick'
      ? literalsOf(min).map((all) => all.map((one) => ({ ...one, ignoreCase: false })))
      : literalsOf(min);

  property.prop([mixable, letters(0, 3000)], { numRuns: 200 })(
    'finds exactly what a plain search finds',
    (literals, text) => {
      const bytes = Buffer.from(text, 'latin1');
      expect(found(build(literals), bytes)).toEqual(naive(literals, bytes));
    },
  );

  property.prop([mixable, letters(600, 900), fc.nat(600), fc.nat(300)], { numRuns: 50 })(
    'looks only inside its range',
    (literals, text, start, length) => {
      const bytes = Buffer.from(text, 'latin1');
      const end = Math.min(bytes.length, start + length);
      expect(found(build(literals), bytes, start, end)).toEqual(naive(literals, bytes, start, end));
    },
  );
});
