import { describe, expect, it } from 'vitest';
import { propose } from '../../../src/incident/runs/proposal.ts';
import { askApproval } from '../../../src/control/approvals.ts';
import { answerApproval } from '../../../src/control/commands.ts';
import { DEFAULT_LIMITS } from '../../../src/core/limits.ts';
import { loadPersonas } from '../../../src/config/personas.ts';
import { createRulebook } from '../../../src/rulebook/rulebook.ts';
import { countingIds } from '../../../src/core/id.ts';
import { pipelineHarness } from '../../support/pipeline_harness.ts';

type World = ReturnType<typeof pipelineHarness>;

const PERSONAS = loadPersonas(new URL('../../../personas', import.meta.url).pathname).personas;

/** `news` is down and no rule fits: a person was paged, and nothing more will happen by itself. */
async function killedChannel(options: Parameters<typeof pipelineHarness>[0] = {}): Promise<World> {
  const world = pipelineHarness({ rules: [], ...options });
  await world.live(10_000);
  world.engine.kill('news');
  while (world.facts('run.ended').length === 0) await world.live(250);
  await world.live(30_000);
  expect(world.engine.restarts).toEqual([]);
  return world;
}

const ask = (world: World, order: { channel?: string; tool?: string; persona?: string; fourEyes?: boolean } = {}) => {
  const { channel = 'news', tool = 'restart_channel', persona = 'system_admin', fourEyes = false } = order;
  const found = PERSONAS.find(({ id }) => id === persona)!;
  return propose(
    { channel, tool, who: 'ann' },
    {
      ...{ pipeline: world.pipeline, append: world.ledger.append, clock: world.clock, ids: countingIds() },
      settings: () => ({
        ...{ limits: DEFAULT_LIMITS, rulebook: createRulebook([]), planner: undefined, initialPhase: () => 4 },
        personaOf: () => (fourEyes ? { ...found, four_eyes: true } : found),
      }),
    },
  );
};

/** A person's answer, as the daemon takes it. */
function answer(world: World, yes: boolean, who = 'bob') {
  const { id } = world.facts('approval.asked').at(-1)!.approval;
  const order = { id, yes, nowMs: world.clock.monotonicMs() };
  const answered = answerApproval(world.pipeline.control(), order, { who, because: 'I looked' });
  if (answered.ok) world.ledger.append(answered.drafts);
  world.pipeline.onCommand();
  return answered;
}

const state = (world: World) => world.pipeline.control().approvals.at(-1)?.state;

describe('an action that a person asks for in free text', () => {
  it('becomes a question bound to the open incident, and nothing is done', async () => {
    const world = await killedChannel();
    const proposed = ask(world);
    const { approval } = world.facts('approval.asked')[0]!;
    const { id: incident } = world.pipeline.incidents().open[0]!.incident;
    expect(proposed).toMatchObject({ ok: true, said: expect.stringContaining('reeve approve apr-') });
    expect(approval).toMatchObject({ incident, askedBy: 'ann', proposed: true, call: { tool: 'restart_channel' } });
    await world.live(60_000);
    expect(world.engine.restarts).toEqual([]);
    expect(state(world)).toBe('pending');
  });

  it('is done once after the yes: the person is the decider, and the guard was asked', async () => {
    const world = await killedChannel();
    ask(world);
    const guarded = world.facts('guard.decided').length;
    answer(world, true);
    await world.live(30_000);
    expect(world.engine.restarts).toHaveLength(1);
    expect(state(world)).toBe('used');
    expect(world.facts('plan.made').at(-1)!.plan).toMatchObject({
      ...{ kind: 'act', by: { kind: 'operator', who: 'ann' }, call: { tool: 'restart_channel' } },
    });
    expect(world.facts('guard.decided').length).toBeGreaterThan(guarded);
    await world.live(600_000);
    expect(world.engine.restarts).toHaveLength(1);
  });

  it.each([
    ['is frozen', { type: 'control.frozen', who: 'eve', because: 'stop' }],
    [
      'has a lease on the channel',
      { type: 'control.leased', scope: { kind: 'channel', id: 'news' }, forMs: 3_600_000, who: 'eve', because: 'mine' },
    ],
  ] as const)('is not done on a yes where Reeve %s meanwhile: the guard is asked as ever', async (_, fact) => {
    const world = await killedChannel();
    ask(world);
    world.say(fact);
    answer(world, true);
    await world.live(60_000);
    expect(world.engine.restarts).toEqual([]);
    expect(world.facts('guard.decided').at(-1)!.decision.verdict).toBe('deny');
  });

  it('is not done after a no, nor when no answer comes in time', async () => {
    const [refused, forgotten] = [await killedChannel(), await killedChannel()];
    ask(refused);
    answer(refused, false);
    await refused.live(60_000);
    expect([state(refused), refused.engine.restarts]).toEqual(['no', []]);
    ask(forgotten);
    await forgotten.live(DEFAULT_LIMITS.approvalMs + 5_000);
    expect([state(forgotten), forgotten.engine.restarts]).toEqual(['expired', []]);
    expect(answer(forgotten, true)).toMatchObject({ ok: false, code: 'approval_over' });
  });

  it('needs another person than the one who asked where the persona wants four eyes', async () => {
    const world = await killedChannel({ persona: 'live_event', personaWith: { four_eyes: true } });
    ask(world, { persona: 'live_event', fourEyes: true });
    expect(answer(world, true, 'ann')).toMatchObject({ ok: false, code: 'approval_second_person' });
    await world.live(30_000);
    expect(world.engine.restarts).toEqual([]);
    answer(world, true, 'bob');
    await world.live(30_000);
    expect(world.engine.restarts).toHaveLength(1);
  });

  it('is asked once: the same text again leads to the same question', async () => {
    const world = await killedChannel();
    const [first, second] = [ask(world), ask(world)];
    expect(world.facts('approval.asked')).toHaveLength(1);
    expect(second).toMatchObject({ ok: true, more: (first as { more: unknown }).more });
  });

  it.each([
    ['waits', undefined],
    ['was denied', false],
  ])('keeps nobody from the answer to what Reeve itself asks: the proposal %s', async (_, answered) => {
    const world = pipelineHarness({ persona: 'live_event' });
    await world.live(10_000);
    world.engine.kill('news');
    while (world.facts('approval.asked').length === 0) await world.live(250);
    const [own] = world.facts('approval.asked').map(({ approval }) => approval);
    const { id: _id, hash: _hash, expiresMs: _until, ...question } = own!;
    const call = { ...question.call, tool: 'invalidate_cache' } as const;
    const other = { ...question, id: 'apr-other', call, askedBy: 'ann', proposed: true as const };
    world.ledger.append([askApproval(other, DEFAULT_LIMITS.approvalMs)]);
    if (answered !== undefined) answer(world, answered);
    world.say({ type: 'approval.answered', id: own!.id, yes: true, who: 'bob', because: 'I looked' });
    world.pipeline.onCommand();
    await world.live(30_000);
    expect(world.engine.restarts).toHaveLength(1);
  });

  it('without an open incident is answered by what the guard would say, and no person is asked', async () => {
    const world = pipelineHarness();
    await world.live(10_000);
    const answered = ask(world);
    expect(answered).toMatchObject({ ok: false, because: expect.stringMatching(/^no incident is open on news/) });
    expect(world.facts('approval.asked')).toEqual([]);
  });

  it('that the guard would refuse for good is answered by the reason, and no person is asked', async () => {
    const world = await killedChannel({ phase: 1 });
    const answered = ask(world);
    expect(answered).toMatchObject({ ok: false, because: expect.stringContaining('would refuse it (phase)') });
    expect(world.facts('approval.asked')).toEqual([]);
  });

  it.each([
    ['ghost', 'restart_channel', 'there is no channel ghost'],
    ['news', 'rm_rf', 'or no tool rm_rf'],
    ['news', 'fetch_recent_logs', 'only looks'],
  ])('on %s with %s is refused with the reason', async (channel, tool, because) => {
    const world = await killedChannel();
    expect(ask(world, { channel, tool })).toMatchObject({ ok: false, because: expect.stringContaining(because) });
  });
});
