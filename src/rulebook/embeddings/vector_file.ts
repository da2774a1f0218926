/** Vectors of a model in a file of their own, so that unchanged rules are not embedded again after a start. */
import { openOrBeginAnew } from '../../journal/aside.ts';
import { DerivedFile, type DerivedSchema } from '../../journal/derived.ts';
import type { Dense } from './dense.ts';

/** Where vectors outlive the process. Every method may throw DERIVED_BROKEN; what is lost is made anew. */
export interface VectorStore extends Disposable {
  /** Of one model, by the hash of what was embedded. */
  load(model: string): ReadonlyMap<string, Dense>;
  put(model: string, vectors: ReadonlyMap<string, Dense>): void;
  /** Forgets every other model, and of this one what is not among the hashes. */
  keep(model: string, hashes: ReadonlySet<string>): void;
}

const SCHEMA: DerivedSchema = {
  name: 'store of rule vectors',
  version: 1,
  tables: `
    CREATE TABLE vector (
      model TEXT NOT NULL, sha256 TEXT NOT NULL, numbers BLOB NOT NULL, PRIMARY KEY (model, sha256)
    ) STRICT, WITHOUT ROWID`,
};

/**
 * Opens or creates the file. A damaged one is put aside as `….broken` and made anew: `onAside` hears why. Throws
 * JOURNAL_UNWRITABLE: another process has it, or the place is unsafe; DERIVED_BROKEN: it is whole and cannot be used.
 */
export function openVectorFile(path: string, onAside: (because: string) => void = () => undefined): VectorStore {
  return new VectorFile(openOrBeginAnew(path, () => DerivedFile.open(path, SCHEMA), onAside));
}

class VectorFile implements VectorStore {
  readonly #file: DerivedFile;

  constructor(file: DerivedFile) {
    this.#file = file;
  }

  load(model: string): ReadonlyMap<string, Dense> {
    const rows = this.#file.all('SELECT sha256, numbers FROM vector WHERE model = ?', model);
    return new Map(
      rows.flatMap(({ sha256, numbers }) => {
        const vector = denseOf(numbers);
        return vector === undefined ? [] : [[String(sha256), vector] as const];
      }),
    );
  }

  put(model: string, vectors: ReadonlyMap<string, Dense>): void {
    // The cursor says nothing here: what is in the file follows from rules and a model, not from the journal.
    this.#file.advance(0, () => {
      for (const [sha256, { buffer, byteOffset, byteLength }] of vectors)
        this.#file.run(
          'INSERT OR REPLACE INTO vector VALUES (?, ?, ?)',
          ...[model, sha256, new Uint8Array(buffer, byteOffset, byteLength)],
        );
    });
  }

  keep(model: string, hashes: ReadonlySet<string>): void {
    const known = this.#file.all('SELECT sha256 FROM vector WHERE model = ?', model);
    const gone = known.flatMap(({ sha256 }) => (hashes.has(String(sha256)) ? [] : [String(sha256)]));
    this.#file.advance(0, () => {
      this.#file.run('DELETE FROM vector WHERE model <> ?', model);
      for (const sha256 of gone) this.#file.run('DELETE FROM vector WHERE model = ? AND sha256 = ?', model, sha256);
    });
  }

  [Symbol.dispose](): void {
    this.#file[Symbol.dispose]();
  }
}

/** A row that somebody damaged is no vector: it is made anew. */
function denseOf(stored: unknown): Dense | undefined {
  if (!(stored instanceof Uint8Array) || stored.byteLength === 0 || stored.byteLength % 4 !== 0) return undefined;
  const vector = new Float32Array(Uint8Array.from(stored).buffer);
  const square = vector.reduce((sum, number) => sum + number * number, 0);
  return Math.abs(square - 1) < 0.01 ? vector : undefined;
}
