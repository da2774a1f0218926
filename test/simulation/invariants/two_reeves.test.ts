import { describe, expect, it } from 'vitest';
import { TwoReeves } from '../../../src/simulation/invariants/two_reeves.ts';
import { oracleEnvironment } from '../../support/oracle_environment.ts';

const S = 1_000;

/** Down for a moment, then well for so long, then restarted by one of the two. */
function wellFor(ms: number, then: object = {}, call: object = {}): readonly string[] {
  const { context, broken, at, restart, truths } = oracleEnvironment();
  const oracle = new TwoReeves(context);
  oracle.watch(truths({ status: 'curable' }));
  at(S);
  oracle.watch(truths());
  at(S + ms);
  oracle.watch(truths(then));
  oracle.invoked({ ...restart('ch0'), status: 'playing', ...call }, 'the first Reeve');
  return broken;
}

describe('a channel that plays again (S10)', () => {
  it('may be restarted by either Reeve for as long as a reaction takes, and not a moment longer', () => {
    expect([wellFor(15 * S), wellFor(15 * S + 1)]).toEqual([[], ['S10']]);
  });

  it.each([
    ['down again', { status: 'curable' }],
    ['slow', { onTime: false }],
    ['out of sight', { visible: false }],
  ])('may be restarted when it is %s', (_, then) => {
    expect(wellFor(60 * S, then)).toEqual([]);
  });

  it('may be restarted when it has died since it was last watched', () => {
    expect(wellFor(60 * S, {}, { status: 'curable' })).toEqual([]);
  });

  it('may be looked at', () => {
    expect(wellFor(60 * S, {}, { tool: 'fetch_recent_logs' })).toEqual([]);
  });
});
