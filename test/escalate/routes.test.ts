import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { FAILURE_CLASSES } from '../../src/core/classification.ts';
import { MINUTE_MS } from '../../src/core/duration.ts';
import type { PlaceOf } from '../../src/escalate/receiver.ts';
import { DAYS, isWithin, parseTimeOfDay, type Route, type RouteMatch, routingOf } from '../../src/escalate/routes.ts';
import { doneFact, escalation, FakeReceiver, fold, opened, raisedFact, resolvedFact } from './support.ts';

const placeOf: PlaceOf = (scope) => (scope.kind === 'channel' ? { group: `group-of-${scope.id}` } : {});

const match = (change: Partial<RouteMatch>): RouteMatch => ({
  severity: undefined,
  group: undefined,
  classification: undefined,
  hours: undefined,
  ...change,
});
const route = (receivers: string[], change: Partial<Route> = {}): Route => ({
  match: undefined,
  receivers,
  unacknowledged: [],
  ...change,
});

const CRITICAL_TO_PAGER: readonly Route[] = [
  route(['pager'], { match: match({ severity: ['critical'] }) }),
  route(['chat']),
];
const FOLLOWED_UP: readonly Route[] = [
  route(['pager'], { unacknowledged: [{ afterMs: 10 * MINUTE_MS, receivers: ['boss'] }] }),
];

function staffed(routes: readonly Route[]) {
  const [pager, chat, boss] = [new FakeReceiver('pager'), new FakeReceiver('chat'), new FakeReceiver('boss')];
  const all = opened([pager, chat, boss], { routing: routingOf(routes, placeOf) });
  all.dispatcher.start();
  return { ...all, pager, chat, boss, whats: (one: FakeReceiver) => one.taken.map(({ what }) => what) };
}

describe('a route', () => {
  const first = (change: Partial<RouteMatch>, about = {}) => {
    const page = fold([[1, raisedFact('esc-1', about)]]).pages[0]!;
    const routing = routingOf([route(['one'], { match: match(change) }), route(['rest'])], placeOf);
    expect([routing(page, 'one') === undefined, routing(page, 'rest') === undefined].filter(Boolean)).toHaveLength(1);
    return routing(page, 'one') !== undefined;
  };

  it.each<[Partial<RouteMatch>, object, boolean]>([
    [{ severity: ['critical'] }, {}, true],
    [{ severity: ['critical'] }, { severity: 'warning' }, false],
    [{ severity: ['info', 'warning'] }, { severity: 'warning' }, true],
    [{ group: ['group-of-news'] }, {}, true],
    [{ group: ['other'] }, {}, false],
    [{ group: ['group-of-news'] }, { scope: { kind: 'fleet' } }, false],
    [{ classification: ['output_stalled'] }, {}, true],
    [{ classification: ['process_crashed'] }, {}, false],
    [{ classification: ['output_stalled'] }, { classification: undefined }, false],
    [{ severity: ['critical'], classification: ['process_crashed'] }, {}, false],
  ])('%j matches a page about %j: %s', (change, about, expected) => {
    expect(first(change, about)).toBe(expected);
  });

  describe('of a page about everything, which lists channels', () => {
    const routes = [
      route(['sports'], { match: match({ group: ['group-of-cup'] }) }),
      route(['music'], {
        match: match({ group: ['group-of-jazz'] }),
        unacknowledged: [{ afterMs: 60_000, receivers: ['boss'] }],
      }),
      route(['ops']),
    ];
    const heardBy = (about: object) => {
      const page = fold([[1, raisedFact('esc-1', { scope: { kind: 'fleet' }, ...about })]]).pages[0]!;
      const routing = routingOf(routes, placeOf);
      return ['sports', 'music', 'boss', 'ops'].flatMap((name) => {
        const fromMs = routing(page, name);
        return fromMs === undefined
          ? []
          : [fromMs === Number.NEGATIVE_INFINITY ? name : `${name} after ${fromMs - page.raisedMs}`];
      });
    };

    it('takes it to whoever hears of each of their groups, besides its own', () => {
      expect(heardBy({ channels: ['cup', 'news'] })).toEqual(['sports', 'ops']);
      expect(heardBy({ channels: ['cup', 'jazz'] })).toEqual(['sports', 'music', 'boss after 60000', 'ops']);
    });

    it('takes it by its own way alone where it lists none, or none that is configured', () => {
      expect(heardBy({})).toEqual(['ops']);
      expect(heardBy({ channels: ['news'] })).toEqual(['ops']);
    });
  });

  it('is that of the group in which the channel of a page lay when it was raised', () => {
    const routing = routingOf([route(['pager'], { match: match({ group: ['before'] }) }), route(['chat'])], placeOf);
    const { pages } = fold([[1, raisedFact('esc-1', { place: { group: 'before' } })]]);
    expect([routing(pages[0]!, 'pager'), routing(pages[0]!, 'chat')]).toEqual([Number.NEGATIVE_INFINITY, undefined]);
  });

  it('brings a page to its receivers alone, and the end of it too', async () => {
    const { append, advance, pager, chat, whats } = staffed(CRITICAL_TO_PAGER);
    append(raisedFact('esc-1'), raisedFact('esc-2', { key: 'quiet', severity: 'warning' }));
    await advance(1_000);
    append(resolvedFact(), resolvedFact('quiet'));
    await advance(2 * MINUTE_MS);
    expect(pager.story).toEqual(['trigger incident/inc-1', 'resolve incident/inc-1']);
    expect(chat.story).toEqual(['trigger quiet', 'resolve quiet']);
    expect([whats(pager), whats(chat)]).toEqual([
      ['trigger', 'resolve'],
      ['trigger', 'resolve'],
    ]);
  });

  it('that a page leaves by a rise in severity still gets its end, and the new route gets all of it', async () => {
    const { append, advance, pager, chat, whats } = staffed(CRITICAL_TO_PAGER);
    append(raisedFact('esc-1', { severity: 'warning' }));
    await advance(1_000);
    append(raisedFact('esc-2', { severity: 'critical' }));
    await advance(1_000);
    expect(whats(pager)).toEqual(['trigger']);
    append(resolvedFact());
    await advance(2 * MINUTE_MS);
    expect(whats(pager)).toEqual(['trigger', 'resolve']);
    expect(whats(chat).at(-1)).toBe('resolve');
  });

  it('is looked for once for what a page says, however many receivers and pages there are', async () => {
    let asked = 0;
    const counting: RouteMatch = {
      ...match({}),
      get hours() {
        asked += 1;
        return { from: 0, to: 1_440, days: DAYS, timezone: 'Europe/Berlin' };
      },
    };
    const { append, advance, pager } = staffed([route(['pager'], { match: counting })]);
    for (let page = 1; page <= 20; page += 1) append(raisedFact(`esc-${page}`, { key: `incident/inc-${page}` }));
    await advance(2 * MINUTE_MS);
    expect(pager.taken).toHaveLength(20);
    // Whether it has hours, and whether the moment lies in them.
    expect(asked).toBe(2 * 20);
  });

  it('that is not configured leaves everything as it was: every receiver gets every page', async () => {
    const { append, advance, pager, chat, boss } = staffed([]);
    append(raisedFact('esc-1'));
    await advance(1_000);
    expect([pager.story, chat.story, boss.story]).toEqual(Array(3).fill(['trigger incident/inc-1']));
  });
});

describe('a page without acknowledgement', () => {
  it('goes to the next receiver when its time has come, not before', async () => {
    const { append, advance, pager, boss, whats } = staffed(FOLLOWED_UP);
    append(raisedFact('esc-1'));
    await advance(10 * MINUTE_MS - 1);
    expect([whats(pager), whats(boss)]).toEqual([['trigger'], []]);
    await advance(1);
    expect(whats(boss)).toEqual(['trigger']);
    append(resolvedFact());
    await advance(2 * MINUTE_MS);
    expect([whats(pager), whats(boss)]).toEqual([
      ['trigger', 'resolve'],
      ['trigger', 'resolve'],
    ]);
  });

  it('goes to the next receiver also when the first one takes nothing', async () => {
    const { append, advance, pager, boss, whats } = staffed(FOLLOWED_UP);
    pager.mood = 'down';
    append(raisedFact('esc-1'));
    await advance(11 * MINUTE_MS);
    expect(whats(boss)).toEqual(['trigger']);
  });

  it.each([
    ['acknowledged', { type: 'escalation.acked', key: 'incident/inc-1', who: 'ann' } as const],
    ['resolved', resolvedFact()],
  ])('that is %s in time never goes there', async (_, fact) => {
    const { append, advance, boss } = staffed(FOLLOWED_UP);
    append(raisedFact('esc-1'));
    await advance(9 * MINUTE_MS);
    append(fact);
    await advance(60 * MINUTE_MS);
    expect(boss.tries).toBe(0);
  });

  it('counts from its beginning, however much news comes, and anew from news after an acknowledgement', async () => {
    const { append, advance, boss } = staffed(FOLLOWED_UP);
    append(raisedFact('esc-1', { severity: 'warning' }));
    await advance(9 * MINUTE_MS);
    append(raisedFact('esc-2'));
    await advance(MINUTE_MS);
    expect(boss.tries).toBe(1);

    const other = staffed(FOLLOWED_UP);
    other.append(raisedFact('esc-1', { severity: 'warning' }));
    await other.advance(5 * MINUTE_MS);
    other.append({ type: 'escalation.acked', key: 'incident/inc-1', who: 'ann' });
    await other.advance(20 * MINUTE_MS);
    other.append(raisedFact('esc-2'));
    await other.advance(10 * MINUTE_MS - 1);
    expect(other.boss.tries).toBe(0);
    await other.advance(1);
    expect(other.boss.tries).toBe(1);
  });

  it.each([
    ['is acknowledged', [] as const],
    ['is acknowledged and then has news', [raisedFact('esc-2', { reason: 'not_helping' })] as const],
  ])('that may have reached the next receiver before it %s is ended there, too', async (_, news) => {
    const { append, advance, pager, boss, whats } = staffed(FOLLOWED_UP);
    boss.mood = 'down';
    append(raisedFact('esc-1'));
    await advance(11 * MINUTE_MS);
    expect(boss.tries).toBeGreaterThan(0);
    append({ type: 'escalation.acked', key: 'incident/inc-1', who: 'ann' }, ...news);
    boss.mood = 'up';
    await advance(5 * MINUTE_MS);
    expect(boss.taken).toEqual([]);
    append(resolvedFact());
    await advance(5 * MINUTE_MS);
    expect(whats(boss)).toEqual(['resolve']);
    expect(whats(pager).at(-1)).toBe('resolve');
  });

  it('is counted from the last update where a snapshot of an earlier version has no other time', () => {
    const page = { ...fold([[5, raisedFact('esc-1')]]).pages[0]!, unackedMs: undefined };
    expect(routingOf(FOLLOWED_UP, placeOf)(page, 'boss')).toBe(5 + 10 * MINUTE_MS);
  });
});

describe('hours', () => {
  const hours = (from: string, to: string, days: readonly (typeof DAYS)[number][] = DAYS, timezone = 'UTC') => ({
    from: parseTimeOfDay(from)!,
    to: parseTimeOfDay(to)!,
    days,
    timezone,
  });

  it.each([
    ['2026-11-23T07:59:59Z', false],
    ['2026-11-23T08:00:00Z', true],
    ['2026-11-23T17:59:59Z', true],
    ['2026-11-23T18:00:00Z', false],
    ['2026-11-22T12:00:00Z', false],
  ])('08:00 to 18:00 on working days hold %s: %s', (at, expected) => {
    expect(isWithin(hours('08:00', '18:00', ['mon', 'tue', 'wed', 'thu', 'fri']), Date.parse(at))).toBe(expected);
  });

  it.each([
    ['2026-11-23T21:59:00Z', false],
    ['2026-11-23T22:00:00Z', true],
    ['2026-11-24T05:59:00Z', true],
    ['2026-11-24T06:00:00Z', false],
    ['2026-11-23T05:00:00Z', false],
  ])('22:00 to 06:00 that begin on a Monday hold %s: %s', (at, expected) => {
    expect(isWithin(hours('22:00', '06:00', ['mon']), Date.parse(at))).toBe(expected);
  });

  it('go by the clock of their place, summer time too', () => {
    const berlin = hours('08:00', '09:00', DAYS, 'Europe/Berlin');
    expect(isWithin(berlin, Date.parse('2026-01-15T07:30:00Z'))).toBe(true);
    expect(isWithin(berlin, Date.parse('2026-07-15T07:30:00Z'))).toBe(false);
    expect(isWithin(berlin, Date.parse('2026-07-15T06:30:00Z'))).toBe(true);
  });

  it('last to the end of the day with 24:00', () => {
    expect(isWithin(hours('00:00', '24:00'), Date.parse('2026-11-23T23:59:59Z'))).toBe(true);
  });
});

const RECEIVERS = ['a', 'b', 'c'];
const some = <T>(of: readonly T[]) => fc.option(fc.subarray([...of], { minLength: 1 }), { nil: undefined });
const anyRoute = fc.record({
  match: fc.record({
    severity: some(['info', 'warning', 'critical'] as const),
    group: some(['group-of-news', 'group-of-sport']),
    classification: some(FAILURE_CLASSES),
    hours: fc.constant(undefined),
  }),
  receivers: fc.subarray(RECEIVERS, { minLength: 1 }),
  unacknowledged: fc.constant([]),
});

describe('law L1', () => {
  test.prop([
    fc.array(anyRoute, { maxLength: 6 }),
    fc.subarray(RECEIVERS, { minLength: 1 }),
    fc.constantFrom('info', 'warning', 'critical' as const),
    fc.constantFrom('news', 'sport', 'else'),
    fc.option(fc.constantFrom(...FAILURE_CLASSES), { nil: undefined }),
  ])(
    'every page has a receiver at once, whatever the routes before the last one',
    (routes, rest, severity, id, cls) => {
      const about = { severity, scope: { kind: 'channel', id } as const, classification: cls };
      const page = fold([[1, { type: 'escalation.raised', escalation: escalation('esc-1', about) }]]).pages[0]!;
      const routing = routingOf([...routes, route(rest)], placeOf);
      expect(RECEIVERS.some((name) => routing(page, name) === Number.NEGATIVE_INFINITY)).toBe(true);
    },
  );

  it('holds for a receiver that has a page open, though no route leads to it any more', () => {
    const page = fold([
      [1, raisedFact('esc-1')],
      [2, doneFact('trigger', 'esc-1', { receiver: 'gone' })],
    ]).pages[0]!;
    expect(routingOf([route(['pager'])], placeOf)(page, 'gone')).toBe(Number.NEGATIVE_INFINITY);
  });
});
