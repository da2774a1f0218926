import { describe, expect, it } from 'vitest';
import { answerApproval } from '../../src/control/commands.ts';
import { suspendableClock } from '../support/fake_clock.ts';
import { pipelineHarness } from '../support/pipeline_harness.ts';

type World = ReturnType<typeof pipelineHarness>;
const ANN = { who: 'ann', because: 'I looked' } as const;

/** The persona of a live event wants a person's yes to a restart. */
async function asked(options: Parameters<typeof pipelineHarness>[0] = {}): Promise<World> {
  const world = pipelineHarness({ persona: 'live_event', ...options });
  await world.live(10_000);
  world.engine.kill('news');
  while (world.facts('approval.asked').length === 0) await world.live(250);
  return world;
}

const question = (world: World) => world.facts('approval.asked').at(-1)!.approval;
const answer = (world: World, yes: boolean) =>
  world.say({ type: 'approval.answered', id: question(world).id, yes, ...ANN });
const reasons = (world: World) => world.facts('escalation.raised').map(({ escalation }) => escalation.reason);
const state = (world: World) => world.pipeline.control().approvals.at(-1)?.state;

describe('a restart that wants a yes', () => {
  it('is asked for in the append that ends the run, with a page that says how to answer, and not done', async () => {
    const world = await asked();
    await world.live(30_000);
    expect(world.engine.restarts).toEqual([]);
    const ended = world.entries.findIndex(({ fact }) => fact.type === 'run.ended');
    const together = world.entries.slice(ended, ended + 3);
    expect(together.map(({ fact }) => fact.type)).toEqual(['run.ended', 'approval.asked', 'escalation.raised']);
    expect(new Set(together.map(({ monoMs }) => monoMs)).size).toBe(1);
    expect(world.facts('escalation.raised').at(-1)?.escalation.details).toContain('reeve approve');
  });

  it('is done after the yes of two people where the persona wants four eyes, and not before', async () => {
    const world = await asked({ personaWith: { four_eyes: true } });
    expect(question(world)).toMatchObject({ eyes: 2 });
    answer(world, true);
    await world.live(15_000);
    answer(world, true);
    await world.live(15_000);
    expect(world.engine.restarts).toEqual([]);
    world.say({ type: 'approval.answered', id: question(world).id, yes: true, who: 'bob', because: 'I looked too' });
    await world.live(15_000);
    expect(world.engine.restarts).toHaveLength(1);
    expect(state(world)).toBe('used');
  });

  it('is not done on one yes where a reload wanted four eyes meanwhile', async () => {
    const world = await asked();
    world.reload({ persona: { four_eyes: true } });
    answer(world, true);
    await world.live(15_000);
    expect(world.engine.restarts).toEqual([]);
  });

  it('is done by a new run on a fresh envelope after the yes, which serves once', async () => {
    const world = await asked();
    const first = question(world).run;
    answer(world, true);
    await world.live(15_000);
    expect(world.engine.restarts).toHaveLength(1);
    const [started] = world.facts('tool.started');
    expect(started?.permit.run).not.toBe(first);
    expect(state(world)).toBe('used');
    await world.live(30_000);
    expect(world.facts('incident.closed')).toMatchObject([{ ending: 'resolved' }]);

    world.engine.kill('news');
    await world.live(90_000);
    expect(world.engine.restarts).toHaveLength(1);
  });

  it('is not done after a no, and not asked for again', async () => {
    const world = await asked();
    answer(world, false);
    await world.live(700_000);
    expect(world.engine.restarts).toEqual([]);
    expect(world.facts('approval.asked')).toHaveLength(1);
  });

  it('is reported unanswered when the question expires, in the same append, and is asked for again', async () => {
    const world = await asked();
    await world.live(601_000);
    const expired = world.entries.findIndex(({ fact }) => fact.type === 'approval.expired');
    expect(world.entries[expired + 1]?.fact).toMatchObject({
      type: 'escalation.raised',
      escalation: { reason: 'approval_expired' },
    });
    await world.live(30_000);
    expect(world.facts('approval.asked')).toHaveLength(2);
    expect(world.facts('escalation.raised').at(-1)?.escalation.details).toContain('reeve approve ID');
    expect(world.engine.restarts).toEqual([]);
    answer(world, true);
    await world.live(15_000);
    expect(world.engine.restarts).toHaveLength(1);
  });

  it('is not done when the trouble changed before the yes: the question ends, and the person is notified', async () => {
    const world = await asked({ sources: true });
    const id = question(world).id;
    world.engine.startByHand('news');
    world.engine.deadSources.add('news');
    world.engine.freeze('news');
    for (let passed = 0; passed < 90_000 && world.facts('incident.reclassified').length === 0; passed += 250) {
      await world.live(250);
    }
    expect(world.facts('incident.reclassified')).not.toEqual([]);
    expect(world.pipeline.control().approvals.find(({ approval }) => approval.id === id)?.state).toBe('expired');
    await world.live(200_000);
    expect(world.engine.restarts).toEqual([]);
    expect(reasons(world)).toContain('lasting');
  });

  it('is not done when the trouble changes before the yes could be used: the yes is reported void', async () => {
    const world = await asked({ sources: true });
    world.say({ type: 'control.leased', scope: { kind: 'channel', id: 'news' }, forMs: 300_000, ...ANN });
    answer(world, true);
    await world.live(2_000);
    expect(state(world)).toBe('yes');
    world.engine.deadSources.add('news');
    await world.live(30_000);
    expect(state(world)).toBe('expired');
    const page = world.facts('escalation.raised').find(({ escalation }) => escalation.reason === 'approval_expired');
    expect(page?.escalation.summary).toContain('nothing was done on the yes');
    await world.live(400_000);
    expect(world.engine.restarts).toEqual([]);
  });

  it('is reported as not done on the yes, too, where the question before it had expired as well', async () => {
    const world = await asked();
    await world.live(640_000);
    const before = world.facts('escalation.raised').length;
    world.say({ type: 'control.leased', scope: { kind: 'channel', id: 'news' }, forMs: 3_600_000, ...ANN });
    answer(world, true);
    await world.live(610_000);
    expect(world.engine.restarts).toEqual([]);
    const because = expect.stringContaining('the yes to restart_channel on channel:news could not be used in time');
    expect(world.facts('escalation.raised').slice(before)).toMatchObject([{ escalation: { summary: because } }]);
  });

  it('needs no answer any more when the channel plays again: the question ends with its incident', async () => {
    const world = await asked();
    world.engine.startByHand('news');
    await world.live(60_000);
    expect(world.pipeline.incidents().open).toEqual([]);
    expect(state(world)).toBe('expired');
    expect(reasons(world)).not.toContain('approval_expired');
  });

  it('is not done under a freeze that came after the yes', async () => {
    const world = await asked();
    world.say({ type: 'control.frozen', ...ANN });
    answer(world, true);
    await world.live(15_000);
    expect(world.engine.restarts).toEqual([]);
  });
});

describe('a staged start that wants a yes', () => {
  const MANY = ['a', 'b', 'c', 'd'];
  const PERSONA = { tool_access_policy: { restart_channel: 'require_approval' } } as const;
  const restarted = (world: World) => world.engine.restarts.map(({ channel }) => channel).toSorted();

  /** All but `late` have died, and the question about their start waits. */
  async function askedForAll(): Promise<World> {
    const world = pipelineHarness({ channels: [...MANY, 'late'], personaWith: PERSONA });
    await world.live(20_000);
    for (const name of MANY) world.engine.kill(name);
    while (world.facts('approval.asked').length === 0) await world.live(250);
    // In the very millisecond in which the cause is over: it is looked at once more.
    await world.live(5_000);
    return world;
  }

  it('is asked for once more when one more has died, and the question before it is over', async () => {
    const world = await askedForAll();
    const first = question(world);
    world.engine.kill('late');
    await world.live(90_000);
    expect(question(world).call.channels.toSorted()).toEqual([...MANY, 'late']);
    const order = { id: first.id, yes: true, nowMs: world.clock.monotonicMs() };
    expect(answerApproval(world.pipeline.control(), order, ANN)).toMatchObject({
      ok: false,
      because: expect.stringContaining(`asked again, as ${question(world).id}`),
    });
    answer(world, true);
    await world.live(60_000);
    expect(restarted(world)).toEqual([...MANY, 'late']);
  });

  it('is asked for again at once where the yes fits no more, and the person hears that nothing was done', async () => {
    const world = await askedForAll();
    const pagesBefore = world.facts('escalation.raised').length;
    world.engine.startByHand('d');
    await world.live(2_000);
    answer(world, true);
    await world.live(10_000);
    expect(restarted(world)).toEqual([]);
    expect(question(world).call.channels.toSorted()).toEqual(['a', 'b', 'c']);
    const news = world.facts('escalation.raised').slice(pagesBefore);
    expect(news).toMatchObject([{ escalation: { reason: 'approval_needed' } }]);
    expect(news[0]?.escalation.summary).toContain('nothing was done');
    answer(world, true);
    await world.live(60_000);
    expect(restarted(world)).toEqual(['a', 'b', 'c']);
  });
});

describe('a yes to something else', () => {
  it('binds the run: another change is not made, and the person is notified', async () => {
    const world = await asked();
    const { approval } = world.pipeline.control().approvals.at(-1)!;
    const other = { ...approval, id: 'apr-other', hash: 'a yes to something else' };
    world.ledger.append([
      { incident: approval.incident, fact: { type: 'approval.expired', id: approval.id } },
      { incident: approval.incident, fact: { type: 'approval.asked', approval: other } },
    ]);
    world.reload({ persona: { tool_access_policy: { restart_channel: 'require_evidence' } } });
    world.say({ type: 'approval.answered', id: 'apr-other', yes: true, ...ANN });
    await world.live(10_000);
    expect(world.engine.restarts).toEqual([]);
    expect(reasons(world)).toContain('no_plan');
  });
});

describe('a yes that Reeve did not live to use', () => {
  /** Answered, and Reeve is gone at once; the machine sleeps, and the next process starts on the same boot. */
  async function answeredAndGone(sleepsForMs: number): Promise<World> {
    const time = suspendableClock();
    const before = await asked({ time });
    answer(before, true);
    before.pipeline[Symbol.dispose]();
    const restartsBefore = before.engine.restarts.length;
    expect(restartsBefore).toBe(0);
    time.suspend(sleepsForMs);
    const next = pipelineHarness({ persona: 'live_event', time, store: before.store, engine: before.engine });
    await next.live(90_000);
    return next;
  }

  it('is used by the next process', async () => {
    const next = await answeredAndGone(0);
    expect(next.engine.restarts).toHaveLength(1);
  });

  it('has grown old when the machine slept for hours in between: nothing is restarted on it (law T3)', async () => {
    const next = await answeredAndGone(8 * 3_600_000);
    expect(next.engine.restarts).toEqual([]);
    const [jump] = next.ledger.read({ types: ['clock.jumped'] });
    expect(jump?.fact).toMatchObject({ byMs: 28_800_000, cause: 'suspended' });
  });
});
