/** Writes files whole or not at all. */
import { closeSync, fsyncSync, openSync, rmSync, writeFileSync } from 'node:fs';

/**
 * A new file that is on the disk when this returns. What a full disk cut short is removed again, and throws what the
 * system said. `wx` refuses to replace a file; `w` is for one that gets its name afterwards.
 */
export function writeWhole(file: string, text: string, { flag, mode }: { flag: 'w' | 'wx'; mode: number }): void {
  const descriptor = openSync(file, flag, mode);
  try {
    // One call of write(2) may take a part and say so in its result alone; this one goes on until all is written.
    writeFileSync(descriptor, text);
    fsyncSync(descriptor);
  } catch (thrown) {
    rmSync(file, { force: true });
    throw thrown;
  } finally {
    closeSync(descriptor);
  }
}
