import { describe, expect, it } from 'vitest';
import { timeOf, wholeNumber } from '../../src/cli/flag_values.ts';

describe('a time on the command line', () => {
  it.each([
    ['2026-01-01T00:00:00Z', Date.UTC(2026, 0, 1)],
    ['2026-01-01t01:00:00.5+01:00', Date.UTC(2026, 0, 1) + 500],
    ['2026-01-01 00:00Z', Date.UTC(2026, 0, 1)],
    ['2026-01-01', Date.UTC(2026, 0, 1)],
  ])('may be %s', (text, at) => {
    expect(timeOf(text, '--since')).toBe(at);
  });

  it.each(['noon', '5', '2026', '01/02/2026', 'Jan 5', '2026-13-01', '2026-02-30', '2026-01-01T10:00:00', '1h', ''])(
    'is not %j, which would be taken for another time than was meant',
    (text) => {
      expect(() => timeOf(text, '--since')).toThrow(
        `--since: a time such as 2026-01-01T00:00:00Z was expected, got ${JSON.stringify(text)}`,
      );
    },
  );

  it('may be left out', () => {
    expect(timeOf(undefined, '--since')).toBeUndefined();
  });
});

describe('a whole number on the command line', () => {
  it('is written in digits; whatever else a program would take for one is none', () => {
    expect(['0', '-1', '12'].map(wholeNumber)).toEqual([0, -1, 12]);
    for (const text of ['', ' ', '1.5', '1e3', '0x10', '+1', 'one', '9'.repeat(16)])
      expect([text, wholeNumber(text)]).toEqual([text, undefined]);
  });
});
