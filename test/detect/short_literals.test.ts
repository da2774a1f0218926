import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileCatalogue } from '../../src/detect/patterns/catalogue.ts';
import { createScanner } from '../../src/detect/search/scanner.ts';

const pattern = (id: string, regex: string, match: string) => ({
  id,
  symptom: 'upstream_timeout',
  regex,
  match: [match],
});
const { catalogue } = compileCatalogue([
  {
    file: 'test.yaml',
    position: () => ({ line: 1, column: 1 }),
    value: {
      software: 'test',
      patterns: [
        pattern('short_one', 'xq1', 'an xq1 here'),
        pattern('long_one', 'connection refused', 'connection refused'),
        pattern('long_two', 'segment skipped', 'segment skipped'),
      ],
    },
  },
]);

function idsIn(text: string): string[] {
  const found: string[] = [];
  const bytes = Buffer.from(text, 'latin1');
  const sink = {
    matched: (_: unknown, { id }: { id: string }) => found.push(id),
    complained: () => undefined,
  };
  createScanner(catalogue).scan(bytes, 0, bytes.length, sink as never);
  return found;
}

describe('a catalogue with a short literal among long ones', () => {
  it('finds both kinds, in the order of the lines', () => {
    const text = 'segment skipped\nan xq1 here\nnothing\nconnection refused\nxq1\n';
    expect(idsIn(text)).toEqual(['long_two', 'short_one', 'long_one', 'short_one']);
  });

  it('finds in any mix of lines exactly what stands there', () => {
    const says: Record<string, string | undefined> = {
      'segment skipped': 'long_two',
      'an xq1 here': 'short_one',
      'connection refused': 'long_one',
      'all is well': undefined,
      'xq2 is not it': undefined,
    };
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...Object.keys(says)), { maxLength: 200 }), (lines) => {
        const text = lines.map((line) => `${line}\n`).join('');
        expect(idsIn(text)).toEqual(lines.flatMap((line) => says[line] ?? []));
      }),
      { numRuns: 100 },
    );
  });
});
