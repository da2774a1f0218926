import { describe, expect, it } from 'vitest';
import { ReeveError } from '../../src/core/errors.ts';
import { fakeClock } from '../support/fake_clock.ts';
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

/** Another process of Reeve takes over the journal. */
async function isStillDownForTheNext({ store, engine, pipeline }: Harness, time: ReturnType<typeof fakeClock>) {
  pipeline[Symbol.dispose]();
  const next = pipelineHarness({ store, engine, time });
  await next.live(60_000);
  expect(next.facts('incident.closed')).toEqual([]);
  expect(openPages(next)).toHaveLength(1);
}

/** A channel stands still while its source refuses it for a while; what Reeve does is to drop what is cached. */
async function cacheDropped(
  time: ReturnType<typeof fakeClock>,
  onDropped: (world: Harness) => Promise<string>,
): Promise<Harness> {
  const world = pipelineHarness({ time, sources: true });
  world.engine.capabilities.add('cache');
  await world.live(10_000);
  world.engine.onCacheDropped = () => onDropped(world);
  world.engine.refusingSources.add('news');
  world.engine.freeze('news');
  const [at, monoMs] = [world.clock.now(), world.clock.monotonicMs()];
  const refused = { kind: 'auth_denied', origin: 'log', confidence: 0.9, pattern: 'test', evidence: [] } as const;
  world.pipeline.symptom({ at, monoMs, channel: 'news', ...refused, countInWindow: 2, windowMs: 60_000 });
  while (world.facts('tool.started').length === 0) await world.live(250);
  const [{ permit }] = world.facts('tool.started') as never as [{ permit: { call: object } }];
  expect(permit.call).toMatchObject({ tool: 'invalidate_cache' });
  world.engine.refusingSources.clear();
  return world;
}

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
    const time = fakeClock();
    const world = pipelineHarness({ time });
    await world.live(10_000);
    stopsAnd(world, 17_000, fails);
    world.engine.freeze('news');
    await world.live(60_000);
    await isStillDownForTheNext(world, time);
  });

  it('is still down for the next process, where the engine had begun a life of its own that nobody saw run', async () => {
    const time = fakeClock();
    const world = pipelineHarness({ time });
    await world.live(10_000);
    // The engine's own retry came between the last look and the call, which then stopped what that had begun.
    world.engine.onRestart = async (channel) => {
      world.engine.startByHand(channel);
      world.engine.stop(channel);
      return fails();
    };
    world.engine.kill('news');
    await world.live(60_000);
    expect(world.engine.restarts).toHaveLength(1);
    expect(openPages(world)).toHaveLength(1);
    await isStillDownForTheNext(world, time);
  });

  it('is still down for the next process, where it was no restart that stopped it', async () => {
    const time = fakeClock();
    const world = await cacheDropped(time, async ({ engine }) => {
      engine.stop('news');
      return fails();
    });
    await world.live(150_000);
    expect(openPages(world)).toHaveLength(1);
    await isStillDownForTheNext(world, time);
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

describe('a change that is no restart', () => {
  const stops =
    (afterMs: number, then: () => Promise<string>) =>
    async ({ clock, engine }: Harness) => {
      await clock.sleep(afterMs);
      engine.stop('news');
      return then();
    };

  it.each([
    ['long after it was given up', 60_000, hangs],
    ['slowly, before it failed', 14_000, fails],
  ] as const)('and stops the channel %s has done so for nobody: its page stands', async (_, afterMs, then) => {
    const world = await cacheDropped(fakeClock(), stops(afterMs, then));
    await world.live(300_000);
    expect(world.facts('incident.closed')).toEqual([]);
    expect(openPages(world)).toHaveLength(1);
  });

  it('and has ended long ago explains no stop: a person wished for it', async () => {
    const world = await cacheDropped(fakeClock(), fails);
    await world.live(30_000);
    world.engine.stop('news');
    await world.live(60_000);
    expect(world.facts('incident.closed').map(({ ending }) => ending)).toEqual(['by_person']);
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

describe('a restart that Reeve was stopped after, before anybody saw whether it helped', () => {
  /** Until the call has ended; then Reeve is asked to stop, and has no time to look. */
  const stoppedWhileLooking = async () => {
    const time = fakeClock();
    const world = pipelineHarness({ time });
    await world.live(10_000);
    world.engine.freeze('news');
    while (world.facts('tool.finished').length === 0) await world.live(100);
    world.pipeline[Symbol.dispose]();
    const drained = world.lanes.drain(50);
    await world.advance(1_000);
    await drained;
    await world.pipeline.written();
    const { store, engine } = world;
    return { world, next: () => pipelineHarness({ store, engine, time }) };
  };

  it('is no restart that did not help: nobody is paged, and the next process closes the incident', async () => {
    const { world, next } = await stoppedWhileLooking();
    expect(world.facts('attempt.verified')).toMatchObject([{ verification: { cured: false, cutOff: true } }]);
    expect([world.facts('attempt.scored'), world.outbox().pages]).toEqual([[], []]);
    const later = next();
    await later.live(60_000);
    expect(later.facts('incident.closed')).toHaveLength(1);
    expect(later.outbox().pages).toEqual([]);
    expect(later.engine.restarts).toHaveLength(1);
  });

  it('is made no second time, and a person is paged, where the next process sees that it did not help', async () => {
    const { next } = await stoppedWhileLooking();
    const later = next();
    later.engine.freeze('news');
    await later.live(120_000);
    expect(later.engine.restarts).toHaveLength(1);
    expect(openPages(later)).toHaveLength(1);
  });
});
