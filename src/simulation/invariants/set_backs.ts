/** The oracle of a journal that was set back (laws T2 and S9). */
import type { JournalEntry } from '../../core/journal.ts';
import type { Invocation } from '../effect_log.ts';
import type { InvariantContext, Oracle } from './context.ts';

/** What is of more than low risk: a phase below 3 allows none of it, and then there is nothing to hold. */
const HELD_BACK: ReadonlySet<string> = new Set(['restart_channel', 'rebuild_playout']);

/**
 * A Reeve that was given an older journal than the one that was last witnessed does not know what it did since then: it
 * does nothing of more than low risk until a person sets the phase, and no time has passed for it. That it was set back
 * is known from whoever did it, and what it does from the engine.
 */
export class SetBacks implements Oracle {
  readonly #case: InvariantContext;
  /** The last moment of the older journal, until the process that was given it has written anything. */
  #lastMs: number | undefined;
  #isHeld = false;

  constructor(world: InvariantContext) {
    this.#case = world;
  }

  /** `lastMs`: undefined where nothing was left. */
  setBack(lastMs: number | undefined): void {
    this.#lastMs = lastMs;
    this.#isHeld = true;
  }

  entry({ fact, monoMs }: JournalEntry): void {
    if (fact.type === 'control.phase_set' && fact.group === undefined) this.#isHeld = false;
    const goneMs = monoMs - (this.#lastMs ?? monoMs);
    this.#lastMs = undefined;
    if (goneMs > 0) this.#case.broke('T2', `${goneMs} ms have passed for a Reeve whose journal was set back`);
  }

  invoked({ tool, channel }: Invocation): void {
    if (!this.#isHeld || !HELD_BACK.has(tool)) return;
    this.#case.broke('S9', `${tool} of ${channel} although the journal was set back, and no person has set the phase`);
  }
}
