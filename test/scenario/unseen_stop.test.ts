import { describe, expect, it } from 'vitest';
import { ReeveError } from '../../src/core/errors.ts';
import { countingIds } from '../../src/core/id.ts';
import { fakeClock } from '../support/fake_clock.ts';
import { type PipelineOptions, pipelineHarness } from '../support/pipeline_harness.ts';

type World = ReturnType<typeof pipelineHarness>;

const openPages = (world: World) => world.outbox().pages.filter(({ resolved }) => resolved === undefined);

/** As an engine that counts them reports them. */
function watching(world: World, viewers: number): void {
  const { clock } = world;
  const moment = { at: clock.now(), monoMs: clock.monotonicMs() };
  world.pipeline.observe({ kind: 'viewers', source: 'fake', channel: 'news', ...moment, viewers });
}

async function live(world: World, ms: number, viewers?: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 1_000) {
    if (viewers !== undefined) watching(world, viewers);
    await world.live(1_000);
  }
}

/** A restart by Reeve has stopped the channel, and the engine did not start it again. */
async function leftStopped(options: PipelineOptions, viewers?: number): Promise<World> {
  const world = pipelineHarness(options);
  await live(world, 10_000, viewers);
  world.engine.onRestart = async (channel) => {
    world.engine.stop(channel);
    throw new ReeveError('ENGINE_REFUSED', 'spawn error');
  };
  world.engine.freeze('news');
  await live(world, 60_000, viewers);
  expect(openPages(world)).toHaveLength(1);
  return world;
}

function next(world: World, options: PipelineOptions): World {
  world.pipeline[Symbol.dispose]();
  return pipelineHarness({ ...options, store: world.store, engine: world.engine });
}

describe('a channel that a restart of Reeve has left stopped', () => {
  it('is down when its viewers come back, also for a Reeve that was started after they had left', async () => {
    const options: PipelineOptions = { expected: 'on_demand', time: fakeClock(), ids: countingIds() };
    const world = await leftStopped(options, 3);
    await live(world, 60_000, 0);
    expect(openPages(world)).toEqual([]);
    const again = next(world, options);
    await live(again, 60_000, 3);
    expect(openPages(again)).toHaveLength(1);
  });

  it('is down for a Reeve that has it in its configuration again', async () => {
    const options: PipelineOptions = { channels: ['news', 'sport'], time: fakeClock(), ids: countingIds() };
    const world = await leftStopped(options);
    const without = next(world, { ...options, channels: ['sport'] });
    await live(without, 20_000);
    expect(without.facts('incident.closed')).toMatchObject([{ ending: 'by_person' }]);
    const again = next(without, options);
    await live(again, 60_000);
    expect(openPages(again)).toHaveLength(1);
  });

  it('rests for every later Reeve once a person was seen to start it and to stop it', async () => {
    const options: PipelineOptions = { time: fakeClock(), ids: countingIds() };
    const world = await leftStopped(options);
    world.engine.startByHand('news');
    await live(world, 60_000);
    world.engine.stop('news');
    await live(world, 30_000);
    const again = next(world, options);
    await live(again, 60_000);
    expect(openPages(again)).toEqual([]);
  });

  it('does not rest because it is made on demand and nobody counts its viewers', async () => {
    const options: PipelineOptions = { expected: 'on_demand', time: fakeClock(), ids: countingIds() };
    const world = await leftStopped(options);
    await live(world, 60_000);
    expect(openPages(world)).toHaveLength(1);
  });
});
