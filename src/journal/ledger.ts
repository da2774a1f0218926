/** The journal with its projections and subscribers. */
import type { Clock } from '../core/clock.ts';
import { invariant, messageOf, ReeveError } from '../core/errors.ts';
import type { Append, JournalEntry, JournalQuery, Projection, Read } from '../core/journal.ts';
import { CHAIN_STATE, ChainCheck, type ChainReport, GENESIS, verifyChain } from './chain.ts';
import { entryOf, type Head, stamp } from './entry.ts';
import type { Brokenness } from './recovery.ts';
import { type Recovered, replay } from './replay.ts';
import { expiredBefore, wantsSnapshot } from './retention.ts';
import { States } from './states.ts';
import type { JournalStore } from './store.ts';
import { continueClock } from './time.ts';

export interface LedgerOptions {
  /** A snapshot is taken each time this many entries have come: recovery folds at most these. */
  readonly snapshotEntries?: number;
  /** The journal is older than its own head elsewhere: no time is known to have passed since its last entry. */
  readonly isSetBack?: boolean;
  /** Called for each subscriber that threw. */
  readonly onSubscriberError?: (thrown: unknown, entry: JournalEntry) => void;
}

const SNAPSHOT_ENTRIES = 5_000;

/** Appends that subscribers may make while they are notified of one append. More is a loop, not work. */
const NESTED_APPENDS_MAX = 1_000;

/**
 * The journal: the one durable record, the states that follow from it, and those who want to hear of it.
 * `register`, then `open`, then use. `clock` is the time that every component must use.
 */
export class Ledger implements Disposable {
  /** Monotonic time continued over restarts and reboots. */
  readonly clock: Clock;
  readonly #store: JournalStore;
  readonly #options: LedgerOptions;
  readonly #states = new States();
  readonly #subscribers = new Set<(entry: JournalEntry) => void>();
  readonly #unannounced: JournalEntry[] = [];
  #head: Head = { seq: 0, hash: GENESIS };
  #sinceSnapshot = 0;
  #opened = false;
  #telling = false;
  #snapshotting = false;
  #nestedAppends = 0;
  #subscriberErrors = 0;
  #broken: Brokenness | undefined;
  #patrol: { check: ChainCheck; nextSeq: number } | undefined;

  constructor(store: JournalStore, clock: Clock, options: LedgerOptions = {}) {
    this.#store = store;
    this.#options = options;
    this.clock = continueClock(clock, store.last(), options.isSetBack);
  }

  /** Set once and for all when a write failed or the chain did not hold. A reason for containment. */
  get broken(): Brokenness | undefined {
    return this.#broken;
  }

  /** The last record and its hash; seq 0 and the genesis hash before the first. */
  get head(): { readonly seq: number; readonly hash: string } {
    const { seq, hash } = this.#head;
    return { seq, hash };
  }

  get lastSeq(): number {
    return this.#head.seq;
  }

  get subscriberErrors(): number {
    return this.#subscriberErrors;
  }

  /** Before `open`. A projection whose state changes its shape must change its name. */
  register<State>(projection: Projection<State>): Read<State> {
    invariant(!this.#opened, `${projection.name} was registered after the journal was opened`);
    return this.#states.register(projection, () => this.#opened);
  }

  /** Rebuilds every state from the last snapshot and the entries after it, and checks the chain of those. */
  open(): Recovered {
    invariant(!this.#opened, 'the journal was opened twice');
    const recovered = replay(this.#store, this.#states);
    const last = this.#store.last();
    this.#head = { seq: Math.max(this.#store.highestSeq(), last?.seq ?? 0), hash: last?.hash ?? GENESIS };
    this.#sinceSnapshot = recovered.folded;
    this.#noteChain(recovered.chain);
    this.#opened = true;
    return recovered;
  }

  /**
   * Makes all drafts durable in one transaction, advances all states, then notifies the subscribers. A subscriber may
   * append again: that append is done at once, and notified after this one, so that all get the entries in order.
   * Throws JOURNAL_UNWRITABLE; then nothing has changed, and the drafts may or may not be found after a restart.
   */
  readonly append: Append = (drafts) => {
    invariant(this.#opened, 'append before the journal was open');
    invariant(!this.#states.applying, 'append from within a projection');
    if (drafts.length === 0) return [];
    if (this.#telling) this.#nestedAppends += 1;
    invariant(this.#nestedAppends <= NESTED_APPENDS_MAX, 'subscribers append without end');
    const rows = stamp(drafts, this.#head, this.clock);
    const entries = rows.map(entryOf);
    const next = this.#states.after(entries);
    this.#writing(() => this.#store.append(rows));
    this.#states.put(next);
    this.#head = rows.at(-1) ?? this.#head;
    this.#sinceSnapshot += rows.length;
    this.#unannounced.push(...entries);
    if (!this.#telling) this.#tell();
    return entries;
  };

  /** Entries from now on, in order, after the states have advanced. Disposing ends it. */
  subscribe(subscriber: (entry: JournalEntry) => void): Disposable {
    const own = (entry: JournalEntry): void => subscriber(entry);
    this.#subscribers.add(own);
    return { [Symbol.dispose]: () => this.#subscribers.delete(own) };
  }

  /** How many records match; none is parsed. */
  readonly count = (query: JournalQuery): number => Iterator.from(this.#store.read(query)).reduce((so) => so + 1, 0);

  /** A record that holds no fact is left out, and breaks the chain. */
  *read(query: JournalQuery = {}): Iterable<JournalEntry> {
    for (const row of this.#store.read(query)) {
      const entry = this.#unlessUnreadable(() => entryOf(row), row.seq);
      if (entry !== undefined) yield entry;
    }
  }

  /** Writes all states down, so that a start needs no older entries. Throws JOURNAL_BROKEN: then it must need them. */
  snapshot(): JournalEntry {
    if (this.#isChainBroken) throw noSnapshot(this.#broken?.because);
    const chain = { name: CHAIN_STATE, state: JSON.stringify(this.#head.hash) };
    const states = [chain, ...this.#states.save()];
    this.#sinceSnapshot = 0;
    this.#snapshotting = true;
    try {
      const [entry] = this.append([{ fact: { type: 'snapshot.taken', states } }]);
      invariant(entry !== undefined, 'a snapshot was not written');
      return entry;
    } finally {
      this.#snapshotting = false;
    }
  }

  /**
   * One step of retention. Deletes the oldest entries up to the next snapshot that is older than `keepMs`, so that
   * the first entry left is always a snapshot, which anchors the chain. Call again while `more`. What is broken is
   * evidence: then nothing goes.
   */
  compact(keepMs: number): { readonly deleted: number; readonly more: boolean } {
    return this.#unlessUnreadable(() => this.#compactNext(keepMs)) ?? { deleted: 0, more: false };
  }

  /** Checks the whole chain. Takes seconds for a million entries: a running daemon uses `patrol`. */
  verify(): ChainReport {
    const report = verifyChain(this.#store.read({}), this.#head);
    this.#noteChain(report);
    return report;
  }

  /** Checks the next entries of the chain and begins anew at its end. True while nothing wrong was found. */
  patrol(entriesMax = 500): boolean {
    this.#writing(() => this.#store.checkPlace?.());
    return this.#unlessUnreadable(() => this.#patrolNext(entriesMax)) ?? false;
  }

  [Symbol.dispose](): void {
    this.#subscribers.clear();
    this.#store.close();
  }

  #compactNext(keepMs: number): { readonly deleted: number; readonly more: boolean } | undefined {
    if (this.#isChainBroken) return undefined;
    const cutMs = this.clock.monotonicMs() - keepMs;
    if (wantsSnapshot(this.#store, cutMs)) this.snapshot();
    const expired = expiredBefore(this.#store, cutMs);
    if (expired === undefined) return undefined;
    this.#noteChain(expired.chain);
    if (!expired.chain.ok) return undefined;
    const { throughSeq, records: deleted, more } = expired;
    this.#writing(() => this.#store.deleteThrough(throughSeq));
    if (this.#patrol !== undefined && this.#patrol.nextSeq <= throughSeq) this.#patrol = undefined;
    return { deleted, more };
  }

  /** A record that cannot be read breaks the chain. */
  #unlessUnreadable<T>(work: () => T, seq?: number): T | undefined {
    try {
      return work();
    } catch (thrown) {
      if (!(thrown instanceof ReeveError && thrown.code === 'JOURNAL_BROKEN')) throw thrown;
      this.#patrol = undefined;
      this.#noteBreak(thrown.message, seq);
      return undefined;
    }
  }

  #patrolNext(entriesMax: number): boolean {
    this.#patrol ??= { check: new ChainCheck(), nextSeq: 0 };
    const { check } = this.#patrol;
    let read = 0;
    for (const row of this.#store.read({ sinceSeq: this.#patrol.nextSeq, limit: entriesMax })) {
      check.add(row);
      this.#patrol.nextSeq = row.seq + 1;
      read += 1;
    }
    const atEnd = read < entriesMax;
    const report = check.report(atEnd ? this.#head : undefined);
    this.#noteChain(report);
    if (atEnd) this.#patrol = undefined;
    return report.ok;
  }

  get #isChainBroken(): boolean {
    return this.#broken?.kind === 'chain';
  }

  #tell(): void {
    this.#telling = true;
    try {
      for (let entry = this.#unannounced.shift(); entry !== undefined; entry = this.#unannounced.shift())
        this.#tellAll(entry);
    } finally {
      this.#telling = false;
      this.#nestedAppends = 0;
    }
    const due = this.#sinceSnapshot >= (this.#options.snapshotEntries ?? SNAPSHOT_ENTRIES);
    if (due && !this.#snapshotting && !this.#isChainBroken) this.#snapshotQuietly();
  }

  #tellAll(entry: JournalEntry): void {
    for (const subscriber of [...this.#subscribers]) {
      try {
        subscriber(entry);
      } catch (thrown) {
        this.#noteSubscriberError(thrown, entry);
      }
    }
  }

  #noteSubscriberError(thrown: unknown, entry: JournalEntry): void {
    this.#subscriberErrors += 1;
    try {
      this.#options.onSubscriberError?.(thrown, entry);
    } catch {
      // Counted above; whoever listens for errors must not break an append either.
    }
  }

  /** What was appended stands, so a snapshot that fails must not look like a failed append. */
  #snapshotQuietly(): void {
    try {
      this.snapshot();
    } catch (thrown) {
      this.#broken ??= { kind: 'unwritable', because: `no snapshot: ${messageOf(thrown)}`, seq: undefined };
    }
  }

  #writing(write: () => void): void {
    try {
      write();
    } catch (thrown) {
      this.#noteUnwritable(messageOf(thrown));
      throw thrown;
    }
  }

  /** Goes before a broken chain: only a new process can write again, and that one finds the break again. */
  #noteUnwritable(reason: string): void {
    if (this.#broken?.kind === 'unwritable') return;
    const because = this.#broken === undefined ? reason : `${reason}; and before that: ${this.#broken.because}`;
    this.#broken = { kind: 'unwritable', because, seq: this.#broken?.seq };
  }

  #noteChain(report: ChainReport): void {
    if (!report.ok) this.#noteBreak(report.because ?? 'the chain is broken', report.firstBad);
  }

  /**
   * Written down, for a start may begin behind it. What `open` finds each `open` finds: no snapshot comes after it.
   */
  #noteBreak(because: string, seq: number | undefined): void {
    if (this.#broken !== undefined) return;
    this.#broken = { kind: 'chain', because, seq };
    if (!this.#opened) return;
    try {
      this.append([{ fact: { type: 'journal.broken', firstBad: seq, because } }]);
    } catch {
      // Then the next process has to find it anew.
    }
  }
}

const noSnapshot = (because = 'the chain is broken'): ReeveError =>
  new ReeveError('JOURNAL_BROKEN', `no snapshot: ${because}`, { hint: 'Ask: reeve audit verify' });
