import { describe, expect, it } from 'vitest';
import type { Persona } from '../../../src/core/persona.ts';
import type { Scope } from '../../../src/core/scope.ts';
import { OperatorCommands } from '../../../src/simulation/invariants/operator_commands.ts';
import { aCall, aPersona, permitTerms } from '../../support/a.ts';
import { oracleEnvironment } from '../../support/oracle_environment.ts';

const CH0: Scope = { kind: 'channel', id: 'ch0' };
const GROUP: Scope = { kind: 'group', id: 'g0' };
const permitOf = (with_: Parameters<typeof permitTerms>[0] = {}) =>
  permitTerms({ call: aCall({ target: CH0 }), engine: 'e0', ...with_ });

function commands(persona: Partial<Persona> = {}, sleptMs = 0) {
  const world = oracleEnvironment();
  const script = { ...world.context.script, phase: 4 as const };
  const oracle = new OperatorCommands({
    ...{ ...world.context, script, persona: aPersona(persona) },
    sleptSinceMs: (ms) => (ms <= 1 ? sleptMs : 0),
  });
  const put = (atMs: number, ...facts: readonly object[]) => {
    world.at(atMs);
    const batch = facts.map((fact) => world.entry(fact));
    for (const entry of batch) oracle.entry(entry, batch);
  };
  const start = (atMs: number, with_?: Parameters<typeof permitTerms>[0]) =>
    put(atMs, { type: 'tool.started', permit: permitOf(with_) });
  const allow = (atMs: number, ...beside: readonly object[]) =>
    put(atMs, { type: 'guard.decided', decision: { verdict: 'allow', permit: permitOf() } }, ...beside);
  return { ...world, oracle, put, start, allow };
}

describe('what a person ordered (S9)', () => {
  it('forbids changes while frozen, and none after the thaw or that only look', () => {
    const { put, start, broken } = commands();
    put(1, { type: 'control.frozen' });
    start(2, { call: aCall({ tool: 'fetch_recent_logs', target: CH0 }), risk: 'low' });
    expect(broken).toEqual([]);
    start(2);
    expect(broken).toEqual(['S9']);
    put(3, { type: 'control.thawed' });
    start(4);
    expect(broken).toEqual(['S9']);
  });

  it('forbids changes in a lease or a window up to its last millisecond', () => {
    const at = (ms: number, fact: object) => {
      const { put, start, broken } = commands();
      put(1_000, fact);
      start(ms);
      return broken;
    };
    const lease = { type: 'control.leased', scope: GROUP, forMs: 500 };
    expect([at(1_499, lease), at(1_500, lease)]).toEqual([['S9'], []]);
    const window = { type: 'control.window_added', window: 'w', scope: CH0, startsInMs: 100, forMs: 500 };
    expect([at(1_099, window), at(1_100, window), at(1_599, window), at(1_600, window)]).toEqual([
      [],
      ['S9'],
      ['S9'],
      [],
    ]);
    expect(at(1_001, { ...lease, scope: { kind: 'channel', id: 'ch1' } })).toEqual([]);
  });

  it('ends a lease when the person gives it back', () => {
    const { put, start, broken } = commands();
    put(0, { type: 'control.leased', scope: CH0, forMs: 10_000 });
    put(5, { type: 'control.lease_ended', scope: CH0 });
    start(5);
    expect(broken).toEqual([]);
  });

  it('bounds changes by the lower of the phases of all and of the group', () => {
    const inPhases = (fleet: number, group: number, risk: 'low' | 'high') => {
      const { put, start, broken } = commands();
      put(0, { type: 'control.phase_set', phase: fleet }, { type: 'control.phase_set', phase: group, group: 'g0' });
      start(1, { risk });
      return broken.length;
    };
    expect([inPhases(3, 4, 'high'), inPhases(2, 4, 'high'), inPhases(4, 2, 'high')]).toEqual([0, 1, 1]);
    expect([inPhases(2, 4, 'low'), inPhases(1, 4, 'low')]).toEqual([0, 1]);
  });

  it('forbids what the persona denies, and any change of one that does not remediate', () => {
    const denied = commands({ tool_access_policy: { restart_channel: 'deny' } });
    denied.allow(0);
    expect(denied.broken).toEqual(['S9']);
    const passive = commands({ operational_mode: 'passive' });
    passive.start(0);
    expect(passive.broken).toEqual(['S9']);
  });
});

describe('a yes (S9)', () => {
  const asking = { tool_access_policy: { restart_channel: 'require_approval' as const } };
  const question = (with_: object = {}) => ({
    type: 'approval.asked',
    approval: {
      id: 'apr-1',
      call: aCall({ target: CH0 }),
      classification: 'process_crashed',
      expiresMs: 1_000,
      ...with_,
    },
  });
  const yes = (who = 'ann') => ({ type: 'approval.answered', id: 'apr-1', yes: true, who });
  const used = { type: 'approval.used', id: 'apr-1' };

  it('is older by what the machine has slept since the question was asked (T3)', () => {
    const afterSleep = (sleptMs: number) => {
      const { put, allow, broken } = commands(asking, sleptMs);
      put(1, question());
      put(2, yes());
      allow(3, used);
      return broken;
    };
    expect(afterSleep(996)).toEqual([]);
    expect(afterSleep(997)).toEqual(['T3']);
  });

  it('serves once, and only the call that was asked for', () => {
    const { put, allow, broken } = commands(asking);
    put(1, question());
    put(2, yes());
    allow(3, used);
    expect(broken).toEqual([]);
    allow(4, used);
    expect(broken).toEqual(['S9']);
    const another = commands(asking);
    another.put(1, question({ call: aCall({ target: { kind: 'channel', id: 'ch1' } }) }));
    another.put(2, yes());
    another.allow(3, used);
    expect(another.broken).toEqual(['S9']);
  });

  it('is needed: a question, a no and an expired yes are none', () => {
    for (const answer of [[], [{ ...yes(), yes: false }], [yes(), { type: 'approval.expired', id: 'apr-1' }]]) {
      const { put, allow, broken } = commands(asking);
      put(1, question(), ...answer);
      allow(3, used);
      expect(broken).toEqual(['S9']);
    }
  });

  it('comes from two people where two are needed', () => {
    const brokenBy = (...who: readonly string[]) => {
      const { put, allow, broken } = commands({ ...asking, four_eyes: true });
      put(1, question({ eyes: 2 }), ...who.map(yes));
      allow(3, used);
      return broken;
    };
    expect([brokenBy('ann', 'ben'), brokenBy('ann', 'ann'), brokenBy('ann')]).toEqual([[], ['S9'], ['S9']]);
  });
});

describe('a question (L2)', () => {
  it('may outlive its time by five seconds, and is reported once after that', () => {
    const { put, broken, oracle } = commands();
    put(1, { type: 'approval.asked', approval: { id: 'apr-1', call: aCall(), expiresMs: 1_000 } });
    put(5_999, { type: 'run.started' });
    expect([broken, oracle.overdue(5_999)]).toEqual([[], 0]);
    expect(oracle.overdue(6_000)).toBe(1);
    put(6_000, { type: 'run.started' });
    put(6_001, { type: 'run.started' });
    expect(broken).toEqual(['L2']);
  });
});
