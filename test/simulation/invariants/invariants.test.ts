import { describe, expect, it } from 'vitest';
import type { JournalEntry } from '../../../src/core/journal.ts';
import { DEFAULT_LIMITS, type Limits } from '../../../src/core/limits.ts';
import type { Outbox } from '../../../src/escalate/outbox.ts';
import { Ledger } from '../../../src/journal/ledger.ts';
import { MemoryStore } from '../../../src/journal/memory.ts';
import type { Delivery, Invocation } from '../../../src/simulation/effect_log.ts';
import { Invariants } from '../../../src/simulation/invariants/invariants.ts';
import type { SimulatedDaemon } from '../../../src/simulation/simulated_daemon.ts';
import { aCall, anIncident, aPersona, permitTerms } from '../../support/a.ts';
import { fakeClock } from '../../support/fake_clock.ts';
import { oracleEnvironment } from '../../support/oracle_environment.ts';

const NEWS = { kind: 'channel', id: 'ch0' } as const;

/** All oracles over one journal; what happens is written in batches whose numbers count up. */
function invariants(limits: Partial<Limits> = {}) {
  const world = oracleEnvironment();
  let nowMs = 0;
  const all = new Invariants({
    script: world.context.script,
    limits: { ...DEFAULT_LIMITS, ...limits },
    personaOf: () => aPersona(),
    nowMs: () => nowMs,
    poolOf: () => 'unasked',
    surroundings: {
      ...{ hasStarted: () => true, isWritable: () => true, reachable: () => ['pager'], takesAny: () => true },
      ...{ hasRotten: () => true, records: () => 0, newestOf: () => undefined, startedSeq: () => undefined },
    },
    isMisled: () => false,
  });
  let seq = 0;
  const at = (ms: number): void => {
    nowMs = ms;
    world.at(ms);
  };
  const write = (...facts: readonly object[]): readonly JournalEntry[] => {
    const entries = facts.map((fact) => {
      seq += 1;
      return world.entry(fact, { seq, incident: 'inc-1', run: 'run-1', channel: 'ch0' });
    });
    all.batch({ entries, atMs: nowMs, daemonRun: 1 });
    return entries;
  };
  const laws = () => all.violations.map(({ law }) => law);
  const restart = (id: string): Invocation => ({ ...world.restart('ch0', id), fence: seq });
  return { all, at, write, laws, restart, ...{ entry: world.entry } };
}

/** What is asked of a Reeve at the end: its journal and what it has sent. */
function reeve(pages: Outbox['pages'] = []): SimulatedDaemon {
  const ledger = new Ledger(new MemoryStore(), fakeClock().clock);
  ledger.open();
  return { ledger, outbox: () => ({ pages }) } as unknown as SimulatedDaemon;
}

describe('a law that is broken', () => {
  it('is written down with the moment and the reason, up to twenty times', () => {
    const { all, at } = invariants();
    at(7_000);
    for (let count = 0; count < 21; count += 1) all.broke('S2', `reason ${count}`);
    expect(all.violations).toHaveLength(20);
    expect(all.violations[0]).toEqual({ law: 'S2', atMs: 7_000, because: 'reason 0' });
  });
});

describe('the journal (S14)', () => {
  it('has an entry for each number, in their order', () => {
    const { all, write, entry, laws } = invariants();
    write({ type: 'reeve.started' }, { type: 'clock.jumped' });
    write({ type: 'clock.jumped' });
    expect(laws()).toEqual([]);
    all.batch({ entries: [entry({ type: 'clock.jumped' }, { seq: 5 })], atMs: 0, daemonRun: 1 });
    expect(all.violations).toMatchObject([{ law: 'S14', because: 'entry 5 follows 3' }]);
  });

  it('goes on from its last record where it was set back, and what is read again is not judged again', () => {
    const { all, write, entry, laws } = invariants();
    const [first] = write({ type: 'reeve.started' }, { type: 'clock.jumped' });
    all.setBack([first!]);
    expect(laws()).toEqual([]);
    all.batch({ entries: [entry({ type: 'clock.jumped' }, { seq: 2 })], atMs: 0, daemonRun: 1 });
    expect(laws()).toEqual([]);
    all.setBack([]);
    all.batch({ entries: [entry({ type: 'reeve.started' }, { seq: 1 })], atMs: 0, daemonRun: 1 });
    expect(laws()).toEqual([]);
  });
});

describe('what is read again after the journal was set back', () => {
  it('has been judged before; what comes then is judged as ever', () => {
    const { all, write, laws } = invariants();
    const cleared = { type: 'containment.cleared', scope: NEWS, reason: 'breaker_open' };
    const raised = {
      type: 'containment.raised',
      scope: NEWS,
      reason: 'breaker_open',
      detail: 'd',
      releaseByPerson: false,
    };
    const entries = write({ type: 'reeve.started' }, raised, cleared);
    expect(laws()).toEqual(['S8']);
    all.setBack(entries);
    expect(laws()).toEqual(['S8']);
    write(raised, cleared);
    expect(laws()).toEqual(['S8', 'S8']);
  });
});

describe('a call', () => {
  it('is passed to the oracles that count', () => {
    const { all, restart, laws } = invariants();
    all.invoked(restart('per-9'));
    expect(laws()).toContain('S6');
  });

  it('of a restart is none of a Reeve that was asked to stop', () => {
    const { all, restart, laws } = invariants();
    all.stopped({ ...restart('per-1'), tool: 'fetch_recent_logs' });
    expect(laws()).toEqual([]);
    all.stopped(restart('per-1'));
    expect(laws()).toEqual(['S6']);
  });
});

describe('what must have come true at the end', () => {
  it('is nothing where nothing was promised', () => {
    const { all, laws } = invariants();
    all.demand(reeve(), 3_600_000);
    expect(laws()).toEqual([]);
  });

  it('is the end of each run (L2)', () => {
    const { all, write, laws } = invariants();
    write({ type: 'reeve.started' }, { type: 'run.started' });
    all.demand(reeve(), 3_600_000);
    expect(laws()).toContain('L2');
  });

  it('is the end of each containment, except that of a breaker that is open (L2)', () => {
    const { all, write } = invariants();
    write({ type: 'reeve.started' });
    write({ type: 'containment.raised', scope: NEWS, reason: 'breaker_open', detail: 'd', releaseByPerson: false });
    all.demand(reeve(), 3_600_000);
    expect(all.violations.map(({ because }) => because)).toContain('channel:ch0|breaker_open has not ended');
  });

  it('is that a person was notified of each page (L1)', () => {
    const page = { key: 'k', scope: NEWS, severity: 'critical', reason: 'no_plan', summary: 's', receivers: [] };
    const told = (delivered: boolean) => {
      const { all, write } = invariants();
      write({ type: 'reeve.started' }, { type: 'escalation.raised', escalation: page });
      const delivery = {
        receiver: 'pager',
        what: 'trigger',
        key: 'k',
        id: 'n',
        scope: 'channel:ch0',
        atMs: 1,
        taken: true,
      };
      if (delivered) all.delivered(delivery as Delivery);
      all.demand(reeve(), 3_600_000);
      return all.violations.filter(({ because }) => because === 'no person was ever notified of k').length;
    };
    expect([told(true), told(false)]).toEqual([0, 1]);
  });

  it('is a chain that holds (S14)', () => {
    const { all, laws } = invariants();
    const daemon = reeve();
    Object.assign(daemon.ledger, { verify: () => ({ ok: false, because: 'record 2' }) });
    all.demand(daemon, 3_600_000);
    expect(laws()).toEqual(['S14']);
  });

  it('is no more restarts than the limits together allow (S12)', () => {
    const bounded = (incidents: number) => {
      const { all, at, write, restart, laws } = invariants({ restartCooldownMs: 0, highRiskSpacingMs: 1 });
      for (let count = 0; count < incidents; count += 1) {
        write({ type: 'incident.opened', incident: anIncident({ id: `inc-${count}`, scope: NEWS }) });
      }
      for (let count = 0; count < 13; count += 1) {
        at(count * 61_000);
        write({ type: 'tool.started', permit: permitTerms({ id: `per-${count}`, call: aCall({ target: NEWS }) }) });
        const call = restart(`per-${count}`);
        all.invoked(call);
        call.endMs = count * 61_000;
      }
      all.violations.length = 0;
      all.demand(reeve(), 3_600_000);
      return laws().filter((law) => law === 'S12');
    };
    expect([bounded(0), bounded(2)]).toEqual([['S12'], []]);
  });
});
