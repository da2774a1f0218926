/** Replaces secrets in a text by a mark. */

/** What stands where a secret stood. */
export const REDACTED = '[redacted]';

/** Redacts ranges of a text, left to right, in one pass. */
export class Cut {
  readonly #text: string;
  readonly #parts: string[] = [];
  #kept = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** Empty ranges, ranges before the last one, and those already redacted are left alone. */
  redact(start: number, end: number): void {
    if (end <= start || start < this.#kept || this.#text.startsWith(REDACTED, start)) return;
    this.#parts.push(this.#text.slice(this.#kept, start), REDACTED);
    this.#kept = end;
  }

  toString(): string {
    return this.#parts.length === 0 ? this.#text : this.#parts.join('') + this.#text.slice(this.#kept);
  }
}
