import { describe, expect, it } from 'vitest';
import { auditPlans } from '../../src/agent/audit.ts';
import type { PlannerSettings } from '../../src/agent/decide.ts';
import { modelPlanner } from '../../src/agent/planner.ts';
import type { Model, ModelFailure } from '../../src/core/model.ts';
import type { Rule, RuleStep } from '../../src/core/rule.ts';
import { entryOf } from '../../src/journal/entry.ts';
import { pipelineHarness, type PipelineOptions } from '../support/pipeline_harness.ts';
import { chooses, offered, type Script, scriptedModel } from '../support/scripted_model.ts';

type World = ReturnType<typeof pipelineHarness>;
const DEADLINE_MS = 8_000;

const plannerWith = (model: Model, mode: PlannerSettings['mode'] = 'after_rules'): PlannerSettings => ({
  planner: modelPlanner({ model, templateOf: () => '<str>' }),
  mode,
  deadlineMs: DEADLINE_MS,
  replyTokensMax: 256,
});

const ruleThat = (...steps: readonly RuleStep[]): Rule => ({
  id: 'crashed',
  description: 'a test',
  classification: 'process_crashed',
  when: [],
  // biome-ignore lint/suspicious/noThenProperty: a rule says what it does then
  then: steps,
  priority: 100,
  origin: 'a test',
});

/** A channel that plays for a while, and then its process is killed. */
async function killedChannel(options: PipelineOptions): Promise<World> {
  const world = pipelineHarness(options);
  await world.live(40_000);
  world.engine.kill('news');
  return world;
}

async function darkWith(script: Script, options: PipelineOptions & { mode?: PlannerSettings['mode'] } = {}) {
  const model = scriptedModel(script);
  const planner = plannerWith(model, options.mode);
  const world = await killedChannel({ rules: [ruleThat({ kind: 'plan' })], ...options, planner });
  return { world, model };
}

const journalOf = (world: World) => [...world.store.read({})].map(entryOf);
const madeBy = (world: World) => world.facts('plan.made').map(({ plan }) => `${plan.by.kind} ${plan.kind}`);
const pages = (world: World) => world.facts('escalation.raised').map(({ escalation }) => escalation.reason);

describe('a planner that chooses', () => {
  it('cures a trouble for which there is no rule, and the journal confirms every claim', async () => {
    const { world, model } = await darkWith(chooses('restart_channel'), { rules: [] });
    await world.live(60_000);
    expect(world.engine.restarts).toHaveLength(1);
    expect(model.asked).toHaveLength(1);
    expect(madeBy(world)).toEqual(['model act']);
    expect(world.facts('incident.closed').map(({ ending }) => ending)).toEqual(['resolved']);
    expect(auditPlans(journalOf(world))).toEqual({ ok: true, plans: 1, claims: 1, rejected: 0, unjudged: 0, bad: [] });
  });

  it('is asked where a rule says so', async () => {
    const { world } = await darkWith(chooses('restart_channel'));
    await world.live(60_000);
    expect(madeBy(world)).toEqual(['model act']);
    expect(world.facts('plan.chosen')).toMatchObject([
      { model: 'test/scripted', tool: 'restart_channel', target: 'channel:news', evidenceIds: ['s1'] },
    ]);
  });

  it('is not asked where a rule knows the answer: a known trouble costs no call', async () => {
    const { world, model } = await darkWith(chooses('escalate'), {
      rules: [ruleThat({ kind: 'call', tool: 'restart_channel' })],
    });
    await world.live(60_000);
    expect(model.asked).toEqual([]);
    expect(world.engine.restarts).toHaveLength(1);
  });

  it('is asked when the steps of the rule are spent and something is left to choose', async () => {
    const { world, model } = await darkWith(chooses('restart_channel'), {
      rules: [ruleThat({ kind: 'call', tool: 'get_channel_health' })],
    });
    await world.live(60_000);
    expect(madeBy(world)).toEqual(['rule act', 'model act']);
    expect(model.asked).toHaveLength(1);
  });

  it('goes before the rules where the operator wants it so', async () => {
    const rules = [ruleThat({ kind: 'call', tool: 'restart_channel' })];
    const { world } = await darkWith(chooses('get_channel_health'), { rules, mode: 'before_rules' });
    await world.live(20_000);
    expect(madeBy(world)[0]).toBe('model act');
    expect(world.facts('tool.started')[0]?.permit.call.tool).toBe('get_channel_health');
  });

  it('is asked once a step and no more', async () => {
    const { world, model } = await darkWith(chooses('get_channel_health'), { rules: [], mode: 'before_rules' });
    world.engine.onRestart = async () => 'nothing happens';
    await world.live(30_000);
    const steps = world.facts('run.ended').reduce((sum, ended) => sum + ended.steps, 0);
    expect(steps).toBeGreaterThan(0);
    expect(model.asked).toHaveLength(steps);
  });

  it('asks a person through the guard where the persona wants it', async () => {
    const personaWith = { tool_access_policy: { restart_channel: 'require_approval' } } as const;
    const { world } = await darkWith(chooses('restart_channel'), { personaWith });
    await world.live(30_000);
    expect(world.engine.restarts).toEqual([]);
    expect(world.facts('approval.asked')).toHaveLength(1);
  });

  it.each(['wait', 'stop'])('delays a page by a minute at most when it would rather %s', async (end) => {
    const { world } = await darkWith(chooses(end));
    const startedMs = world.clock.monotonicMs();
    while (pages(world).length === 0 && world.clock.monotonicMs() - startedMs < 120_000) await world.live(1_000);
    expect(pages(world)).toHaveLength(1);
    expect(world.clock.monotonicMs() - startedMs).toBeLessThan(90_000);
  });
});

describe('what a planner is offered', () => {
  it.each<[string, PipelineOptions]>([
    ['the persona denies', { personaWith: { tool_access_policy: { get_channel_health: 'auto' } as never } }],
    ['the mode forbids', { personaWith: { operational_mode: 'diagnostic' } }],
    ['the phase does not allow yet', { phase: 2 }],
  ])('holds no call that %s', async (_, options) => {
    const { world, model } = await darkWith(chooses('restart_channel'), options);
    await world.live(30_000);
    expect(model.asked.map((request) => offered(request, 'restart_channel'))).not.toContain(expect.any(Number));
    expect(world.engine.restarts).toEqual([]);
  });

  it('is not asked at all where only ends are left', async () => {
    const { world, model } = await darkWith(chooses('restart_channel'), {
      personaWith: { operational_mode: 'passive' },
    });
    await world.live(30_000);
    expect(model.asked).toEqual([]);
    expect(pages(world)).toHaveLength(1);
  });

  it('holds nothing while Reeve is frozen, whatever the answer says', async () => {
    const model = scriptedModel(() =>
      JSON.stringify({ choice: 0, evidence_ids: ['s1'], because_code: 'evidence_fits_tool' }),
    );
    const world = pipelineHarness({ rules: [ruleThat({ kind: 'plan' })], planner: plannerWith(model) });
    await world.live(40_000);
    world.say({ type: 'control.frozen', who: 'ann', because: 'stop' });
    world.engine.kill('news');
    await world.live(30_000);
    expect(world.engine.restarts).toEqual([]);
  });
});

describe('a planner that gives no usable answer', () => {
  const rules = [ruleThat({ kind: 'plan' }, { kind: 'call', tool: 'restart_channel' }, { kind: 'escalate' })];
  const shapeOf = (world: World) => ({
    restarts: world.engine.restarts.map(({ channel }) => channel),
    tools: world.facts('tool.started').map(({ permit }) => permit.call.tool),
    outcomes: world.facts('run.ended').map(({ outcome }) => outcome.kind),
    pages: pages(world),
    closed: world.facts('incident.closed').map(({ ending }) => ending),
    plans: world.facts('plan.made').map(({ plan }) => plan),
  });

  const fails = (failure: ModelFailure) => () => ({ ok: false, failure, because: 'so it is' }) as const;
  it.each<[string, Script, string]>([
    ['says prose', () => 'restart it, please', 'not_json'],
    ['has the wrong shape', () => '{"action":"restart_channel"}', 'wrong_shape'],
    [
      'chooses what is not there',
      () => '{"choice":42,"evidence_ids":["s1"],"because_code":"too_risky"}',
      'unknown_choice',
    ],
    ['forges evidence', () => '{"choice":0,"evidence_ids":["e77"],"because_code":"too_risky"}', 'forged_evidence'],
    ['cites nothing', () => '{"choice":0,"evidence_ids":[],"because_code":"too_risky"}', 'no_evidence'],
    ['writes too long an answer', () => 'x'.repeat(9_999), 'too_long'],
    ...(['deadline', 'too_large', 'redirected', 'model_not_found', 'budget_spent', 'breaker_open'] as const).map(
      (failure): [string, Script, string] => [`fails with ${failure}`, fails(failure), failure],
    ),
  ])('because it %s leaves exactly what the rules alone would do', async (_, script, reason) => {
    const alone = await killedChannel({ rules });
    const { world } = await darkWith(script, { rules });
    await Promise.all([alone.live(60_000), world.live(60_000)]);
    expect(shapeOf(world)).toEqual(shapeOf(alone));
    expect(world.facts('plan.rejected')).toEqual([{ type: 'plan.rejected', model: 'test/scripted', reason }]);
  });

  it('is stale when the trouble has become another one meanwhile', async () => {
    const answer = Promise.withResolvers<string>();
    const { world, model } = await darkWith(() => answer.promise, { rules });
    while (model.asked.length === 0) await world.live(250);
    world.engine.stop('news');
    await world.live(3_000);
    answer.resolve((await chooses('restart_channel')(model.asked[0]!)) as string);
    await world.live(2_000);
    expect(world.facts('plan.rejected')).toMatchObject([{ reason: 'stale' }]);
    expect(world.facts('plan.chosen')).toEqual([]);
  });

  it('changes nothing that has become well meanwhile, and sends no page', async () => {
    const answer = Promise.withResolvers<string>();
    const { world, model } = await darkWith(() => answer.promise, { rules: [] });
    while (model.asked.length === 0) await world.live(250);
    world.engine.startByHand('news');
    await world.live(6_000);
    answer.resolve((await chooses('restart_channel')(model.asked[0]!)) as string);
    await world.live(30_000);
    expect(world.engine.restarts).toEqual([]);
    expect(pages(world)).toEqual([]);
    expect(world.facts('run.ended')[0]?.outcome.kind).toBe('resolved');
  });
});

describe('while a planner thinks', () => {
  it('the envelope that it was shown is durable already', async () => {
    const { world, model } = await darkWith(() => new Promise(() => {}));
    while (model.asked.length === 0) await world.live(250);
    const types = journalOf(world).map(({ fact }) => fact.type);
    expect(types.lastIndexOf('envelope.taken')).toBeGreaterThan(types.lastIndexOf('run.started'));
    expect(types).not.toContain('plan.made');
  });

  it('a stop of Reeve reaches the call, and nothing is done afterwards', async () => {
    const { world, model } = await darkWith(() => new Promise(() => {}));
    while (model.asked.length === 0) await world.live(250);
    world.pipeline[Symbol.dispose]();
    const drained = world.lanes.drain(1_000);
    await world.advance(1_100);
    expect(model.asked[0]?.signal?.aborted).toBe(true);
    await world.advance(2_000);
    await drained;
    expect(world.engine.restarts).toEqual([]);
  });
});

describe('the audit of plans', () => {
  it('finds evidence that was never there, and a plan that no choice came before', async () => {
    const { world } = await darkWith(chooses('restart_channel'));
    await world.live(60_000);
    const entries = journalOf(world).map((entry) =>
      entry.fact.type === 'plan.chosen' ? { ...entry, fact: { ...entry.fact, evidenceIds: ['s1', 'e99'] } } : entry,
    );
    expect(auditPlans(entries).bad).toMatchObject([{ because: 'there was no evidence e99' }]);
    const unasked = journalOf(world).filter(({ fact }) => fact.type !== 'plan.chosen');
    expect(auditPlans(unasked).bad).toMatchObject([{ because: expect.stringContaining('no choice of a model') }]);
  });
});
