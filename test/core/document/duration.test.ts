import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { duration, formatDuration, parseDuration } from '../../../src/core/document/duration.ts';

const why = (input: unknown): string => {
  const meaning = parseDuration(input);
  return 'ok' in meaning ? `accepted as ${meaning.ok}` : `${meaning.no} (${meaning.hint})`;
};

describe('parseDuration', () => {
  it.each([
    ['250ms', 250],
    ['30s', 30_000],
    ['5m', 300_000],
    ['4h', 14_400_000],
    ['30d', 2_592_000_000],
    ['365d', 31_536_000_000],
    ['1ms', 1],
  ])('reads %s', (text, ms) => {
    expect(parseDuration(text)).toEqual({ ok: ms });
  });

  it.each([
    [60, 'got the number 60 without a unit (write 60s for seconds, 60m for minutes)'],
    ['60', 'got "60" (add a unit: 60s for seconds, 60m for minutes)'],
    [0, 'cannot be switched off'],
    [-1, 'cannot be switched off'],
    [Number.NaN, 'cannot be switched off'],
    [Number.POSITIVE_INFINITY, 'cannot be switched off'],
    ['0s', 'zero is never "off"'],
    ['0ms', 'zero is never "off"'],
    ['-5m', 'a negative duration is never "off"'],
    ['inf', 'cannot be switched off'],
    ['Infinity', 'cannot be switched off'],
    ['never', 'cannot be switched off'],
    ['off', 'cannot be switched off'],
    ['none', 'cannot be switched off'],
    ['366d', 'expected at most 365d, got "366d"'],
    ['9999999999999999999d', 'expected at most 365d'],
    ['5min', '(write 5m)'],
    ['10 seconds', '(write 10s)'],
    ['5 m', '(write 5m)'],
    ['5M', '(write 5m)'],
    ['1h30m', '90m instead of 1h30m'],
    ['1.5h', '(write 90m)'],
    ['0.5s', '(write 500ms)'],
    ['1,5h', 'got "1,5h"'],
    ['1e3s', 'got "1e3s"'],
    ['5 fortnights', 'write a whole number with a unit'],
    ['', 'got ""'],
    ['s', 'got "s"'],
    [null, 'got nothing'],
    [undefined, 'got nothing'],
    [true, 'got true'],
    [[], 'got a list'],
    [{}, 'got a mapping'],
  ])('refuses %j and says why', (input, reason) => {
    expect(why(input)).toContain(reason);
  });

  it('gives a positive whole number of milliseconds up to a year, or a reason; it never throws', () => {
    const input = fc.oneof(
      fc.anything(),
      fc.string(),
      fc.tuple(fc.double(), fc.constantFrom('ms', 's', 'm', 'h', 'd', '')).map(([n, u]) => `${n}${u}`),
    );
    fc.assert(
      fc.property(input, (value) => {
        const meaning = parseDuration(value);
        if ('no' in meaning) expect(meaning.no).toMatch(/^expected /);
        else expect(Number.isSafeInteger(meaning.ok) && meaning.ok > 0 && meaning.ok <= 365 * 86_400_000).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  it('reads what formatDuration writes', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 365 * 86_400_000 }), (ms) => {
        expect(parseDuration(formatDuration(ms))).toEqual({ ok: ms });
      }),
    );
  });
});

describe('duration', () => {
  const field = duration('2s', '10m', 'How long.');

  it.each([
    ['2s', true],
    ['1999ms', false],
    ['10m', true],
    ['600001ms', false],
  ])('holds both ends of its bounds: %s', (text, accepted) => {
    expect(field.safeParse(text).success).toBe(accepted);
  });

  it('names the nearest allowed value', () => {
    const issue = field.safeParse('1h').error?.issues[0];
    expect(issue).toMatchObject({
      message: 'expected at most 10m, got "1h"',
      params: { hint: 'the nearest allowed value is 10m' },
    });
  });
});
