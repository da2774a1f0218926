import { describe, expect, it } from 'vitest';
import { SECOND_MS } from '../../../src/core/duration.ts';
import { Unwritten } from '../../../src/simulation/invariants/unwritten.ts';
import { oracleEnvironment } from '../../support/oracle_environment.ts';

const started = { type: 'reeve.started', version: '1', configSha: '' };

/** A Reeve that has run for 400 s, and receivers that take what they are sent. */
function running() {
  const { context, broken, at, entry, restart, truths } = oracleEnvironment();
  const now = { isWritable: false, isReachable: true, onDisk: new Set<string>() };
  const oracle = new Unwritten(context, {
    hasStarted: (permit) => now.onDisk.has(permit),
    isWritable: () => now.isWritable,
    reachable: () => (now.isReachable ? ['pager'] : []),
    takesAny: () => now.isReachable,
  });
  const live = (fromS: number, toS: number): void => {
    for (let s = fromS; s <= toS; s += 1) {
      at(s * SECOND_MS);
      oracle.watch(truths(), s * SECOND_MS);
    }
  };
  const tell = (key: string): void =>
    oracle.delivered({ receiver: 'pager', what: 'trigger', key, id: '1', scope: 'fleet', atMs: 0, taken: true });
  const begin = (): void => oracle.entry(entry(started));
  begin();
  live(0, 400);
  return { oracle, broken, now, restart, live, tell, begin };
}

describe('a Reeve whose journal takes nothing', () => {
  it('changes nothing of which the disk has no record (S14)', () => {
    const { oracle, broken, now, restart } = running();
    oracle.invoked({ ...restart('ch0', 'per-1'), tool: 'get_channel_health' });
    now.onDisk.add('per-1');
    oracle.invoked(restart('ch0', 'per-1'));
    expect(broken).toEqual([]);
    oracle.invoked(restart('ch0', 'per-2'));
    expect(broken).toEqual(['S14']);
  });

  it('notifies a person within 20 s where a receiver can be reached (L1)', () => {
    const { oracle, broken, live, tell } = running();
    oracle.givenUp();
    live(401, 421);
    expect(broken).toEqual([]);
    live(422, 422);
    expect(broken).toEqual(['L1']);
    const other = running();
    other.oracle.givenUp();
    tell('incident/1');
    other.tell('unjournaled/reeve/internal');
    other.live(401, 500);
    expect(other.broken).toEqual([]);
  });

  it('may wait for the next try where the receivers were away (L1)', () => {
    const { oracle, broken, now, live } = running();
    now.isReachable = false;
    oracle.givenUp();
    live(401, 500);
    now.isReachable = true;
    live(501, 881);
    expect(broken).toEqual([]);
    live(882, 882);
    expect(broken).toEqual(['L1']);
  });

  it('begins again by itself when the journal was free for three probes, within a minute (L2)', () => {
    const { oracle, broken, now, live, tell } = running();
    oracle.givenUp();
    tell('unjournaled/reeve/internal');
    live(401, 450);
    now.isWritable = true;
    live(451, 511);
    expect(broken).toEqual([]);
    live(512, 600);
    expect(broken).toEqual(['L2']);
  });

  it('and not sooner (S8)', () => {
    const { oracle, broken, now, live, tell, begin } = running();
    oracle.givenUp();
    tell('unjournaled/reeve/internal');
    now.isWritable = true;
    live(401, 420);
    oracle.beganAgain();
    expect(broken).toEqual([]);
    begin();
    oracle.givenUp();
    live(421, 431);
    oracle.beganAgain();
    expect(broken).toEqual(['S8']);
  });
});
