/** The oracle of a journal that another process holds (laws S14, S8, L1 and L2). */
import { MINUTE_MS, SECOND_MS } from '../../core/duration.ts';
import type { JournalEntry } from '../../core/journal.ts';
import type { Delivery, Invocation } from '../effect_log.ts';
import { changes, type InvariantContext, type Oracle } from './context.ts';
import type { ServiceTruth, TruthOracle } from './service_truth.ts';

/** The journal's file and the receivers, as they really are. */
export interface Surroundings {
  /** The disk has the record that the call of this permit began. */
  readonly hasStarted: (permit: string) => boolean;
  /** A process that opened the journal now could write it. */
  readonly isWritable: () => boolean;
  /** The receivers that would take a page now. */
  readonly reachable: () => readonly string[];
  /** Some receiver would, though perhaps late or without a word. */
  readonly takesAny: () => boolean;
}

/** A page goes out within some seconds; where a receiver was away the next try may come this much later. */
const TOLD_MS = 20 * SECOND_MS;
const RETRY_MS_MAX = 6 * MINUTE_MS;
/** From the first good probe to the third; the free file is looked at once a second. */
const PROBES_MS_MIN = 18.5 * SECOND_MS;
/** Three probes, a stop in good order, and a grace. */
const AGAIN_MS_MAX = MINUTE_MS;

/**
 * No change without its record on the disk, whatever Reeve believes that it wrote. Since an append was given up Reeve
 * tells people, and it begins again by itself once the file was free for three probes: neither sooner nor much later.
 */
export class Unwritten implements Oracle, TruthOracle {
  readonly #case: InvariantContext;
  readonly #world: Surroundings;
  /** An append of the present process was given up. */
  #isGivenUp = false;
  #isTold = false;
  #isReported = false;
  /** On the clock of the present process: since when a page could go out, and since when the file is free. */
  #toldByMs: number | undefined;
  #reachableMs: number | undefined;
  #freeMs: number | undefined;
  /** The same in world time. */
  #freeWorldMs: number | undefined;

  constructor(world: InvariantContext, surroundings: Surroundings) {
    this.#case = world;
    this.#world = surroundings;
  }

  entry({ fact }: JournalEntry): void {
    if (fact.type !== 'reeve.started') return;
    this.#isGivenUp = false;
    this.#isTold = false;
    this.#isReported = false;
    this.#reachableMs = undefined;
    this.#toldByMs = undefined;
    this.#forgetTimes();
  }

  givenUp(): void {
    this.#isGivenUp = true;
  }

  invoked({ tool, channel, permit }: Invocation): void {
    if (!changes(tool) || this.#world.hasStarted(permit)) return;
    this.#case.broke('S14', `${tool} of ${channel} on ${permit}, and the disk has no record that it began`);
  }

  delivered({ what, key, taken }: Delivery): void {
    if (taken && what === 'trigger' && key.includes('reeve/internal')) this.#isTold = true;
  }

  watch(_: readonly ServiceTruth[], monoMs: number): void {
    const { reachable, isWritable } = this.#world;
    this.#reachableMs = reachable().length > 0 ? (this.#reachableMs ?? monoMs) : undefined;
    if (!this.#isGivenUp) return;
    this.#watchPage(monoMs);
    if (!isWritable()) return this.#forgetTimes();
    this.#freeMs ??= monoMs;
    this.#freeWorldMs ??= this.#case.nowMs();
    const sinceMs = monoMs - this.#freeMs;
    if (sinceMs > AGAIN_MS_MAX) this.#report('L2', `nothing is written although the journal is free for ${sinceMs} ms`);
  }

  /** Reeve begins again by itself. */
  beganAgain(): void {
    const freeMs = this.#case.nowMs() - (this.#freeWorldMs ?? this.#case.nowMs());
    if (freeMs < PROBES_MS_MIN)
      this.#case.broke('S8', `Reeve trusts its journal again after it was free for ${freeMs} ms`);
  }

  #watchPage(monoMs: number): void {
    if (this.#isTold) return;
    if (this.#reachableMs === undefined) this.#toldByMs = undefined;
    else this.#toldByMs ??= Math.max(monoMs, this.#reachableMs + RETRY_MS_MAX) + TOLD_MS;
    if (monoMs > (this.#toldByMs ?? Number.POSITIVE_INFINITY))
      this.#report('L1', 'no person was told that the journal cannot be written');
  }

  #forgetTimes(): void {
    this.#freeMs = undefined;
    this.#freeWorldMs = undefined;
  }

  #report(law: string, because: string): void {
    if (this.#isReported) return;
    this.#isReported = true;
    this.#case.broke(law, because);
  }
}
