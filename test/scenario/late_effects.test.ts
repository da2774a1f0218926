import { describe, expect, it } from 'vitest';
import { ReeveError } from '../../src/core/errors.ts';
import { countingIds } from '../../src/core/id.ts';
import { RequestFailed } from '../../src/resilience/failure.ts';
import { fakeClock } from '../support/fake_clock.ts';
import { aRule, call } from '../rulebook/support.ts';
import { pipelineHarness } from '../support/pipeline_harness.ts';

type World = ReturnType<typeof pipelineHarness>;
const endings = (world: World) => world.facts('incident.closed').map(({ ending }) => ending);
const openPages = (world: World) => world.outbox().pages.filter(({ resolved }) => resolved === undefined);

/** The engine needs so long to stop the channel, and then does not start it again. */
function stopsOnly(world: World, stopMs: number, end: 'refuses' | 'never answers'): void {
  world.engine.onRestart = async (name) => {
    await world.clock.sleep(stopMs);
    world.engine.stop(name);
    if (end === 'never answers') await new Promise(() => undefined);
    throw new ReeveError('ENGINE_REFUSED', 'SPAWN_ERROR');
  };
}

async function frozen(stopMs: number, end: 'refuses' | 'never answers', time = fakeClock()): Promise<World> {
  const world = pipelineHarness({ time });
  await world.live(20_000);
  stopsOnly(world, stopMs, end);
  world.engine.freeze('news');
  return world;
}

describe('a channel that a restart has stopped and not started again', () => {
  it.each([
    ['slowly, and the start fails', 17_000, 'refuses'],
    ['and no answer comes', 12_000, 'never answers'],
    ['long after the call was given up', 25_000, 'never answers'],
  ] as const)('stays paged, because no one stopped it on purpose: it was stopped %s', async (_, stopMs, end) => {
    const world = await frozen(stopMs, end);
    await world.live(180_000);
    expect(world.engine.restarts).toHaveLength(1);
    expect(endings(world)).toEqual([]);
    expect(openPages(world)).toHaveLength(1);
  });

  it.each([502, 504])('stays paged where a proxy answered %i for an engine that goes on with it', async (status) => {
    const world = await frozen(0, 'refuses');
    world.engine.onRestart = async (name) => {
      void world.clock.sleep(25_000).then(() => world.engine.stop(name));
      throw new RequestFailed('ENGINE_UNREACHABLE', `answered ${status}`, { failure: 'http_status', status });
    };
    await world.live(180_000);
    expect(world.engine.restarts).toHaveLength(1);
    expect(endings(world)).toEqual([]);
    expect(openPages(world)).toHaveLength(1);
    expect(world.facts('tool.unknown')).toHaveLength(1);
  });

  it('stays paged where the engine is silent for a while after the call, and shows it only then', async () => {
    const world = await frozen(0, 'refuses');
    while (world.engine.restarts.length === 0) await world.live(250);
    await world.advance(40_000);
    await world.live(180_000);
    expect(endings(world)).toEqual([]);
    expect(openPages(world)).toHaveLength(1);
    expect(world.pipeline.watch.watched('news')?.finding).toMatchObject({
      trouble: true,
      because: 'Reeve stopped it and the engine did not start it again',
    });
  });

  it('is a person’s, though the engine was silent for a while, once it was seen to run on after the call', async () => {
    const world = await frozen(0, 'refuses');
    world.engine.onRestart = async () => {
      throw new ReeveError('ENGINE_REFUSED', 'busy');
    };
    while (world.engine.restarts.length === 0) await world.live(250);
    await world.live(1_000);
    world.engine.stop('news');
    await world.advance(40_000);
    await world.live(60_000);
    expect(endings(world)).toEqual(['by_person']);
  });

  it('stays paged though Reeve has looked at the log between the call of unknown end and its late effect', async () => {
    const steps = ['restart_channel', 'fetch_recent_logs'] as const;
    const rule = aRule({ classification: 'output_stalled', steps: [...steps.map(call), { kind: 'escalate' }] });
    const world = pipelineHarness({ rules: [rule], personaWith: { retry_threshold: 0, planning_depth_max: 3 } });
    await world.live(20_000);
    stopsOnly(world, 75_000, 'never answers');
    world.engine.freeze('news');
    await world.live(240_000);
    expect(world.facts('tool.finished').map(({ permit }) => permit.call.tool)).toEqual(steps);
    expect(endings(world)).toEqual([]);
    expect(openPages(world)).toHaveLength(1);
  });

  it('is a person’s where the call never left: nothing of it can have stopped anything', async () => {
    const world = await frozen(0, 'refuses');
    world.engine.onRestart = async () => {
      throw new ReeveError('BREAKER_OPEN', 'the engine was not asked');
    };
    while (world.engine.restarts.length === 0) await world.live(250);
    world.engine.stop('news');
    await world.advance(40_000);
    await world.live(60_000);
    expect(endings(world)).toEqual(['by_person']);
  });

  it('stays paged where the late effect comes after the next process has seen the old process generation run', async () => {
    const time = fakeClock();
    const world = await frozen(40_000, 'never answers', time);
    while (world.engine.restarts.length === 0) await world.live(250);
    await world.live(10_000);
    world.pipeline[Symbol.dispose]();
    const again = pipelineHarness({ store: world.store, time, engine: world.engine });
    await again.live(20_000);
    expect(again.engine.processOf('news').state).toBe('running');
    await again.live(180_000);
    expect(again.engine.restarts).toHaveLength(1);
    expect(endings(again)).toEqual([]);
    expect(openPages(again)).toHaveLength(1);
  });

  it('keeps its page open when Reeve is upgraded afterwards', async () => {
    const time = fakeClock();
    const world = await frozen(1_000, 'refuses', time);
    await world.live(120_000);
    expect(openPages(world)).toHaveLength(1);
    world.pipeline[Symbol.dispose]();
    const again = pipelineHarness({ store: world.store, time, engine: world.engine });
    await again.live(180_000);
    expect(again.facts('incident.closed')).toEqual([]);
    expect(openPages(again)).toHaveLength(1);
  });

  it('is stopped by a person who stops it after it has played in a new process generation', async () => {
    const world = await frozen(1_000, 'refuses');
    await world.live(60_000);
    world.engine.onRestart = undefined;
    world.engine.startByHand('news');
    await world.live(60_000);
    world.engine.stop('news');
    await world.live(60_000);
    expect(world.pipeline.watch.watched('news')?.finding).toMatchObject({ trouble: false, quiet: true });
  });
});

describe('Reeve, once it was asked to stop,', () => {
  it('begins no further start of a staged plan, and its next process goes on', async () => {
    const time = fakeClock();
    const channels = ['a', 'b', 'c', 'd', 'e'];
    const ids = countingIds();
    const world = pipelineHarness({ time, channels, ids });
    await world.live(20_000);
    for (const name of channels) world.engine.kill(name);
    while (world.engine.restarts.length === 0) await world.live(250);
    world.pipeline[Symbol.dispose]();
    await world.live(20_000);
    expect(world.engine.restarts).toHaveLength(1);
    const again = pipelineHarness({ store: world.store, time, engine: world.engine, channels, ids });
    await again.live(300_000);
    expect(channels.filter((name) => world.engine.channels.get(name)!.state !== 'running')).toEqual([]);
  });

  it('redeems no permit and plans no step', async () => {
    const world = pipelineHarness();
    await world.live(20_000);
    world.engine.kill('news');
    while (world.facts('run.started').length === 0) await world.live(250);
    world.pipeline[Symbol.dispose]();
    const before = world.engine.restarts.length;
    await world.live(60_000);
    expect(world.engine.restarts).toHaveLength(before);
  });
});
