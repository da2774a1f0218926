import { countingIds } from '../../src/core/id.ts';
import type { Escalation } from '../../src/core/incident.ts';
import type { JournalEntry, JournalFact } from '../../src/core/journal.ts';
import { Dispatcher, type DispatcherOptions } from '../../src/escalate/dispatcher.ts';
import { applyToOutbox, EMPTY_OUTBOX, type Outbox, outboxProjection } from '../../src/escalate/outbox.ts';
import type { Notice, Receiver } from '../../src/escalate/receiver.ts';
import { Ledger } from '../../src/journal/ledger.ts';
import { MemoryStore } from '../../src/journal/memory.ts';
import type { JournalStore } from '../../src/journal/store.ts';
import { RequestFailed } from '../../src/resilience/failure.ts';
import { fakeClock } from '../support/fake_clock.ts';

export const escalation = (id: string, change: Partial<Escalation> = {}): Escalation => ({
  id,
  key: 'incident/inc-1',
  severity: 'critical',
  reason: 'no_plan',
  scope: { kind: 'channel', id: 'news' },
  incident: 'inc-1',
  classification: 'output_stalled',
  summary: 'news: output_stalled',
  details: 'What was done: nothing.',
  at: 0,
  ...change,
});

/** Folds facts, each at its moment. */
export function fold(steps: readonly (readonly [monoMs: number, fact: JournalFact])[], from = EMPTY_OUTBOX): Outbox {
  return steps.reduce<Outbox>((outbox, [monoMs, fact], index) => {
    const entry: JournalEntry = { seq: index + 1, at: 1_000_000 + monoMs, monoMs, boot: 'b+0', fact };
    return applyToOutbox(outbox, entry);
  }, from);
}

export const raisedFact = (id: string, change: Partial<Escalation> = {}): JournalFact => ({
  type: 'escalation.raised',
  escalation: escalation(id, change),
});

export const resolvedFact = (key = 'incident/inc-1'): JournalFact => ({
  type: 'escalation.resolved',
  key,
  because: 'healthy for 30 s',
});

export const doneFact = (
  what: 'trigger' | 'repeat' | 'resolve',
  id: string,
  { receiver = 'pager', key = 'incident/inc-1' } = {},
): JournalFact => ({ type: 'delivery.done', key, receiver, what, attempts: 1, escalation: id });

export type Mood = 'up' | 'down' | 'busy' | 'refusing' | 'hanging';

/** A receiver that does as configured, and keeps what it took. */
export class FakeReceiver implements Receiver {
  readonly name: string;
  mood: Mood = 'up';
  readonly taken: Notice[] = [];
  tries = 0;
  tookAtMs: number[] = [];
  #nowMs: () => number;

  constructor(name: string, nowMs: () => number = () => 0) {
    this.name = name;
    this.#nowMs = nowMs;
  }

  async deliver(notice: Notice): Promise<void> {
    this.tries += 1;
    const details = (status: number) => ({ failure: 'http_status', status }) as const;
    if (this.mood === 'down') throw new RequestFailed('RECEIVER_UNREACHABLE', 'refused', { failure: 'refused' });
    if (this.mood === 'busy') throw new RequestFailed('RECEIVER_UNREACHABLE', 'answered 503', details(503));
    if (this.mood === 'refusing') throw new RequestFailed('RECEIVER_REFUSED', 'answered 401', details(401));
    if (this.mood === 'hanging') await new Promise(() => undefined);
    this.taken.push(notice);
    this.tookAtMs.push(this.#nowMs());
  }

  get story(): string[] {
    return this.taken.map(({ what, key }) => `${what} ${key}`);
  }
}

/** A ledger with an outbox and a dispatcher, on a clock that only tests advance. */
export function opened(
  receivers: readonly Receiver[],
  { store = new MemoryStore() as JournalStore, time = fakeClock(), ...change }: OpenedOptions = {},
) {
  const ledger = new Ledger(store, time.clock);
  const outbox = ledger.register(outboxProjection);
  ledger.open();
  const dispatcher = new Dispatcher({
    outbox,
    receivers,
    append: ledger.append,
    clock: ledger.clock,
    random: { next: () => 0.5 },
    ids: countingIds(),
    ...change,
  });
  ledger.subscribe(dispatcher.onEntry);
  const append = (...facts: JournalFact[]) => ledger.append(facts.map((fact) => ({ fact })));
  const facts = (type: JournalFact['type']) => [...ledger.read({ types: [type] })].map(({ fact }) => fact);
  return { ledger, outbox, dispatcher, store, time, advance: time.advance, append, facts };
}

type OpenedOptions = Partial<DispatcherOptions> & {
  readonly store?: JournalStore;
  readonly time?: ReturnType<typeof fakeClock>;
};
