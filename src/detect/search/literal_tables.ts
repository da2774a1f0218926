/** Which patterns a literal that was found may belong to. */
import type { Catalogue } from '../patterns/catalogue.ts';
import type { Literal } from './prefilter.ts';

/** Words by which a program complains. A record with one of them that no pattern fits is kept. */
const COMPLAINTS = [
  'failed',
  'failure',
  ' error',
  '[error]',
  '"error',
  '=error',
  'ERROR ',
  'ERROR:',
  'ERROR]',
  'Exception',
  'Unable to',
  'unable to',
  'cannot ',
  'Cannot ',
];

/** Literals that are searched for together. */
export interface LiteralTable {
  readonly literals: readonly Literal[];
  readonly owners: Owners;
}

/** By literal: indices of the patterns that it may belong to; none for a complaint. Flat: there are ten thousand. */
export class Owners {
  readonly #starts: Uint32Array;
  readonly #patterns: Uint32Array;

  constructor(byLiteral: readonly (readonly number[])[]) {
    this.#starts = new Uint32Array(byLiteral.length + 1);
    byLiteral.forEach((patterns, at) => {
      this.#starts[at + 1] = this.#starts[at]! + patterns.length;
    });
    this.#patterns = Uint32Array.from(byLiteral.flat());
  }

  /** Puts those of the literal among the candidates, by rank. False where it has none. */
  addTo(candidates: number[], literal: number): boolean {
    const [start, end] = [this.#starts[literal]!, this.#starts[literal + 1]!];
    for (let at = start; at < end; at += 1) insert(candidates, this.#patterns[at]!);
    return end > start;
  }
}

/**
 * The literals that make a record worth a look, and those that only harmless patterns have. The latter stand in nearly
 * every line of a healthy log, so they are looked for only in records that the former found.
 */
export function literalTables(catalogue: Catalogue): {
  readonly telling: LiteralTable;
  readonly ordinary: LiteralTable;
} {
  const byKey = new Map<string, { literal: Literal; patterns: number[] }>();
  const entryOf = (text: string, ignoreCase: boolean) => {
    const key = `${ignoreCase ? 'i' : 's'}:${text}`;
    const entry = byKey.get(key) ?? { literal: { text, ignoreCase }, patterns: [] };
    byKey.set(key, entry);
    return entry;
  };
  for (const pattern of catalogue.patterns) {
    for (const text of pattern.literals) entryOf(text, pattern.ignoreCase).patterns.push(pattern.index);
  }
  for (const text of COMPLAINTS) entryOf(text, false);
  const matters = (at: number): boolean =>
    !catalogue.patterns[at]!.harmless || catalogue.patterns[at]!.notice !== undefined;
  const entries = [...byKey.values()];
  const tells = (patterns: readonly number[]): boolean => patterns.length === 0 || patterns.some(matters);
  const tableOf = (telling: boolean): LiteralTable => {
    const wanted = entries.filter(({ patterns }) => tells(patterns) === telling);
    const owners = new Owners(wanted.map(({ patterns }) => patterns));
    return { literals: wanted.map(({ literal }) => literal), owners };
  };
  return { telling: tableOf(true), ordinary: tableOf(false) };
}

function insert(sorted: number[], value: number): void {
  let at = sorted.length;
  while (at > 0 && sorted[at - 1]! > value) at -= 1;
  if (at > 0 && sorted[at - 1] === value) return;
  for (let from = sorted.length; from > at; from -= 1) sorted[from] = sorted[from - 1]!;
  sorted[at] = value;
}
