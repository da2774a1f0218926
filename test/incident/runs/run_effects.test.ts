import { describe, expect, it } from 'vitest';
import type { GroundedContextEnvelope } from '../../../src/core/envelope.ts';
import type { Incident } from '../../../src/core/incident.ts';
import type { Draft, JournalFact } from '../../../src/core/journal.ts';
import { DEFAULT_LIMITS } from '../../../src/core/limits.ts';
import type { Plan } from '../../../src/core/plan.ts';
import { Permit, type PermitTerms, type ToolCall } from '../../../src/core/tool.ts';
import { executeRun, type GuardAsk, type RunEffectsDeps } from '../../../src/incident/runs/run_effects.ts';
import { TOOL_SPECS } from '../../../src/remediation/catalog.ts';
import { anAct, anEnvelope, anIncident, aPersona, aResult, permitTerms } from '../../support/a.ts';
import { fakeClock } from '../../support/fake_clock.ts';

const LOOK = { tool: 'fetch_recent_logs' } as const;
const WELL = anEnvelope({ failureClassification: undefined, channelHealthy: true });

/** Runs of one incident whose every call is permitted and works; what is planned next comes from the list. */
function effects(
  plans: readonly Plan[],
  envelopes: readonly GroundedContextEnvelope[] = [],
  { incident = anIncident(), ...with_ }: { incident?: Incident; [dep: string]: unknown } = {},
) {
  const { clock, advance } = fakeClock();
  const appends: (readonly Draft[])[] = [];
  const asked: GuardAsk[] = [];
  const acted: string[] = [];
  const left = [...plans];
  const looks = [...envelopes];
  const append = (drafts: readonly Draft[]) => {
    if (drafts.length > 0) appends.push(drafts);
    return [];
  };
  const deps = {
    ...{ append, clock, limits: () => DEFAULT_LIMITS, specs: TOOL_SPECS },
    runner: {
      run: async ({ terms }: Permit) => {
        acted.push(`run ${terms.call.tool}`);
        return aResult({ permit: terms.id, call: terms.call });
      },
    },
    verify: { judge: () => ({ state: 'cured', because: 'it plays' }), lookCloser: () => undefined },
    ground: () => looks.shift() ?? anEnvelope(),
    rules: () => {
      const plan = left.shift();
      return plan && { plan, rule: 'r', planner: undefined, modelUse: undefined };
    },
    bound: (_: unknown, plan: Plan) => plan,
    persona: () => aPersona({ planning_depth_max: 3, retry_threshold: 0.5 }),
    ask: (ask: GuardAsk) => {
      asked.push(ask);
      append(ask.story);
      const risk = TOOL_SPECS.get(ask.call.tool)!.risk;
      const terms = permitTerms({ id: `per-${asked.length}`, call: ask.call as ToolCall, risk });
      return { verdict: 'allow', permit: Permit.grant(terms), trace: [] };
    },
    whyNotPlanned: () => undefined,
    handOver: () => undefined,
    phaseSteps: () => 3,
    whyUnavailable: () => undefined,
    acting: ({ call }: PermitTerms) => void acted.push(`before ${call.tool}`),
    changeEnded: ({ call }: PermitTerms) => void acted.push(`after ${call.tool}`),
    ...with_,
  } as unknown as RunEffectsDeps;
  const run = async () => {
    const ended = executeRun({ incident, run: 'run-1' }, deps);
    // It may reject before anybody waits for it.
    ended.catch(() => undefined);
    await advance(60_000);
    return ended;
  };
  const facts = () => appends.flat().map(({ fact }) => fact);
  const scored = () =>
    facts().filter((fact): fact is Extract<JournalFact, { type: 'attempt.scored' }> => fact.type === 'attempt.scored');
  return { run, appends, asked, acted, facts, scored };
}

describe('what a run asks the guard', () => {
  it('is about all channels that the shared cause has reached by then, also those that came after its start', async () => {
    const scope = { kind: 'group', id: 'encoders' } as const;
    const [few, more] = [['news'], ['news', 'sport']].map((channels) => anEnvelope({ scope, channels }));
    const { run, asked } = effects([anAct(LOOK), anAct(LOOK)], [few!, more!], {
      incident: anIncident({ scope, channels: ['film'] }),
    });
    await run();
    expect(asked.map(({ incident }) => incident.channels)).toEqual([
      ['film', 'news'],
      ['film', 'news', 'sport'],
    ]);
  });
});

describe('what a run writes', () => {
  it('is the envelope and the plan in one write with the answer of the guard', async () => {
    const { run, appends } = effects([anAct()]);
    await run();
    expect(appends[0]?.map(({ fact }) => fact.type)).toEqual(['envelope.taken', 'plan.made']);
    expect(
      appends[0]?.every(({ channel, incident, run: id }) => `${channel} ${incident} ${id}` === 'news inc-1 run-1'),
    ).toBe(true);
  });

  it('is durable before the run ends where nothing is planned', async () => {
    const { run, facts } = effects([]);
    expect((await run()).outcome).toMatchObject({ kind: 'escalated', reason: 'no_plan' });
    expect(facts().map(({ type }) => type)).toEqual(['envelope.taken', 'plan.made']);
  });

  it('is kept where an effect throws', async () => {
    const { run, facts } = effects([anAct()], [], {
      bound: () => {
        throw new Error('a bug');
      },
    });
    await expect(run()).rejects.toThrow('a bug');
    expect(facts().map(({ type }) => type)).toEqual(['envelope.taken']);
  });
});

describe('the score of a call', () => {
  it('names who planned it, its permit and whether it cured', async () => {
    const { run, scored } = effects([anAct()]);
    expect((await run()).outcome).toMatchObject({ kind: 'resolved', score: 1 });
    expect(scored()).toMatchObject([
      { by: { kind: 'rule' }, permit: 'per-1', tool: 'restart_channel', score: 1, cured: true },
    ]);
  });

  it('has no verdict for a call that only looks', async () => {
    const { run, scored } = effects([anAct(LOOK)]);
    await run();
    expect(scored()[0]?.cured).toBeUndefined();
  });

  it('is harm where the channel had output before it and has none after it', async () => {
    const before = anEnvelope({ failureClassification: 'guide_stale', channelHealthy: true });
    const verify = { judge: () => ({ state: 'failed', because: 'no' }), lookCloser: () => undefined };
    const harmed = async (envelopes: readonly GroundedContextEnvelope[]) => {
      const { run, scored } = effects([anAct({ tool: 'invalidate_cache' })], envelopes, { verify });
      await run();
      return scored()[0]?.harmed;
    };
    expect(await harmed([before, anEnvelope()])).toBe(true);
    expect(await harmed([before, before])).toBeUndefined();
    expect(await harmed([anEnvelope(), anEnvelope()])).toBeUndefined();
    expect(await harmed([before, WELL])).toBeUndefined();
  });
});

describe('a change', () => {
  it('is noted before it reaches the engine and when its end is known; a look is not noted', async () => {
    const { run, acted } = effects([anAct(LOOK), anAct()]);
    await run();
    expect(acted).toEqual([
      'run fetch_recent_logs',
      'after fetch_recent_logs',
      'before restart_channel',
      'run restart_channel',
      'after restart_channel',
    ]);
  });

  it('of which the end is not known is not noted as ended', async () => {
    const runner = {
      run: async ({ terms }: Permit) => ({ ...aResult({ permit: terms.id }), ok: false, unknown: true }),
    };
    const { run, acted } = effects([anAct()], [], { runner });
    await run();
    expect(acted).toEqual(['before restart_channel']);
  });

  it('of high risk is reported to the guard with each question that follows in the run', async () => {
    const verify = { judge: () => ({ state: 'failed', because: 'no' }), lookCloser: () => undefined };
    const persona = () => aPersona({ planning_depth_max: 3, retry_threshold: 0 });
    const { run, asked } = effects([anAct(LOOK), anAct(), anAct(LOOK)], [], { verify, persona });
    await run();
    expect(asked.map(({ highRiskUsed }) => highRiskUsed)).toEqual([false, false, true]);
  });
});

describe('the steps of a run', () => {
  it('are bounded by the persona, the phase and the limits, whichever is least', async () => {
    const looks = [anAct(LOOK), anAct(LOOK), anAct(LOOK), anAct(LOOK)];
    const stepsOf = async (with_: Record<string, unknown>) => (await effects(looks, [], with_).run()).steps;
    expect(await stepsOf({})).toBe(3);
    expect(await stepsOf({ phaseSteps: () => 1 })).toBe(1);
    expect(await stepsOf({ persona: () => aPersona({ planning_depth_max: 2, retry_threshold: 0.5 }) })).toBe(2);
    expect(await stepsOf({ limits: () => ({ ...DEFAULT_LIMITS, stepsMax: 1 }) })).toBe(1);
  });
});
