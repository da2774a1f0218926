/** Orders the events of the simulation by time. */

/** When something happens: by time, then by a rank that shuffles equal times, then by age. */
export interface Timed {
  readonly atMs: number;
  readonly rank: number;
  readonly seq: number;
}

const before = (a: Timed, b: Timed): boolean =>
  a.atMs !== b.atMs ? a.atMs < b.atMs : a.rank !== b.rank ? a.rank < b.rank : a.seq < b.seq;

/** A binary heap of what is to come. The next item comes first; adding and taking cost the logarithm of its size. */
export class EventHeap<Item extends Timed> {
  readonly #items: Item[] = [];

  get size(): number {
    return this.#items.length;
  }

  peek(): Item | undefined {
    return this.#items[0];
  }

  push(item: Item): void {
    const items = this.#items;
    let at = items.push(item) - 1;
    while (at > 0) {
      const above = (at - 1) >> 1;
      if (!before(item, items[above]!)) break;
      items[at] = items[above]!;
      at = above;
    }
    items[at] = item;
  }

  pop(): Item | undefined {
    const items = this.#items;
    const first = items[0];
    const last = items.pop();
    if (first === undefined || last === undefined || items.length === 0) return first;
    this.#sink(last);
    return first;
  }

  #sink(item: Item): void {
    const items = this.#items;
    let at = 0;
    for (;;) {
      let below = 2 * at + 1;
      if (below >= items.length) break;
      if (below + 1 < items.length && before(items[below + 1]!, items[below]!)) below += 1;
      if (!before(items[below]!, item)) break;
      items[at] = items[below]!;
      at = below;
    }
    items[at] = item;
  }
}
