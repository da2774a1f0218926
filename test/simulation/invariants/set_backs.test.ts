import { describe, expect, it } from 'vitest';
import { Starts } from '../../../src/simulation/invariants/starts.ts';
import { Rolling } from '../../../src/simulation/invariants/rolling.ts';
import { SetBacks } from '../../../src/simulation/invariants/set_backs.ts';
import { oracleEnvironment } from '../../support/oracle_environment.ts';

const S = 1_000;
const started = { type: 'reeve.started', version: '1', configSha: '' };
const phaseSet = (group?: string) => ({ type: 'control.phase_set', phase: 4, group, who: 'ann', because: '' });

/** A Reeve that has just been given a journal that ended at 100 s. */
function setBack() {
  const { context, broken, at, entry, restart } = oracleEnvironment();
  const oracle = new SetBacks(context);
  oracle.setBack(100 * S);
  const write = (fact: object, monoMs = 100 * S): void => oracle.entry(entry(fact, { monoMs }));
  return { oracle, broken, at, write, restart };
}

describe('a Reeve whose journal was set back', () => {
  it('does nothing of more than low risk until a person sets the phase of all (S9)', () => {
    const { oracle, broken, write, restart } = setBack();
    write(started);
    write(phaseSet('g0'));
    for (const tool of ['get_channel_health', 'refresh_credentials'] as const) {
      oracle.invoked({ ...restart('ch0'), tool });
    }
    expect(broken).toEqual([]);
    oracle.invoked(restart('ch0'));
    expect(broken).toEqual(['S9']);
    write(phaseSet());
    oracle.invoked(restart('ch0'));
    expect(broken).toEqual(['S9']);
  });

  it('lets no time pass over it (T2)', () => {
    const { broken, write } = setBack();
    write(started, 100 * S);
    write(started, 200 * S);
    expect(broken).toEqual([]);
    const late = setBack();
    late.write(started, 100 * S + 1);
    expect(late.broken).toEqual(['T2']);
  });

  it('is not bound by that where nothing was set back', () => {
    const { context, broken, entry, restart } = oracleEnvironment();
    const oracle = new SetBacks(context);
    oracle.entry(entry(started, { monoMs: 5 * S }));
    oracle.invoked(restart('ch0'));
    expect(broken).toEqual([]);
  });
});

describe('the caps after a journal was set back (S5)', () => {
  /** One restart a day is left, and one was made in the record with this number. */
  function secondRestart(startedSeq: number) {
    const { context, broken, at, entry, restart } = oracleEnvironment();
    const limits = { ...context.limits, dailyRestartCap: 1 };
    const starts = new Starts({ ...context, limits }, new Rolling(context));
    const begin = (seq: number, fence: number): void => {
      const id = `per-${seq}`;
      const permit = { id, incident: `inc-${seq}`, call: { tool: 'restart_channel' } };
      starts.entry(entry({ type: 'tool.started', permit }, { seq }));
      starts.invoked({ ...restart('ch0', id), fence, endMs: 0 });
    };
    begin(startedSeq, 7);
    starts.setBack(50);
    at(1_000 * S);
    begin(51, startedSeq > 50 ? 3 : 8);
    return { broken, single: starts.single };
  }

  it('count what the journal still has; a person answers for the rest', () => {
    expect(secondRestart(50).broken).toEqual(['S5']);
    expect(secondRestart(60).broken).toEqual([]);
  });

  it('and so does the bound of all single restarts (S12)', () => {
    expect([secondRestart(50).single, secondRestart(60).single]).toEqual([2, 1]);
  });
});
