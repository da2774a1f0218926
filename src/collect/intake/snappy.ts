/** Decompresses Snappy blocks within a bound. */
import { IntakeRefused } from './refused.ts';

/**
 * Snappy's block format (github.com/google/snappy, format_description.txt): the length of the plain bytes as a
 * varint, then literals and copies of what stands before. Throws `IntakeRefused` for anything else.
 */
export function unsnappy(input: Buffer, bytesMax: number): Buffer {
  const { value: length, next } = varint(input);
  if (length > bytesMax) throw new IntakeRefused(`expected at most ${bytesMax} bytes unpacked, got ${length}`);
  const output = Buffer.allocUnsafe(length);
  let from = next;
  let to = 0;
  while (from < input.length) {
    const tag = input[from]!;
    const isLiteral = (tag & 3) === 0;
    const part = isLiteral ? literal(input, from) : copy(input, from);
    if (to + part.length > length) throw broken('more bytes than it says');
    const { offset } = part;
    if (offset !== undefined) {
      if (offset === 0 || offset > to) throw broken('a copy from before the beginning');
      // Byte by byte where the copy overlaps itself: that is how a run is written.
      if (offset >= part.length) output.copy(output, to, to - offset, to - offset + part.length);
      else for (let at = 0; at < part.length; at += 1) output[to + at] = output[to + at - offset]!;
      from = part.next;
    } else {
      if (part.next + part.length > input.length) throw broken('a literal that ends too soon');
      input.copy(output, to, part.next, part.next + part.length);
      from = part.next + part.length;
    }
    to += part.length;
  }
  if (to !== length) throw broken('fewer bytes than it says');
  return output;
}

const broken = (how: string): IntakeRefused => new IntakeRefused(`expected a snappy block, got ${how}`);

function varint(input: Buffer): { value: number; next: number } {
  let value = 0;
  for (let at = 0; at < 5; at += 1) {
    const byte = input[at];
    if (byte === undefined) break;
    value += (byte & 0x7f) * 2 ** (7 * at);
    if (byte < 0x80) return { value, next: at + 1 };
  }
  throw broken('no length');
}

interface Part {
  readonly length: number;
  /** How far back a copy begins; undefined for a literal. */
  readonly offset: number | undefined;
  /** Where the input goes on; of a literal, where its bytes stand. */
  readonly next: number;
}

/** Lengths up to 60 stand in the tag; else 1 to 4 bytes after it hold the length. */
function literal(input: Buffer, from: number): Part {
  const short = input[from]! >> 2;
  if (short < 60) return { length: short + 1, offset: undefined, next: from + 1 };
  const bytes = short - 59;
  if (from + 1 + bytes > input.length) throw broken('a literal that ends too soon');
  return { length: input.readUIntLE(from + 1, bytes) + 1, offset: undefined, next: from + 1 + bytes };
}

const COPY_BYTES = [0, 2, 3, 5] as const;

function copy(input: Buffer, from: number): Part {
  const tag = input[from]!;
  const kind = tag & 3;
  const next = from + COPY_BYTES[kind as 1 | 2 | 3];
  if (next > input.length) throw broken('a copy that ends too soon');
  if (kind === 1) return { length: ((tag >> 2) & 7) + 4, offset: ((tag >> 5) << 8) | input[from + 1]!, next };
  const offset = kind === 2 ? input.readUInt16LE(from + 1) : input.readUInt32LE(from + 1);
  return { length: (tag >> 2) + 1, offset, next };
}
