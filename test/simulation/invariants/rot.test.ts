import { describe, expect, it } from 'vitest';
import { MINUTE_MS, SECOND_MS } from '../../../src/core/duration.ts';
import type { Delivery } from '../../../src/simulation/effect_log.ts';
import { Rot } from '../../../src/simulation/invariants/rot.ts';
import { oracleEnvironment } from '../../support/oracle_environment.ts';

const started = { type: 'reeve.started', version: '1', configSha: '' };
/** Two walks of 2,000 records, and the page. */
const TOLD_S = 140;

/** A Reeve that has run for 400 s when a record of its journal of 1,500 rots, and receivers that take a page. */
function rotten() {
  const { context, broken, at, entry, restart, truths } = oracleEnvironment();
  const disk = { isKept: true, records: 1_500, isWritable: true, isReachable: true };
  const newest = new Map<string, number>([['snapshot.taken', 1_400]]);
  const begun = new Map<string, number>();
  const oracle = new Rot(context, {
    hasRotten: () => disk.isKept,
    records: () => disk.records,
    newestOf: (type) => newest.get(type),
    startedSeq: (permit) => begun.get(permit),
    isWritable: () => disk.isWritable,
    reachable: () => (disk.isReachable ? ['pager'] : []),
  });
  const live = (fromS: number, toS: number): void => {
    for (let s = fromS; s <= toS; s += 1) {
      at(s * SECOND_MS);
      oracle.watch(truths(), s * SECOND_MS);
    }
  };
  const tell = (key = 'reeve/internal', taken = true, what: Delivery['what'] = 'trigger'): void =>
    oracle.delivered({ receiver: 'pager', what, key, id: '1', scope: 'fleet', atMs: 0, taken });
  oracle.entry(entry(started));
  live(0, 400);
  oracle.rotted();
  live(401, 401);
  const begin = (): void => oracle.entry(entry(started));
  const raise = (): void => oracle.entry(entry({ type: 'escalation.raised', escalation: { key: 'reeve/internal' } }));
  return { oracle, broken, disk, newest, begun, live, tell, restart, begin, raise };
}

describe('a Reeve of whose journal a record has rotted', () => {
  it('notifies a person within two walks along the chain (L1)', () => {
    const { broken, live } = rotten();
    live(402, 401 + TOLD_S);
    expect(broken).toEqual([]);
    live(402 + TOLD_S, 402 + TOLD_S);
    expect(broken).toEqual(['L1']);
  });

  it.each([
    ['is open there from before', ['trigger'], []],
    ['has ended there', ['trigger', 'resolve'], ['L1']],
  ] as const)('notifies a person of a second one by its record, where the page %s (L1)', (_, told, expected) => {
    const { broken, live, oracle, tell, raise } = rotten();
    for (const what of told) tell('reeve/internal', true, what);
    oracle.mended();
    oracle.rotted();
    raise();
    live(402, 403 + TOLD_S);
    expect(broken).toEqual(expected);
  });

  it('has longer where the journal is long, begins its walk anew in each process, and waits for receivers (L1)', () => {
    const { broken, live, begin, disk } = rotten();
    disk.records = 4_500;
    begin();
    live(402, 402 + 6 * 60 + 20);
    begin();
    live(800, 800 + 6 * 60 + 20);
    disk.isReachable = false;
    live(1_181, 2_000);
    disk.isReachable = true;
    live(2_001, 2_001 + 6 * 60 + 20);
    expect(broken).toEqual([]);
  });

  it('is not asked that where the disk takes nothing: that is paged for itself', () => {
    const { broken, live, disk } = rotten();
    disk.isWritable = false;
    live(402, 402 + (10 * MINUTE_MS) / SECOND_MS);
    expect(broken).toEqual([]);
  });

  it('changes nothing once a page has gone out, nor in any later process (S8)', () => {
    const { oracle, broken, tell, restart, begin } = rotten();
    oracle.invoked(restart('ch0'));
    tell('incident/1');
    tell('reeve/internal', false);
    tell('unjournaled/reeve/internal');
    oracle.invoked(restart('ch0'));
    expect(broken).toEqual([]);
    tell();
    oracle.invoked({ ...restart('ch0'), tool: 'get_channel_health' });
    expect(broken).toEqual([]);
    begin();
    oracle.invoked(restart('ch0'));
    expect(broken).toEqual(['S8']);
  });

  it('changes nothing once the record says so, but for what had begun by then (S8)', () => {
    const { oracle, broken, newest, begun, restart } = rotten();
    newest.set('journal.broken', 1_501);
    begun.set('per-1', 1_499);
    oracle.invoked(restart('ch0', 'per-1'));
    expect(broken).toEqual([]);
    begun.set('per-2', 1_502);
    oracle.invoked(restart('ch0', 'per-2'));
    expect(broken).toEqual(['S8']);
  });

  it('takes no snapshot any more, and keeps the record (S14)', () => {
    const { broken, newest, live, tell } = rotten();
    tell();
    newest.set('journal.broken', 1_501);
    newest.set('snapshot.taken', 1_500);
    live(402, 410);
    expect(broken).toEqual([]);
    newest.set('snapshot.taken', 1_502);
    live(411, 420);
    expect(broken).toEqual(['S14']);
    const other = rotten();
    other.disk.isKept = false;
    other.live(402, 402);
    expect(other.broken).toEqual(['S14']);
  });

  it('is like any other when a copy is in its place', () => {
    const { oracle, broken, tell, restart, live, disk } = rotten();
    tell();
    oracle.mended();
    disk.isKept = false;
    oracle.invoked(restart('ch0'));
    live(402, 1_000);
    expect(broken).toEqual([]);
  });
});
