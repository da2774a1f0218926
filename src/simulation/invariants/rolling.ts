/** What people have announced as rolling restarts, restated from the journal's facts (law S2). */
import type { JournalEntry } from '../../core/journal.ts';
import type { Scope } from '../../core/scope.ts';
import { covers, type InvariantContext } from './context.ts';

interface Announced {
  readonly scope: Scope;
  readonly fromMs: number;
  untilMs: number;
}

/** Which processes others began while a person had announced that they would, on the clock of the journal. */
export class Rolling {
  readonly #case: InvariantContext;
  readonly #announced = new Map<string, Announced>();
  readonly #planned = new Set<string>();

  constructor(world: InvariantContext) {
    this.#case = world;
  }

  entry({ fact, channel = '', monoMs }: JournalEntry): void {
    if (fact.type === 'control.window_added' && fact.rolling === true) {
      const fromMs = monoMs + fact.startsInMs;
      this.#announced.set(fact.window, { scope: fact.scope, fromMs, untilMs: fromMs + fact.forMs });
    }
    if (fact.type === 'control.window_ended') {
      const window = this.#announced.get(fact.window);
      if (window !== undefined) window.untilMs = Math.min(window.untilMs, monoMs);
    }
    if (fact.type !== 'start.observed' || fact.planned === undefined) return;
    const atMs = monoMs - (fact.agoMs ?? 0);
    const isAnnounced = [...this.#announced.values()].some(
      ({ scope, fromMs, untilMs }) => fromMs <= atMs && atMs < untilMs && covers(scope, channel, this.#case),
    );
    if (isAnnounced) this.#planned.add(`${channel} ${fact.generation}`);
    else this.#case.broke('S2', `a start of ${channel} counts as announced, and no person had announced it`);
  }

  /** It is no part of a storm. */
  isPlanned(channel: string, generation: string): boolean {
    return this.#planned.has(`${channel} ${generation}`);
  }
}
