import { describe, expect, it } from 'vitest';
import { Heartbeats } from '../../../src/simulation/invariants/heartbeats.ts';
import { oracleEnvironment } from '../../support/oracle_environment.ts';

const KEY = 'incident/inc-1';
const raised = { type: 'escalation.raised', escalation: { key: KEY } };
const resolved = { type: 'escalation.resolved', key: KEY };
const WITHHELD_MS = 135_000;
const SENT_MS = 75_000;

function heartbeats() {
  const world = oracleEnvironment();
  const now = { reachable: [] as string[], takesAny: false, isWritable: true };
  const oracle = new Heartbeats(world.context, {
    hasStarted: () => true,
    isWritable: () => now.isWritable,
    reachable: () => now.reachable,
    takesAny: () => now.takesAny,
  });
  const look = (isWithheld: boolean, fromMs: number, toMs: number) => {
    for (let ms = fromMs; ms <= toMs; ms += 1_000) oracle.look(ms, isWithheld);
  };
  return {
    ...{ now, broken: world.broken },
    put: (fact: object) => oracle.entry(world.entry(fact)),
    deliver: (taken = true) =>
      oracle.delivered({ receiver: 'pager', what: 'trigger', key: KEY, id: 'm', scope: 'fleet', atMs: 0, taken }),
    sent: (fromMs: number, toMs: number) => look(false, fromMs, toMs),
    withheld: (fromMs: number, toMs: number) => look(true, fromMs, toMs),
  };
}

describe('a heartbeat while no receiver takes a page (L1)', () => {
  it('is withheld after 135 s', () => {
    const { put, sent, broken } = heartbeats();
    put(raised);
    sent(0, WITHHELD_MS);
    expect(broken).toEqual([]);
    sent(WITHHELD_MS + 1_000, WITHHELD_MS + 2_000);
    expect(broken).toEqual(['L1']);
  });

  it('may be withheld', () => {
    const { put, withheld, broken } = heartbeats();
    put(raised);
    withheld(0, 2 * WITHHELD_MS);
    expect(broken).toEqual([]);
  });

  it.each(['was delivered', 'has ended', 'came back after it was delivered', 'would be taken without a word'])(
    'may go on where the page %s',
    (how) => {
      const { now, put, deliver, sent, broken } = heartbeats();
      put(raised);
      if (how === 'would be taken without a word') now.takesAny = true;
      else if (how === 'has ended') put(resolved);
      else deliver();
      if (how === 'came back after it was delivered') put(raised);
      sent(0, 2 * WITHHELD_MS);
      expect(broken).toEqual([]);
    },
  );

  it('is not yet due where the message was not taken, Reeve was started anew, or the time was slept through', () => {
    const { put, deliver, sent, broken } = heartbeats();
    put(raised);
    deliver(false);
    sent(0, WITHHELD_MS);
    put({ type: 'reeve.started' });
    sent(WITHHELD_MS + 1_000, 2 * WITHHELD_MS);
    const wokenMs = 10 * WITHHELD_MS;
    sent(wokenMs, wokenMs + WITHHELD_MS);
    expect(broken).toEqual([]);
    sent(wokenMs + WITHHELD_MS + 1_000, wokenMs + WITHHELD_MS + 1_000);
    expect(broken).toEqual(['L1']);
  });
});

describe('a heartbeat while a receiver takes pages (L1)', () => {
  it('is sent from 75 s on', () => {
    const { now, withheld, broken } = heartbeats();
    now.reachable = ['chat'];
    withheld(0, SENT_MS);
    expect(broken).toEqual([]);
    withheld(SENT_MS + 1_000, SENT_MS + 1_000);
    expect(broken).toEqual(['L1']);
  });

  it.each([
    ['the receiver was away in between', { reachable: [] }],
    ['the journal took nothing in between', { isWritable: false }],
  ])('has that time again where %s', (_, between) => {
    const { now, withheld, broken } = heartbeats();
    now.reachable = ['chat'];
    withheld(0, SENT_MS);
    Object.assign(now, between);
    withheld(SENT_MS + 1_000, SENT_MS + 1_000);
    Object.assign(now, { reachable: ['chat'], isWritable: true });
    withheld(SENT_MS + 2_000, 2 * SENT_MS);
    expect(broken).toEqual([]);
  });
});
