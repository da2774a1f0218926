import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countLines, firstEnd, lastEnd } from '../../../src/collect/tail/records.ts';

const text = fc.array(fc.constantFrom('a', 'b', '\r', '\n'), { maxLength: 40 }).map((chars) => chars.join(''));

/** Every end of a record in a text of which nothing more is known, the slow way. */
function endsOf(content: string, crEnds: boolean): number[] {
  const ends: number[] = [];
  for (let at = 0; at < content.length; at += 1) {
    const isLast = at === content.length - 1;
    if (content[at] === '\n') ends.push(at + 1);
    if (content[at] === '\r' && (isLast ? crEnds : content[at + 1] !== '\n')) ends.push(at + 1);
  }
  return ends;
}

describe('the ends of records', () => {
  it('are found from the front as the slow way finds them', () => {
    fc.assert(
      fc.property(text, fc.boolean(), (content, crEnds) => {
        const bytes = Buffer.from(content);
        expect(firstEnd({ bytes, from: 0, to: bytes.length, crEnds })).toBe(endsOf(content, crEnds)[0] ?? -1);
      }),
      { numRuns: 3_000 },
    );
  });

  it('are found from the back as the slow way finds them; an earlier lone `\\r` makes one at the very end count', () => {
    fc.assert(
      fc.property(text, fc.boolean(), (content, crEnds) => {
        const bytes = Buffer.from(content);
        const unfinished = content.slice(content.lastIndexOf('\n') + 1);
        const vouched = /\r[^\n]*\r$/.test(unfinished);
        const expected = endsOf(content, crEnds || vouched).at(-1) ?? -1;
        expect(lastEnd({ bytes, from: 0, to: bytes.length, known: bytes.length, crEnds })).toBe(expected);
      }),
      { numRuns: 3_000 },
    );
  });

  it('never lie inside a `\\r\\n`, wherever the look ends', () => {
    fc.assert(
      fc.property(text, fc.nat(40), (content, cut) => {
        const bytes = Buffer.from(content);
        const to = Math.min(cut, bytes.length);
        const end = lastEnd({ bytes, from: 0, to, known: bytes.length, crEnds: true });
        expect(end).toBeLessThanOrEqual(to);
        if (end > 0 && end < content.length) expect(content.slice(end - 1, end + 1)).not.toBe('\r\n');
      }),
      { numRuns: 3_000 },
    );
  });
});

it('lines are counted as the slow way counts them', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom('x'.repeat(30), 'y', '\n'), { maxLength: 60 }), fc.nat(50), (parts, from) => {
      const bytes = Buffer.from(parts.join(''));
      const start = Math.min(from, bytes.length);
      expect(countLines(bytes, start, bytes.length)).toBe(bytes.toString('latin1', start).split('\n').length - 1);
    }),
    { numRuns: 1_000 },
  );
});
