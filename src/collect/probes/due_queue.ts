/** Orders what is due by time. */
import type { MonoMs } from '../../core/clock.ts';

/** A binary heap: the earliest first. */
export class DueQueue<Item> {
  readonly #entries: { readonly atMs: MonoMs; readonly item: Item }[] = [];

  get firstMs(): MonoMs {
    return this.#entries[0]?.atMs ?? Number.POSITIVE_INFINITY;
  }

  push(atMs: MonoMs, item: Item): void {
    const entries = this.#entries;
    let at = entries.push({ atMs, item }) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (entries[parent]!.atMs <= entries[at]!.atMs) return;
      this.#swap(at, parent);
      at = parent;
    }
  }

  /** Only when `firstMs` is a time. */
  pop(): { readonly atMs: MonoMs; readonly item: Item } {
    const entries = this.#entries;
    this.#swap(0, entries.length - 1);
    const first = entries.pop()!;
    let at = 0;
    for (;;) {
      const left = 2 * at + 1;
      const right = left + 1;
      let least = at;
      if (left < entries.length && entries[left]!.atMs < entries[least]!.atMs) least = left;
      if (right < entries.length && entries[right]!.atMs < entries[least]!.atMs) least = right;
      if (least === at) return first;
      this.#swap(at, least);
      at = least;
    }
  }

  #swap(a: number, b: number): void {
    const entries = this.#entries;
    const held = entries[a]!;
    entries[a] = entries[b]!;
    entries[b] = held;
  }
}
