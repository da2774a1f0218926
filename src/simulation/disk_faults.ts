/** The simulated disk under the journal, with its faults. */
import { MINUTE_MS } from '../core/duration.ts';
import { ReeveError } from '../core/errors.ts';
import type { JournalEntry } from '../core/journal.ts';
import { entryOf } from '../journal/entry.ts';
import type { HeadStatement } from '../journal/heads.ts';
import { type AppendStep, MemoryStore } from '../journal/memory.ts';
import type { StoredEntry } from '../journal/store.ts';
import { setBackSince } from '../journal/set_back.ts';
import { LOCK_PATIENCE_MS } from '../journal/sqlite.ts';
import { JournalRot } from './journal_rot.ts';
import type { Injection } from './scenario.ts';

export interface DiskDeps {
  readonly nowMs: () => number;
  readonly at: (atMs: number, run: () => void) => void;
  /** A process of Reeve has its journal open. */
  readonly inUse: () => boolean;
  /** Ends that process. Of the appends that were not durable yet the next one finds the first `survivors`. */
  readonly die: (downMs: number, survivors: number) => void;
  /** Reeve stands still for that long, in the middle of an append. */
  readonly wait: (forMs: number) => void;
  /** An append was given up: another process held the journal for longer than Reeve waits. */
  readonly onGivenUp: () => void;
  readonly onRotten: () => void;
}

/** What may be done to it. */
export type DiskFaults = Readonly<
  Record<'crash' | 'breakDown' | 'setBack' | 'hold' | 'rot', (injection: Injection) => void>
>;

/** What happens at one step of one append. */
interface Trap {
  readonly step: AppendStep;
  /** Throws where that ends the append. */
  readonly spring: () => void;
  appendsLeft: number;
}

/** A head of the journal as the witness has it. */
interface WitnessedHead extends HeadStatement {
  readonly monoMs: number;
}

/** The witness is sent the head at each start of Reeve, and then this often. */
const WITNESS_EVERY_MS = MINUTE_MS;
/** A copy is older than the newest head that the witness has, by ten seconds to two hours. */
const COPY_AGE_MS_MIN = 10_000;
const COPY_AGES = 720;
/** So many of the holds are shorter than Reeve waits. */
const SHORT_HOLDS = 0.4;
/** As in `deploy/reeve.service`. */
const START_AGAIN_MS = 2_000;

const stopped = (step: AppendStep): ReeveError => new ReeveError('JOURNAL_UNWRITABLE', `stopped while ${step}`);

/** The disk under Reeve's journal: it outlives every process of Reeve, and can end one in the middle of an append. */
export class Disk implements DiskFaults {
  readonly #deps: DiskDeps;
  readonly #watched = {
    onStep: (step: AppendStep): void => this.#step(step),
    onDeleted: (rows: readonly StoredEntry[]): void => void this.#retired.push(...rows),
  };
  /** What retention has deleted: those who know what really happened know that, too. */
  readonly #retired: StoredEntry[] = [];
  /** Whether a record changed by itself. */
  readonly rotting: JournalRot;
  #store = new MemoryStore(this.#watched);
  #trap: Trap | undefined;
  #broken = false;
  /** And no probe succeeds either. */
  #brokenDown = false;
  /** Until then another process holds the journal for writing. */
  #heldUntilMs = Number.NEGATIVE_INFINITY;
  #announcedSeq = 0;
  #witnessed: WitnessedHead | undefined;
  #witnessedMs = Number.NEGATIVE_INFINITY;
  /** How old the copy is that the next process finds in the journal's place. */
  #copyAgeMs: number | undefined;
  /** The next process finds the copy that a person has of the journal as it was before a record rotted. */
  #isMending = false;
  #setBackBecause: string | undefined;

  constructor(deps: DiskDeps) {
    this.#deps = deps;
    this.rotting = new JournalRot({
      ...{ nowMs: deps.nowMs, at: deps.at, store: () => this.#store, onRotten: deps.onRotten },
      die: (downMs) => deps.die(downMs, 0),
      onMended: () => this.#putCopy(),
    });
  }

  /** The journal as the present process writes it, or as the last one left it. */
  get store(): MemoryStore {
    return this.#store;
  }

  /** Everything that was ever written into the journal that the present process finds. */
  journal(): readonly JournalEntry[] {
    const rows = [...this.#store.read({})];
    const before = this.#retired.filter(({ seq }) => seq < (rows[0]?.seq ?? 1));
    return [...before, ...rows].map((row) => entryOf(this.rotting.asWritten(row)));
  }

  /** It takes nothing more until the next process: what fails meanwhile fails for that reason. */
  get broken(): boolean {
    return this.#broken;
  }

  /** What fails now may fail for its sake. */
  get isFaulty(): boolean {
    return this.#broken || this.rotting.rotten;
  }

  /** The record that rotted is still there. */
  get hasRotten(): boolean {
    const seq = this.rotting.seq ?? 0;
    const [row] = this.#store.read({ sinceSeq: seq, throughSeq: seq, limit: 1 });
    return row !== undefined;
  }

  /** Now, or in the middle of an append that is about to come. */
  crash({ variant, forMs }: Injection): void {
    const { inUse, die } = this.#deps;
    if (!inUse() || this.#trap !== undefined) return;
    if (variant < 0.3) return die(forMs, 0);
    const step = variant < 0.5 ? 'writing' : variant < 0.8 ? 'written' : 'synced';
    const survivors = step === 'written' && variant < 0.65 ? 1 : 0;
    const spring = (): void => {
      die(forMs, survivors);
      throw stopped(step);
    };
    this.#trap = { step, appendsLeft: Math.floor(variant * 1e4) % 12, spring };
  }

  /** From an append that is about to come it takes nothing more; after `forMs` somebody starts Reeve again. */
  breakDown({ variant, forMs }: Injection): void {
    const { inUse, die, at, nowMs } = this.#deps;
    if (!inUse() || this.#trap !== undefined) return;
    const spring = (): void => {
      this.#broken = true;
      this.#brokenDown = true;
      at(nowMs() + forMs, () => die(1_000, 0));
      throw stopped('writing');
    };
    this.#trap = { step: 'writing', appendsLeft: Math.floor(variant * 1e4) % 8, spring };
  }

  /** From an append that is about to come another process holds the journal, for less or longer than Reeve waits. */
  hold({ variant, forMs }: Injection): void {
    if (!this.#deps.inUse() || this.#trap !== undefined) return;
    const heldMs = variant < SHORT_HOLDS ? forMs % LOCK_PATIENCE_MS : forMs;
    const spring = (): void => {
      this.#heldUntilMs = this.#deps.nowMs() + heldMs;
      this.#awaitLock();
    };
    this.#trap = { step: 'writing', appendsLeft: Math.floor(variant * 1e4) % 8, spring };
  }

  /** Throws while it takes nothing, or another process holds the journal. */
  probe(): void {
    if (!this.takesProbes) throw stopped('writing');
  }

  /** A process that opened the journal now could write it. */
  get takesProbes(): boolean {
    return !this.#brokenDown && this.#deps.nowMs() >= this.#heldUntilMs;
  }

  /** A start that would not get the journal fails, and is tried again after this long; 0: it would get it. */
  get startsAgainMs(): number {
    const isInTime = this.#heldUntilMs - this.#deps.nowMs() <= LOCK_PATIENCE_MS;
    return isInTime ? 0 : LOCK_PATIENCE_MS + START_AGAIN_MS;
  }

  /** The record on the disk that the call of this permit began. */
  startedSeq(permit: string): number | undefined {
    const begun = this.#store.read({ types: ['tool.started'], newestFirst: true });
    for (const { body, seq } of begun) if (body.includes(`"${permit}"`)) return seq;
    return undefined;
  }

  /** Reeve dies, and somebody puts an older copy of the journal in its place: nothing but the witness shows it. */
  setBack({ variant, forMs }: Injection): void {
    if (!this.#deps.inUse() || this.rotting.rotten) return;
    this.#copyAgeMs = COPY_AGE_MS_MIN * COPY_AGES ** variant;
    this.#deps.die(forMs, 0);
  }

  rot(injection: Injection): void {
    if (this.#deps.inUse() && this.#trap === undefined) this.rotting.rot(injection);
  }

  /** The number of the newest record of this type. */
  newestOf(type: string): number | undefined {
    const [row] = this.#store.read({ types: [type], newestFirst: true, limit: 1 });
    return row?.seq;
  }

  /** What the witness shows to the present process: why its journal is not the one last witnessed. */
  get setBackBecause(): string | undefined {
    return this.#setBackBecause;
  }

  /** What was to happen to an append that is about to come does not happen. */
  disarm(): void {
    this.#trap = undefined;
    this.#heldUntilMs = Number.NEGATIVE_INFINITY;
  }

  /**
   * Makes it ready for the next process: with what was durable, and with the first `survivors` of the other appends.
   */
  restore(survivors: number): void {
    this.#store = this.#store.crash(survivors, this.#watched);
    this.#broken = false;
    this.#brokenDown = false;
    this.#trap = undefined;
    // The last head goes out with the process that a person stops for it, whatever it wrote until then.
    if (this.#isMending) this.#witness(Number.NEGATIVE_INFINITY);
    const copy = this.#isMending ? this.rotting.copy() : this.#olderCopy();
    this.rotting.begun(this.#isMending);
    this.#isMending = false;
    this.#copyAgeMs = undefined;
    this.#setBackBecause = copy === undefined ? undefined : this.#replacedBy(copy);
    this.#witnessedMs = Number.NEGATIVE_INFINITY;
  }

  /** What a crash left durable although it was never confirmed: it is found before the next process's first entry. */
  unannouncedBefore(entries: readonly JournalEntry[]): readonly JournalEntry[] {
    const sinceSeq = this.#announcedSeq + 1;
    const throughSeq = entries[0]!.seq - 1;
    this.#announcedSeq = entries.at(-1)!.seq;
    this.#witness();
    if (throughSeq < sinceSeq) return [];
    return [...this.#store.read({ sinceSeq, throughSeq })].map((row) => entryOf(this.rotting.asWritten(row)));
  }

  /** With whatever is written, so that the witness needs no timer of its own. */
  #witness(beforeMs = this.#witnessedMs): void {
    const nowMs = this.#deps.nowMs();
    const last = this.#store.last();
    if (last === undefined || nowMs - beforeMs < WITNESS_EVERY_MS) return;
    this.#witnessedMs = nowMs;
    const { seq, hash, monoMs } = last;
    this.#witnessed = { at: new Date(nowMs).toISOString(), seq, hash, monoMs };
  }

  #olderCopy(): readonly StoredEntry[] | undefined {
    const head = this.#witnessed;
    const ageMs = this.#copyAgeMs;
    if (head === undefined || ageMs === undefined) return undefined;
    return [...this.#store.read({})].filter(({ monoMs }) => monoMs <= head.monoMs - ageMs);
  }

  #replacedBy(rows: readonly StoredEntry[]): string | undefined {
    this.#store = new MemoryStore({ ...this.#watched, rows });
    const because = this.#witnessed && setBackSince(this.#store, this.#witnessed);
    // Whoever hears of an older journal is shown all of it.
    if (because !== undefined) this.#announcedSeq = this.#store.highestSeq();
    return because;
  }

  #putCopy(): void {
    this.#isMending = true;
    this.#deps.die(1_000, 0);
  }

  #step(step: AppendStep): void {
    if (step === 'writing') this.#awaitLock();
    const trap = this.#trap;
    if (trap === undefined || trap.step !== step) return;
    if (trap.appendsLeft > 0) {
      trap.appendsLeft -= 1;
      return;
    }
    this.#trap = undefined;
    trap.spring();
  }

  /** As SQLite does: it tries again and again, and nothing else of Reeve happens meanwhile. */
  #awaitLock(): void {
    const leftMs = this.#heldUntilMs - this.#deps.nowMs();
    if (leftMs <= 0) return;
    this.#deps.wait(Math.min(leftMs, LOCK_PATIENCE_MS));
    if (leftMs <= LOCK_PATIENCE_MS) return;
    this.#broken = true;
    this.#deps.onGivenUp();
    throw new ReeveError('JOURNAL_UNWRITABLE', 'database is locked');
  }
}
