import { describe, expect, it } from 'vitest';
import { countingIds } from '../../src/core/id.ts';
import { DEFAULT_LIMITS } from '../../src/core/limits.ts';
import { unknownEnds } from '../../src/guard/state/recovery.ts';
import { MemoryStore } from '../../src/journal/memory.ts';
import { fakeClock } from '../support/fake_clock.ts';
import { pipelineHarness } from '../support/pipeline_harness.ts';

const NAMES = ['a', 'b', 'c', 'd'];

/** A Reeve that died in the middle of a staged start, and the next one, which finds its journal. */
async function diedInAPlan() {
  const options = { channels: NAMES, ids: countingIds(), time: fakeClock() };
  const world = pipelineHarness(options);
  await world.live(20_000);
  for (const name of NAMES) world.engine.kill(name);
  while (world.engine.restarts.length === 0) await world.live(250);
  world.pipeline[Symbol.dispose]();
  // What is under way in the dead one writes nothing that the next one reads.
  const store = new MemoryStore({ rows: [...world.store.read({})] });
  return pipelineHarness({ ...options, store, engine: world.engine });
}

type World = Awaited<ReturnType<typeof diedInAPlan>>;
const blocked = ({ pipeline }: World) => unknownEnds(pipeline.guardState()).map(({ scope }) => scope.kind);

describe('a staged start that a dying Reeve left UNKNOWN', () => {
  it('blocks its group until all of it is seen healthy', async () => {
    const world = await diedInAPlan();
    await world.live(10_000);
    expect(blocked(world)).toEqual(['group']);
    for (const name of NAMES.slice(1)) world.engine.startByHand(name);
    world.engine.kill('a');
    await world.live(60_000);
    expect(blocked(world)).toEqual(['group']);
    world.engine.startByHand('a');
    await world.live(60_000);
    expect(blocked(world)).toEqual([]);
  });

  it('blocks no staged start of an outage after the memory of fixes that did not help', async () => {
    const world = await diedInAPlan();
    for (const name of NAMES) world.engine.startByHand(name);
    await world.live(DEFAULT_LIMITS.fingerprintMemoryMs + 60_000, 1_000);
    world.engine.restarts.length = 0;
    for (const name of NAMES) world.engine.kill(name);
    await world.live(120_000);
    expect(new Set(world.engine.restarts.map(({ channel }) => channel))).toEqual(new Set(NAMES));
  });
});
