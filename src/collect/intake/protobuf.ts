import { IntakeRefused } from './refused.ts';

/** One field of a protobuf message: a number, or the bytes of a string or a message. */
export type Field =
  | { readonly number: number; readonly bytes: Buffer }
  | { readonly number: number; readonly value: number };

const broken = (how: string): IntakeRefused => new IntakeRefused(`expected a protobuf message, got ${how}`);

/**
 * The fields of one message in their order (protobuf.dev, encoding). Numbers beyond 2^53 lose their last bits.
 * Groups are refused: no message that is read here has any.
 */
export function* fieldsOf(message: Buffer): Iterable<Field> {
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let shift = 0; shift < 10; shift += 1) {
      const byte = message[at];
      if (byte === undefined) throw broken('a number that ends too soon');
      at += 1;
      value += (byte & 0x7f) * 2 ** (7 * shift);
      if (byte < 0x80) return value;
    }
    throw broken('a number that does not end');
  };
  const take = (length: number): Buffer => {
    if (length > message.length - at) throw broken('a field that ends too soon');
    at += length;
    return message.subarray(at - length, at);
  };
  while (at < message.length) {
    const tag = varint();
    const number = Math.floor(tag / 8);
    const kind = tag % 8;
    if (number === 0) throw broken('a field without a number');
    if (kind === 0) yield { number, value: varint() };
    else if (kind === 2) yield { number, bytes: take(varint()) };
    else if (kind === 1) yield { number, bytes: take(8) };
    else if (kind === 5) yield { number, bytes: take(4) };
    else throw broken(`a field of kind ${kind}`);
  }
}

/** The bytes of a field; empty for a number. */
export const bytesIn = (field: Field): Buffer => ('bytes' in field ? field.bytes : EMPTY);
export const textIn = (field: Field): string => bytesIn(field).toString('utf8');
export const numberIn = (field: Field): number => ('value' in field ? field.value : 0);

const EMPTY = Buffer.alloc(0);
