import { fc, it as prop } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { compileCatalogue } from '../../../src/detect/patterns/catalogue.ts';
import { asBytes } from '../../../src/detect/patterns/own_text.ts';
import { draftPattern } from '../../../src/detect/patterns/draft.ts';
import { generalise } from '../../../src/detect/patterns/generalise.ts';
import { aSource } from '../catalogue_source.ts';
import { draftOf, LINE, order } from './drafting.ts';

describe('a line made general', () => {
  it('keeps its fixed text and leaves open what changes: time, numbers, ids and the channel', () => {
    const general = generalise([LINE], ['news']);
    expect(general.ok && general.regex).toBe(
      '\\[mux-\\S{0,80}\\]\\s{1,8}zorble\\s{1,8}matrix\\s{1,8}desync\\s{1,8}on\\s{1,8}channel\\s{1,8}\\S{0,80}:' +
        '\\s{1,8}offset\\s{1,8}\\S{1,120}\\s{1,8}beyond',
    );
  });

  it('fits the same message of another channel at another time, and nothing else', () => {
    const { document } = draftOf();
    const [pattern] = compileCatalogue([aSource(document)]).catalogue.patterns;
    const other = LINE.replace('news', 'sport').replace('4711', '9').replace('21:24:17', '03:00:01');
    expect(pattern!.find(asBytes(other))).toBeDefined();
    expect(pattern!.find(asBytes('ERROR zorble matrix in sync again'))).toBeUndefined();
  });

  it('of several lines keeps what they share, with gaps between', () => {
    const general = generalise(['zorble desync detected in stage one now', 'zorble desync was found in stage two now']);
    expect(general.ok && general.regex).toContain('zorble\\s{1,8}desync.{0,160}in\\s{1,8}stage');
  });

  it.each([
    ['numbers alone', ['12 13 14']],
    ['a word and a half', ['oops 7']],
    ['lines with nothing in common', ['alpha bravo charlie delta', 'whiskey xray yankee zulu']],
    ['nothing', []],
  ])('is refused for %s', (_, lines) => {
    expect(generalise(lines).ok).toBe(false);
  });

  prop.prop([fc.array(fc.string({ minLength: 1, maxLength: 120 }), { minLength: 1, maxLength: 4 })])(
    'always fits the lines that it was made of, or is refused',
    (lines) => {
      const plain = lines.map((line) => line.replaceAll(/[^\x20-\x7e]/g, '?'));
      const drafted = draftPattern(order({ lines: plain, names: [] }));
      if (!drafted.ok) return;
      const [pattern] = compileCatalogue([aSource(drafted.draft.document)]).catalogue.patterns;
      for (const line of plain) expect(pattern!.find(asBytes(line))).toBeDefined();
    },
  );
});
