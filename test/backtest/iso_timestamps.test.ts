import { fc, it as property } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { IsoTimestamps } from '../../src/backtest/iso_timestamps.ts';
import { formatOf } from '../../src/backtest/stamps.ts';

const setting = { offsetMinutes: 0, year: 2026 };

describe('a time that begins like the one before', () => {
  const two = (max: number) => fc.nat(max).map((value) => String(value).padStart(2, '0'));
  const stamp = fc
    .tuple(
      fc.constantFrom('2026-07-28', '2026/07/28'),
      fc.constantFrom('T', ' ', '  '),
      two(1).map((minute) => `12:${minute}`),
      two(1),
      fc.constantFrom('', '.1', ',123', '.123', '.123456', '.1234567890'),
      fc.constantFrom('', 'Z', ' Z', '+0200', ' +0200', '+02:00', '-0130', '+02', '+02001'),
      fc.constantFrom('', ' text', ' -0100', '7', ' Z', '[x]'),
    )
    .map(([day, between, minute, second, ...rest]) => `${day}${between}${minute}:${second}${rest.join('')}`);
  const line = fc.oneof(
    stamp,
    stamp,
    stamp.map((text) => `[${text}] x`),
    fc.constantFrom('', 'no time', '2026-07-28T'),
  );

  property.prop([fc.array(line, { minLength: 1, maxLength: 30 })], { numRuns: 300 })(
    'is read as the expression reads it, or not at all',
    (lines) => {
      const bytes = Buffer.from(`${lines.join('\n')}\n`);
      const again = new IsoTimestamps();
      let start = 0;
      for (const text of lines) {
        const expected = formatOf(['2026-07-28T12:00:00Z'])!.create(setting)(text);
        const quick = again.read(bytes, start);
        if (quick !== undefined) expect([text, quick]).toEqual([text, expected]);
        else if (expected !== undefined) again.learn(text, expected);
        start += text.length + 1;
      }
    },
  );

  it('is read without the expression, whatever its fraction', () => {
    const again = new IsoTimestamps();
    const at = Date.UTC(2026, 6, 28, 12);
    again.learn('2026-07-28T12:00:00.123Z x', at + 123);
    const heads = ['2026-07-28T12:00:00.5Z y', '2026-07-28T12:00:00Z', '2026-07-28T12:00:01.123Z x'];
    expect(heads.map((head) => again.read(Buffer.from(`${head}\n`), 0))).toEqual([at + 500, at, undefined]);
  });
});
