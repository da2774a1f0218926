import { describe, expect, it } from 'vitest';
import { askApproval } from '../../src/control/approvals.ts';
import type { JournalEntry } from '../../src/core/journal.ts';
import { aCall, aChannel, anIncident, aPersona } from '../support/a.ts';
import { type Bench, bench, channelsOf } from './bench.ts';
import { staged } from './stage.ts';
import { context } from './paths.ts';

/** An entry as a reader of the journal sees it, without its place in the chain. */
const written = ({ channel, incident, run, fact }: JournalEntry) => ({ channel, incident, run, fact });
const last = (b: Bench) => written(b.entries().at(-1)!);
const raised = (b: Bench) =>
  b
    .entries()
    .filter(({ fact }) => fact.type.startsWith('containment.'))
    .map(written);
const approving = aPersona({ tool_access_policy: { restart_channel: 'require_approval' } });

describe('a decision is written down', () => {
  it('with the channel, incident and run that it is about, and the time it took', () => {
    const b = bench();
    b.guard.decide(b.request());
    expect(last(b)).toMatchObject({
      channel: 'news',
      incident: 'inc-news',
      run: 'run-1',
      fact: { type: 'guard.decided', call: 'restart_channel on channel:news', tookMs: 0 },
    });
    b.guard.decide(b.request('news', { stepHighRiskUsed: true }));
    expect(last(b)).toMatchObject({
      channel: 'news',
      run: 'run-2',
      fact: { decision: { verdict: 'deny' }, tookMs: 0 },
    });
  });

  it('with no channel where it is about a group', () => {
    const { b, envelopeOfGroup, request } = staged(2);
    b.guard.decide(envelopeOfGroup(request()));
    expect(last(b)).toMatchObject({ channel: undefined, incident: 'inc-g' });
    expect(last(b).fact).toMatchObject({ call: expect.stringContaining('restart_channel on group:g') });
  });

  it('with the incident and run of its plan where it is one start of it, also when it is refused', () => {
    const { b, plan, child } = staged(2);
    const parent = plan();
    const about = { channel: 'c0', incident: 'inc-g', run: parent.terms.run };
    b.world.phase = 2;
    child(parent, 'c0');
    expect(last(b)).toMatchObject({ ...about, fact: { call: 'restart_channel on channel:c0' } });
    b.world.phase = 4;
    child(parent, 'c0');
    expect(last(b)).toMatchObject({ ...about, fact: { decision: { verdict: 'allow' } } });
  });

  it('without viewers where they are not known', () => {
    const b = bench();
    const decision = b.guard.decide(b.request());
    expect(decision.verdict === 'allow' && 'viewerSeconds' in decision.permit.terms).toBe(false);
  });

  it("with the use of a person's yes, of that one alone and only where one was given", () => {
    const b = bench();
    const ids = ['apr-1', 'apr-2'];
    for (const id of ids) {
      const { call, incident, run, envelope } = b.request();
      const about = { call, incident: incident.id, run, classification: envelope.failureClassification };
      b.ledger.append([askApproval({ id, ...about, askedAt: 0, askedMs: b.nowMs() }, 600_000)]);
    }
    b.record({ type: 'approval.answered', id: 'apr-2', yes: true, ...context });
    b.guard.decide(b.request('news', { approval: 'apr-1' }));
    expect(b.facts('approval.used')).toEqual([]);
    b.pass(120_000);
    b.guard.decide(b.request('news'));
    expect(b.facts('approval.used')).toEqual([]);
    b.pass(120_000);
    expect(b.guard.decide(b.request('news', { persona: approving, approval: 'apr-2' })).verdict).toBe('allow');
    expect(b.facts('approval.used')).toEqual([{ type: 'approval.used', id: 'apr-2' }]);
  });
});

describe('containment is written down', () => {
  it('with its reason in text and figures, and its channel where it is about one', () => {
    const b = bench({ limits: { breakerFailuresMax: 1 } });
    b.restart('news', { cured: false });
    b.world.live = { ...b.world.live, reportsPool: true };
    b.world.sharedCauses = ['encoders'];
    b.world.frozen = true;
    b.record({ type: 'clock.jumped', byMs: 3_600_000 });
    for (let at = 0; at < 9; at += 1) b.foreignStart(`c${at}`, `pid-${at}`);
    expect(b.contain()).toBe(true);
    b.world.live = { ...b.world.live, poolPressure: 0.951 };
    b.pass(1_000);
    expect(b.contain()).toBe(true);
    expect(raised(b)).toMatchSnapshot();
    b.world.sharedCauses = [];
    b.world.frozen = false;
    b.world.live = { ...b.world.live, poolPressure: 0.1 };
    b.pass(130_000);
    b.contain();
    b.pass(60_500);
    b.contain();
    expect(raised(b).slice(-4)).toMatchSnapshot();
  });

  it('only where it changed', () => {
    const b = bench();
    b.store.failWrites('no space left on device');
    expect(b.contain()).toBe(true);
    expect(b.guard.journalError).toBeUndefined();
  });

  it('with one page for a scope that is contained for two reasons at once, and none for a freeze', () => {
    const b = bench();
    b.world.frozen = true;
    b.contain();
    expect(b.facts('escalation.raised')).toEqual([]);
    const both = bench();
    both.world.frozen = true;
    for (let at = 0; at < 10; at += 1) both.foreignStart(`c${at}`, `pid-${at}`);
    both.guard.distrustJournal('the chain is broken');
    both.contain();
    expect(both.facts('containment.raised')).toHaveLength(3);
    expect(both.facts('escalation.raised')).toHaveLength(1);
  });
});

describe('the start that fills the window', () => {
  const nine = (options: Parameters<typeof bench>[0] = {}) => {
    const b = bench({ channels: [...channelsOf(9), aChannel()], ...options });
    for (let n = 0; n < 9; n += 1) b.foreignStart(`c${n}`, `pid-${n}`);
    return b;
  };
  const storm = (b: Bench) => b.facts('containment.raised');

  it('raises containment that ends by itself, or only by a person for the strict or where that is set', () => {
    const ends = (risk_tolerance: 'low' | 'medium', options: Parameters<typeof bench>[0] = {}) => {
      const b = nine(options);
      const persona = aPersona({ risk_tolerance });
      expect(b.guard.decide(b.request('news', { persona })).verdict).toBe('allow');
      return storm(b).map(({ releaseByPerson }) => releaseByPerson);
    };
    expect(ends('medium')).toEqual([false]);
    expect(ends('low')).toEqual([true]);
    expect(ends('medium', { releaseByPerson: () => true })).toEqual([true]);
    expect(ends('medium', { releaseByPerson: () => false })).toEqual([false]);
  });

  it('says how many there were, and does so once', () => {
    const b = nine();
    b.guard.decide(b.request());
    expect(storm(b)[0]).toMatchObject({ reason: 'restart_storm', detail: '10 starts within 60 s, the limit is 10' });
    b.contain();
    expect(storm(b)).toHaveLength(1);
  });

  it('is a start: a look raises nothing', () => {
    const b = nine();
    const look = aPersona({ tool_access_policy: { fetch_recent_logs: 'allow' } });
    expect(
      b.guard.decide(b.request('news', { persona: look, call: aCall({ tool: 'fetch_recent_logs' }) })).verdict,
    ).toBe('allow');
    expect(storm(b)).toEqual([]);
  });
});

describe('limits', () => {
  it('that are not sound refuse the start with every name and what to do', () => {
    expect(() => bench({ limits: { windowMs: 0, windowStartsMax: Number.NaN } })).toThrow(
      expect.objectContaining({
        code: 'CONFIG_INVALID',
        message: expect.stringMatching(
          /^CONFIG_INVALID: the guard's limits are not sound: .+; .+$|^the guard's limits are not sound: .+; .+$/,
        ),
        hint: 'Correct them under `limits:` in the configuration, then run: reeve check',
      }),
    );
  });

  it('that become unsound later leave the last sound ones in force', () => {
    const b = bench();
    b.world.limits = { ...b.world.limits, dailyRestartCap: Number.NaN };
    const { checks } = b.guard.preview(b.request('news', { incident: anIncident({ id: 'inc-news' }) }));
    expect(checks.find(({ id }) => id === 10)?.threshold).toBe('under 10 and 10; under 20 of the fleet');
  });
});
