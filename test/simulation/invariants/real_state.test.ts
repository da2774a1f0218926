import { describe, expect, it } from 'vitest';
import { RealState } from '../../../src/simulation/invariants/real_state.ts';
import { oracleEnvironment } from '../../support/oracle_environment.ts';

const S = 1_000;

describe('the age of evidence, by the clock of the service (S10)', () => {
  /** Down for a moment, then well for so long, then restarted. */
  function wellFor(ms: number, change: object, status = 'playing'): readonly string[] {
    const { context, broken, at, restart, truths } = oracleEnvironment();
    const oracle = new RealState(context);
    oracle.watch(truths(change));
    at(ms);
    oracle.watch(truths());
    oracle.invoked({ ...restart('ch0'), status });
    return broken;
  }

  it('allows a restart of a channel that has died since it was last watched', () => {
    expect(wellFor(600 * S, {}, 'curable')).toEqual([]);
  });

  it.each([
    ['down', { status: 'curable' }],
    ['slow', { onTime: false }],
    ['out of sight', { visible: false }],
  ])('allows a restart until 120 s after the channel was last %s', (_, change) => {
    expect(wellFor(120 * S, change)).toEqual([]);
    expect(wellFor(120 * S + 1, change)).toEqual(['S10']);
  });

  it('takes the trouble of another channel for nothing', () => {
    const { context, broken, at, restart, truths } = oracleEnvironment();
    const oracle = new RealState(context);
    oracle.watch(truths());
    at(121 * S);
    oracle.watch(truths({ status: 'curable' }, 'ch1'));
    oracle.invoked({ ...restart('ch0'), status: 'playing' });
    expect(broken).toEqual(['S10']);
  });
});

describe('a shared cause, by the sources themselves (S8)', () => {
  /** So many channels without a source for so long before one of them is restarted. */
  function without(count: number, ms: number): readonly string[] {
    const { context, broken, at, restart, truths } = oracleEnvironment();
    const oracle = new RealState(context);
    const out = truths().map((one, n) => (n < count ? { ...one, status: 'incurable' as const, sourceOut: true } : one));
    oracle.watch(out);
    at(ms);
    oracle.watch(out);
    oracle.invoked(restart('ch0'));
    return broken;
  }

  it('forbids a restart once Reeve could see for 40 s that three channels were without their source', () => {
    expect([without(3, 40 * S), without(3, 40 * S - 1), without(2, 60 * S)]).toEqual([['S8'], [], []]);
  });
});
