import { describe, expect, it } from 'vitest';
import { initial, next, type RunEvent, type RunState } from '../../src/agent/machine.ts';
import { InvariantError } from '../../src/core/errors.ts';
import { DENIAL_CODES, EVIDENCE_DENIALS, PASSING_DENIALS } from '../../src/core/plan.ts';
import { Permit } from '../../src/core/tool.ts';
import { aCall, anAct, anEnvelope, aResult, aVerification, permitTerms } from '../support/a.ts';

const limits = { steps: 3, retryThreshold: 0.6 };
const by = { kind: 'rule', rule: 'r' } as const;
const permit = Permit.grant(permitTerms());
const progress = { step: 1, attempts: [] };
const grounded = { ...progress, envelope: anEnvelope() };

/** Nothing is wrong any more. */
const well = anEnvelope({ failureClassification: undefined, channelHealthy: true });

const states = {
  grounding: initial,
  planning: { ...grounded, at: 'planning' },
  guarding: { ...grounded, at: 'guarding', call: aCall(), plan: anAct() },
  acting: { ...grounded, at: 'acting', permit },
  observing: { ...grounded, at: 'observing', permit, result: aResult() },
  finished: {
    ...progress,
    at: 'finished',
    outcome: { kind: 'watching', because: 'x', retryAfterMs: undefined, escalateAfterMs: undefined },
  },
} as const satisfies Record<RunState['at'], RunState>;

const events = {
  grounded: { type: 'grounded', envelope: anEnvelope() },
  planned: { type: 'planned', plan: anAct() },
  guarded: { type: 'guarded', decision: { verdict: 'allow', permit, trace: [] } },
  acted: { type: 'acted', result: aResult() },
  observed: { type: 'observed', envelope: anEnvelope(), verification: aVerification() },
} as const satisfies Record<RunEvent['type'], RunEvent>;

const ALLOWED: Record<RunEvent['type'], RunState['at']> = {
  grounded: 'grounding',
  planned: 'planning',
  guarded: 'guarding',
  acted: 'acting',
  observed: 'observing',
};
const pairs = (Object.keys(states) as RunState['at'][]).flatMap((at) =>
  (Object.keys(events) as RunEvent['type'][]).map((type) => [at, type] as const),
);

const outcomeOf = (state: RunState) => (state.at === 'finished' ? state.outcome : undefined);

describe('the machine', () => {
  it.each(pairs)('in %s takes %s only where it belongs', (at, type) => {
    const step = () => next(states[at], events[type], limits);
    if (ALLOWED[type] === at) expect(step).not.toThrow();
    else expect(step).toThrow(InvariantError);
  });

  it('leaves a step whose effect nobody saw, because Reeve was stopped, to the next process', () => {
    const verification = aVerification({ cured: false, because: 'Reeve was stopped', cutOff: true });
    const outcome = outcomeOf(next(states.observing, { ...events.observed, verification }, { ...limits, steps: 1 }));
    expect(outcome).toMatchObject({ kind: 'watching', because: 'Reeve was stopped', retryAfterMs: 0 });
  });

  it('walks grounding, planning, guarding, acting, observing, finished for a cure', () => {
    let state: RunState = initial;
    const seen = [state.at as string];
    for (const event of Object.values(events)) {
      state = next(state, event, limits);
      seen.push(state.at);
    }
    expect(seen).toEqual(['grounding', 'planning', 'guarding', 'acting', 'observing', 'finished']);
    expect(outcomeOf(state)).toMatchObject({ kind: 'resolved', score: 1 });
  });

  it('ends at once when the channel is healthy again before anything was done', () => {
    const envelope = anEnvelope({ failureClassification: undefined, channelHealthy: true });
    expect(outcomeOf(next(initial, { type: 'grounded', envelope }, limits))).toEqual({
      kind: 'resolved',
      score: 1,
      because: 'healthy again before anything was done',
    });
  });

  it('never takes more steps than three, whatever the limits say', () => {
    const step = () => next(initial, events.grounded, { steps: 4, retryThreshold: 0 });
    expect(step).toThrow(InvariantError);
    expect(step).toThrow('steps 4 over 3');
  });

  it('escalates without a step when the persona allows none', () => {
    const outcome = outcomeOf(next(initial, events.grounded, { steps: 0, retryThreshold: 0 }));
    const because = 'the persona allows no steps (planning_depth_max: 0)';
    expect(outcome).toMatchObject({ kind: 'escalated', reason: 'no_plan', because });
  });

  it.each(DENIAL_CODES)('a denial with %s ends the run in exactly one outcome', (code) => {
    const decision = { verdict: 'deny', code, because: 'no', retryAfterMs: 15_001, trace: [], scopes: [] } as const;
    const outcome = outcomeOf(next(states.guarding, { type: 'guarded', decision }, limits));
    if (code === 'approval_needed') expect(outcome?.kind).toBe('approval_needed');
    else if (PASSING_DENIALS.has(code)) expect(outcome).toMatchObject({ kind: 'watching', retryAfterMs: 15_001 });
    else if (EVIDENCE_DENIALS.has(code)) expect(outcome).toMatchObject({ kind: 'watching', escalateAfterMs: 10_000 });
    else expect(outcome).toMatchObject({ kind: 'escalated', denial: code });
  });

  it('waits for a place of the window that is free within 15 s, and pages a person where it is not', () => {
    const refused = (retryAfterMs: number | undefined) => {
      const full = { verdict: 'deny', code: 'restart_storm', because: 'full', trace: [], scopes: [] } as const;
      const decision = { ...full, retryAfterMs };
      return outcomeOf(next(states.guarding, { type: 'guarded', decision }, limits));
    };
    expect(refused(15_000)).toMatchObject({ kind: 'watching', retryAfterMs: 15_000, denial: 'restart_storm' });
    expect([refused(15_001)?.kind, refused(undefined)?.kind]).toEqual(['escalated', 'escalated']);
  });

  it('answers a plan to wait by watching, with the time after which a person is paged', () => {
    const plan = { kind: 'wait', escalateAfterMs: 60_000, because: 'upstream', by } as const;
    expect(outcomeOf(next(states.planning, { type: 'planned', plan }, limits))).toMatchObject({
      kind: 'watching',
      escalateAfterMs: 60_000,
    });
  });

  it('stops as not helping when the step scored below the retry threshold', () => {
    const verification = aVerification({ cured: false, because: 'no fresh samples' });
    const outcome = outcomeOf(
      next(states.observing, { type: 'observed', envelope: anEnvelope(), verification }, limits),
    );
    expect(outcome).toMatchObject({ kind: 'escalated', reason: 'not_helping' });
  });

  it('goes on with another step after a verified fix that left the channel down', () => {
    const result = aResult({ call: aCall({ tool: 'refresh_credentials' }) });
    const after = next({ ...states.observing, result }, events.observed, limits);
    expect(after).toMatchObject({ at: 'planning', step: 2 });
  });

  it('does not go on when that fix scored below a stricter threshold', () => {
    const result = aResult({ call: aCall({ tool: 'refresh_credentials' }) });
    const strict = { steps: 3, retryThreshold: 0.81 };
    expect(outcomeOf(next({ ...states.observing, result }, events.observed, strict))?.kind).toBe('escalated');
  });

  it('never acts a fourth time, whatever the planner wants', () => {
    const result = aResult({ call: aCall({ tool: 'refresh_credentials' }) });
    let state: RunState = next(initial, events.grounded, limits);
    let acts = 0;
    while (state.at !== 'finished') {
      state = next(state, events.planned, limits);
      state = next(state, events.guarded, limits);
      state = next(state, { type: 'acted', result }, limits);
      acts += 1;
      state = next(state, events.observed, limits);
    }
    expect(acts).toBe(3);
    expect(outcomeOf(state)).toMatchObject({ kind: 'escalated', reason: 'steps_spent' });
  });

  it.each(pairs.filter(([at, type]) => ALLOWED[type] !== at))(
    'says in which state it was when in %s comes %s',
    (at, type) => {
      const step = () => next(states[at], events[type], limits);
      expect(step).toThrow(new InvariantError(`${type} while ${at}`));
    },
  );

  it.each([
    ['not classified and not known to play', { failureClassification: undefined, channelHealthy: undefined }],
    ['classified and playing', { failureClassification: 'guide_stale', channelHealthy: true }],
  ] as const)('goes on planning for a channel that is %s', (_, change) => {
    const state = next(initial, { type: 'grounded', envelope: anEnvelope(change) }, limits);
    expect(state.at).toBe('planning');
  });

  it('plans where one step is allowed', () => {
    expect(next(initial, events.grounded, { steps: 1, retryThreshold: 0.6 }).at).toBe('planning');
  });

  it('answers a plan to stop by watching without a deadline', () => {
    const plan = { kind: 'stop', because: 'quiet', by } as const;
    expect(outcomeOf(next(states.planning, { type: 'planned', plan }, limits))).toEqual({
      kind: 'watching',
      because: 'quiet',
      retryAfterMs: undefined,
      escalateAfterMs: undefined,
    });
  });

  it.each([
    ['no_plan', 'nothing was done', []],
    ['no_plan', 'it only looked', [{ result: aResult(), verification: undefined, score: 0.6 }]],
    [
      'not_helping',
      'something was changed',
      [
        { result: aResult(), verification: undefined, score: 0.6 },
        { result: aResult(), verification: aVerification(), score: 0.8 },
      ],
    ],
  ] as const)('escalates as %s when %s', (reason, _, attempts) => {
    const plan = { kind: 'escalate', because: 'no step is left', by } as const;
    const state = next({ ...states.planning, attempts }, { type: 'planned', plan }, limits);
    expect(outcomeOf(state)).toMatchObject({ kind: 'escalated', reason, because: 'no step is left' });
  });

  it('leaves the page to the containment, and names the code of every other refusal', () => {
    const no = { verdict: 'deny', because: 'no', retryAfterMs: undefined, trace: [], scopes: [] } as const;
    const denied = (code: 'containment' | 'restart_cap') =>
      outcomeOf(next(states.guarding, { type: 'guarded', decision: { ...no, code } }, limits));
    expect(denied('containment')).toMatchObject({ reason: 'containment', because: 'no', denial: 'containment' });
    expect(denied('restart_cap')).toMatchObject({ reason: 'guard_refused', because: 'restart_cap: no' });
  });

  it('keeps what was done, with its score, and says why it ended', () => {
    const earlier = { result: aResult(), verification: undefined, score: 0.6 };
    const state = next({ ...states.observing, attempts: [earlier] }, events.observed, limits);
    expect(state.attempts).toEqual([earlier, { result: aResult(), verification: aVerification(), score: 1 }]);
    expect(outcomeOf(state)).toMatchObject({ because: 'fresh output of a new process' });
  });

  it('is resolved by a channel that plays after a mere look', () => {
    const observed = { type: 'observed', envelope: well, verification: undefined } as const;
    expect(outcomeOf(next(states.observing, observed, limits))).toMatchObject({ kind: 'resolved', because: 'healthy' });
  });

  it('says that a channel plays again, and not by the call, when the call could not be verified', () => {
    const verification = aVerification({ cured: false, because: 'not verified within 5000 ms: no new process' });
    const state = next(states.observing, { type: 'observed', envelope: well, verification }, limits);
    expect(outcomeOf(state)).toEqual({
      kind: 'resolved',
      score: 0.3,
      because:
        'healthy again, and restart_channel is not known to have done it: not verified within 5000 ms: no new process',
    });
    expect(state.attempts).toMatchObject([{ score: 0.3, verification: { cured: false } }]);
  });

  it('is not resolved by a call that failed while a trouble beside the picture lasts', () => {
    const envelope = anEnvelope({ failureClassification: 'guide_stale', channelHealthy: true });
    const verification = aVerification({ cured: false, because: 'still 7 entries' });
    const observing = { ...states.observing, envelope };
    expect(outcomeOf(next(observing, { type: 'observed', envelope, verification }, limits))).toMatchObject({
      kind: 'escalated',
      reason: 'not_helping',
    });
  });

  it('goes on at exactly the retry threshold, and after a look whatever it scored', () => {
    const result = aResult({ call: aCall({ tool: 'refresh_credentials' }) });
    const exact = { steps: 3, retryThreshold: 0.8 };
    expect(next({ ...states.observing, result }, events.observed, exact).at).toBe('planning');
    const looked = { type: 'observed', envelope: anEnvelope(), verification: undefined } as const;
    expect(next({ ...states.observing, result: aResult({ ok: false }) }, looked, limits).at).toBe('planning');
  });

  it('says what did not cure it, and how many steps were used', () => {
    const verification = aVerification({ cured: false, because: 'no fresh samples' });
    const failed = next(states.observing, { type: 'observed', envelope: anEnvelope(), verification }, limits);
    expect(outcomeOf(failed)?.because).toBe('restart_channel did not cure it: no fresh samples');
    const looked = { type: 'observed', envelope: anEnvelope(), verification: undefined } as const;
    const spent = next({ ...states.observing, step: 3 }, looked, limits);
    expect(outcomeOf(spent)?.because).toBe('3 of 3 steps used, not cured');
  });
});
