import { fc, it as property } from '@fast-check/vitest';
import { RE2JS } from 're2js';
import { describe, expect, it } from 'vitest';
import { mayMatch } from '../../src/rulebook/literals.ts';

const piece = fc.constantFrom('err', 'or', 'a+', '(?:ab|cd)', '[0-9]', 'x?', '.*', '\\.', '(e)', 'ß', '(foo)?', '^');
const pattern = fc
  .tuple(fc.boolean(), fc.array(piece, { minLength: 1, maxLength: 5 }))
  .map(([folds, pieces]) => `${folds ? '(?i)' : ''}${pieces.join('')}`);
const text = fc.array(fc.constantFrom('err', 'ERR', 'or', 'a', 'ab', 'cd', '7', 'x', '.', 'e', 'ß', 'foo', ' '), {
  maxLength: 8,
});

describe('the text that a pattern cannot do without', () => {
  property.prop([pattern, text], { numRuns: 2_000 })(
    'is missing only where the pattern does not match',
    (source, parts) => {
      const joined = parts.join('');
      if (mayMatch(source)?.(joined) === false) expect(RE2JS.compile(source).matcher(joined).find()).toBe(false);
    },
  );

  it('rules out a text without it, and is not there for a pattern of signs alone', () => {
    expect(mayMatch('no space left on (?P<where>\\S+)')?.('all is well')).toBe(false);
    expect(mayMatch('no space left on (?P<where>\\S+)')?.('no space left on /var')).toBe(true);
    expect(mayMatch('.*')).toBeUndefined();
  });
});
