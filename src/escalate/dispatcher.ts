/** Delivers what the outbox holds to the receivers. */
import type { Clock, MonoMs } from '../core/clock.ts';
import { HOUR_MS } from '../core/duration.ts';
import { messageOf, ReeveError } from '../core/errors.ts';
import type { Ids, Random } from '../core/id.ts';
import type { Escalation } from '../core/incident.ts';
import type { Append, JournalEntry, JournalFact, Read } from '../core/journal.ts';
import { attempt } from './attempt.ts';
import { noticeOf } from './due.ts';
import { acknowledge, resolve } from './escalator.ts';
import { ReceiverQueue } from './receiver_queue.ts';
import {
  applyToOutbox,
  EMPTY_OUTBOX,
  isBefore,
  isDelivered,
  type Outbox,
  type Page,
  pageOf,
  TEST_KEY,
} from './outbox.ts';
import { describeFailure, type Receiver } from './receiver.ts';
import { ROUTE_TO_ALL, type Routing } from './routes.ts';

export const REPEAT_MS = 4 * HOUR_MS;
const ATTEMPT_MS = 10_000;
/** A receiver that failed too often is not asked for 2 s, and then again where a page had the one try that there is. */
const TURNED_AWAY_MS_MAX = 5_000;
const TURNED_AWAY_LOOK_MS = 500;

export interface DispatcherOptions {
  readonly outbox: Read<Outbox>;
  readonly receivers: readonly Receiver[];
  readonly append: Append;
  readonly clock: Clock;
  readonly random: Random;
  readonly ids: Ids;
  /** Which receivers hear of a page. Default: all of them. */
  readonly routing?: Routing;
  /** How often an open page without an acknowledgement is sent again. Default 4 h. */
  readonly repeatMs?: number;
  /** How long one attempt may take. Default 10 s. */
  readonly attemptMs?: number;
  /** Called, with a message, when a delivery cannot be recorded. */
  readonly report?: (message: string) => void;
  /** Given every page that the journal could not take, after each change: the next process may want to end them. */
  readonly onUnjournaled?: (pages: readonly Page[]) => void;
}

export interface TestDelivery {
  readonly receiver: string;
  readonly ok: boolean;
  readonly error: string | undefined;
  readonly tookMs: number;
}

/** How one receiver stands. */
export interface ReceiverStatus {
  readonly receiver: string;
  readonly error: string | undefined;
  readonly failingForMs: number | undefined;
  /** Pages that are open or must still be delivered there. */
  readonly pages: number;
  /** Something should have been taken there by now. One that forgets what is not repeated is owed what is open. */
  readonly isOwed: boolean;
}

/**
 * Brings what the outbox holds to the receivers, for ever, until each took it (law L1). It keeps no state of its own
 * that matters: after a crash it goes on from the outbox, with the same keys.
 */
export class Dispatcher implements AsyncDisposable {
  readonly #options: DispatcherOptions;
  readonly #lanes: readonly ReceiverQueue[];
  readonly #timing: { repeatMs: number };
  readonly #stopped = new AbortController();
  /** Pages that the journal could not take. They end with the process. */
  #unjournaled: Outbox = EMPTY_OUTBOX;
  #unjournaledSeq = 0;
  #lastOkMs: number | undefined;
  #started = false;

  constructor(options: DispatcherOptions) {
    this.#options = options;
    const timing = { repeatMs: options.repeatMs ?? REPEAT_MS };
    this.#timing = timing;
    const world = {
      clock: options.clock,
      random: options.random,
      repeatMs: () => timing.repeatMs,
      attemptMs: options.attemptMs ?? ATTEMPT_MS,
      routing: this.#routing,
      pages: this.pages,
      record: (fact: JournalFact) => this.#record(fact),
      delivered: () => this.#noteDelivered(),
      signal: this.#stopped.signal,
    };
    const { failing } = options.outbox();
    this.#lanes = options.receivers.map(
      (receiver) =>
        new ReceiverQueue(
          receiver,
          world,
          failing.find((one) => one.receiver === receiver.name),
        ),
    );
  }

  /** Begins with what is waiting. Subscribe `onEntry` to the journal to hear of more. */
  start(): void {
    this.#started = true;
    this.#pump();
  }

  /** From now on an open page is sent again after this long; what is due by that is sent at once. */
  repeatEvery(repeatMs: number): void {
    this.#timing.repeatMs = repeatMs;
    this.#pump();
  }

  readonly onEntry = ({ fact }: JournalEntry): void => {
    if (fact.type.startsWith('escalation.')) this.#pump();
    if (fact.type !== 'clock.jumped' || fact.cause !== 'suspended' || !this.#started) return;
    for (const lane of this.#lanes) lane.noteSuspend();
  };

  /**
   * Notifies a person of what the journal cannot take, such as that it cannot be written. It is delivered, retried and
   * repeated like any page, under a key of its own, and ended by the next process that has a journal again.
   */
  pageUnjournaled(escalation: Escalation): void {
    const key = `unjournaled/${escalation.key}`;
    this.#applyUnjournaled({ type: 'escalation.raised', escalation: { ...escalation, key } });
    this.#pump();
  }

  /** Ends such a page, by the key with which it was raised. */
  resolveUnjournaled(key: string, because: string): void {
    for (const { fact } of resolve(this.#unjournaled, `unjournaled/${key}`, because)) this.#applyUnjournaled(fact);
    this.#pump();
  }

  /** Somebody has such a page. False where none is open and unacknowledged under this key. */
  acknowledgeUnjournaled(key: string, who: string): boolean {
    const drafts = acknowledge(this.#unjournaled, key, who);
    for (const { fact } of drafts) this.#applyUnjournaled(fact);
    this.#pump();
    return drafts.length > 0;
  }

  /** Since any receiver last took anything; undefined when that never happened. */
  secondsSinceLastDeliveryOk(): number | undefined {
    const known = [this.#lastOkMs, this.#options.outbox().lastDeliveredMs].filter((ms) => ms !== undefined);
    if (known.length === 0) return undefined;
    return Math.max(0, (this.#options.clock.monotonicMs() - Math.max(...known)) / 1_000);
  }

  status(): readonly ReceiverStatus[] {
    const nowMs = this.#options.clock.monotonicMs();
    return this.#lanes.map(({ receiver: { name }, trouble, waiting, isOwed }) => {
      const failingForMs = trouble === undefined ? undefined : nowMs - trouble.sinceMs;
      return { receiver: name, error: trouble?.error, failingForMs, pages: waiting, isOwed };
    });
  }

  /** `unheard`: of each critical page that is open and that nobody has, the receivers to which it leads by now. */
  reception(): { readonly receivers: readonly ReceiverStatus[]; readonly unheard: readonly (readonly string[])[] } {
    const pages = this.pages().filter((page) => this.#isUnheard(page));
    const namesOf = (page: Page) => this.#lanes.filter((lane) => lane.isToHave(page)).map((lane) => lane.receiver.name);
    return { receivers: this.status(), unheard: pages.map(namesOf) };
  }

  /** Sends one test page to every receiver at once, and says which took it. Nothing is retried. */
  async deliverTest(): Promise<readonly TestDelivery[]> {
    const page = testPage(this.#options);
    return Promise.all(this.#lanes.map((lane) => this.#deliverTestTo(lane, page)));
  }

  /** Waits until everything that is due has been taken, at most this long. False when something is left. */
  async settle(withinMs: number): Promise<boolean> {
    const { clock } = this.#options;
    const endMs = clock.monotonicMs() + withinMs;
    while (this.#lanes.some(({ busy }) => busy)) {
      const leftMs = endMs - clock.monotonicMs();
      if (leftMs <= 0) return false;
      await clock.sleep(Math.min(50, leftMs));
    }
    return true;
  }

  /** Stops at once. What is under way is cut off and will be sent again, with the same id, after the next start. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopped.abort(new ReeveError('TIMED_OUT', 'Reeve is stopping'));
    for (const lane of this.#lanes) lane.stop();
  }

  /** Who is new does not hear the ends of what others were told before. */
  readonly #routing: Routing = (page, receiver) => {
    const { outbox, routing = ROUTE_TO_ALL } = this.#options;
    return isDelivered(page) && isBefore(outbox(), receiver, page) ? undefined : routing(page, receiver);
  };

  /** Open ones and those that are over and kept; first what the journal could not take. */
  readonly pages: Read<readonly Page[]> = () => [...this.#unjournaled.pages, ...this.#options.outbox().pages];

  #isUnheard(page: Page): boolean {
    if (page.escalation.severity !== 'critical' || page.resolved !== undefined) return false;
    return !isDelivered(page) && !this.#lanes.some((lane) => lane.tookUnrecorded(page));
  }

  #pump(): void {
    if (!this.#started) return;
    for (const lane of this.#lanes) lane.pump();
  }

  #noteDelivered(): void {
    this.#lastOkMs = this.#options.clock.monotonicMs();
  }

  #record(fact: JournalFact): boolean {
    if ('key' in fact && pageOf(this.#unjournaled, fact.key) !== undefined) {
      this.#applyUnjournaled(fact);
      return true;
    }
    try {
      this.#options.append([{ fact }]);
      return true;
    } catch (thrown) {
      this.#options.report?.(`${fact.type} could not be written down: ${messageOf(thrown)}`);
      return false;
    }
  }

  #applyUnjournaled(fact: JournalFact): void {
    const { clock } = this.#options;
    this.#unjournaledSeq += 1;
    const moment = { at: clock.now(), monoMs: clock.monotonicMs(), boot: clock.bootId };
    this.#unjournaled = applyToOutbox(this.#unjournaled, { seq: this.#unjournaledSeq, ...moment, fact });
    this.#options.onUnjournaled?.(this.#unjournaled.pages);
  }

  /** Whoever has just mended a receiver asks what it answers now, and not that it was not asked. */
  async #onceAsked(once: () => Promise<void>, untilMs: MonoMs): Promise<void> {
    const { clock } = this.#options;
    for (;;) {
      try {
        return await once();
      } catch (thrown) {
        if (!isTurnedAway(thrown) || clock.monotonicMs() >= untilMs) throw thrown;
        await clock.sleep(TURNED_AWAY_LOOK_MS, this.#stopped.signal);
      }
    }
  }

  async #deliverTestTo(lane: ReceiverQueue, page: Page): Promise<TestDelivery> {
    const { receiver } = lane;
    const { clock, attemptMs = ATTEMPT_MS } = this.#options;
    const startMs = clock.monotonicMs();
    const about = { key: TEST_KEY, receiver: receiver.name, what: 'trigger' } as const;
    const end = (error: string | undefined): TestDelivery => {
      const tookMs = clock.monotonicMs() - startMs;
      return { receiver: receiver.name, ok: error === undefined, error, tookMs };
    };
    try {
      const notice = noticeOf(page, receiver.name, 'trigger');
      const once = () =>
        attempt({ clock, attemptMs, signal: this.#stopped.signal }, (signal) => receiver.deliver(notice, signal));
      await this.#onceAsked(once, startMs + TURNED_AWAY_MS_MAX);
      lane.noteTaken();
      this.#record({ type: 'delivery.done', ...about, attempts: 1 });
      this.#pump();
      return end(undefined);
    } catch (thrown) {
      const error = describeFailure(thrown);
      this.#record({ type: 'delivery.failed', ...about, error });
      return end(error);
    }
  }
}

const isTurnedAway = (thrown: unknown): boolean => thrown instanceof ReeveError && thrown.code === 'BREAKER_OPEN';

function testPage({ clock, ids }: DispatcherOptions): Page {
  const escalation: Escalation = {
    id: ids.next('esc'),
    key: TEST_KEY,
    severity: 'info',
    reason: 'test',
    scope: { kind: 'fleet' },
    incident: undefined,
    classification: undefined,
    summary: 'Test page from Reeve: nothing is wrong',
    details: 'It was asked for with: reeve page --test',
    at: clock.now(),
  };
  const moment = { at: clock.now(), monoMs: clock.monotonicMs(), boot: clock.bootId };
  const { pages } = applyToOutbox(EMPTY_OUTBOX, { seq: 1, ...moment, fact: { type: 'escalation.raised', escalation } });
  return pages[0]!;
}
