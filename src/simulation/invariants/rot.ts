/** The oracle of a journal in which a record has rotted (laws S14, S8 and L1). */
import { MINUTE_MS, SECOND_MS } from '../../core/duration.ts';
import type { JournalEntry } from '../../core/journal.ts';
import type { Delivery, Invocation } from '../effect_log.ts';
import { changes, type InvariantContext, type Oracle } from './context.ts';
import type { ServiceTruth, TruthOracle } from './service_truth.ts';

/** The journal's disk, as it really is. */
export interface RottenDisk {
  /** The record that rotted, rotten as it is, is there. */
  readonly hasRotten: () => boolean;
  readonly records: () => number;
  /** The newest record of this type. */
  readonly newestOf: (type: string) => number | undefined;
  /** The record that the call of this permit began. */
  readonly startedSeq: (permit: string) => number | undefined;
  readonly isWritable: () => boolean;
  readonly reachable: () => readonly string[];
}

const PAGE_KEY = 'reeve/internal';
/** As the documents say: the walk along the chain checks so many records a minute. */
const PATROL_RECORDS = 2_000;
/** A page goes out within some seconds; where a receiver was away the next try may come this much later. */
const TOLD_MS = 20 * SECOND_MS;
const RETRY_MS_MAX = 6 * MINUTE_MS;

/**
 * Since a record has rotted: a person is told within two walks along the chain; once it is found nothing is changed, in
 * no later process either, until another journal is in its place; no snapshot is taken then; and the record stays.
 */
export class Rot implements Oracle, TruthOracle {
  readonly #case: InvariantContext;
  readonly #disk: RottenDisk;
  #isRotten = false;
  /** By a page that went out, or by the record of it. */
  #isFound = false;
  #isReported = false;
  /** Receivers at which the page about it is open: one that joins messages by their key says nothing new there. */
  readonly #openAt = new Set<string>();
  /** On the clock of the present process. */
  #toldByMs: number | undefined;
  #reachableMs: number | undefined;

  constructor(world: InvariantContext, disk: RottenDisk) {
    this.#case = world;
    this.#disk = disk;
  }

  rotted(): void {
    this.#isRotten = true;
    this.#isFound = false;
    this.#isReported = false;
    this.#toldByMs = undefined;
  }

  /** A whole copy is in its place. */
  mended(): void {
    this.#isRotten = false;
  }

  /** Another process has another clock, and begins its walk anew. */
  entry({ fact }: JournalEntry): void {
    const isPaged = fact.type === 'escalation.raised' && fact.escalation.key === PAGE_KEY;
    if (this.#isRotten && isPaged && this.#openAt.size > 0) this.#isFound = true;
    if (fact.type !== 'reeve.started') return;
    this.#toldByMs = undefined;
    this.#reachableMs = undefined;
  }

  invoked({ tool, channel, permit }: Invocation): void {
    if (!this.#isRotten || !changes(tool)) return;
    const { newestOf, startedSeq } = this.#disk;
    const foundSeq = newestOf('journal.broken');
    if (!this.#isFound && foundSeq === undefined) return;
    // What had begun by then comes to its end.
    if ((startedSeq(permit) ?? Number.POSITIVE_INFINITY) < (foundSeq ?? 0)) return;
    this.#case.broke('S8', `${tool} of ${channel} although the journal was found broken`);
  }

  delivered({ receiver, what, key, taken }: Delivery): void {
    if (!taken || key !== PAGE_KEY) return;
    if (what === 'resolve') return void this.#openAt.delete(receiver);
    this.#openAt.add(receiver);
    if (this.#isRotten) this.#isFound = true;
  }

  watch(_: readonly ServiceTruth[], monoMs: number): void {
    const { hasRotten, newestOf, reachable } = this.#disk;
    this.#reachableMs = reachable().length > 0 ? (this.#reachableMs ?? monoMs) : undefined;
    if (!this.#isRotten) return;
    if (!hasRotten()) this.#report('S14', 'a rotten record was deleted: nobody can look into it any more');
    const foundSeq = newestOf('journal.broken');
    if (foundSeq !== undefined && (newestOf('snapshot.taken') ?? 0) > foundSeq)
      this.#report('S14', 'a snapshot was taken of a journal that was found broken');
    this.#watchPage(monoMs);
  }

  #watchPage(monoMs: number): void {
    const { isWritable, records } = this.#disk;
    if (this.#isFound) return;
    // What cannot be written is paged for itself, and begins anew.
    if (!isWritable() || this.#reachableMs === undefined) this.#toldByMs = undefined;
    else {
      const walks = 2 * (Math.floor(records() / PATROL_RECORDS) + 1);
      this.#toldByMs ??= Math.max(monoMs + walks * MINUTE_MS, this.#reachableMs + RETRY_MS_MAX) + TOLD_MS;
    }
    if (monoMs > (this.#toldByMs ?? Number.POSITIVE_INFINITY))
      this.#report('L1', 'no person was told that a record of the journal has rotted');
  }

  #report(law: string, because: string): void {
    if (this.#isReported) return;
    this.#isReported = true;
    this.#case.broke(law, because);
  }
}
