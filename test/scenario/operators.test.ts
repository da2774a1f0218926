import { describe, expect, it } from 'vitest';
import { pipelineHarness } from '../support/pipeline_harness.ts';

type World = ReturnType<typeof pipelineHarness>;
const ANN = { who: 'ann', because: 'test' } as const;
const NEWS = { kind: 'channel', id: 'news' } as const;
const reasons = (world: World) => world.facts('escalation.raised').map(({ escalation }) => escalation.reason);

async function playing(options: Parameters<typeof pipelineHarness>[0] = {}): Promise<World> {
  const world = pipelineHarness(options);
  await world.live(10_000);
  return world;
}

describe('a lease', () => {
  it('keeps Reeve off, sends no page, and Reeve takes over when it runs out', async () => {
    const world = await playing();
    world.say({ type: 'control.leased', scope: NEWS, forMs: 60_000, ...ANN });
    world.engine.kill('news');
    await world.live(50_000);
    expect(world.engine.restarts).toEqual([]);
    expect(reasons(world)).toEqual([]);
    await world.live(25_000);
    expect(world.engine.restarts).toHaveLength(1);
  });

  it('that ends early does not keep the channel down until the time it was for', async () => {
    const world = await playing();
    world.say({ type: 'control.leased', scope: NEWS, forMs: 900_000, ...ANN });
    world.engine.kill('news');
    await world.live(20_000);
    world.say({ type: 'control.lease_ended', scope: NEWS, ...ANN });
    await world.live(15_000);
    expect(world.engine.restarts).toHaveLength(1);
  });

  it('that takes the place of a longer one does not keep the channel down until the end of that', async () => {
    const world = await playing();
    world.say({ type: 'control.leased', scope: NEWS, forMs: 14_400_000, ...ANN });
    world.engine.kill('news');
    await world.live(20_000);
    world.say({ type: 'control.leased', scope: NEWS, forMs: 60_000, ...ANN });
    await world.live(59_000);
    expect(world.engine.restarts).toEqual([]);
    await world.live(6_000);
    expect(world.engine.restarts).toHaveLength(1);
  });
});

describe('a maintenance window', () => {
  const window = (startsInMs: number, forMs: number) =>
    ({ type: 'control.window_added', window: 'win-1', scope: NEWS, startsInMs, forMs, ...ANN }) as const;

  it('keeps Reeve off from its beginning to its end, and not a moment longer', async () => {
    const world = await playing();
    world.say(window(5_000, 60_000));
    await world.live(5_000);
    world.engine.kill('news');
    await world.live(55_000);
    expect(world.engine.restarts).toEqual([]);
    await world.live(25_000);
    expect(world.engine.restarts).toHaveLength(1);
  });

  it('that has not begun yet holds Reeve back nowhere', async () => {
    const world = await playing();
    world.say(window(3_600_000, 60_000));
    world.engine.kill('news');
    await world.live(15_000);
    expect(world.engine.restarts).toHaveLength(1);
  });

  it('of a week that is ended early gives the channel back at once', async () => {
    const world = await playing();
    world.say(window(0, 7 * 86_400_000));
    world.engine.kill('news');
    await world.live(20_000);
    world.say({ type: 'control.window_ended', window: 'win-1', ...ANN });
    await world.live(15_000);
    expect(world.engine.restarts).toHaveLength(1);
  });
});

describe('after a person was paged', () => {
  it('a thaw lets Reeve act on what died during the freeze', async () => {
    const world = await playing();
    world.say({ type: 'control.frozen', ...ANN });
    world.engine.kill('news');
    await world.live(20_000);
    expect(reasons(world)).toEqual(['guard_refused']);
    world.say({ type: 'control.thawed', ...ANN });
    await world.live(75_000);
    expect(world.engine.restarts).toHaveLength(1);
  });

  it('a reset lets Reeve act again where its fix did not help, as the page about it says', async () => {
    const world = await playing();
    world.engine.onRestart = async () => 'said yes and did nothing';
    world.engine.kill('news');
    await world.live(120_000);
    world.engine.onRestart = undefined;
    world.say({ type: 'control.reset', scope: NEWS, ...ANN });
    await world.live(15_000);
    expect(world.engine.restarts).toHaveLength(2);
  });

  it('a reset of another channel changes nothing', async () => {
    const world = await playing({ channels: ['news', 'sport'] });
    world.engine.onRestart = async () => 'said yes and did nothing';
    world.engine.kill('news');
    await world.live(120_000);
    world.say({ type: 'control.reset', scope: { kind: 'channel', id: 'sport' }, ...ANN });
    await world.live(60_000);
    expect(world.engine.restarts).toHaveLength(1);
  });

  it('a higher phase lets Reeve do what the lower one forbade', async () => {
    const world = await playing({ phase: 1 });
    world.engine.kill('news');
    await world.live(20_000);
    expect(reasons(world)).toEqual(['no_plan']);
    world.say({ type: 'control.phase_set', phase: 3, group: undefined, ...ANN });
    await world.live(15_000);
    expect(world.engine.restarts).toHaveLength(1);
  });
});

describe('while a run is under way', () => {
  it('a lower phase holds for the next step of the run', async () => {
    const world = await playing();
    world.engine.onRestart = async () => {
      world.say({ type: 'control.phase_set', phase: 0, group: undefined, ...ANN });
      return 'said yes and did nothing';
    };
    world.engine.kill('news');
    await world.live(60_000);
    expect(world.facts('run.ended').length).toBeGreaterThan(0);
    expect(world.facts('tool.started')).toHaveLength(1);
    expect(reasons(world)).toHaveLength(1);
  });
});

describe('a channel that a person stops', () => {
  it('is left stopped, and its incident and its page end', async () => {
    const world = await playing();
    world.engine.onRestart = async () => 'said yes and did nothing';
    world.engine.kill('news');
    await world.live(60_000);
    expect(reasons(world)).toEqual(['not_helping']);
    world.engine.stop('news');
    await world.live(10_000);
    expect(world.facts('incident.closed')).toMatchObject([{ ending: 'by_person' }]);
    expect(world.facts('escalation.resolved')).toHaveLength(1);
    expect(world.engine.restarts).toHaveLength(1);
  });

  it('is no incident at all when it played before', async () => {
    const world = await playing();
    world.engine.stop('news');
    await world.live(120_000);
    expect(world.facts('incident.opened')).toEqual([]);
  });
});
