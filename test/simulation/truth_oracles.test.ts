import { describe, expect, it } from 'vitest';
import { OwnPersona } from '../../src/simulation/invariants/own_persona.ts';
import { RealStarts } from '../../src/simulation/invariants/real_starts.ts';
import { RealState } from '../../src/simulation/invariants/real_state.ts';
import { Reasons } from '../../src/simulation/invariants/reasons.ts';
import { aPersona } from '../support/a.ts';
import { oracleEnvironment } from '../support/oracle_environment.ts';

const S = 1_000;
const CHANNEL = { kind: 'channel', id: 'ch0' } as const;

describe('the cooldown, by what a start really led to (S1)', () => {
  /** A restart whose process comes `lateMs` after the call, and another restart `againMs` after the call. */
  function again(lateMs: number, againMs: number, said?: object): readonly string[] {
    const { context, broken, at, process, restart, entry } = oracleEnvironment();
    const oracle = new RealStarts(context);
    oracle.invoked(restart('ch0'));
    at(lateMs);
    oracle.started(process('ch0', 'reeve'));
    if (said !== undefined) oracle.entry(entry(said));
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

describe('the age of evidence, by the clock of the service (S10)', () => {
  /** Down for a moment, then well for so long, then restarted. */
  function wellFor(ms: number, change: object): readonly string[] {
    const { context, broken, at, restart, truths } = oracleEnvironment();
    const oracle = new RealState(context);
    oracle.watch(truths(change));
    at(ms);
    oracle.watch(truths());
    oracle.invoked(restart('ch0'));
    return broken;
  }

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
    oracle.invoked(restart('ch0'));
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

  it('forbids a restart once three channels have been without their source for 40 s before its eyes', () => {
    expect([without(3, 40 * S), without(3, 40 * S - 1), without(2, 60 * S)]).toEqual([['S8'], [], []]);
  });
});

describe("a channel's own persona, by the file as it stands (S9)", () => {
  const allow = { restart_channel: 'allow' } as const;

  it.each([
    ['denies the tool', { tool_access_policy: { restart_channel: 'deny' } }],
    ['names no tool', { tool_access_policy: {} }],
    ['only looks', { operational_mode: 'diagnostic' }],
    ['allows no restart', { restart_cap: 0 }],
  ] as const)('is not gone against where it %s', (_, change) => {
    const { context, broken, restart } = oracleEnvironment();
    const good = aPersona({ tool_access_policy: allow, operational_mode: 'remediation', restart_cap: 1 });
    const oracle = new OwnPersona(context, (channel) => (channel === 'ch1' ? { ...good, ...change } : good));
    oracle.invoked(restart('ch0'));
    expect(broken).toEqual([]);
    oracle.invoked(restart('ch1'));
    expect(broken).toEqual(['S9']);
  });
});

describe('a refusal, by the end of its reason (L5)', () => {
  const denied = (code: string, retryAfterMs?: number) => ({
    type: 'guard.decided',
    call: 'restart_channel on channel:ch0',
    decision: { verdict: 'deny', code, because: '', retryAfterMs, trace: [] },
  });

  /** Refused at 0; `facts` come at their times; the channel stays down and is watched once a second. */
  function brokenAt(code: string, facts: readonly (readonly [atMs: number, fact: object])[], retryAfterMs?: number) {
    const { context, broken, at, entry, truths } = oracleEnvironment();
    const oracle = new Reasons(context, new Set());
    const incident = { id: 'inc-1', scope: CHANNEL };
    oracle.entry(entry({ type: 'incident.opened', incident }));
    oracle.entry(entry(denied(code, retryAfterMs), { channel: 'ch0', incident: 'inc-1' }));
    for (let ms = 0; ms <= 200 * S; ms += S) {
      at(ms);
      for (const [atMs, fact] of facts) if (atMs === ms) oracle.entry(entry(fact, { incident: 'inc-1', run: 'run-2' }));
      oracle.watch(truths({ status: 'curable' }), ms);
      if (broken.length > 0) return ms;
    }
    return undefined;
  }
  const contained = { scope: { kind: 'group', id: 'g0' }, reason: 'shared_cause' };
  const raised = [0, { type: 'containment.raised', ...contained, releaseByPerson: false, detail: '' }] as const;
  const cleared = [60 * S, { type: 'containment.cleared', ...contained, because: '' }] as const;

  it('is asked about again within 5 s, and one look, of the end of the containment', () => {
    expect(brokenAt('containment', [raised, cleared])).toBe(73 * S);
    expect(brokenAt('containment', [raised])).toBeUndefined();
    expect(brokenAt('containment', [raised, cleared, [72 * S, { type: 'run.started', attempt: 2 }]])).toBeUndefined();
  });

  it('is asked about again when the announced time is over', () => {
    expect(brokenAt('restart_storm', [], 40 * S)).toBe(53 * S);
  });

  it('is asked about again when the lease ends, by its time or by a person', () => {
    const leased = [0, { type: 'control.leased', scope: CHANNEL, forMs: 90 * S, who: 'ann', because: '' }] as const;
    expect(brokenAt('hands_off', [leased])).toBe(103 * S);
    expect(brokenAt('hands_off', [leased, [30 * S, { type: 'control.lease_ended', scope: CHANNEL }]])).toBe(43 * S);
  });

  it('stays refused where the reason does not pass', () => {
    expect(brokenAt('persona_denies', [])).toBeUndefined();
  });

  it('waits as long as another reason holds', () => {
    expect(brokenAt('restart_storm', [raised, cleared], 10 * S)).toBe(73 * S);
  });
});
