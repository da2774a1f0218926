/** Delivers to one receiver, independently of the others. */
import type { MonoMs } from '../core/clock.ts';
import { MINUTE_MS } from '../core/duration.ts';
import type { Random } from '../core/id.ts';
import type { JournalFact } from '../core/journal.ts';
import { RequestFailed } from '../resilience/failure.ts';
import { type Backoff, backoff } from '../resilience/retry.ts';
import { type AttemptBound, attempt } from './attempt.ts';
import { RefreshSchedule } from './refresh_schedule.ts';
import { contentIdOf, type DueNotice, DueNotices, noticeOf } from './due.ts';
import { knownNotices } from './known_notices.ts';
import { MessageTries } from './message_tries.ts';
import { isLouder, type Page } from './outbox.ts';
import type { Routing } from './routes.ts';
import { describeFailure, isRefusal, mayHaveArrived, type Notice, type NoticeKind, type Receiver } from './receiver.ts';

/** A receiver that is down is asked at least this often: a page arrives within seconds of its return. */
const OUTAGE: Backoff = { baseMs: 500, factor: 2, maxMs: 5_000, jitter: 0.5 };
/** One that may have taken the message, and shows each copy, is not sent dozens of them. */
const COPIES: Backoff = { baseMs: 2_000, factor: 2, maxMs: 30_000, jitter: 0.5 };
/** What is refused is offered less and less often, for ever, and at once when another is taken: it may be repaired. */
const REFUSAL: Backoff = { baseMs: 2_000, factor: 2, maxMs: MINUTE_MS, jitter: 0.5 };
/** So is one that fails while others are taken, but sooner: it may be the receiver all the same. */
const ALONE: Backoff = { baseMs: 2_000, factor: 2, maxMs: 30_000, jitter: 0.5 };
const RETRY_AFTER_MS_MAX = MINUTE_MS;
const IN_FLIGHT_MAX = 4;
/** Troubles whose notes are remembered. */
const NOTED_MAX = 1_000;

/** What a lane needs of the courier. */
export interface ReceiverQueueDeps extends AttemptBound {
  readonly random: Random;
  readonly repeatMs: () => number;
  readonly routing: Routing;
  pages(): readonly Page[];
  /** Writes a delivery down. False when the journal takes nothing. */
  record(fact: JournalFact): boolean;
  delivered(): void;
}

/** A receiver that does not take what it is sent. */
export interface DeliveryTrouble {
  readonly error: string;
  readonly sinceMs: MonoMs;
}

interface Job {
  /** Of the message. */
  readonly id: string;
  readonly page: Page;
  readonly what: NoticeKind;
  readonly dueMs: MonoMs;
  readonly turn: number;
}

/**
 * Delivers to one receiver, on its own: another one that hangs changes nothing here. Per key one message at a time.
 * While the receiver fails one message at a time tries, each in its turn, for it may fail at one of them alone; and
 * the first success opens the way for all.
 */
export class ReceiverQueue {
  readonly receiver: Receiver;
  readonly #world: ReceiverQueueDeps;
  readonly #inFlight = new Set<string>();
  readonly #tries = new MessageTries();
  readonly #due: DueNotices;
  /** Taken by the receiver, but the journal would not take the record: not to be sent again by this process. */
  readonly #unrecorded = new Set<string>();
  /** Kinds of the present outage that are written down already: only a change is news. */
  readonly #noted = new Set<string>();
  #trouble: DeliveryTrouble | undefined;
  #failures = 0;
  #pausedUntilMs: MonoMs = Number.NEGATIVE_INFINITY;
  readonly #schedule: RefreshSchedule;
  #refreshing = false;
  #timer: Disposable | undefined;

  /** `known`: a trouble of an earlier process that is written down. */
  constructor(receiver: Receiver, world: ReceiverQueueDeps, known: DeliveryTrouble | undefined) {
    this.receiver = receiver;
    this.#due = new DueNotices(receiver.name);
    this.#world = world;
    this.#trouble = known;
    this.#schedule = new RefreshSchedule(receiver.refresh?.everyMs, world.clock.monotonicMs());
    if (known !== undefined) this.#noted.add(known.error);
  }

  get trouble(): DeliveryTrouble | undefined {
    return this.#trouble;
  }

  /** Something is under way, or could be sent now if the receiver were up. */
  get busy(): boolean {
    return this.#inFlight.size > 0 || this.#refreshing || this.#jobs().some(({ dueMs }) => dueMs <= this.#nowMs());
  }

  /**
   * Something should have been taken by now: a message that is due, its pauses after failures left out, or, where the
   * receiver forgets what is not repeated, anything that is open.
   */
  get isOwed(): boolean {
    if (this.receiver.refresh !== undefined) return this.waiting > 0;
    return this.#world.pages().some((page) => {
      const due = this.#dueOf(page);
      return due !== undefined && Math.max(due.dueMs, due.fromMs) <= this.#nowMs();
    });
  }

  /** The page leads here by now and was not taken yet. Flood control may hold it back for some minutes. */
  isToHave(page: Page): boolean {
    return (this.#dueOf(page)?.fromMs ?? Number.POSITIVE_INFINITY) <= this.#nowMs();
  }

  /** It took what it must be sent of this page, but the journal would not take the record. */
  tookUnrecorded(page: Page): boolean {
    const due = this.#due.of(page, this.#world.repeatMs());
    return due !== undefined && this.#unrecorded.has(due.id);
  }

  /** Pages that are open there, or must still be delivered. */
  get waiting(): number {
    const { name } = this.receiver;
    const isOpen = (page: Page) => page.told.some((last) => last.receiver === name && last.state === 'open');
    const isRouted = (page: Page) => (this.#world.routing(page, name) ?? Number.POSITIVE_INFINITY) <= this.#nowMs();
    return this.#world.pages().filter((page) => isOpen(page) || (page.resolved === undefined && isRouted(page))).length;
  }

  /** Starts whatever may be started now, and wakes itself for the rest. Call after any change. */
  pump(): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
    if (this.#world.signal.aborted || this.#refreshing) return;
    if (this.#nowMs() < this.#pausedUntilMs) return this.#wakeAt(this.#pausedUntilMs);

    const isFirst = this.#schedule.comesFirst(this.#nowMs(), this.#failures > 0);
    if (isFirst) return this.#inFlight.size === 0 ? void this.#refresh() : undefined;
    const jobs = this.#jobs();
    this.#tries.prune(() => new Set(jobs.map(({ id }) => id)));
    const ready = jobs.filter(({ dueMs }) => dueMs <= this.#nowMs()).sort(byUrgency);
    const room = (this.#failures > 0 ? 1 : IN_FLIGHT_MAX) - this.#inFlight.size;
    for (const job of ready.slice(0, Math.max(0, room))) void this.#deliver(job);

    if (this.#inFlight.size === 0 && this.#schedule.isDue(this.#nowMs())) return void this.#refresh();
    const later = [...jobs, this.#schedule].map(({ dueMs }) => dueMs).filter((dueMs) => dueMs > this.#nowMs());
    this.#wakeAt(Math.min(...later));
  }

  /** The receiver took what did not come through here: it is there, and what waits for it may go at once. */
  noteTaken(): void {
    this.#succeeded();
    this.#pausedUntilMs = Number.NEGATIVE_INFINITY;
  }

  /** The machine slept, of which the clock here knows nothing: what is open may have run out at the receiver. */
  noteSuspend(): void {
    this.#schedule.noteSuspend(this.#nowMs());
    this.pump();
  }

  stop(): void {
    this.#timer?.[Symbol.dispose]();
  }

  #nowMs(): MonoMs {
    return this.#world.clock.monotonicMs();
  }

  #jobs(): readonly Job[] {
    return this.#world.pages().flatMap((page) => {
      const due = this.#inFlight.has(page.key) ? undefined : this.#dueOf(page);
      if (due === undefined) return [];
      const { id, what, fromMs } = due;
      const dueMs = Math.max(due.dueMs, fromMs, this.#tries.waitsUntilMs(id));
      return [{ id, page, what, dueMs, turn: this.#tries.turnOf(id) }];
    });
  }

  /** What it must be sent of this page and has not taken; `fromMs`: from when on its route leads here. */
  #dueOf(page: Page): (DueNotice & { readonly fromMs: MonoMs }) | undefined {
    const due = this.#due.of(page, this.#world.repeatMs());
    const fromMs = due && this.#world.routing(page, this.receiver.name);
    if (due === undefined || fromMs === undefined || this.#unrecorded.has(due.id)) return undefined;
    return { ...due, fromMs };
  }

  #wakeAt(atMs: MonoMs): void {
    if (!Number.isFinite(atMs)) return;
    this.#timer = this.#world.clock.after(Math.max(1, atMs - this.#nowMs()), () => this.pump());
  }

  async #deliver({ page, what }: Job): Promise<void> {
    const { key } = page;
    const receiver = this.receiver.name;
    const notice = noticeOf(page, receiver, what);
    const escalation = contentIdOf(page, receiver, what);
    const attempts = this.#tries.begin(notice.id);
    this.#inFlight.add(key);
    this.#schedule.noteMessage();
    try {
      await attempt(this.#world, (signal) => this.receiver.deliver(notice, signal));
      this.#succeeded(notice.id);
      this.#tries.forget(notice.id);
      const recorded = this.#world.record({ type: 'delivery.done', key, receiver, what, attempts, escalation });
      if (!recorded) this.#unrecorded.add(notice.id);
    } catch (thrown) {
      if (!this.#world.signal.aborted) this.#failed(thrown, notice, attempts);
    } finally {
      this.#inFlight.delete(key);
      this.pump();
    }
  }

  #succeeded(message?: string): void {
    this.#schedule.noteTaken(this.#nowMs(), this.#failures > 0);
    this.#tries.noteTaken(message);
    this.#failures = 0;
    this.#trouble = undefined;
    this.#noted.clear();
    this.#world.delivered();
  }

  #failed(thrown: unknown, notice: Notice, attempts: number): void {
    const error = describeFailure(thrown);
    this.#trouble = { error, sinceMs: this.#trouble?.sinceMs ?? this.#nowMs() };
    if (isRefusal(thrown)) return this.#refused(error, notice, attempts);
    this.#pause(thrown);
    const alone = this.#tries.failed(notice.id);
    if (alone > 0) return this.#wait(error, notice, backoff(ALONE, alone, this.#world.random));
    if (this.#noted.has(error) || this.#noted.size >= NOTED_MAX) return;
    this.#noted.add(error);
    this.#recordFailure(error, notice);
  }

  /** The receiver is up, so only this message waits. */
  #refused(error: string, notice: Notice, attempts: number): void {
    this.#tries.noteRefusal(notice.id);
    this.#failures = 0;
    this.#wait(error, notice, backoff(REFUSAL, attempts, this.#world.random));
  }

  #wait(error: string, notice: Notice, forMs: number): void {
    if (this.#tries.wait(notice.id, this.#nowMs() + forMs, error)) this.#recordFailure(error, notice);
  }

  #recordFailure(error: string, { key, what }: Notice): void {
    this.#world.record({ type: 'delivery.failed', key, receiver: this.receiver.name, what, error });
  }

  #pause(thrown: unknown): void {
    this.#failures += 1;
    const askedMs = thrown instanceof RequestFailed ? (thrown.retryAfterMs ?? 0) : 0;
    const pace = this.receiver.showsCopies === true && mayHaveArrived(thrown) ? COPIES : OUTAGE;
    const waitMs = Math.max(backoff(pace, this.#failures, this.#world.random), Math.min(askedMs, RETRY_AFTER_MS_MAX));
    this.#pausedUntilMs = this.#nowMs() + waitMs;
  }

  /** Never while a message is under way: what is repeated must not overtake what is new. */
  async #refresh(): Promise<void> {
    const { refresh } = this.receiver;
    if (refresh === undefined) return;
    const begunMs = this.#nowMs();
    this.#schedule.begin(begunMs);
    const [pages, repeatMs] = [this.#world.pages(), this.#world.repeatMs()];
    const look = { receiver: this.receiver.name, nowMs: this.#nowMs(), repeatMs, unrecorded: this.#unrecorded };
    const notices = knownNotices({ pages, ...look });
    if (notices.length === 0) return this.pump();
    this.#refreshing = true;
    this.#schedule.noteSent();
    try {
      await attempt(this.#world, (signal) => refresh.send(notices, signal));
      this.#succeeded();
      this.#schedule.begin(begunMs);
    } catch (thrown) {
      this.#refreshFailed(thrown);
    } finally {
      this.#refreshing = false;
      this.pump();
    }
  }

  /** Not written down: no page is waiting. It shows in the status, and ends with the next success. */
  #refreshFailed(thrown: unknown): void {
    if (this.#world.signal.aborted) return;
    this.#trouble = { error: describeFailure(thrown), sinceMs: this.#trouble?.sinceMs ?? this.#nowMs() };
    if (isRefusal(thrown)) {
      this.#schedule.noteRefused();
      return;
    }
    this.#pause(thrown);
    if (!this.#jobs().some(({ dueMs }) => dueMs <= this.#nowMs())) this.#schedule.putOff(this.#pausedUntilMs);
  }
}

/** By their turns; then the loudest first, then the longest due. The key makes the order the same in every run. */
function byUrgency(a: Job, b: Job): number {
  if (a.turn !== b.turn) return a.turn - b.turn;
  const [left, right] = [a.page.escalation.severity, b.page.escalation.severity];
  if (left !== right) return isLouder(left, right) ? -1 : 1;
  return a.dueMs - b.dueMs || (a.page.key < b.page.key ? -1 : 1);
}
