/** A note beside the journal for when it cannot be written. */
import { closeSync, existsSync, openSync, readFileSync, statSync, writeFileSync, writeSync } from 'node:fs';

const BYTES = 4_096;

/**
 * A note beside the journal, for the one thing that the journal itself cannot take: that it takes nothing. Its room is
 * taken while there is some, so that a full disk can still be written over. It is a help and no record: whatever goes
 * wrong with it, there is no note.
 */
export class SpillFile {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
    try {
      if (!existsSync(path) || statSync(path).size < BYTES) this.#reserve();
    } catch {
      // Then there is no note.
    }
  }

  read(): unknown {
    try {
      return JSON.parse(readFileSync(this.#path, 'utf8'));
    } catch {
      return undefined;
    }
  }

  /** False when it could not be kept: too long, or the disk does not take even this. */
  keep(value: unknown): boolean {
    const text = Buffer.from(JSON.stringify(value));
    return text.length <= BYTES && this.#write(text);
  }

  clear(): boolean {
    return this.#write(Buffer.alloc(0));
  }

  #reserve(): void {
    writeFileSync(this.#path, ' '.repeat(BYTES), { mode: 0o600 });
  }

  #write(text: Buffer): boolean {
    try {
      const file = openSync(this.#path, 'r+');
      try {
        return writeSync(file, Buffer.concat([text, Buffer.alloc(BYTES - text.length, ' ')])) === BYTES;
      } finally {
        closeSync(file);
      }
    } catch {
      return false;
    }
  }
}
