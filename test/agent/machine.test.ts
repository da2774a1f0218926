import { describe, expect, it } from 'vitest';
import { initial, next, type RunEvent, type RunState } from '../../src/agent/machine.ts';
import { InvariantError } from '../../src/core/errors.ts';
import { DENIAL_CODES, PASSING_DENIALS } from '../../src/core/plan.ts';
import { Permit } from '../../src/core/tool.ts';
import { aCall, anAct, anEnvelope, aResult, aVerification, permitTerms } from '../support/a.ts';

const limits = { steps: 3, retryThreshold: 0.6 };
const by = { kind: 'rule', rule: 'r' } as const;
const permit = Permit.grant(permitTerms());
const progress = { step: 1, attempts: [] };
const grounded = { ...progress, envelope: anEnvelope() };

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
const pairs = Object.keys(states).flatMap((at) => Object.keys(events).map((type) => [at, type] as const));

const outcomeOf = (state: RunState) => (state.at === 'finished' ? state.outcome : undefined);

describe('the machine', () => {
  it.each(pairs)('in %s takes %s only where it belongs', (at, type) => {
    const step = () => next(states[at as RunState['at']], events[type as RunEvent['type']], limits);
    if (ALLOWED[type as RunEvent['type']] === at) expect(step).not.toThrow();
    else expect(step).toThrow(InvariantError);
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
    expect(outcomeOf(next(initial, { type: 'grounded', envelope }, limits))).toMatchObject({ kind: 'resolved' });
  });

  it('never takes more steps than three, whatever the limits say', () => {
    expect(() => next(initial, events.grounded, { steps: 4, retryThreshold: 0 })).toThrow(InvariantError);
  });

  it('escalates without a step when the persona allows none', () => {
    const outcome = outcomeOf(next(initial, events.grounded, { steps: 0, retryThreshold: 0 }));
    expect(outcome).toMatchObject({ kind: 'escalated', reason: 'no_plan' });
  });

  it.each(DENIAL_CODES)('a denial with %s ends the run in exactly one outcome', (code) => {
    const decision = { verdict: 'deny', code, because: 'no', retryAfterMs: 5, trace: [] } as const;
    const outcome = outcomeOf(next(states.guarding, { type: 'guarded', decision }, limits));
    if (code === 'approval_needed') expect(outcome?.kind).toBe('approval_needed');
    else if (PASSING_DENIALS.has(code)) expect(outcome).toMatchObject({ kind: 'watching', retryAfterMs: 5 });
    else expect(outcome).toMatchObject({ kind: 'escalated', denial: code });
  });

  it('turns a plan to wait into watching with the time to tell a person', () => {
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

  it('goes on with another step after a verified fix that left the channel dark', () => {
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
});
