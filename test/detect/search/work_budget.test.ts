import { fc, it as property } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { readCatalogue } from '../../../scripts/corpus.ts';
import type { Catalogue } from '../../../src/detect/patterns/catalogue.ts';
import { createScanner, RECORD_WORK_MAX } from '../../../src/detect/search/scanner.ts';

const shipped = readCatalogue();
const literals = shipped.patterns.flatMap((pattern) => pattern.literals);

let work = 0;
const counted: Catalogue = {
  patterns: shipped.patterns.map((pattern) => ({
    ...pattern,
    find: (text: string) => {
      work += pattern.cost(text.length);
      return pattern.find(text);
    },
  })),
};
const scanner = createScanner(counted);

/** Scans one line, and counts what its patterns were given to read in the units of the budget. */
function scanned(line: string) {
  work = 0;
  let cut = 0;
  const ids: string[] = [];
  const bytes = Buffer.from(`${line}\n`, 'latin1');
  scanner.scan(bytes, 0, bytes.length, {
    matched: (_, { id }) => ids.push(id),
    complained: () => undefined,
    overBudget: () => {
      cut += 1;
    },
  });
  return { work, cut, ids };
}

describe('the work that one record may make', () => {
  it('is bounded for a line of 60 kB that holds the literals of every pattern, and the cut is counted', () => {
    const packed = literals.join(' ').repeat(20).slice(0, 60_000).replaceAll(/\s/g, 'x');
    const { work, cut, ids } = scanned(packed);
    expect(work).toBeLessThanOrEqual(RECORD_WORK_MAX);
    expect(cut + ids.length).toBe(1);
  });

  it('is counted for the text that a pattern was really given: a shorter one can cost more', () => {
    const dearer = shipped.patterns.find(({ cost }) => [...Array(500).keys()].some((chars) => cost(chars) > cost(500)));
    expect(dearer).toBeDefined();
    for (let pad = 8_000; pad < 16_000; pad += 37) {
      const line = literals.slice(0, 300).join('x').slice(0, pad);
      expect(scanned(line).work).toBeLessThanOrEqual(RECORD_WORK_MAX);
    }
  });

  property.prop({
    pieces: fc.array(fc.oneof(fc.constantFrom(...literals), fc.string({ maxLength: 40 })), { maxLength: 400 }),
    times: fc.integer({ min: 1, max: 20 }),
  })(
    'is bounded for whatever is packed into it',
    ({ pieces, times }) => {
      expect(scanned(pieces.join('').repeat(times).slice(0, 80_000)).work).toBeLessThanOrEqual(RECORD_WORK_MAX);
    },
    60_000,
  );

  it('is never reached by the examples that the patterns are shipped with', () => {
    const lines = shipped.patterns.flatMap(({ examples }) => examples);
    expect(lines.filter((line) => scanned(line).cut > 0)).toEqual([]);
  });

  it('still finds a trouble at the end of a long line, near its own literal', () => {
    const noise = 'a=1 '.repeat(3_000);
    const { ids } = scanned(`${noise}[https @ 0x1] Server returned 403 Forbidden (access denied)`);
    expect(ids).toHaveLength(1);
  });
});
