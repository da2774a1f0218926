import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Severity } from '../../src/core/classification.ts';
import { HOUR_MS, MINUTE_MS } from '../../src/core/duration.ts';
import { raise, resolve } from '../../src/escalate/escalator.ts';
import { FLOOD_MS, isDelivered, pageOf } from '../../src/escalate/outbox.ts';
import type { Receiver } from '../../src/escalate/receiver.ts';
import type { Routing } from '../../src/escalate/routes.ts';
import { MemoryStore } from '../../src/journal/memory.ts';
import { createTransport } from '../../src/resilience/transport.ts';
import { fakeClock } from '../support/fake_clock.ts';
import { escalation, FakeReceiver, type Mood, opened, raisedFact, resolvedFact } from './support.ts';

const KEY = 'incident/inc-1';
const PAGER_THEN_CHAT: Routing = (page, receiver) => (receiver === 'pager' ? 0 : page.raisedMs + 10 * MINUTE_MS);

describe('a page', () => {
  it('is delivered to every receiver as soon as it is raised, and the deliveries are written down', async () => {
    const [pager, chat] = [new FakeReceiver('pager'), new FakeReceiver('chat')];
    const { dispatcher, append, advance, facts } = opened([pager, chat]);
    dispatcher.start();
    append(raisedFact('esc-1'));
    await advance(0);
    expect([pager.story, chat.story]).toEqual([[`trigger ${KEY}`], [`trigger ${KEY}`]]);
    expect(facts('delivery.done')).toEqual([
      { type: 'delivery.done', key: KEY, receiver: 'pager', what: 'trigger', attempts: 1, escalation: 'esc-1' },
      { type: 'delivery.done', key: KEY, receiver: 'chat', what: 'trigger', attempts: 1, escalation: 'esc-1' },
    ]);
    expect(pager.taken[0]).toMatchObject({ summary: 'news: output_stalled', severity: 'critical', what: 'trigger' });
  });

  it('waits until the dispatcher is started, and is then delivered', async () => {
    const pager = new FakeReceiver('pager');
    const { dispatcher, append, advance } = opened([pager]);
    append(raisedFact('esc-1'));
    append({ type: 'clock.jumped', byMs: 180_000, cause: 'suspended' });
    await advance(1_000);
    expect(pager.tries).toBe(0);
    dispatcher.start();
    await advance(0);
    expect(pager.story).toEqual([`trigger ${KEY}`]);
  });

  it.each<Mood>(['down', 'busy', 'hanging'])(
    'is tried again and again while the receiver is %s, for hours',
    async (mood) => {
      const pager = new FakeReceiver('pager');
      const { dispatcher, append, advance, facts } = opened([pager]);
      dispatcher.start();
      pager.mood = mood;
      append(raisedFact('esc-1'));
      await advance(6 * HOUR_MS);
      expect(pager.tries).toBeGreaterThan(1_000);
      expect(facts('delivery.failed')).toHaveLength(1);
      pager.mood = 'up';
      await advance(15_001);
      expect(pager.story).toEqual([`trigger ${KEY}`]);
      expect(facts('delivery.done')).toMatchObject([{ attempts: pager.tries }]);
    },
  );

  it('that a receiver refuses is offered less and less often, for ever, and holds up no other page', async () => {
    const pager = new FakeReceiver('pager');
    const accept = pager.deliver.bind(pager);
    pager.deliver = async (notice) => {
      pager.mood = notice.key === 'bad' ? 'refusing' : 'up';
      await accept(notice);
    };
    const { dispatcher, append, advance, facts } = opened([pager]);
    dispatcher.start();
    append(raisedFact('esc-1', { key: 'bad' }), raisedFact('esc-2', { key: 'good' }));
    await advance(1_000);
    expect(pager.story).toEqual(['trigger good']);
    await advance(HOUR_MS);
    expect(pager.tries).toBeGreaterThan(60);
    expect(pager.tries).toBeLessThan(130);
    expect(facts('delivery.failed')).toMatchObject([{ key: 'bad', error: 'answered 401' }]);
  });

  it('at one receiver does not wait for another one', async () => {
    const [pager, chat] = [new FakeReceiver('pager'), new FakeReceiver('chat')];
    const { dispatcher, append, advance } = opened([pager, chat]);
    dispatcher.start();
    pager.mood = 'hanging';
    append(raisedFact('esc-1'), raisedFact('esc-2', { key: 'b' }));
    await advance(0);
    expect(chat.story).toEqual(['trigger b', `trigger ${KEY}`]);
  });

  it('does not wait behind less severe ones when a receiver comes back', async () => {
    const pager = new FakeReceiver('pager');
    const { dispatcher, append, advance } = opened([pager]);
    dispatcher.start();
    pager.mood = 'down';
    append(raisedFact('esc-1', { key: 'quiet', severity: 'info' }));
    await advance(10_000);
    append(raisedFact('esc-2', { key: 'loud' }));
    pager.mood = 'up';
    await advance(10_000);
    expect(pager.story).toEqual(['trigger loud', 'trigger quiet']);
  });

  it('is resolved after its trigger, also when it was over before anybody took it', async () => {
    const pager = new FakeReceiver('pager');
    const { dispatcher, append, advance } = opened([pager]);
    dispatcher.start();
    pager.mood = 'down';
    append(raisedFact('esc-1'));
    await advance(HOUR_MS);
    append(resolvedFact());
    pager.mood = 'up';
    await advance(10_000);
    expect(pager.story).toEqual([`trigger ${KEY}`]);
    await advance(60_000);
    expect(pager.story).toEqual([`trigger ${KEY}`, `resolve ${KEY}`]);
    expect(pager.taken[1]).toMatchObject({ because: 'healthy for 30 s', resolvedAt: expect.any(Number) });
  });

  it('whose trigger is under way when it is resolved is resolved after that', async () => {
    const pager = new FakeReceiver('pager');
    const { dispatcher, append, advance } = opened([pager]);
    const gate = Promise.withResolvers<void>();
    const accept = pager.deliver.bind(pager);
    pager.deliver = async (notice) => {
      if (notice.what === 'trigger') await gate.promise;
      await accept(notice);
    };
    dispatcher.start();
    append(raisedFact('esc-1'));
    append(resolvedFact());
    await advance(5_000);
    expect(pager.story).toEqual([]);
    gate.resolve();
    await advance(70_000);
    expect(pager.story).toEqual([`trigger ${KEY}`, `resolve ${KEY}`]);
  });

  it('is repeated by the new interval once that is changed, and what is due by it is sent at once', async () => {
    const pager = new FakeReceiver('pager');
    const { dispatcher, append, advance } = opened([pager]);
    dispatcher.start();
    append(raisedFact('esc-1'));
    await advance(2 * HOUR_MS);
    dispatcher.repeatEvery(3 * HOUR_MS);
    await advance(HOUR_MS - 1);
    expect(pager.story).toEqual([`trigger ${KEY}`]);
    await advance(1);
    expect(pager.story).toEqual([`trigger ${KEY}`, `repeat ${KEY}`]);
    await advance(2 * HOUR_MS);
    dispatcher.repeatEvery(HOUR_MS);
    await advance(0);
    expect(pager.story).toHaveLength(3);
  });

  it('is owed to a receiver that did not take its repeat, until somebody has it', async () => {
    const pager = new FakeReceiver('pager');
    const { dispatcher, append, advance } = opened([pager]);
    const owed = () => dispatcher.status().map(({ error, pages, isOwed }) => [error !== undefined, pages, isOwed]);
    dispatcher.start();
    append(raisedFact('esc-1'));
    await advance(0);
    expect(owed()).toEqual([[false, 1, false]]);
    pager.mood = 'down';
    await advance(4 * 3_600_000 + 60_000);
    expect(owed()).toEqual([[true, 1, true]]);
    append({ type: 'escalation.acked', key: 'incident/inc-1', who: 'eve' });
    expect(owed()).toEqual([[true, 1, false]]);
  });

  it('that nobody has is unheard where its route leads, and nowhere once somebody has it', async () => {
    const [pager, chat] = [new FakeReceiver('pager'), new FakeReceiver('chat')];
    const { dispatcher, append, advance } = opened([pager, chat], { routing: PAGER_THEN_CHAT });
    pager.mood = 'down';
    dispatcher.start();
    append(raisedFact('esc-1'));
    await advance(9 * MINUTE_MS);
    expect(dispatcher.reception().unheard).toEqual([['pager']]);
    await advance(MINUTE_MS);
    expect(chat.story).toEqual([`trigger ${KEY}`]);
    expect(dispatcher.reception().unheard).toEqual([]);
  });

  it('that flood control holds back for some minutes leads to that receiver all the same', async () => {
    const [pager, chat] = [new FakeReceiver('pager'), new FakeReceiver('chat')];
    const { dispatcher, append, advance } = opened([pager, chat]);
    pager.mood = 'down';
    dispatcher.start();
    append(raisedFact('esc-1'));
    await advance(10);
    append(resolvedFact());
    await advance(10);
    append(raisedFact('esc-2'));
    await advance(3 * MINUTE_MS);
    expect(chat.story).toEqual([`trigger ${KEY}`, `resolve ${KEY}`]);
    expect(dispatcher.reception().unheard).toEqual([['pager', 'chat']]);
  });

  it.each([
    ['is mild', { severity: 'warning' }],
    ['is over', {}],
  ] as const)('that %s is not unheard', async (how, change) => {
    const pager = new FakeReceiver('pager');
    const { dispatcher, append, advance } = opened([pager]);
    pager.mood = 'down';
    dispatcher.start();
    append(raisedFact('esc-1', change));
    if (how === 'is over') append(resolvedFact());
    await advance(10 * MINUTE_MS);
    expect(dispatcher.status()).toMatchObject([{ isOwed: true }]);
    expect(dispatcher.reception().unheard).toEqual([]);
  });

  it('that is open is owed to a receiver that forgets what is not repeated', async () => {
    const pager = Object.assign(new FakeReceiver('pager'), {
      refresh: { everyMs: 60_000, send: async () => undefined },
    });
    const { dispatcher, append, advance } = opened([pager]);
    dispatcher.start();
    append(raisedFact('esc-1'));
    await advance(0);
    expect(dispatcher.status()).toMatchObject([{ pages: 1, isOwed: true }]);
  });

  it('is repeated every four hours until it is acknowledged', async () => {
    const pager = new FakeReceiver('pager');
    const { dispatcher, append, advance } = opened([pager]);
    dispatcher.start();
    append(raisedFact('esc-1'));
    await advance(9 * HOUR_MS);
    expect(pager.story).toEqual([`trigger ${KEY}`, `repeat ${KEY}`, `repeat ${KEY}`]);
    append({ type: 'escalation.acked', key: KEY, who: 'eve' });
    await advance(20 * HOUR_MS);
    expect(pager.story).toHaveLength(3);
  });

  it('that flaps pages at most once in five minutes, and says how often it came back', async () => {
    const pager = new FakeReceiver('pager');
    const { dispatcher, append, advance } = opened([pager]);
    dispatcher.start();
    for (let i = 0; i < 60; i += 1) {
      append(raisedFact(`esc-${i}`));
      await advance(2_000);
      append(resolvedFact());
      await advance(8_000);
    }
    await advance(2 * FLOOD_MS);
    const triggers = pager.taken.filter(({ what }) => what === 'trigger');
    expect(triggers.length).toBe(3);
    expect(triggers.reduce((sum, { raised }) => sum + raised, 0)).toBe(60);
    expect(pager.taken.at(-1)?.what).toBe('resolve');
  });
});

describe('a receiver that comes with a restart of Reeve', () => {
  const STARTED = { type: 'reeve.started', version: '0', configSha: 'x' } as const;

  /** A page that ended before, one that is open, and the next process with another receiver. */
  async function withAnother(name: string) {
    const time = fakeClock();
    const pager = new FakeReceiver('pager');
    const first = opened([pager], { time });
    first.append(STARTED);
    first.dispatcher.start();
    first.append(raisedFact('esc-1'), raisedFact('esc-2', { key: 'open' }));
    await time.advance(60_000);
    first.append(resolvedFact());
    await time.advance(60_000);
    await first.dispatcher[Symbol.asyncDispose]();
    const chat = new FakeReceiver(name);
    const start = async (store: MemoryStore) => {
      const next = opened([pager, chat], { time, store });
      next.append(STARTED);
      next.dispatcher.start();
      await time.advance(60_000);
      return next;
    };
    return { chat, start, second: await start((first.store as MemoryStore).crash()) };
  }

  it('hears what is open, and nothing of what others were told before, after the next start either', async () => {
    const { chat, start, second } = await withAnother('chat');
    expect(chat.story).toEqual(['trigger open']);
    second.append(resolvedFact('open'));
    await second.advance(60_000);
    await second.dispatcher[Symbol.asyncDispose]();
    await start((second.store as MemoryStore).crash());
    expect(chat.story).toEqual(['trigger open', 'resolve open']);
  });

  it('hears the end of what began and ended since: a message whose answer was lost may have opened it', async () => {
    const { chat, second } = await withAnother('chat');
    chat.mood = 'busy';
    second.append(raisedFact('esc-3', { key: 'new' }));
    await second.advance(10_000);
    second.append(resolvedFact('new'));
    chat.mood = 'up';
    await second.advance(60_000);
    expect(chat.story).toEqual(['trigger open', 'resolve new']);
  });
});

describe('after a crash', () => {
  it('between the transaction and the delivery nothing is lost, and the message has the same id', async () => {
    const time = fakeClock();
    const pager = new FakeReceiver('pager');
    pager.mood = 'hanging';
    const first = opened([pager], { time });
    first.dispatcher.start();
    first.append(raisedFact('esc-1'));
    await time.advance(10);
    const ids: string[] = [];
    const accept = pager.deliver.bind(pager);
    pager.deliver = async (notice) => {
      ids.push(notice.id);
      await accept(notice);
    };
    await first.dispatcher[Symbol.asyncDispose]();
    const crashed = (first.store as MemoryStore).crash();
    pager.mood = 'up';
    const second = opened([pager], { time, store: crashed });
    second.dispatcher.start();
    await time.advance(0);
    expect(pager.story).toEqual([`trigger ${KEY}`]);
    expect(isDelivered(pageOf(second.outbox(), KEY)!)).toBe(true);
  });

  it('between the delivery and its record it is delivered again under the same key and id', async () => {
    const time = fakeClock();
    const pager = new FakeReceiver('pager');
    let killed = false;
    const store = new MemoryStore({
      onStep: (step) => {
        if (killed && step === 'writing') throw new Error('killed');
      },
    });
    const first = opened([pager], { time, store });
    first.append(raisedFact('esc-1'));
    killed = true;
    first.dispatcher.start();
    await time.advance(0);
    expect(pager.story).toEqual([`trigger ${KEY}`]);
    await first.dispatcher[Symbol.asyncDispose]();
    const second = opened([pager], { time, store: store.crash() });
    second.dispatcher.start();
    await time.advance(0);
    const [a, b] = pager.taken;
    expect([pager.story.length, a?.id]).toEqual([2, b?.id]);
    await time.advance(HOUR_MS);
    expect(pager.story).toHaveLength(2);
  });

  it('an outage that was written down is not written down again', async () => {
    const time = fakeClock();
    const pager = new FakeReceiver('pager');
    pager.mood = 'busy';
    const first = opened([pager], { time });
    first.dispatcher.start();
    first.append(raisedFact('esc-1'));
    await time.advance(60_000);
    await first.dispatcher[Symbol.asyncDispose]();
    const second = opened([pager], { time, store: (first.store as MemoryStore).crash() });
    second.dispatcher.start();
    await time.advance(60_000);
    expect(second.facts('delivery.failed')).toMatchObject([{ error: 'answered 503' }]);
    expect(second.dispatcher.status()).toMatchObject([{ receiver: 'pager', error: 'answered 503', pages: 1 }]);
    expect(second.dispatcher.status()[0]?.failingForMs).toBeGreaterThanOrEqual(119_000);
  });
});

describe('when the journal takes nothing', () => {
  it('waiting pages still go out, once per process, and the loss of the record is reported', async () => {
    const pager = new FakeReceiver('pager');
    const reported: string[] = [];
    const store = new MemoryStore();
    const { dispatcher, append, advance } = opened([pager], { store, report: (message) => reported.push(message) });
    append(raisedFact('esc-1'));
    store.failWrites('no space left on device');
    dispatcher.start();
    await advance(10 * HOUR_MS);
    expect(pager.story).toEqual([`trigger ${KEY}`]);
    expect(reported).toEqual([expect.stringMatching(/delivery.done could not be written down: .*no space left/)]);
  });

  it('a page that one receiver took without a record is not unheard', async () => {
    const [pager, chat] = [new FakeReceiver('pager'), new FakeReceiver('chat')];
    const store = new MemoryStore();
    const { dispatcher, append, advance } = opened([pager, chat], { store });
    append(raisedFact('esc-1'));
    store.failWrites('no space left on device');
    pager.mood = 'down';
    dispatcher.start();
    await advance(10 * MINUTE_MS);
    expect(chat.story).toEqual([`trigger ${KEY}`]);
    expect(dispatcher.status()).toMatchObject([{ isOwed: true }, { isOwed: false }]);
    expect(dispatcher.reception().unheard).toEqual([]);
  });

  it('a page can be raised without it, under a key of its own, once, and is retried and repeated', async () => {
    const pager = new FakeReceiver('pager');
    const store = new MemoryStore();
    const { dispatcher, advance } = opened([pager], { store });
    dispatcher.start();
    store.failWrites('no space left on device');
    pager.mood = 'down';
    const broken = { key: 'journal', reason: 'journal_broken', scope: { kind: 'fleet' } } as const;
    dispatcher.pageUnjournaled(escalation('esc-1', broken));
    dispatcher.pageUnjournaled(escalation('esc-2', broken));
    await advance(60_000);
    pager.mood = 'up';
    await advance(5 * HOUR_MS);
    expect(pager.story).toEqual(['trigger unjournaled/journal', 'repeat unjournaled/journal']);
  });
});

describe('a page that was raised without the journal', () => {
  it('is repeated no more, and goes to nobody else, once somebody has it', async () => {
    const [pager, chat] = [new FakeReceiver('pager'), new FakeReceiver('chat')];
    const store = new MemoryStore();
    const { dispatcher, advance } = opened([pager, chat], {
      store,
      routing: (page, receiver) =>
        receiver === 'pager' || page.acked === undefined ? PAGER_THEN_CHAT(page, receiver) : undefined,
    });
    dispatcher.start();
    store.failWrites('no space left on device');
    dispatcher.pageUnjournaled(escalation('esc-1', { key: 'journal', reason: 'journal_broken' }));
    await advance(5 * MINUTE_MS);
    expect(dispatcher.pages()).toMatchObject([{ key: 'unjournaled/journal', acked: undefined }]);
    expect(dispatcher.acknowledgeUnjournaled('unjournaled/other', 'ann')).toBe(false);
    expect(dispatcher.acknowledgeUnjournaled('unjournaled/journal', 'ann')).toBe(true);
    expect(dispatcher.acknowledgeUnjournaled('unjournaled/journal', 'bob')).toBe(false);
    await advance(10 * HOUR_MS);
    expect([pager.story, chat.story]).toEqual([['trigger unjournaled/journal'], []]);
  });

  it('is ended without it, once, where some receiver took it', async () => {
    const pager = new FakeReceiver('pager');
    const store = new MemoryStore();
    const { dispatcher, advance } = opened([pager], { store });
    dispatcher.start();
    store.failWrites('no space left on device');
    const about = { key: 'unrecorded/esc-1', reason: 'journal_broken', scope: { kind: 'fleet' } } as const;
    dispatcher.pageUnjournaled(escalation('esc-1', about));
    await advance(HOUR_MS);
    dispatcher.resolveUnjournaled('unrecorded/other', 'nothing of that name is open');
    dispatcher.resolveUnjournaled('unrecorded/esc-1', 'all that it lists are well again');
    dispatcher.resolveUnjournaled('unrecorded/esc-1', 'all that it lists are well again');
    await advance(10 * HOUR_MS);
    expect(pager.story).toEqual(['trigger unjournaled/unrecorded/esc-1', 'resolve unjournaled/unrecorded/esc-1']);
  });
});

describe('the test page', () => {
  it('goes to every receiver once, and says which took it', async () => {
    const [pager, chat, hanging] = [new FakeReceiver('pager'), new FakeReceiver('chat'), new FakeReceiver('hanging')];
    chat.mood = 'refusing';
    hanging.mood = 'hanging';
    const { dispatcher, advance, facts } = opened([pager, chat, hanging]);
    const result = dispatcher.deliverTest();
    await advance(10_000);
    expect(await result).toEqual([
      { receiver: 'pager', ok: true, error: undefined, tookMs: 0 },
      { receiver: 'chat', ok: false, error: 'answered 401', tookMs: 0 },
      { receiver: 'hanging', ok: false, error: 'timeout', tookMs: 10_000 },
    ]);
    expect(pager.taken).toMatchObject([{ key: 'reeve/test', reason: 'test', severity: 'info', what: 'trigger' }]);
    expect([facts('delivery.done').length, facts('delivery.failed').length]).toEqual([1, 2]);
    await advance(HOUR_MS);
    expect([pager.tries, chat.tries]).toEqual([1, 1]);
  });

  it('that is taken shows that the receiver is there, whatever it did not take before', async () => {
    const time = fakeClock();
    const pager = new FakeReceiver('pager');
    pager.mood = 'refusing';
    const first = opened([pager], { time });
    first.dispatcher.start();
    first.append(raisedFact('esc-1'));
    await time.advance(0);
    const second = opened([pager], { time, store: (first.store as MemoryStore).crash() });
    const errors = () => [first, second].map(({ dispatcher }) => dispatcher.status()[0]?.error);
    expect(errors()).toEqual(['answered 401', 'answered 401']);
    pager.mood = 'up';
    for (const { dispatcher } of [first, second]) await dispatcher.deliverTest();
    expect(errors()).toEqual([undefined, undefined]);
  });

  it('that is taken brings what waits for the receiver at once', async () => {
    const pager = new FakeReceiver('pager');
    const { dispatcher, append, advance } = opened([pager]);
    dispatcher.start();
    pager.mood = 'down';
    append(raisedFact('esc-1'));
    await advance(60_000);
    pager.mood = 'up';
    await dispatcher.deliverTest();
    await advance(0);
    expect(pager.taken.map(({ key }) => key)).toEqual(['reeve/test', 'incident/inc-1']);
  });

  it('that is not taken is no outage that the next process begins with: nothing waits', async () => {
    const time = fakeClock();
    const pager = new FakeReceiver('pager');
    pager.mood = 'refusing';
    const first = opened([pager], { time });
    await first.dispatcher.deliverTest();
    const second = opened([pager], { time, store: (first.store as MemoryStore).crash() });
    expect([first, second].map(({ dispatcher }) => dispatcher.status()[0]?.error)).toEqual([undefined, undefined]);
  });

  it('waits where a receiver is not asked for having failed too often, and says what it answers then', async () => {
    const time = fakeClock();
    const pager = new FakeReceiver('pager');
    const way = createTransport('pager', { timeoutMs: 10_000, callsMin: 1, openMs: 2_000 }, time.clock);
    const guarded: Receiver = { name: 'pager', deliver: (notice) => way.call(() => pager.deliver(notice)) };
    const { dispatcher } = opened([guarded], { time });
    pager.mood = 'down';
    expect(await dispatcher.deliverTest()).toMatchObject([{ ok: false, error: 'refused' }]);
    pager.mood = 'up';
    const mended = dispatcher.deliverTest();
    await time.advance(2_000);
    expect(await mended).toMatchObject([{ ok: true, tookMs: 2_000 }]);
    pager.mood = 'busy';
    expect(await dispatcher.deliverTest()).toMatchObject([{ ok: false, error: 'answered 503' }]);
    const broken = dispatcher.deliverTest();
    await time.advance(2_000);
    expect(await broken).toMatchObject([{ ok: false, error: 'answered 503' }]);
  });

  it('is another message each time', async () => {
    const pager = new FakeReceiver('pager');
    const { dispatcher } = opened([pager]);
    await dispatcher.deliverTest();
    await dispatcher.deliverTest();
    expect(pager.taken[0]?.id).not.toBe(pager.taken[1]?.id);
  });
});

describe('the time since the last delivery', () => {
  it('is unknown before any, counts from the last over restarts, and takes a test page too', async () => {
    const time = fakeClock();
    const pager = new FakeReceiver('pager');
    const first = opened([pager], { time });
    expect(first.dispatcher.secondsSinceLastDeliveryOk()).toBeUndefined();
    first.dispatcher.start();
    first.append(raisedFact('esc-1'));
    await time.advance(90_000);
    expect(first.dispatcher.secondsSinceLastDeliveryOk()).toBe(90);
    const second = opened([pager], { time, store: (first.store as MemoryStore).crash() });
    expect(second.dispatcher.secondsSinceLastDeliveryOk()).toBe(90);
    await second.dispatcher.deliverTest();
    expect(second.dispatcher.secondsSinceLastDeliveryOk()).toBe(0);
  });
});

describe('settling', () => {
  it('waits for what is due, and says when something is left', async () => {
    const pager = new FakeReceiver('pager');
    const { dispatcher, append, advance } = opened([pager]);
    dispatcher.start();
    pager.mood = 'down';
    append(raisedFact('esc-1'));
    const early = dispatcher.settle(1_000);
    await advance(1_000);
    expect(await early).toBe(false);
    const later = dispatcher.settle(20_000);
    pager.mood = 'up';
    await advance(20_000);
    expect(await later).toBe(true);
    expect(await dispatcher.settle(0)).toBe(true);
  });
});

describe('a receiver that forgets', () => {
  it('is sent everything it knows every minute and after a sleep: what is open, and for a while what was resolved', async () => {
    const refreshed: string[][] = [];
    const pager = new FakeReceiver('pager');
    const receiver: Receiver = {
      name: 'pager',
      deliver: (notice) => pager.deliver(notice),
      refresh: {
        everyMs: 60_000,
        send: async (notices) => void refreshed.push(notices.map(({ what, key }) => `${what} ${key}`)),
      },
    };
    const { dispatcher, append, advance } = opened([receiver]);
    dispatcher.start();
    await advance(10 * 60_000);
    expect(refreshed).toEqual([]);
    append(raisedFact('esc-1', { key: 'a' }), raisedFact('esc-2', { key: 'b' }));
    await advance(60_000);
    expect(refreshed).toEqual([['repeat a', 'repeat b']]);
    append(resolvedFact('a'));
    await advance(60_000);
    expect(refreshed.at(-1)).toEqual(['resolve a', 'repeat b']);
    await advance(20 * 60_000);
    expect(refreshed.at(-1)).toEqual(['repeat b']);
    expect(refreshed.length).toBe(22);
    append(raisedFact('esc-3', { key: 'c' }), { type: 'clock.jumped', byMs: 60_000, cause: 'corrected' });
    await advance(0);
    expect(refreshed.length).toBe(22);
    append({ type: 'clock.jumped', byMs: 180_000, cause: 'suspended' });
    await advance(0);
    expect(refreshed.slice(22)).toEqual([['repeat b', 'repeat c']]);
  });

  it('is sent everything at once after a restart of Reeve, and again as soon as it is back', async () => {
    const time = fakeClock();
    const pager = new FakeReceiver('pager');
    const refreshes: number[] = [];
    const receiver: Receiver = {
      name: 'pager',
      deliver: (notice) => pager.deliver(notice),
      refresh: {
        everyMs: 60_000,
        send: async ([first]) => {
          await pager.deliver(first!);
          refreshes.push(time.clock.now());
        },
      },
    };
    const first = opened([receiver], { time });
    first.dispatcher.start();
    first.append(raisedFact('esc-1'));
    await time.advance(1);
    await first.dispatcher[Symbol.asyncDispose]();
    const before = refreshes.length;
    pager.mood = 'down';
    const second = opened([receiver], { time, store: (first.store as MemoryStore).crash() });
    second.dispatcher.start();
    await time.advance(30_000);
    expect([refreshes.length, second.dispatcher.status()[0]?.error]).toEqual([before, 'refused']);
    pager.mood = 'up';
    await time.advance(5_001);
    expect([refreshes.length, second.dispatcher.status()[0]?.error]).toEqual([before + 1, undefined]);
  });
});

type Step =
  | { readonly do: 'raise'; readonly key: string; readonly severity: Severity; readonly reason: 'lasting' | 'no_plan' }
  | { readonly do: 'resolve' | 'ack'; readonly key: string }
  | { readonly do: 'wait'; readonly ms: number }
  | { readonly do: 'mood'; readonly receiver: number; readonly mood: Mood }
  | { readonly do: 'crash' };

const anyKey = fc.constantFrom('a', 'b');
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    fc.record({
      do: fc.constant('raise' as const),
      key: anyKey,
      severity: fc.constantFrom<Severity>('info', 'warning', 'critical'),
      reason: fc.constantFrom('lasting' as const, 'no_plan' as const),
    }),
    fc.record({ do: fc.constantFrom('resolve' as const, 'ack' as const), key: anyKey }),
    fc.record({ do: fc.constant('wait' as const), ms: fc.constantFrom(0, 40, 3_000, 61_000, 400_000) }),
    fc.record({
      do: fc.constant('mood' as const),
      receiver: fc.nat(1),
      mood: fc.constantFrom<Mood>('up', 'down', 'busy', 'refusing', 'hanging'),
    }),
    fc.constant({ do: 'crash' as const }),
  ),
  { minLength: 1, maxLength: 30 },
);

/** Runs a story with crashes and outages, then heals everything and waits. */
async function play(story: readonly Step[]) {
  const time = fakeClock();
  const receivers = [0, 1].map((index) => new FakeReceiver(`r${index}`, () => time.clock.monotonicMs()));
  let held = opened(receivers, { time });
  held.dispatcher.start();
  let id = 0;
  for (const step of story) {
    if (step.do === 'raise') {
      id += 1;
      held.ledger.append(raise(held.outbox(), escalation(`esc-${id}`, step)));
    } else if (step.do === 'resolve') held.ledger.append(resolve(held.outbox(), step.key, 'healthy'));
    else if (step.do === 'ack') held.append({ type: 'escalation.acked', key: step.key, who: 'eve' });
    else if (step.do === 'wait') await time.advance(step.ms);
    else if (step.do === 'mood') receivers[step.receiver]!.mood = step.mood;
    else {
      await held.dispatcher[Symbol.asyncDispose]();
      held = opened(receivers, { time, store: (held.store as MemoryStore).crash() });
      held.dispatcher.start();
    }
  }
  for (const receiver of receivers) receiver.mood = 'up';
  await time.advance(3 * FLOOD_MS);
  return { outbox: held.outbox(), receivers, raises: held.facts('escalation.raised') };
}

describe('law L1, over any story of raises, resolves, outages and crashes', () => {
  it('every page is delivered, in order, under one key, and no receiver is flooded', { timeout: 60_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (story) => {
        const { outbox, receivers, raises } = await play(story);
        const crashes = story.filter((step) => step.do === 'crash').length;
        for (const key of ['a', 'b']) {
          const page = pageOf(outbox, key);
          const raisedKey = raises.some((fact) => fact.type === 'escalation.raised' && fact.escalation.key === key);
          const heard = receivers.flatMap(({ taken }) => taken.filter((notice) => notice.key === key));
          expect(heard.some(({ what }) => what === 'trigger')).toBe(raisedKey);
          if (page !== undefined) expect(isDelivered(page)).toBe(true);
          for (const receiver of receivers) {
            const notices = receiver.taken.map((notice, index) => ({ ...notice, ms: receiver.tookAtMs[index]! }));
            const distinct = notices.filter(
              (n, i) => n.key === key && notices.findIndex(({ id }) => id === n.id) === i,
            );
            const others = receivers.filter((other) => other !== receiver);
            distinct.forEach(({ what, ms }, index) => {
              const before = distinct[index - 1]?.what;
              const elsewhere = others.some((other) =>
                other.taken.some((n, at) => n.key === key && n.what === 'trigger' && other.tookAtMs[at]! <= ms),
              );
              if (what === 'repeat') expect(['trigger', 'repeat']).toContain(before);
              if (what === 'resolve' && !elsewhere) expect(['trigger', 'repeat']).toContain(before);
            });
            const last = distinct.at(-1);
            if (page?.resolved === undefined && page !== undefined) expect(last?.what).not.toBe('resolve');
            else if (last !== undefined) expect(last.what).toBe('resolve');
            const pages = distinct.filter(({ what }) => what !== 'resolve');
            for (const { ms } of pages) {
              const window = pages.filter((other) => other.ms >= ms && other.ms < ms + FLOOD_MS);
              const louder = window
                .slice(1)
                .filter((n, i) => rank(n.severity) > Math.max(...window.slice(0, i + 1).map((w) => rank(w.severity))));
              // What was taken but not written down before a crash cannot count against the flood.
              expect(window.length - 1 - louder.length).toBeLessThanOrEqual(crashes);
            }
          }
        }
      }),
      { numRuns: 150 },
    );
  });
});

const rank = (severity: Severity): number => ['info', 'warning', 'critical'].indexOf(severity);
