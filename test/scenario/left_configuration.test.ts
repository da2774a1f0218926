import { describe, expect, it } from 'vitest';
import { MemoryStore } from '../../src/journal/memory.ts';
import { fakeClock } from '../support/fake_clock.ts';
import { FakeEngine } from '../support/fake_engine.ts';
import { pipelineHarness, type PipelineOptions } from '../support/pipeline_harness.ts';

const OLD = ['a', 'b', 'c'];

/** A process that ran all of these channels, and what the next one begins with, which runs the first alone. */
function twoProcesses(change: PipelineOptions) {
  const options = { time: fakeClock(), store: new MemoryStore(), ...change };
  const engine = new FakeEngine(options.time.clock, ['news', ...OLD]);
  const groups = Object.fromEntries(OLD.map((id) => [id, 'old']));
  return {
    engine,
    before: pipelineHarness({ ...options, engine, channels: ['news', ...OLD], groups }),
    next: () => pipelineHarness({ ...options, engine, channels: ['news'] }),
  };
}

type World = ReturnType<typeof pipelineHarness>;
const openPages = (world: World) => world.outbox().pages.flatMap((page) => (page.resolved ? [] : page.key));
const contained = (world: World) => Object.keys(world.pipeline.guardState().containments);

describe('what has left the configuration', () => {
  it('is contained no longer, though only a person could have released it, and its page ends', async () => {
    const { before, next, engine } = twoProcesses({ personaWith: { risk_tolerance: 'low' } });
    await before.live(10_000);
    for (let times = 0; times < 5; times += 1) {
      engine.kill('a');
      await before.live(200);
      engine.startByHand('a');
      await before.live(2_000);
    }
    await before.live(200_000);
    expect([contained(before), openPages(before)]).toEqual([['channel:a|restart_storm'], ['containment/channel:a']]);
    before.pipeline[Symbol.dispose]();
    const world = next();
    await world.live(5_000);
    expect([contained(world), openPages(world)]).toEqual([[], []]);
    expect(world.failures).toEqual([]);
  });

  it('has no open incident, of one channel or of a whole group, and no page', async () => {
    const { before, next, engine } = twoProcesses({ personaWith: { tool_access_policy: {} } });
    await before.live(10_000);
    for (const id of OLD) engine.kill(id);
    await before.live(120_000);
    expect(openPages(before).length).toBeGreaterThan(0);
    before.pipeline[Symbol.dispose]();
    const world = next();
    await world.live(200_000);
    expect([world.pipeline.incidents().open, openPages(world), contained(world)]).toEqual([[], [], []]);
    expect(world.failures).toEqual([]);
  });
});
