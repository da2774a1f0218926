/** Counts the lines of one source by what became of them. */
import { type Checkpoint, type ChunkCount, DROP_REASONS, type DropReason } from '../../core/chunk.ts';
import { invariant } from '../../core/errors.ts';

type Counts = Pick<Checkpoint, 'lines' | 'matched' | 'unmatched' | 'dropped'>;

/** The exact count of one source. Lines handed over and lines dropped are never counted twice and never forgotten. */
export class LineCounts {
  #matched = 0;
  #unmatched = 0;
  #progress = 0;
  readonly #dropped = new Map<DropReason, number>();

  add(count: ChunkCount): void {
    const adds = count.lines === count.matched + count.unmatched;
    invariant(adds, `a sink counted ${count.lines} lines as ${count.matched} + ${count.unmatched}`);
    this.#matched += count.matched;
    this.#unmatched += count.unmatched;
    this.#progress += count.progress;
  }

  drop(reason: DropReason, lines: number): void {
    if (lines > 0) this.#dropped.set(reason, (this.#dropped.get(reason) ?? 0) + lines);
  }

  restore(counts: Counts): void {
    this.#matched += counts.matched;
    this.#unmatched += counts.unmatched;
    for (const { reason, lines } of counts.dropped) this.drop(reason, lines);
  }

  get counts(): Counts & { readonly progress: number } {
    const dropped = DROP_REASONS.flatMap((reason) => {
      const lines = this.#dropped.get(reason);
      return lines === undefined ? [] : [{ reason, lines }];
    });
    const droppedLines = dropped.reduce((sum, { lines }) => sum + lines, 0);
    const [matched, unmatched] = [this.#matched, this.#unmatched];
    return { lines: matched + unmatched + droppedLines, matched, unmatched, progress: this.#progress, dropped };
  }
}
