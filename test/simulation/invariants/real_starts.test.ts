import { describe, expect, it } from 'vitest';
import { RealStarts } from '../../../src/simulation/invariants/real_starts.ts';
import { oracleEnvironment } from '../../support/oracle_environment.ts';

const S = 1_000;

const CHANNEL = { kind: 'channel', id: 'ch0' } as const;

describe('the cooldown, by what a start really led to (S1)', () => {
  /** A restart whose process comes `lateMs` after the call, and another restart `againMs` after the call. */
  function again(lateMs: number, againMs: number, fact?: object): readonly string[] {
    const { context, broken, at, process, restart, entry } = oracleEnvironment();
    const oracle = new RealStarts(context);
    oracle.invoked(restart('ch0'));
    at(lateMs);
    oracle.started(process('ch0', 'reeve'));
    if (fact !== undefined) oracle.entry(entry(fact));
    at(againMs);
    oracle.invoked(restart('ch0'));
    return broken;
  }

  it('counts from the late process and not from the end of the call, to the millisecond', () => {
    expect(again(25 * S, 55 * S)).toEqual([]);
    expect(again(25 * S, 55 * S - 1)).toEqual(['S1']);
  });

  it('is a matter of the person who has cleared the channel', () => {
    expect(again(25 * S, 30 * S, { type: 'control.reset', scope: CHANNEL, who: 'ann', because: '' })).toEqual([]);
  });
});

describe('the window, by the list of processes (S2)', () => {
  /** So many processes that Reeve began, one each second; `provedMs`: after how long each has put out a segment. */
  function begun(count: number, staged: boolean, provedMs?: number): readonly string[] {
    const { context, broken, at, process, restart, entry } = oracleEnvironment(20);
    const oracle = new RealStarts(context);
    for (let n = 0; n < count; n += 1) {
      at(n * S);
      const call = restart(`ch${n}`);
      if (staged) oracle.entry(entry({ type: 'tool.started', permit: { id: call.permit, parent: 'per-0' } }));
      oracle.invoked(call);
      const one = process(`ch${n}`, 'reeve');
      if (provedMs !== undefined) one.playedMs = n * S + provedMs - 2 * S;
      oracle.started(one);
    }
    return broken;
  }

  it('holds ten starts and not eleven', () => {
    expect(begun(10, false)).toEqual([]);
    expect(begun(11, false)).toEqual(['S2']);
  });

  it('does not hold what a staged plan began and the service has proved; what is not proved it holds', () => {
    expect(begun(20, true, 5 * S)).toEqual([]);
    expect(begun(11, true)).toEqual(['S2']);
    expect(begun(11, false, 5 * S)).toEqual(['S2']);
  });

  it('takes what nobody could see for the proven process of another party that took its place at once', () => {
    const broken = (replacedAfterMs: number, isProven: boolean): readonly string[] => {
      const { context, broken: laws, at, process, restart, entry } = oracleEnvironment(20);
      const oracle = new RealStarts(context);
      for (let n = 0; n < 11; n += 1) {
        at(n * 5 * S);
        const call = restart(`ch${n}`);
        oracle.entry(entry({ type: 'tool.started', permit: { id: call.permit, parent: 'per-0' } }));
        oracle.invoked(call);
        const own = process(`ch${n}`, 'reeve');
        oracle.started(own);
        at(n * 5 * S + replacedAfterMs);
        own.endedMs = n * 5 * S + replacedAfterMs;
        const other = process(`ch${n}`, 'human');
        if (isProven) other.playedMs = own.endedMs;
        oracle.started(other);
      }
      return laws;
    };
    expect(broken(999, true)).toEqual([]);
    expect([broken(1_000, true), broken(999, false)]).toEqual([['S2'], ['S2']]);
  });

  /** Ten channels begun by others before the eyes of a Reeve that then starts one. */
  function afterOthers(visible: boolean, perChannel: boolean): readonly string[] {
    const { context, broken, at, process, restart, truths } = oracleEnvironment(20);
    const oracle = new RealStarts(context);
    oracle.watch(truths());
    for (let n = 0; n < 10; n += 1) {
      at(60 * S + n * S);
      oracle.started(process(perChannel ? 'ch1' : `ch${n + 1}`, 'engine'));
    }
    oracle.watch(truths(visible ? {} : { visible: false }));
    at(100 * S);
    oracle.watch(truths());
    oracle.invoked(restart('ch15'));
    return broken;
  }

  it('counts what others began and Reeve could see, and at most three of one channel', () => {
    expect(afterOthers(true, false)).toEqual(['S2']);
    expect(afterOthers(true, true)).toEqual([]);
    expect(afterOthers(false, false)).toEqual([]);
  });
});
