/** The oracle of the heartbeat, which has somebody else page where Reeve cannot (law L1). */
import { SECOND_MS } from '../../core/duration.ts';
import type { JournalEntry } from '../../core/journal.ts';
import type { Delivery } from '../effect_log.ts';
import type { InvariantContext, Oracle } from './context.ts';
import type { Surroundings } from './unwritten.ts';

/** A receiver that takes nothing for 120 s does not count; the first try begins at once, and may take 10 s. */
const WITHHELD_MS_MAX = 135 * SECOND_MS;
/** A receiver that takes messages again has what it is owed by then: see `LatePages`. */
const SENT_MS_MAX = 75 * SECOND_MS;
/** The oracles look once a second: what is further apart was skipped or slept through. */
const GAP_MS_MAX = 5 * SECOND_MS;

/**
 * L1, where no receiver takes anything: a page that nobody has been sent withholds the heartbeat. And only there: while
 * a receiver takes what is sent to it, nobody is called for the silence of a Reeve that can call.
 */
export class Heartbeats implements Oracle {
  readonly #case: InvariantContext;
  readonly #world: Surroundings;
  /** Open pages that no receiver ever had. */
  readonly #unheard = new Set<string>();
  readonly #heard = new Set<string>();
  /** On Reeve's clock: since when nobody takes anything and such a page is open. */
  #deafMs: number | undefined;
  readonly #upMs = new Map<string, number>();
  #lookedMs: number | undefined;
  #isReported = false;

  constructor(world: InvariantContext, surroundings: Surroundings) {
    this.#case = world;
    this.#world = surroundings;
  }

  entry({ fact }: JournalEntry): void {
    if (fact.type === 'reeve.started') this.#wait();
    if (fact.type === 'escalation.resolved') this.#unheard.delete(fact.key);
    if (fact.type === 'escalation.raised' && !this.#heard.has(fact.escalation.key))
      this.#unheard.add(fact.escalation.key);
  }

  delivered({ key, taken }: Delivery): void {
    if (!taken) return;
    this.#heard.add(key);
    this.#unheard.delete(key);
  }

  /** Once a second, while Reeve runs. `isWithheld`: what Reeve would do with a heartbeat that is due now. */
  look(monoMs: number, isWithheld: boolean): void {
    if (monoMs - (this.#lookedMs ?? monoMs) > GAP_MS_MAX) this.#wait();
    this.#lookedMs = monoMs;
    const { takesAny, reachable, isWritable } = this.#world;
    this.#deafMs = takesAny() || this.#unheard.size === 0 ? undefined : (this.#deafMs ?? monoMs);
    if (!isWithheld && this.#isOver(this.#deafMs, monoMs, WITHHELD_MS_MAX))
      this.#report(`nobody takes ${[...this.#unheard][0]}, and the heartbeat goes on`);
    const up = isWritable() ? reachable() : [];
    for (const receiver of this.#upMs.keys()) if (!up.includes(receiver)) this.#upMs.delete(receiver);
    for (const receiver of up) {
      const upMs = this.#upMs.get(receiver) ?? monoMs;
      this.#upMs.set(receiver, upMs);
      if (isWithheld && this.#isOver(upMs, monoMs, SENT_MS_MAX))
        this.#report(`${receiver} takes pages, and the heartbeat is withheld`);
    }
  }

  #isOver(sinceMs: number | undefined, monoMs: number, mostMs: number): boolean {
    return sinceMs !== undefined && monoMs - sinceMs > mostMs;
  }

  /** What is waited for begins anew. */
  #wait(): void {
    this.#deafMs = undefined;
    this.#upMs.clear();
  }

  #report(because: string): void {
    if (!this.#isReported) this.#case.broke('L1', because);
    this.#isReported = true;
  }
}
