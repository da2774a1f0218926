/** What was explored in this session: a situation like one before costs nothing. */
import { cosine, type TextVector, vectorOf } from '../../core/similarity.ts';

/** From this likeness on two situations are one (docs/rulebook.md has the curve). */
export const SAME_SITUATION = 0.6;
const ENTRIES_MAX = 500;

/** Situations and what came of them, found by likeness. When it is full the oldest goes. */
export class SessionCache<Result> {
  readonly #entries: { readonly vector: TextVector; readonly kind: string; readonly result: Result }[] = [];
  readonly #sameFrom: number;
  #hits = 0;

  /** From this likeness on, above 0 and at most 1, two situations are one. */
  constructor(sameFrom = SAME_SITUATION) {
    this.#sameFrom = sameFrom;
  }

  get hits(): number {
    return this.#hits;
  }

  /** `kind` is compared as it is: only situations of one kind are held against each other. */
  find(kind: string, text: string): { readonly result: Result } | undefined {
    const vector = vectorOf(text);
    let best: { readonly likeness: number; readonly result: Result } | undefined;
    for (const entry of this.#entries) {
      if (entry.kind !== kind) continue;
      const likeness = cosine(vector, entry.vector);
      if (likeness >= this.#sameFrom && likeness > (best?.likeness ?? 0)) best = { likeness, result: entry.result };
    }
    if (best !== undefined) this.#hits += 1;
    return best;
  }

  add(kind: string, text: string, result: Result): void {
    this.#entries.push({ vector: vectorOf(text), kind, result });
    if (this.#entries.length > ENTRIES_MAX) this.#entries.shift();
  }
}
