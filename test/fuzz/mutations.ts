// Inputs for parsers: arbitrary bytes, and real inputs with a few things done to them.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';

/** Inputs are no longer than this; the intake's own test goes to its limits. */
export const INPUT_BYTES_MAX = 64 * 1024;

/** The small real inputs of a parser. */
export function seedsOf(name: string): readonly Buffer[] {
  const folder = join(import.meta.dirname, 'seeds', name);
  return readdirSync(folder)
    .sort()
    .map((file) => readFileSync(join(folder, file)));
}

/** What tends to be read wrongly: ends, escapes, numbers at the edge, names that every object has. */
const TOKENS = [
  ...[
    '',
    '\0',
    '\n',
    '\r\n',
    '"',
    '\\',
    "'",
    '<',
    '>',
    '&',
    '%',
    '{',
    '}',
    '[',
    ']',
    '(',
    ')',
    ',',
    ':',
    '=',
    '#',
    '*',
  ],
  ...['-1', '0', '1e308', '-0', '99999999999999999999', '0x7f', 'NaN', 'Infinity', '1e-7', '9007199254740993'],
  ...['null', 'true', '[]', '{}', '""', '__proto__', 'constructor', 'toString', '\ufeff', '\u202e', '\ud800', 'é'],
  ...['<![CDATA[', ']]>', '<!DOCTYPE a [<!ENTITY b "c">]>', '&b;', '&#x41;', '$Number%0999999d$', '#EXTINF:', '<13>1 '],
  ...['!!binary', '&a', '*a', '<<:', '|+', '? ', '\x80', '\xff\xff\xff\xff\x0f', '\xf4\xff\xff', '\xfe\x01\x00'],
].map((token) => Buffer.from(token, /[\x80-\xff]/.test(token) && !token.includes('é') ? 'latin1' : 'utf8'));

type Change = (bytes: Buffer, at: number, length: number) => Buffer;
const place = fc.nat({ max: 65_535 });

const replaced = (bytes: Buffer, at: number, length: number, by: Buffer): Buffer =>
  Buffer.concat([bytes.subarray(0, at), by, bytes.subarray(at + length)]);

const change: fc.Arbitrary<Change> = fc.oneof(
  fc.constantFrom(...TOKENS).map(
    (token): Change =>
      (bytes, at) =>
        replaced(bytes, at, 0, token),
  ),
  fc.constantFrom(...TOKENS).map(
    (token): Change =>
      (bytes, at, length) =>
        replaced(bytes, at, length, token),
  ),
  fc.uint8Array({ maxLength: 8 }).map(
    (some): Change =>
      (bytes, at) =>
        replaced(bytes, at, some.length, Buffer.from(some)),
  ),
  fc.constant<Change>((bytes, at, length) => replaced(bytes, at, length, Buffer.alloc(0))),
  fc.constant<Change>((bytes, at) => bytes.subarray(0, at)),
  // The same part over and over: this is what finds the time and the room that a parser takes.
  fc.integer({ min: 2, max: 5_000 }).map(
    (times): Change =>
      (bytes, at, length) => {
        const part = bytes.subarray(at, at + length);
        const fits = Math.min(times, Math.floor(INPUT_BYTES_MAX / Math.max(1, part.length)));
        return replaced(bytes, at, 0, Buffer.concat(Array.from({ length: fits }, () => part)));
      },
  ),
);

const changes = fc.array(fc.tuple(change, place, fc.nat({ max: 64 })), { maxLength: 6 });

function mutated(seed: Buffer, list: readonly (readonly [Change, number, number])[]): Buffer {
  return list.reduce((bytes, [apply, at, length]) => {
    const from = bytes.length === 0 ? 0 : at % (bytes.length + 1);
    return apply(bytes, from, Math.min(length, bytes.length - from)).subarray(0, INPUT_BYTES_MAX);
  }, seed);
}

/** Mostly real inputs, changed; sometimes two of them joined, sometimes anything. */
export function inputsOf(seeds: readonly Buffer[]): fc.Arbitrary<Buffer> {
  const seed = fc.constantFrom(...seeds);
  return fc.oneof(
    { weight: 8, arbitrary: fc.tuple(seed, changes).map(([bytes, list]) => mutated(bytes, list)) },
    {
      weight: 1,
      arbitrary: fc.tuple(seed, seed, changes).map(([one, two, list]) => mutated(Buffer.concat([one, two]), list)),
    },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 400 }).map((bytes) => Buffer.from(bytes)) },
  );
}
