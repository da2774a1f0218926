import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { analyse } from '../../../src/detect/patterns/analysis.ts';
import { Anchor, asBytes, findOwnText } from '../../../src/detect/patterns/own_text.ts';
import { patternDocument } from '../../../src/detect/patterns/pattern.ts';
import { compileLineRegex } from '../../../src/detect/search/line_regex.ts';
import { Line } from '../../../src/detect/search/untrusted_spans.ts';

const regexOf = (source: string) => compileLineRegex(source, analyse(source));

/** How a pattern of these keys is found, in a file with this anchor. */
function finding(keys: Readonly<Record<string, unknown>>, anchor?: Anchor) {
  const entry = { id: 'one', regex: 'refused', symptom: 'upstream_unreachable', match: ['refused'], ...keys };
  const [parsed] = patternDocument.parse({ software: 'test', patterns: [entry] }).patterns;
  return findOwnText(parsed!, regexOf(parsed!.regex), anchor);
}

describe('a pattern', () => {
  it('fits what the program says, and not what an outsider has it write', () => {
    const find = finding({});
    expect(find('connection refused')).toMatchObject({ index: 11, end: 18 });
    expect(find('GET "http://a/refused" 200')).toBeUndefined();
  });

  it('fits the program’s own words behind those of an outsider', () => {
    const text = 'open "http://a/refused" failed, refused';
    expect(finding({})(text)?.index).toBe(text.lastIndexOf('refused'));
  });

  it.each([
    ['all', ['upstream'], 'refused', 'upstream refused'],
    ['any', ['upstream', 'origin'], 'refused by peer', 'refused by origin'],
    ['none', ['peer'], 'refused by peer', 'refused by origin'],
  ])('fits only where `%s` holds', (key, parts, fails, fits) => {
    const find = finding({ [key]: parts });
    expect([find(fails), find(fits)?.end !== undefined]).toEqual([undefined, true]);
  });

  it('is ruled in and out by the program’s own text alone', () => {
    expect(finding({ all: ['upstream'] })('refused: "http://upstream/"')).toBeUndefined();
    expect(finding({ none: ['upstream'] })('refused: "http://upstream/"')).toBeDefined();
  });

  it('that is harmless does not fit a line about a full disk, unless it says so itself', () => {
    const harmless = { regex: 'closed', symptom: 'benign_noise', match: ['closed'] };
    expect(finding(harmless)('closed')).toBeDefined();
    expect(finding(harmless)('closed: No space left on device')).toBeUndefined();
    expect(
      finding({ ...harmless, regex: 'closed: No space left on device' })('closed: No space left on device'),
    ).toBeDefined();
  });

  it('says the same of a line that other patterns have looked at', () => {
    const finds = [
      finding({}),
      finding({ none: ['peer'] }),
      finding({ regex: 'peer', match: ['peer'] }),
      finding({}, new Anchor(regexOf('^\\[core\\]|error:'))),
    ];
    const parts = fc.constantFrom(
      '[core] ',
      'error: ',
      'refused ',
      'peer ',
      '"refused" ',
      'http://peer/refused ',
      'title=refused',
    );
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 6 }), fc.shuffledSubarray(finds), (words, order) => {
        const line = new Line(words.join(''));
        for (const find of order) expect(find(line.text, line)).toEqual(find(line.text));
      }),
    );
  });
});

describe('the anchor of a file', () => {
  const anchor = () => new Anchor(regexOf('\\[core\\]'));

  it('keeps its patterns from lines of other software', () => {
    expect(finding({}, anchor())('refused')).toBeUndefined();
    expect(finding({}, anchor())('[core] refused')).toBeDefined();
    expect(finding({}, anchor())('refused by "[core] x"')).toBeUndefined();
  });

  it('is looked for once in a line, however many patterns ask, and anew in the next', () => {
    let asked = 0;
    const counting = new Anchor({
      ...regexOf('core'),
      find: (text) => {
        asked += 1;
        return regexOf('core').find(text);
      },
    });
    const [first, second] = [new Line('core'), new Line('other')];
    expect([counting.fits(first), counting.fits(first), counting.fits(second), counting.fits(second)]).toEqual([
      ...[true, true, false, false],
    ]);
    expect(asked).toBe(2);
  });
});

it('text is compared as the bytes it has in a file, one character each', () => {
  expect([asBytes('plain'), asBytes('ü')]).toEqual(['plain', '\xc3\xbc']);
});
