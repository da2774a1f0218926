import { describe, expect, it } from 'vitest';
import type { Delivery } from '../../../src/simulation/effect_log.ts';
import { LatePages } from '../../../src/simulation/invariants/late_pages.ts';
import { oracleEnvironment } from '../../support/oracle_environment.ts';

const KEY = 'incident/inc-1';
const raised = { type: 'escalation.raised', escalation: { key: KEY } };
const resolved = { type: 'escalation.resolved', key: KEY };
const LATE_MS = 75_000;
const FLOOD_MS = 300_000;

function latePages() {
  const world = oracleEnvironment();
  const now = { reachable: ['pager'], isWritable: true };
  const oracle = new LatePages(world.context, { reachable: () => now.reachable, isWritable: () => now.isWritable });
  return {
    ...{ now, broken: world.broken, setBack: () => oracle.setBack() },
    put: (fact: object) => oracle.entry(world.entry(fact)),
    deliver: (what: Delivery['what'], by: Partial<Delivery> = {}) =>
      oracle.delivered({ receiver: 'pager', what, key: KEY, id: 'm', scope: 'fleet', atMs: 0, taken: true, ...by }),
    look: (...atMs: readonly number[]) => {
      for (const ms of atMs) oracle.look(ms);
    },
  };
}

describe('an open page (L1)', () => {
  it('reaches a receiver that is up within 75 s', () => {
    const { put, look, broken } = latePages();
    put(raised);
    look(1_000, 1_000 + LATE_MS);
    expect(broken).toEqual([]);
    look(1_001 + LATE_MS, 1_002 + LATE_MS);
    expect(broken).toEqual(['L1']);
  });

  it.each(['trigger', 'repeat'] as const)('has reached it with a %s, and not with one that was not taken', (what) => {
    const reached = latePages();
    reached.put(raised);
    reached.look(0);
    reached.deliver(what);
    reached.look(LATE_MS + 1);
    expect(reached.broken).toEqual([]);
    const refused = latePages();
    refused.put(raised);
    refused.look(0);
    refused.deliver(what, { taken: false });
    refused.look(LATE_MS + 1);
    expect(refused.broken).toEqual(['L1']);
  });

  it('must reach each receiver, whatever another one has', () => {
    const { now, put, look, deliver, broken } = latePages();
    now.reachable = ['pager', 'chat'];
    put(raised);
    look(0);
    deliver('trigger');
    look(LATE_MS);
    expect(broken).toEqual([]);
    look(LATE_MS + 1);
    expect(broken).toEqual(['L1']);
  });

  it.each([
    ['the receiver is away', { reachable: [] }],
    ['nothing can be written', { isWritable: false }],
  ])('waits anew while %s', (_, befallen) => {
    const all = latePages();
    all.put(raised);
    all.look(0);
    Object.assign(all.now, befallen);
    all.look(10_000);
    Object.assign(all.now, { reachable: ['pager'], isWritable: true });
    all.look(11_000, 11_000 + LATE_MS);
    expect(all.broken).toEqual([]);
    all.look(11_001 + LATE_MS);
    expect(all.broken).toEqual(['L1']);
  });

  it('waits anew when Reeve has begun again, and when it came back', () => {
    const { put, look, broken } = latePages();
    put(raised);
    look(0);
    put({ type: 'reeve.started' });
    look(LATE_MS, 2 * LATE_MS);
    put(resolved);
    look(2 * LATE_MS + 1, 4 * LATE_MS);
    put(raised);
    look(5 * LATE_MS, 6 * LATE_MS);
    expect(broken).toEqual([]);
  });

  it('need not be sent again where a journal that was set back has it as delivered, until that is resolved', () => {
    const { put, look, deliver, setBack, broken } = latePages();
    put(raised);
    put({ type: 'delivery.done', receiver: 'pager', key: KEY, what: 'trigger' });
    deliver('trigger');
    deliver('resolve');
    setBack();
    look(0, LATE_MS + FLOOD_MS + 1);
    expect(broken).toEqual([]);
    put(resolved);
    deliver('resolve');
    put(raised);
    look(0, LATE_MS + FLOOD_MS + 1);
    expect(broken).toEqual(['L1']);
  });

  it('must be sent where a journal that was set back has it as ended', () => {
    const { put, look, deliver, setBack, broken } = latePages();
    for (const what of ['trigger', 'resolve'] as const) {
      put({ type: 'delivery.done', receiver: 'pager', key: KEY, what });
      deliver(what);
    }
    put(raised);
    setBack();
    look(0, LATE_MS + FLOOD_MS + 1);
    expect(broken).toEqual(['L1']);
  });

  it('is there where it came to the receiver after what a journal that was set back knows', () => {
    const { put, look, deliver, setBack, broken } = latePages();
    for (const what of ['trigger', 'resolve'] as const) {
      put({ type: 'delivery.done', receiver: 'pager', key: KEY, what });
      deliver(what);
    }
    deliver('trigger');
    put(raised);
    setBack();
    look(0, LATE_MS + FLOOD_MS + 1);
    expect(broken).toEqual([]);
  });

  it('may be held back for the window of flood control where it has ended before', () => {
    const { put, look, deliver, broken } = latePages();
    put(raised);
    deliver('trigger');
    put(resolved);
    deliver('resolve');
    put(raised);
    look(0, LATE_MS + FLOOD_MS);
    expect(broken).toEqual([]);
    look(LATE_MS + FLOOD_MS + 1);
    expect(broken).toEqual(['L1']);
  });
});
