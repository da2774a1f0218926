import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JournalFact } from '../../src/core/journal.ts';
import { DAY_MS, HOUR_MS } from '../../src/core/duration.ts';
import { dueTo } from '../../src/escalate/due.ts';
import { CLOSED_KEPT_MS, outboxProjection, pageOf } from '../../src/escalate/outbox.ts';
import { doneFact, escalation, fold, raisedFact, resolvedFact } from './support.ts';

const KEY = 'incident/inc-1';

describe('the outbox', () => {
  it('holds one page per key, however often it is raised', () => {
    const outbox = fold([
      [1, raisedFact('esc-1')],
      [2, raisedFact('esc-2')],
      [3, raisedFact('esc-3', { key: 'other' })],
    ]);
    expect(outbox.pages.map(({ key }) => key)).toEqual([KEY, 'other']);
    expect(outbox.pages[0]).toMatchObject({ escalation: { id: 'esc-1' }, raisedMs: 1, raises: 2 });
  });

  it.each([
    ['a higher severity', { severity: 'critical' }],
    ['another reason', { reason: 'lasting' }],
    ['another classification', { classification: 'process_crashed' }],
  ] as const)('takes %s as news', (_, change) => {
    const first = { severity: 'warning' } as const;
    const outbox = fold([
      [1, raisedFact('esc-1', first)],
      [2, raisedFact('esc-2', { ...first, ...change })],
    ]);
    expect(outbox.pages).toMatchObject([{ escalation: { id: 'esc-2' }, raisedMs: 2, openedAt: 1_000_001 }]);
  });

  it('takes a list with further channels as news, and no list that is shorter', () => {
    const outbox = fold([
      [1, raisedFact('esc-1', { channels: ['a', 'b'] })],
      [2, raisedFact('esc-2', { channels: ['a'] })],
      [3, raisedFact('esc-3')],
      [4, raisedFact('esc-4', { channels: ['a', 'c'] })],
    ]);
    expect(outbox.pages).toMatchObject([{ escalation: { id: 'esc-4' }, raisedMs: 4, raises: 4 }]);
    const shorter = fold([
      [1, raisedFact('esc-1', { channels: ['a', 'b'] })],
      [2, raisedFact('esc-2', { channels: ['a'] })],
    ]);
    expect(shorter.pages).toMatchObject([{ escalation: { id: 'esc-1' }, raisedMs: 1 }]);
  });

  it('does not lower the severity of an open page, and takes the same update once per episode', () => {
    const outbox = fold([
      [1, raisedFact('esc-1')],
      [2, raisedFact('esc-2', { severity: 'info', reason: 'lasting' })],
      [3, raisedFact('esc-3', { severity: 'critical' })],
      [4, raisedFact('esc-4', { severity: 'info', reason: 'lasting' })],
    ]);
    expect(outbox.pages).toMatchObject([{ escalation: { id: 'esc-2', severity: 'critical' }, raisedMs: 2, raises: 4 }]);
  });

  it('takes the same reason for another occasion as news, once', () => {
    const raises = ['lease 1', 'lease 2', 'lease 1', 'lease 2'].map(
      (occasion, index) => [index + 1, raisedFact(`esc-${index + 1}`, { reason: 'lasting', occasion })] as const,
    );
    const outbox = fold([...raises]);
    expect(outbox.pages).toMatchObject([{ escalation: { id: 'esc-2', occasion: 'lease 2' }, raisedMs: 2, raises: 4 }]);
  });

  it('goes on with the pages of a snapshot that an earlier version took', () => {
    const page = {
      ...{ key: KEY, episode: 1, openedAt: 1_000_001, raisedMs: 1, unackedMs: 1, raises: 1, contents: [], told: [] },
      ...{ escalation: escalation('esc-1'), said: ['no_plan/output_stalled'] },
    };
    const outbox = fold([[2, raisedFact('esc-2')]], { pages: [page], failing: [], receivers: [] } as never);
    expect(outbox.pages).toMatchObject([{ escalation: { id: 'esc-1' }, raisedMs: 1, raises: 2, said: page.said }]);
  });

  it('opens another episode when a page comes back', () => {
    const outbox = fold([
      [1, raisedFact('esc-1')],
      [2, resolvedFact()],
      [3, raisedFact('esc-2', { severity: 'info' })],
    ]);
    expect(outbox.pages).toMatchObject([
      {
        episode: 3,
        openedAt: 1_000_003,
        resolved: undefined,
        raises: 2,
        escalation: { id: 'esc-2', severity: 'info' },
      },
    ]);
  });

  it('keeps the first resolve, and ignores one of an unknown key', () => {
    const outbox = fold([
      [1, resolvedFact('missing')],
      [2, raisedFact('esc-1')],
      [3, resolvedFact()],
      [4, resolvedFact()],
    ]);
    expect(outbox.pages).toMatchObject([{ resolved: { monoMs: 3, because: 'healthy for 30 s' } }]);
  });

  it('drops an acknowledgement when there is an update, and takes none for what is over', () => {
    const acked: JournalFact = { type: 'escalation.acked', key: KEY, who: 'eve' };
    const open = fold([
      [1, raisedFact('esc-1')],
      [2, acked],
    ]);
    expect(open.pages[0]?.acked).toEqual({ who: 'eve', at: 1_000_002 });
    expect(fold([[3, raisedFact('esc-2')]], open).pages[0]?.acked).toBeDefined();
    expect(fold([[3, raisedFact('esc-2', { reason: 'lasting' })]], open).pages[0]?.acked).toBeUndefined();
    const over = fold([
      [1, raisedFact('esc-1')],
      [2, resolvedFact()],
      [3, acked],
    ]);
    expect(over.pages[0]?.acked).toBeUndefined();
  });

  it('takes a delivery for what was sent, not for what has been raised since', () => {
    const outbox = fold([
      [1, raisedFact('esc-1', { severity: 'warning' })],
      [2, raisedFact('esc-2')],
      [3, doneFact('trigger', 'esc-1')],
    ]);
    expect(outbox.pages[0]?.told).toMatchObject([{ receiver: 'pager', state: 'open', content: { id: 'esc-1' } }]);
  });

  it('knows which receivers fail since when, until they take something', () => {
    const failed = (error: string): JournalFact => ({
      type: 'delivery.failed',
      key: KEY,
      receiver: 'pager',
      what: 'trigger',
      error,
    });
    const steps = [
      [1, raisedFact('esc-1')],
      [2, failed('answered 503')],
      [9, failed('reset')],
    ] as const;
    expect(fold(steps).failing).toEqual([{ receiver: 'pager', error: 'reset', sinceMs: 2 }]);
    const healed = fold([...steps, [20, doneFact('trigger', 'esc-1')]]);
    expect([healed.failing, healed.lastDeliveredMs]).toEqual([[], 20]);
  });

  it('keeps a resolved and delivered page for a while, then drops it', () => {
    const steps = [
      [1, raisedFact('esc-1')],
      [2, doneFact('trigger', 'esc-1')],
      [3, resolvedFact()],
      [100, doneFact('resolve', 'esc-1')],
    ] as const;
    const noise = raisedFact('esc-9', { key: 'other' });
    expect(pageOf(fold([...steps, [100 + CLOSED_KEPT_MS, noise]]), KEY)).toBeDefined();
    expect(pageOf(fold([...steps, [101 + CLOSED_KEPT_MS, noise]]), KEY)).toBeUndefined();
  });

  it('keeps what a receiver has open over a long weekend, and what it may have open for a day', () => {
    const steps = [
      [1, raisedFact('esc-1')],
      [2, doneFact('trigger', 'esc-1', { receiver: 'chat' })],
      [3, doneFact('trigger', 'esc-1')],
      [4, raisedFact('esc-2', { key: 'unheard' })],
      [5, doneFact('trigger', 'esc-2', { receiver: 'chat', key: 'unheard' })],
      [6, resolvedFact()],
      [7, resolvedFact('unheard')],
      [8, doneFact('resolve', 'esc-1', { receiver: 'chat' })],
      [9, doneFact('resolve', 'esc-2', { receiver: 'chat', key: 'unheard' })],
    ] as const;
    const noise = raisedFact('esc-9', { key: 'third' });
    const keysAt = (ms: number) => fold([...steps, [ms, noise]]).pages.map(({ key }) => key);
    expect(keysAt(DAY_MS)).toEqual([KEY, 'unheard', 'third']);
    expect(keysAt(DAY_MS + 10)).toEqual([KEY, 'third']);
    expect(keysAt(7 * DAY_MS)).toEqual([KEY, 'third']);
    expect(dueTo(fold([...steps, [7 * DAY_MS, noise]]).pages[0]!, 'pager', HOUR_MS)).toEqual({
      what: 'resolve',
      dueMs: 6,
    });
    expect(keysAt(7 * DAY_MS + 10)).toEqual(['third']);
  });

  it('waits for no receiver that was tried first after a page was over', () => {
    const started = { type: 'reeve.started', version: '0', configSha: 'x' } as const;
    const steps = [
      [0, started],
      [1, raisedFact('esc-1')],
      [2, doneFact('trigger', 'esc-1')],
      [3, resolvedFact()],
      [4, doneFact('resolve', 'esc-1')],
      [5, started],
      [6, raisedFact('esc-2', { key: 'other' })],
      [7, doneFact('trigger', 'esc-2', { receiver: 'chat', key: 'other' })],
    ] as const;
    const noise = raisedFact('esc-9', { key: 'third' });
    expect(pageOf(fold([...steps, [5 + CLOSED_KEPT_MS, noise]]), KEY)).toBeUndefined();
  });

  it('never drops an undelivered or open page, as time goes by', () => {
    const outbox = fold([
      [1, raisedFact('esc-1')],
      [2, resolvedFact()],
      [3, raisedFact('esc-2', { key: 'open' })],
      [4, doneFact('trigger', 'esc-2', { key: 'open' })],
      [1e10, raisedFact('esc-3', { key: 'late' })],
    ]);
    expect(outbox.pages.map(({ key }) => key)).toEqual([KEY, 'open', 'late']);
  });

  it('bounds what is over and cannot be delivered, and counts what it forgets', () => {
    const steps = Array.from({ length: 1_005 }, (_, index) => [
      [index, raisedFact(`esc-${index}`, { key: `k${index}` })] as const,
      [index, resolvedFact(`k${index}`)] as const,
    ]).flat();
    const outbox = fold(steps);
    expect([outbox.pages.length, outbox.forgotten, outbox.pages[0]?.key]).toEqual([1_000, 5, 'k5']);
  });

  it('forgets first what all have heard the end of: a receiver that is away hears the end of what it has open', () => {
    const other = (index: number, ...more: readonly JournalFact[]) => {
      const key = `k${index}`;
      const facts = [raisedFact(`esc-${index}`, { key }), doneFact('trigger', `esc-${index}`, { key })];
      return [...facts, resolvedFact(key), ...more].map((fact) => [index + 5, fact] as const);
    };
    const heard = (index: number) => other(index, doneFact('resolve', `esc-${index}`, { key: `k${index}` }));
    const owed = [raisedFact('esc-own'), doneFact('trigger', 'esc-own'), resolvedFact()];
    const outbox = fold([
      ...owed.map((fact) => [1, fact] as const),
      ...Array.from({ length: 999 }, (_, index) => heard(index)).flat(),
      ...other(999),
    ]);
    expect([outbox.pages.length, outbox.forgotten]).toEqual([1_000, 0]);
    expect([outbox.pages[0]?.key, outbox.pages[1]?.key]).toEqual([KEY, 'k1']);
  });

  it('forgets what a receiver has open last, also where routes bring no page to every receiver', () => {
    const taken = (key: string, receiver: string, ms: number) =>
      [
        [ms, raisedFact(`esc-${key}`, { key })],
        [ms, doneFact('trigger', `esc-${key}`, { key, receiver })],
        [ms, resolvedFact(key)],
      ] as const;
    const heard = Array.from({ length: 1_100 }, (_, n) => `chat-${n}`).flatMap((key, n) => [
      ...taken(key, 'chat', 2 + n),
      [2 + n, doneFact('resolve', `esc-${key}`, { key, receiver: 'chat' })] as const,
    ]);
    const { pages, forgotten } = fold([...taken('away', 'pager', 1), ...heard]);
    expect([pages.length, forgotten]).toEqual([1_000, 0]);
    expect(pages.find(({ key }) => key === 'away')?.told).toMatchObject([{ receiver: 'pager', state: 'open' }]);
  });

  it('returns the same state for facts that do not concern it', () => {
    const outbox = fold([[1, raisedFact('esc-1')]]);
    expect(fold([[2, { type: 'clock.jumped', byMs: 1 }]], outbox)).toBe(outbox);
  });

  it('survives JSON at any point of any history', () => {
    const key = fc.constantFrom('a', 'b');
    const id = fc.constantFrom('e1', 'e2', 'e3');
    const fact: fc.Arbitrary<JournalFact> = fc.oneof(
      fc
        .tuple(id, key, fc.constantFrom('info', 'warning', 'critical'))
        .map(([esc, k, severity]) => raisedFact(esc, { key: k, severity: severity as 'info' })),
      key.map(resolvedFact),
      key.map((k): JournalFact => ({ type: 'escalation.acked', key: k, who: 'eve' })),
      fc
        .tuple(fc.constantFrom('trigger', 'repeat', 'resolve'), id, key, fc.constantFrom('r1', 'r2'))
        .map(([what, esc, k, receiver]) => doneFact(what as 'trigger', esc, { key: k, receiver })),
    );
    fc.assert(
      fc.property(fc.array(fact, { maxLength: 40 }), fc.nat(40), (facts, cut) => {
        const steps = facts.map((one, index) => [index * 60_000, one] as const);
        const before = fold(steps.slice(0, cut));
        const saved = JSON.parse(JSON.stringify(before)) as typeof before;
        const rest = steps.slice(cut).map(([, one], index) => ({
          seq: cut + index + 1,
          at: 0,
          monoMs: (cut + index) * 60_000,
          boot: 'b+0',
          fact: one,
        }));
        const apply = outboxProjection.apply.bind(outboxProjection);
        expect(rest.reduce(apply, saved)).toEqual(rest.reduce(apply, before));
        for (const page of before.pages) expect(page.contents.length).toBeLessThanOrEqual(16);
      }),
    );
  });
});
