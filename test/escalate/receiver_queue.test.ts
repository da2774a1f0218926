import { describe, expect, it } from 'vitest';
import { HOUR_MS } from '../../src/core/duration.ts';
import type { JournalFact } from '../../src/core/journal.ts';
import type { Page } from '../../src/escalate/outbox.ts';
import type { Notice, Receiver } from '../../src/escalate/receiver.ts';
import { type DeliveryTrouble, ReceiverQueue, type ReceiverQueueDeps } from '../../src/escalate/receiver_queue.ts';
import { ROUTE_TO_ALL } from '../../src/escalate/routes.ts';
import { RequestFailed } from '../../src/resilience/failure.ts';
import { fakeClock } from '../support/fake_clock.ts';
import { doneFact, FakeReceiver, fold, raisedFact, resolvedFact } from './support.ts';

const RAISED_MS = 1_000_000;
const pagesOf = (...steps: Parameters<typeof fold>[0][number][]): Page[] => [...fold(steps).pages];
const raised = (...keys: string[]): Page[] =>
  pagesOf(...keys.map((key) => [RAISED_MS, raisedFact(`esc-${key}`, { key })] as const));

/** A queue over pages that stay as they are, whatever was delivered. */
function queueOf(
  receiver: Receiver,
  pages: readonly Page[],
  with_: Partial<ReceiverQueueDeps> & { readonly known?: DeliveryTrouble } = {},
) {
  const { clock, advance } = fakeClock();
  const facts: JournalFact[] = [];
  const stop = new AbortController();
  const { known, ...change } = with_;
  const world: ReceiverQueueDeps = {
    ...{ clock, attemptMs: 10_000, signal: stop.signal, random: { next: () => 0.5 }, repeatMs: () => 4 * HOUR_MS },
    ...{ routing: ROUTE_TO_ALL, pages: () => pages, delivered: () => undefined },
    record: (fact) => {
      facts.push(fact);
      return false;
    },
    ...change,
  };
  return { queue: new ReceiverQueue(receiver, world, known), advance, facts, stop, clock };
}

const aReceiver = (deliver: (notice: Notice) => Promise<void>, more: Partial<Receiver> = {}): Receiver => ({
  ...{ name: 'pager', deliver },
  ...more,
});
const unreachable = (retryAfterMs?: number) =>
  new RequestFailed('RECEIVER_UNREACHABLE', 'answered 503', { failure: 'http_status', status: 503, retryAfterMs });

/** A receiver that never answers, and counts how many it has under way. */
function hanging() {
  const held: { key: string; end: () => void; fail: (thrown: unknown) => void }[] = [];
  const receiver = aReceiver(
    ({ key }) => new Promise((resolve, reject) => void held.push({ key, end: resolve, fail: reject })),
  );
  return { receiver, held };
}

describe('what a receiver is owed', () => {
  it('is what is due there and not taken, also while it is under way or waits after a refusal', async () => {
    const { receiver, held } = hanging();
    const { queue, advance } = queueOf(receiver, raised('a'));
    expect(queue).toMatchObject({ isOwed: true, waiting: 1 });
    queue.pump();
    await advance(0);
    expect(queue.isOwed).toBe(true);
    held[0]?.fail(new RequestFailed('RECEIVER_REFUSED', 'answered 400', { failure: 'http_status', status: 400 }));
    await advance(0);
    expect(queue).toMatchObject({ isOwed: true, busy: false });
  });

  it('is nothing of what it took, though no record of that could be made', async () => {
    const { receiver, held } = hanging();
    const { queue, advance, facts } = queueOf(receiver, raised('a'));
    queue.pump();
    await advance(0);
    held[0]?.end();
    await advance(0);
    expect(facts).toMatchObject([{ type: 'delivery.done' }]);
    expect(queue.isOwed).toBe(false);
  });

  it('is nothing that its route leads elsewhere, now or until later', () => {
    const routed = (fromMs: number | undefined) =>
      queueOf(
        aReceiver(async () => undefined),
        raised('a'),
        { routing: () => fromMs },
      ).queue;
    const { clock } = queueOf(
      aReceiver(async () => undefined),
      [],
    );
    const nowMs = clock.monotonicMs();
    expect([undefined, nowMs + 1, nowMs].map((fromMs) => routed(fromMs).isOwed)).toEqual([false, false, true]);
    expect([undefined, nowMs + 1, nowMs].map((fromMs) => routed(fromMs).waiting)).toEqual([0, 0, 1]);
  });

  it('is all that is open where it forgets what is not repeated', () => {
    const told = pagesOf([RAISED_MS, raisedFact('esc-1')], [RAISED_MS, doneFact('trigger', 'esc-1')]);
    const refresh = { everyMs: 60_000, send: async () => undefined };
    expect(
      queueOf(
        aReceiver(async () => undefined),
        told,
      ).queue,
    ).toMatchObject({ isOwed: false, waiting: 1 });
    expect(
      queueOf(
        aReceiver(async () => undefined, { refresh }),
        told,
      ).queue,
    ).toMatchObject({ isOwed: true });
  });
});

describe('the queue of one receiver', () => {
  it('has four messages under way at most', async () => {
    const { receiver, held } = hanging();
    const { queue, advance } = queueOf(receiver, raised('a', 'b', 'c', 'd', 'e'));
    queue.pump();
    await advance(0);
    expect(held.map(({ key }) => key)).toEqual(['a', 'b', 'c', 'd']);
    held[0]!.end();
    await advance(0);
    expect(held.map(({ key }) => key)).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  it('has one under way while the receiver fails', async () => {
    const { receiver, held } = hanging();
    const { queue, advance } = queueOf(receiver, raised('a', 'b', 'c', 'd', 'e'));
    queue.pump();
    await advance(0);
    for (const { fail } of [...held]) fail(unreachable());
    await advance(10_000);
    expect(held).toHaveLength(5);
  });

  it('sends the most severe first, then the one due for longest, then by key', async () => {
    const pages = pagesOf(
      [900_000, raisedFact('esc-1', { key: 'info', severity: 'info' })],
      [950_000, raisedFact('esc-2', { key: 'late' })],
      [940_000, raisedFact('esc-3', { key: 'y' })],
      [940_000, raisedFact('esc-4', { key: 'x' })],
    );
    const pager = new FakeReceiver('pager');
    const { queue, advance } = queueOf(pager, pages);
    queue.pump();
    await advance(0);
    expect(pager.taken.map(({ key }) => key)).toEqual(['x', 'y', 'late', 'info']);
  });

  it('sends nothing before it is due, and wakes by itself the moment it is', async () => {
    const pager = new FakeReceiver('pager');
    const { queue, advance } = queueOf(pager, raised('a'), { routing: () => RAISED_MS + 5_000 });
    queue.pump();
    await advance(4_999);
    expect([pager.tries, queue.busy]).toEqual([0, false]);
    await advance(1);
    expect(pager.tries).toBe(1);
  });

  it('sends nothing that is not routed to it', async () => {
    const pager = new FakeReceiver('pager');
    const { queue, advance } = queueOf(pager, raised('a'), { routing: () => undefined });
    queue.pump();
    await advance(HOUR_MS);
    expect([pager.tries, queue.busy]).toEqual([0, false]);
  });

  it('sends a message once more only to a new process where its record was not taken', async () => {
    const pager = new FakeReceiver('pager');
    const { queue, advance, facts } = queueOf(pager, raised('a'));
    queue.pump();
    await advance(HOUR_MS);
    expect([pager.tries, facts]).toMatchObject([1, [{ type: 'delivery.done', key: 'a', attempts: 1 }]]);
  });

  it('begins nothing once it is asked to stop, and records nothing of what was cut off', async () => {
    const { receiver, held } = hanging();
    const { queue, advance, facts, stop } = queueOf(receiver, raised('a'));
    queue.pump();
    await advance(0);
    stop.abort(new Error('stopped'));
    await advance(HOUR_MS);
    expect([held.length, facts, queue.trouble]).toEqual([1, [], undefined]);
  });
});

describe('a receiver that fails', () => {
  const failing = (thrown: unknown) => aReceiver(() => Promise.reject(thrown));

  it.each([
    [undefined, 375],
    [3_000, 3_000],
    [3_600_000, 60_000],
  ])('and asks for a pause of %s ms is left alone for %i ms', async (askedMs, waitMs) => {
    let tries = 0;
    const receiver = aReceiver(() => {
      tries += 1;
      return Promise.reject(unreachable(askedMs));
    });
    const { queue, advance } = queueOf(receiver, raised('a'));
    queue.pump();
    await advance(waitMs - 1);
    expect(tries).toBe(1);
    await advance(1);
    expect(tries).toBe(2);
  });

  it('is written down once in an outage, unless it was written down before', async () => {
    const { queue, advance, facts } = queueOf(failing(unreachable()), raised('a', 'b'));
    queue.pump();
    await advance(60_000);
    expect(facts).toEqual([
      { type: 'delivery.failed', key: 'a', receiver: 'pager', what: 'trigger', error: 'answered 503' },
    ]);
    expect(queue.trouble).toEqual({ error: 'answered 503', sinceMs: 1_000_000 });
    const known = { error: 'answered 503', sinceMs: 5 };
    const again = queueOf(failing(unreachable()), raised('a'), { known });
    again.queue.pump();
    await again.advance(60_000);
    expect([again.facts, again.queue.trouble]).toEqual([[], known]);
  });

  it('is written down anew in the next outage', async () => {
    const outcomes = [unreachable(), undefined, unreachable(), undefined];
    const receiver = aReceiver(async () => {
      const thrown = outcomes.shift();
      if (thrown !== undefined) throw thrown;
    });
    const { queue, advance, facts } = queueOf(receiver, raised('a', 'b'));
    queue.pump();
    await advance(60_000);
    expect(facts.filter(({ type }) => type === 'delivery.failed')).toHaveLength(2);
    expect(queue.trouble).toBeUndefined();
  });

  it('that refuses one message takes the others meanwhile, and a refusal is written down once', async () => {
    const tries: string[] = [];
    const refused = new RequestFailed('RECEIVER_REFUSED', 'answered 401', { failure: 'http_status', status: 401 });
    const receiver = aReceiver(async ({ key }) => {
      tries.push(key);
      if (key === 'bad') throw refused;
    });
    const { queue, advance, facts } = queueOf(receiver, raised('bad', 'good'));
    queue.pump();
    await advance(1_499);
    expect(tries).toEqual(['bad', 'good']);
    await advance(1);
    expect(tries).toEqual(['bad', 'good', 'bad']);
    await advance(HOUR_MS);
    expect(facts.filter(({ type }) => type === 'delivery.failed')).toHaveLength(1);
  });
});

describe('a receiver that said no to everything', () => {
  it('is sent all that it refused as soon as it takes one of them', async () => {
    const refused = new RequestFailed('RECEIVER_REFUSED', 'answered 401', { failure: 'http_status', status: 401 });
    let isMended = false;
    const taken: string[] = [];
    const receiver = aReceiver(async ({ key }) => {
      if (!isMended) throw refused;
      taken.push(key);
    });
    const pages = raised('a', 'b');
    const { queue, advance } = queueOf(receiver, pages);
    queue.pump();
    // Each waits for a time of its own by now.
    await advance(20_000);
    pages.push(...raised('c'));
    queue.pump();
    await advance(0);
    isMended = true;
    for (let waited = 0; taken.length === 0 && waited < 60_000; waited += 100) await advance(100);
    await advance(0);
    expect(taken.toSorted()).toEqual(['a', 'b', 'c']);
  });
});

describe('a receiver that fails at one message alone', () => {
  const failsAt = (bad: string) => {
    const tries: string[] = [];
    const receiver = aReceiver(async ({ key }) => {
      tries.push(key);
      if (key === bad) throw unreachable();
    });
    return { receiver, tries };
  };

  it('takes the others, also what came after it had failed', async () => {
    const { receiver, tries } = failsAt('bad');
    const pages = raised('bad');
    const { queue, advance } = queueOf(receiver, pages);
    queue.pump();
    await advance(60_000);
    pages.push(...raised('later', 'last'));
    queue.pump();
    await advance(15_000);
    expect(tries).toContain('later');
    expect(tries).toContain('last');
  });

  it('is offered it less and less often, for ever, and that is written down once', async () => {
    const { receiver, tries } = failsAt('bad');
    const pages = raised('bad');
    const { queue, advance, facts } = queueOf(receiver, pages);
    queue.pump();
    for (let minute = 0; minute < 60; minute += 1) {
      for (let page = 0; page < 10; page += 1) pages.push(...raised(`good-${minute}-${page}`));
      queue.pump();
      await advance(60_000);
    }
    const bad = tries.filter((key) => key === 'bad').length;
    expect(tries).toHaveLength(600 + bad);
    expect(bad).toBeGreaterThan(100);
    expect(bad).toBeLessThan(200);
    expect(facts.filter(({ type }) => type === 'delivery.failed').length).toBeLessThanOrEqual(2);
  });

  it('is offered all of them in turn in an outage, and the most severe first when it is back', async () => {
    const tries: string[] = [];
    let isUp = false;
    const receiver = aReceiver(async ({ key }) => {
      tries.push(key);
      if (!isUp) throw unreachable();
    });
    const levels = { quiet: 'info', b: 'warning', loud: 'critical' } as const;
    const pages = pagesOf(
      ...Object.entries(levels).map(
        ([key, severity]) => [RAISED_MS, raisedFact(`esc-${key}`, { key, severity })] as const,
      ),
    );
    const { queue, advance } = queueOf(receiver, pages);
    queue.pump();
    await advance(60_000);
    expect(tries.slice(0, 9)).toEqual(['loud', 'b', 'quiet', 'loud', 'b', 'quiet', 'loud', 'b', 'quiet']);
    isUp = true;
    tries.splice(0);
    await advance(5_000);
    expect(tries.slice(1)).toEqual(['loud', 'b', 'quiet'].filter((key) => key !== tries[0]));
  });
});

describe('a receiver that shows each copy of a message', () => {
  const failing = (failure: 'reset' | 'timeout' | 'refused', showsCopies: boolean) => {
    let tries = 0;
    const receiver = aReceiver(
      () => {
        tries += 1;
        return Promise.reject(new RequestFailed('RECEIVER_UNREACHABLE', 'no answer', { failure }));
      },
      { showsCopies },
    );
    const { queue, advance } = queueOf(receiver, raised('a'));
    queue.pump();
    return { advance, tries: () => tries };
  };

  it.each(['reset', 'timeout'] as const)('is sent few, where it may have taken each: %s', async (failure) => {
    const { advance, tries } = failing(failure, true);
    await advance(5 * 60_000);
    expect(tries()).toBeGreaterThanOrEqual(10);
    expect(tries()).toBeLessThanOrEqual(18);
  });

  it.each([
    ['where it has certainly taken none', 'refused', true],
    ['where its copies are joined', 'reset', false],
  ] as const)('is tried each few seconds %s', async (_, failure, showsCopies) => {
    const { advance, tries } = failing(failure, showsCopies);
    await advance(5 * 60_000);
    expect(tries()).toBeGreaterThanOrEqual(60);
  });
});

describe('a receiver that is sent everything again and again', () => {
  /** What it knows: one open page, one resolved a while ago. */
  const known = (resolvedToldMs: number) =>
    pagesOf(
      [100, raisedFact('esc-a', { key: 'a' })],
      [110, doneFact('trigger', 'esc-a', { key: 'a' })],
      [120, raisedFact('esc-b', { key: 'b' })],
      [130, doneFact('trigger', 'esc-b', { key: 'b' })],
      [resolvedToldMs - 1, resolvedFact('b')],
      [resolvedToldMs, doneFact('resolve', 'esc-b', { key: 'b' })],
    ).map((page) => ({ ...page, acked: { who: 'eve', at: 0 } }));

  const refreshing = (send: () => Promise<void> = async () => undefined) => {
    const sent: string[][] = [];
    const refresh = {
      everyMs: 60_000,
      send: (notices: readonly Notice[]) => {
        sent.push(notices.map(({ what, key }) => `${what} ${key}`));
        return send();
      },
    };
    return { sent, receiver: aReceiver(async () => undefined, { refresh }) };
  };

  it.each([
    ['quarter of an hour', 900_000, ['repeat a', 'resolve b']],
    ['little longer', 900_001, ['repeat a']],
  ])('is sent what was resolved for a %s', async (_, agoMs, expected) => {
    const { sent, receiver } = refreshing();
    const { queue, advance } = queueOf(receiver, known(1_000_000 - agoMs));
    queue.pump();
    await advance(0);
    expect(sent).toEqual([expected]);
    await advance(59_999);
    expect(sent).toHaveLength(1);
    await advance(1);
    expect(sent).toHaveLength(2);
  });

  it('and fails is in trouble, of which nothing is written down, and is asked again after a pause', async () => {
    const { sent, receiver } = refreshing(() => Promise.reject(unreachable()));
    const { queue, advance, facts } = queueOf(receiver, known(999_000));
    queue.pump();
    await advance(374);
    expect([sent.length, queue.trouble?.error, facts]).toEqual([1, 'answered 503', []]);
    await advance(1);
    expect(sent).toHaveLength(2);
  });

  const open = (key: string) => [
    [100, raisedFact(`esc-${key}`, { key })] as const,
    [110, doneFact('trigger', `esc-${key}`, { key })] as const,
  ];

  it('does not open again what it ended there, when the journal would not take that', async () => {
    const { sent, receiver } = refreshing();
    const { queue, advance } = queueOf(receiver, pagesOf(...open('a'), [RAISED_MS, resolvedFact('a')]));
    queue.pump();
    await advance(60_000);
    expect(sent).toEqual([['resolve a'], ['resolve a']]);
    await advance(20 * 60_000);
    expect(sent.every((each) => each.join() === 'resolve a')).toBe(true);
    expect(sent.length).toBeLessThanOrEqual(16);
  });

  it('is sent again what is open there, when the journal would not take that', async () => {
    const { sent, receiver } = refreshing();
    const { queue, advance } = queueOf(receiver, raised('a'));
    queue.pump();
    await advance(0);
    expect(sent).toEqual([['trigger a']]);
  });

  it('is sent nothing of what it may have ended there, until that is known', async () => {
    const { sent, receiver } = refreshing();
    const refused = new RequestFailed('RECEIVER_REFUSED', 'answered 400', { failure: 'http_status', status: 400 });
    const refusing = { ...receiver, deliver: () => Promise.reject(refused) };
    const pages = pagesOf(...open('a'), ...open('b'), [120, resolvedFact('a')]);
    const { queue, advance } = queueOf(refusing, pages);
    queue.pump();
    await advance(0);
    expect(sent).toEqual([['repeat b']]);
  });

  it('is sent nothing of what a process before may have ended there, until that is known', async () => {
    const { sent, receiver } = refreshing();
    const losing = { ...receiver, deliver: () => Promise.reject(unreachable()) };
    // Others that are due for longer are tried before the end is, and when they have failed comes what is open.
    const due = ['w', 'x', 'y', 'z'].map((key) => [900_000, raisedFact(`esc-${key}`, { key })] as const);
    const { queue, advance } = queueOf(
      losing,
      pagesOf(...open('a'), ...open('b'), ...due, [999_999, resolvedFact('a')]),
    );
    queue.pump();
    await advance(3 * 60_000);
    expect(sent.length).toBeGreaterThan(1);
    expect(sent.every((each) => each.join() === 'repeat b')).toBe(true);
  });

  it('is sent no end of what came back, while it may have taken that and is not known to have', async () => {
    const { sent, receiver } = refreshing();
    const losing = { ...receiver, deliver: () => Promise.reject(unreachable()) };
    const pages = pagesOf(
      ...open('a'),
      [120, resolvedFact('a')],
      [RAISED_MS - 9, doneFact('resolve', 'esc-a', { key: 'a' })],
      [RAISED_MS - 2, raisedFact('esc-a2', { key: 'a' })],
      [RAISED_MS - 1, resolvedFact('a')],
    );
    const { queue, advance } = queueOf(losing, [...pages, ...pagesOf(...open('b'))]);
    queue.pump();
    await advance(3 * 60_000);
    expect(sent.length).toBeGreaterThan(0);
    expect(sent.every((each) => each.join() === 'repeat b')).toBe(true);
  });

  it('waits for what is under way: what is new is not overtaken', async () => {
    const { sent, receiver } = refreshing();
    const held: (() => void)[] = [];
    const slow = { ...receiver, deliver: () => new Promise<void>((resolve) => void held.push(resolve)) };
    const { queue, advance } = queueOf(slow, [...known(999_000), ...raised('new')]);
    queue.pump();
    await advance(5_000);
    expect(sent).toEqual([]);
    held[0]!();
    await advance(0);
    expect(sent).toHaveLength(1);
  });

  it('is sent what is open at least each minute or so while the answers to a new page are lost', async () => {
    const { sent, receiver } = refreshing(() => Promise.reject(unreachable()));
    const tries: string[] = [];
    const losing: Receiver = {
      ...receiver,
      deliver: async ({ key }) => {
        tries.push(key);
        throw unreachable();
      },
    };
    const { queue, advance } = queueOf(losing, [...known(999_000), ...raised('new')]);
    queue.pump();
    await advance(5 * 60_000);
    expect(sent.length).toBeGreaterThanOrEqual(4);
    expect(sent.length).toBeLessThanOrEqual(6);
    expect(new Set(tries)).toEqual(new Set(['new']));
    expect(tries.length).toBeGreaterThan(50);
  });

  it('is tried with new pages in turn where it asks for longer pauses than lie between two repetitions', async () => {
    const { sent, receiver } = refreshing(() => Promise.reject(unreachable(60_000)));
    let tries = 0;
    const busy: Receiver = {
      ...receiver,
      deliver: async () => {
        tries += 1;
        throw unreachable(60_000);
      },
    };
    const { queue, advance } = queueOf(busy, [...known(999_000), ...raised('new')]);
    queue.pump();
    await advance(10 * 60_000);
    expect(Math.abs(tries - sent.length)).toBeLessThanOrEqual(1);
    expect(tries).toBeGreaterThanOrEqual(5);
  });

  it.each([
    ['an outage', unreachable()],
    [
      'a time in which it refused',
      new RequestFailed('RECEIVER_REFUSED', 'answered 400', { failure: 'http_status', status: 400 }),
    ],
  ])('is sent what is open as soon as it takes something after %s', async (_, failure) => {
    const { sent, receiver } = refreshing();
    const up = { now: true };
    const late: Receiver = {
      ...receiver,
      deliver: () => (up.now ? Promise.resolve() : Promise.reject(failure)),
      refresh: {
        ...receiver.refresh!,
        send: (notices, signal) => (up.now ? receiver.refresh!.send(notices, signal) : Promise.reject(failure)),
      },
    };
    const pages: Page[] = [...known(999_000)];
    const { queue, advance } = queueOf(late, pages);
    queue.pump();
    await advance(30_000);
    expect(sent).toHaveLength(1);
    up.now = false;
    await advance(35_000);
    pages.push(...raised('new'));
    queue.pump();
    await advance(5_000);
    up.now = true;
    await advance(20_000);
    expect(sent).toHaveLength(2);
  });

  it('is sent what is open as soon as the machine has slept, before all that is new', async () => {
    const { sent, receiver } = refreshing();
    const { queue, advance } = queueOf({ ...receiver, deliver: async ({ key }) => void sent.push([key]) }, [
      ...known(999_000),
      ...raised('new'),
    ]);
    queue.pump();
    await advance(20_000);
    sent.length = 0;
    queue.noteSuspend();
    await advance(0);
    expect(sent[0]).toEqual(['repeat a', 'resolve b', 'trigger new']);
    await advance(59_999);
    expect(sent).toHaveLength(1);
  });

  it('is sent what is open in a storm of pages that it takes slowly', async () => {
    const { sent, receiver } = refreshing();
    const { queue, advance, clock } = queueOf({ ...receiver, deliver: () => clock.sleep(7_000) }, [
      ...known(999_000),
      ...raised(...Array.from({ length: 300 }, (_, at) => `page-${at}`)),
    ]);
    queue.pump();
    await advance(5 * 60_000);
    expect(sent.length).toBeGreaterThanOrEqual(2);
  });
});
