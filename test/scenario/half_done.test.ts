import { describe, expect, it } from 'vitest';
import { ReeveError } from '../../src/core/errors.ts';
import { pipelineHarness } from '../support/pipeline_harness.ts';

type Harness = ReturnType<typeof pipelineHarness>;

const openPages = (world: Harness) => world.outbox().pages.filter(({ resolved }) => resolved === undefined);

/** The engine takes `stopMs` to stop the channel, and what follows is up to `then`. */
const stopsAnd = (world: Harness, stopMs: number, then: () => Promise<string>): void => {
  world.engine.onRestart = async (channel) => {
    await world.clock.sleep(stopMs);
    world.engine.stop(channel);
    return then();
  };
};

const hangs = () => new Promise<string>(() => undefined);
const fails = async () => {
  throw new ReeveError('ENGINE_REFUSED', 'spawn error');
};

describe('a restart that stopped the channel and did not start it again', () => {
  it.each([
    ['whose stop took 17 s and whose start failed', 17_000, fails],
    ['whose start failed at once', 0, fails],
    ['whose call never ended', 1_000, hangs],
    ['whose stop took longer than the call may', 25_000, hangs],
  ] as const)('%s leaves the channel down, its incident open and its page standing', async (_, stopMs, then) => {
    const world = pipelineHarness();
    await world.live(10_000);
    stopsAnd(world, stopMs, then);
    world.engine.freeze('news');
    await world.live(240_000);
    expect(world.engine.restarts).toHaveLength(1);
    expect(world.facts('incident.closed')).toEqual([]);
    expect(openPages(world)).toHaveLength(1);
    expect(world.failures).toEqual([]);
  });

  it('is still down for the next process of Reeve, whatever it was answered about the end of the call', async () => {
    const world = pipelineHarness();
    await world.live(10_000);
    stopsAnd(world, 17_000, fails);
    world.engine.freeze('news');
    await world.live(60_000);
    const { store, engine, advance, clock, jumpWall } = world;
    world.pipeline[Symbol.dispose]();
    const next = pipelineHarness({ store, engine, time: { clock, advance, jumpWall } });
    await next.live(60_000);
    expect(next.facts('incident.closed')).toEqual([]);
    expect(openPages(next)).toHaveLength(1);
  });

  it('counts as stopped on purpose once it has been seen to run again and is stopped after that', async () => {
    const world = pipelineHarness();
    await world.live(10_000);
    stopsAnd(world, 1_000, fails);
    world.engine.freeze('news');
    await world.live(60_000);
    world.engine.startByHand('news');
    await world.live(30_000);
    expect(openPages(world)).toEqual([]);
    world.engine.stop('news');
    await world.live(60_000);
    expect(openPages(world)).toEqual([]);
  });
});

describe('a call whose end is not known', () => {
  it('is written as UNKNOWN, and is not made again', async () => {
    const world = pipelineHarness();
    await world.live(10_000);
    world.engine.onRestart = hangs;
    world.engine.kill('news');
    await world.live(180_000);
    expect(world.facts('tool.unknown')).toHaveLength(1);
    expect(world.engine.restarts).toHaveLength(1);
  });

  it('was a cure when a new process plays, and blocks nothing afterwards', async () => {
    const world = pipelineHarness();
    await world.live(10_000);
    world.engine.onRestart = (channel) => {
      world.engine.startByHand(channel);
      return hangs();
    };
    world.engine.kill('news');
    await world.live(60_000);
    expect(world.facts('attempt.verified')).toMatchObject([{ verification: { cured: true } }]);
    expect(world.facts('incident.closed')).toMatchObject([{ ending: 'resolved' }]);
    expect(openPages(world)).toEqual([]);
    world.engine.onRestart = undefined;
    await world.live(120_000);
    world.engine.kill('news');
    await world.live(30_000);
    expect(world.engine.restarts).toHaveLength(2);
  });

  it('was none when the old process plays on', async () => {
    const world = pipelineHarness();
    await world.live(10_000);
    world.engine.onRestart = hangs;
    world.engine.freeze('news');
    await world.live(30_000);
    expect(world.facts('tool.unknown')).toHaveLength(1);
    world.engine.thaw('news');
    await world.live(60_000);
    expect(world.facts('attempt.verified')).toMatchObject([{ verification: { cured: false } }]);
    expect(world.facts('unknown.settled')).toHaveLength(1);
  });
});

describe('a Reeve that is asked to stop', () => {
  it('begins no start of a staged plan any more, and no run', async () => {
    const channels = ['a', 'b', 'c', 'd'];
    const world = pipelineHarness({ channels, sources: true });
    await world.live(10_000);
    for (const name of channels) world.engine.deadSources.add(name);
    for (const name of channels) world.engine.kill(name);
    await world.live(30_000);
    for (const name of channels) world.engine.deadSources.delete(name);
    for (let waited = 0; waited < 300_000 && world.engine.restarts.length === 0; waited += 250) await world.live(250);
    expect(world.engine.restarts).toHaveLength(1);
    world.pipeline[Symbol.dispose]();
    await world.live(120_000);
    expect(world.engine.restarts).toHaveLength(1);
  });
});
