import { describe, expect, it } from 'vitest';
import { Reasons } from '../../../src/simulation/invariants/reasons.ts';
import { beginGeneration, type Starter } from '../../../src/simulation/service_channel.ts';
import { PATIENCE_MS } from '../../../src/core/persona.ts';
import { aPersona } from '../../support/a.ts';
import { oracleEnvironment } from '../../support/oracle_environment.ts';

const S = 1_000;

const CHANNEL = { kind: 'channel', id: 'ch0' } as const;

describe('a refusal, by the end of its reason (L5)', () => {
  const denied = (code: string, retryAfterMs?: number) => ({
    type: 'guard.decided',
    call: 'restart_channel on channel:ch0',
    decision: { verdict: 'deny', code, because: '', retryAfterMs, trace: [] },
  });

  /** Refused at 0; `facts` come at their times; the channel stays down and is watched once a second. */
  function brokenAt(
    code: string,
    facts: readonly (readonly [atMs: number, fact: object])[],
    retryAfterMs?: number,
    about = 'inc-1',
    births: readonly (readonly [atMs: number, by: Starter])[] = [],
    persona = aPersona(),
    isCapped?: (channel: string, incident: string) => boolean,
  ) {
    const { context, broken, at, entry, truths } = oracleEnvironment();
    const oracle = new Reasons({ ...context, persona }, new Set(), { ...(isCapped && { isCapped }) });
    const incident = { id: 'inc-1', scope: CHANNEL };
    oracle.entry(entry({ type: 'incident.opened', incident }));
    oracle.entry(entry(denied(code, retryAfterMs), { channel: 'ch0', incident: 'inc-1' }));
    for (let ms = 0; ms <= 200 * S; ms += S) {
      at(ms);
      for (const [atMs, fact] of facts) if (atMs === ms) oracle.entry(entry(fact, { incident: about, run: 'run-2' }));
      for (const [atMs, by] of births) if (atMs === ms) oracle.started(beginGeneration('ch0', 'p2', ms, by));
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

  it('waits for the budget of the fleet, too, where another question was told that it is used up', () => {
    const spent = { ...denied('fleet_daily_cap', 60 * S), call: 'restart_channel on group:g1' };
    expect(brokenAt('containment', [raised, cleared, [65 * S, spent]], undefined, 'inc-2')).toBe(138 * S);
  });

  it('is asked about again by a Reeve that has just begun once its evidence is fresh', () => {
    const started = [60 * S, { type: 'reeve.started', version: '', configSha: '' }] as const;
    const patienceMs = PATIENCE_MS[aPersona().aggressiveness];
    expect(brokenAt('containment', [raised, cleared, started])).toBe(60 * S + 20 * S + patienceMs + 13 * S);
  });

  it('is a person’s where a Reeve that has begun first sees the channel later than 120 s after the last record', () => {
    const broken = (seenMs: number): readonly string[] => {
      const { context, broken: laws, at, entry, truths } = oracleEnvironment();
      const oracle = new Reasons(context, new Set());
      const write = (ms: number, fact: object) => {
        at(ms);
        oracle.entry(entry(fact, { channel: 'ch0', incident: 'inc-1', run: 'run-1' }));
      };
      write(0, { type: 'incident.opened', incident: { id: 'inc-1', scope: CHANNEL } });
      write(10 * S, denied('cooldown', 30 * S));
      // Its own first records come before it says that it has begun.
      write(60 * S, { type: 'escalation.raised', escalation: {} });
      write(60 * S, { type: 'reeve.started', version: '', configSha: '' });
      for (let ms = 60 * S; ms <= 300 * S; ms += S)
        oracle.watch(truths({ status: 'curable', visible: ms >= seenMs }), ms);
      return laws;
    };
    expect([broken(130 * S), broken(131 * S)]).toEqual([['L5'], []]);
  });

  it('waits, where it was refused for the shared cause, for the person who is asked about the plan of the group', () => {
    const group = { id: 'inc-2', scope: { kind: 'group', id: 'g0' } };
    const opened = [0, { type: 'incident.opened', incident: group }] as const;
    const asked = [0, { type: 'approval.asked', approval: { id: 'apr-1' } }] as const;
    const expired = [60 * S, { type: 'approval.expired', id: 'apr-1' }] as const;
    const facts = [opened, asked, expired];
    expect(brokenAt('shared_cause', facts, undefined, 'inc-2')).toBe(73 * S);
    expect(brokenAt('shared_cause', [opened, asked], undefined, 'inc-2')).toBeUndefined();
    expect(brokenAt('containment', facts, undefined, 'inc-2')).toBe(13 * S);
  });

  it('waits, where it was contained, for the person who is asked about the others of the engine', () => {
    const engine = { id: 'inc-2', scope: { kind: 'engine', id: 'e0' } };
    const opened = [0, { type: 'incident.opened', incident: engine }] as const;
    const asked = [0, { type: 'approval.asked', approval: { id: 'apr-1' } }] as const;
    const expired = [60 * S, { type: 'approval.expired', id: 'apr-1' }] as const;
    expect(brokenAt('containment', [opened, asked, expired], undefined, 'inc-2')).toBe(73 * S);
    expect(brokenAt('cooldown', [opened, asked, expired], undefined, 'inc-2')).toBe(13 * S);
  });

  it('is a new trouble, with which patience begins anew, where somebody else has started it and that process ended', () => {
    const cautious = aPersona({ aggressiveness: 'cautious' });
    const bornBy = (by: Starter) => brokenAt('high_risk_spacing', [], 40 * S, 'inc-1', [[40 * S, by]], cautious);
    expect(bornBy('engine')).toBe(53 * S + PATIENCE_MS.cautious);
    expect(bornBy('reeve')).toBe(53 * S);
  });

  it('has been asked about once a plan may start the channel, whatever comes of that start', () => {
    const decision = { verdict: 'allow', permit: {}, trace: [] };
    const allowed = { type: 'guard.decided', call: 'restart_channel on channel:ch0', decision };
    const inPlan = (channel: string) => {
      const { context, broken, at, entry, truths } = oracleEnvironment();
      const oracle = new Reasons(context, new Set());
      oracle.entry(entry(denied('containment'), { channel: 'ch0' }));
      oracle.entry(entry(allowed, { channel, run: 'run-of-the-plan' }));
      for (let ms = 0; ms <= 60 * S; ms += S) {
        at(ms);
        oracle.watch(truths({ status: 'curable' }), ms);
      }
      return broken;
    };
    expect([inPlan('ch0'), inPlan('ch1')]).toEqual([[], ['L5']]);
  });

  describe('beside a plan of its group', () => {
    const group = { id: 'inc-2', scope: { kind: 'group', id: 'g0' } };
    const PLAN = 'restart_channel on group:g0';

    /**
     * A run of the group makes a plan for `named`, of which becomes what `decision` says, and ends; ch0 is down. What
     * ch0 itself was refused for before, if anything.
     */
    function brokenBeside(named: readonly string[] | undefined, decision: object, own?: string): readonly string[] {
      const { context, broken, at, entry, truths } = oracleEnvironment();
      const oracle = new Reasons(context, new Set());
      const about = { incident: 'inc-2', run: 'run-2' };
      const call = { tool: 'restart_channel', target: group.scope, channels: named };
      const plan = named === undefined ? { kind: 'wait' } : { kind: 'act', call };
      if (own !== undefined) oracle.entry(entry(denied(own), { channel: 'ch0', incident: 'inc-1' }));
      oracle.entry(entry({ type: 'incident.opened', incident: group }));
      oracle.entry(entry({ type: 'run.started', attempt: 1 }, about));
      oracle.entry(entry({ type: 'plan.made', plan }, about));
      if (named !== undefined) oracle.entry(entry({ type: 'guard.decided', call: PLAN, decision }, about));
      oracle.entry(entry({ type: 'run.ended', outcome: { kind: 'watching' } }, about));
      for (let ms = 0; ms <= 60 * S; ms += S) {
        at(ms);
        oracle.watch(truths({ status: 'curable' }), ms);
      }
      return broken;
    }
    const deny = (code: string) => ({ verdict: 'deny', code, because: '', trace: [] });

    it('is refused with it where the plan named the channel, and not where it named others', () => {
      expect(brokenBeside(['ch0', 'ch1'], deny('containment'))).toEqual(['L5']);
      expect(brokenBeside(['ch1', 'ch2'], deny('containment'))).toEqual([]);
    });

    it('still waits for the end of its own reason where the plan named others, whatever becomes of that', () => {
      expect(brokenBeside(['ch1'], deny('already_tried'), 'high_risk_spacing')).toEqual(['L5']);
      expect(brokenBeside(['ch1'], { verdict: 'allow', permit: {}, trace: [] }, 'high_risk_spacing')).toEqual(['L5']);
      expect(brokenBeside(['ch0'], deny('already_tried'), 'high_risk_spacing')).toEqual([]);
    });

    it('is asked about by its own incident where that began since the plan was made, and before its turn', () => {
      const brokenWhere = (facts: readonly (readonly [object, object])[]): readonly string[] => {
        const { context, broken, at, entry, truths } = oracleEnvironment();
        const oracle = new Reasons(context, new Set());
        for (const [fact, about] of facts) oracle.entry(entry(fact, about));
        oracle.entry(entry({ type: 'run.ended', outcome: { kind: 'watching' } }, ofPlan));
        for (let ms = 0; ms <= 60 * S; ms += S) {
          at(ms);
          oracle.watch(truths({ status: 'curable' }), ms);
        }
        return broken;
      };
      const ofPlan = { incident: 'inc-2', run: 'run-2' };
      const plan = { kind: 'act', call: { channels: ['ch0', 'ch1'] } };
      const opened = [{ type: 'incident.opened', incident: { id: 'inc-3', scope: CHANNEL } }, {}] as const;
      const closed = [{ type: 'incident.closed' }, { incident: 'inc-3' }] as const;
      const begun = [
        [{ type: 'incident.opened', incident: group }, {}],
        [{ type: 'run.started', attempt: 1 }, ofPlan],
      ] as const;
      const made = [{ type: 'plan.made', plan }, ofPlan] as const;
      const refused = [denied('containment'), { ...ofPlan, channel: 'ch0' }] as const;
      expect(brokenWhere([...begun, made, opened, refused])).toEqual([]);
      expect(brokenWhere([...begun, opened, made, refused])).toEqual(['L5']);
      expect(brokenWhere([...begun, made, opened, closed, refused])).toEqual(['L5']);
      expect(brokenWhere([...begun, made, refused])).toEqual(['L5']);
    });

    it('has been asked about where the run of its group came to no plan', () => {
      expect(brokenBeside(undefined, {}, 'high_risk_spacing')).toEqual([]);
    });
  });

  it('stays refused where the reason does not pass', () => {
    expect(brokenAt('persona_denies', [])).toBeUndefined();
  });

  it('stays refused once the restarts of its incident are used', () => {
    const broken = (of: string) =>
      brokenAt('containment', [raised, cleared], undefined, 'inc-1', [], aPersona(), (...one) => one.join() === of);
    expect([broken('ch0,inc-1'), broken('ch0,inc-2'), broken('ch1,inc-1')]).toEqual([undefined, 73 * S, 73 * S]);
  });

  it('stays refused within a plan, too, while its own incident is open whose restarts are used', () => {
    const group = { type: 'incident.opened', incident: { id: 'inc-2', scope: { kind: 'group', id: 'g0' } } };
    const begun = { type: 'run.started', attempt: 1 };
    const plan = { type: 'plan.made', plan: { kind: 'act', call: { channels: ['ch0'] } } };
    const ended = { type: 'run.ended', outcome: { kind: 'watching' } };
    const brokenAfter = (own: string, closed: boolean): readonly string[] => {
      const { context, broken, at, entry, truths } = oracleEnvironment();
      const oracle = new Reasons(context, new Set());
      const [ofOwn, ofPlan] = [{ incident: 'inc-1' }, { incident: 'inc-2', run: 'run-2' }];
      oracle.entry(entry({ type: 'incident.opened', incident: { id: 'inc-1', scope: CHANNEL } }));
      oracle.entry(entry(denied(own), { ...ofOwn, channel: 'ch0' }));
      if (closed) oracle.entry(entry({ type: 'incident.closed' }, ofOwn));
      for (const fact of [group, begun, plan]) oracle.entry(entry(fact, ofPlan));
      oracle.entry(entry({ ...denied('containment'), call: 'restart_channel on group:g0' }, ofPlan));
      oracle.entry(entry(ended, ofPlan));
      for (let ms = 0; ms <= 60 * S; ms += S) {
        at(ms);
        oracle.watch(truths({ status: 'curable' }), ms);
      }
      return broken;
    };
    expect([brokenAfter('restart_cap', false), brokenAfter('restart_cap', true)]).toEqual([[], ['L5']]);
    expect(brokenAfter('containment', false)).toEqual(['L5']);
  });

  it('stays refused within a plan, too, while its own incident is open whose start did not help', () => {
    const brokenAfter = (reason: string, incident: string): readonly string[] => {
      const { context, broken, at, entry, truths } = oracleEnvironment();
      const oracle = new Reasons(context, new Set());
      const group = { id: 'inc-2', scope: { kind: 'group', id: 'g0' } };
      oracle.entry(entry({ type: 'incident.opened', incident: { id: 'inc-1', scope: CHANNEL } }));
      oracle.entry(entry({ type: 'incident.opened', incident: group }));
      oracle.entry(entry({ type: 'run.ended', outcome: { kind: 'escalated', reason } }, { incident, run: 'run-1' }));
      oracle.entry(entry(denied('containment'), { incident: 'inc-2', channel: 'ch0', run: 'run-2' }));
      for (let ms = 0; ms <= 60 * S; ms += S) {
        at(ms);
        oracle.watch(truths({ status: 'curable' }), ms);
      }
      return broken;
    };
    expect(brokenAfter('not_helping', 'inc-1')).toEqual([]);
    expect([brokenAfter('steps_spent', 'inc-1'), brokenAfter('no_plan', 'inc-2')]).toEqual([['L5'], ['L5']]);
  });

  it('waits as long as another reason holds', () => {
    expect(brokenAt('restart_storm', [raised, cleared], 10 * S)).toBe(73 * S);
  });
});
