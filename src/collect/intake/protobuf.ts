// Reads protobuf messages (protobuf.dev, encoding) in place: no copy and no object for a field, since a body of two
// megabytes may hold a million of them.
import { IntakeRefused } from './refused.ts';

/** How many fields may yet be read of one body, messages within messages included. */
export interface FieldBudget {
  left: number;
}

/** A line has five fields, and two for each word of metadata. */
const FIELDS_MAX = 300_000;

export const aFieldBudget = (): FieldBudget => ({ left: FIELDS_MAX });

const broken = (how: string): IntakeRefused => new IntakeRefused(`expected a protobuf message, got ${how}`);

/**
 * The fields of one message in their order: `next` goes to the next one and is false after the last. Throws
 * `IntakeRefused` for what is no message, and past the budget. Numbers beyond 2^53 lose their last bits. Groups are
 * refused: no message that is read here has any.
 */
export class Message {
  readonly #bytes: Buffer;
  readonly #end: number;
  readonly #budget: FieldBudget;
  #at: number;
  /** Of the field that `next` went to. */
  number = 0;
  /** Its value, where it is a plain number; else 0. */
  value = 0;
  /** Where the bytes of a string or message begin and end; of a number nothing is between them. */
  start = 0;
  end = 0;

  constructor(bytes: Buffer, budget: FieldBudget, start = 0, end = bytes.length) {
    this.#bytes = bytes;
    this.#budget = budget;
    this.#at = start;
    this.#end = end;
  }

  next(): boolean {
    if (this.#at >= this.#end) return false;
    if (this.#budget.left <= 0) throw new IntakeRefused(`expected at most ${FIELDS_MAX} fields: send smaller batches`);
    this.#budget.left -= 1;
    const tag = this.#varint();
    this.number = Math.floor(tag / 8);
    if (this.number === 0) throw broken('a field without a number');
    const kind = tag % 8;
    this.value = kind === 0 ? this.#varint() : 0;
    if (kind === 0) this.#span(0);
    else if (kind === 2) this.#span(this.#varint());
    else if (kind === 1) this.#span(8);
    else if (kind === 5) this.#span(4);
    else throw broken(`a field of kind ${kind}`);
    return true;
  }

  /** The field as text. */
  text(): string {
    return this.#bytes.toString('utf8', this.start, this.end);
  }

  /** The field as a message. */
  message(): Message {
    return new Message(this.#bytes, this.#budget, this.start, this.end);
  }

  #span(length: number): void {
    if (length > this.#end - this.#at) throw broken('a field that ends too soon');
    this.start = this.#at;
    this.#at += length;
    this.end = this.#at;
  }

  #varint(): number {
    let value = 0;
    let scale = 1;
    for (let count = 0; count < 10; count += 1) {
      if (this.#at >= this.#end) throw broken('a number that ends too soon');
      const byte = this.#bytes[this.#at]!;
      this.#at += 1;
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
      scale *= 128;
    }
    throw broken('a number that does not end');
  }
}
