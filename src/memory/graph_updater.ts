/** Brings the graph up to the journal, a slice at a time, while no decision is waiting. */
import type { Clock } from '../core/clock.ts';
import { messageOf } from '../core/errors.ts';
import type { JournalEntry } from '../core/journal.ts';
import type { Graph } from './graph.ts';

export interface GraphUpdaterDeps {
  readonly graph: Graph;
  readonly read: (query: { readonly sinceSeq: number; readonly limit: number }) => Iterable<JournalEntry>;
  readonly clock: Clock;
  /** The end of the journal, where the graph is of another one: it starts over before it takes anything. */
  readonly startsOver?: { highestSeq(): number } | undefined;
  /** Called once for each failure; the memory then stands still until the next start. */
  readonly fail: (text: string) => void;
}

/** Entries of one slice: a few milliseconds of work. */
const SLICE_ENTRIES = 32;
const SLICE_ROWS = 200;
/** Rows that the merges of one slice may change. */
const SLICE_MERGED = 64;
/** A burst of entries is a decision under way: wait until it is over, but not for ever. */
const QUIET_MS = 250;
const WAIT_MAX_MS = 2_000;
/** Between two slices everybody else gets the loop: three quarters of the time, however slow the disk is. */
const BETWEEN_SLICES_MS = 5;
const BETWEEN_SLICES_MS_MAX = 250;
const SHARE_LEFT = 3;

export class GraphUpdater implements Disposable {
  readonly #deps: GraphUpdaterDeps;
  #timer: Disposable | undefined;
  #wokenMs: number | undefined;
  #stopped = false;
  #startsOver: GraphUpdaterDeps['startsOver'];
  #waiting: (() => void)[] = [];

  constructor(deps: GraphUpdaterDeps) {
    this.#deps = deps;
    this.#startsOver = deps.startsOver;
  }

  /** There is something new. Cheap: it only sets a timer. */
  wake(): void {
    if (this.#stopped) return;
    const nowMs = this.#deps.clock.monotonicMs();
    this.#wokenMs ??= nowMs;
    const delayMs = Math.max(0, Math.min(QUIET_MS, this.#wokenMs + WAIT_MAX_MS - nowMs));
    this.#arm(delayMs);
  }

  /** Resolves when everything that is in the journal now is in the graph, or when the memory stands still. */
  caughtUp(): Promise<void> {
    if (this.#stopped) return Promise.resolve();
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.#arm(0);
    });
  }

  /** Forgets what the journal forgot, in slices. */
  prune(firstSeq: number): void {
    const { graph, clock } = this.#deps;
    // What is of another journal goes all the same.
    if (this.#stopped || this.#startsOver !== undefined) return;
    this.#guarded(() => {
      if (graph.prune(firstSeq, SLICE_ROWS)) clock.after(BETWEEN_SLICES_MS, () => this.prune(firstSeq));
    });
  }

  [Symbol.dispose](): void {
    this.#stopped = true;
    this.#timer?.[Symbol.dispose]();
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  #arm(delayMs: number): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = this.#deps.clock.after(delayMs, () => this.#slice());
  }

  #slice(): void {
    this.#timer = undefined;
    this.#wokenMs = undefined;
    if (this.#stopped) return;
    this.#guarded(() => {
      const { graph, read, clock } = this.#deps;
      const startedMs = clock.monotonicMs();
      if (this.#startsOver !== undefined) {
        if (!graph.startOver(this.#startsOver.highestSeq(), SLICE_ROWS)) this.#startsOver = undefined;
        return this.#arm(pauseMs(clock.monotonicMs() - startedMs));
      }
      const found = [...read({ sinceSeq: graph.store.cursor() + 1, limit: SLICE_ENTRIES })];
      const entries = found.slice(0, affordable(found));
      const last = entries.at(-1);
      if (last !== undefined) graph.take(entries, last.seq);
      if (entries.length < found.length || found.length === SLICE_ENTRIES) {
        return this.#arm(pauseMs(clock.monotonicMs() - startedMs));
      }
      for (const resolve of this.#waiting.splice(0)) resolve();
    });
  }

  #guarded(work: () => void): void {
    try {
      work();
    } catch (thrown) {
      this[Symbol.dispose]();
      this.#deps.fail(`memory: it stands still until the next start: ${messageOf(thrown)} (reeve memory rebuild)`);
    }
  }
}

const pauseMs = (tookMs: number): number =>
  Math.min(BETWEEN_SLICES_MS_MAX, Math.max(BETWEEN_SLICES_MS, SHARE_LEFT * tookMs));

/** How many of these fit into one slice: a merge changes as many rows as it has members. At least one. */
function affordable(entries: readonly JournalEntry[]): number {
  let rows = 0;
  const over = entries.findIndex(({ fact }) => {
    rows += fact.type === 'insight.merged' ? fact.merged : 1;
    return rows > SLICE_MERGED;
  });
  return over < 0 ? entries.length : Math.max(1, over);
}
