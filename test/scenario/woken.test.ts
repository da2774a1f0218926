import { describe, expect, it } from 'vitest';
import { ReeveError } from '../../src/core/errors.ts';
import { suspendableClock } from '../support/fake_clock.ts';
import { pipelineHarness } from '../support/pipeline_harness.ts';

const HOURS_MS = 8 * 3_600_000;
type World = ReturnType<typeof pipelineHarness>;

/** Up to the moment at which the channel is first seen to play again. */
async function untilHealthy(world: World): Promise<void> {
  world.engine.startByHand('news');
  while (world.pipeline.watch.watched('news')?.healthySinceMs === undefined) await world.live(250);
}

describe('what was seen before the machine slept (T3)', () => {
  it('is no sample of health by which a page could be taken back', async () => {
    const time = suspendableClock();
    const world = pipelineHarness({ time, phase: 0 });
    await world.live(20_000);
    world.engine.kill('news');
    await world.live(60_000);
    const page = () => world.outbox().pages.find(({ key }) => key.startsWith('incident/'));
    expect(page()).toMatchObject({ resolved: undefined });
    await untilHealthy(world);
    await world.live(28_000);

    time.suspend(HOURS_MS);
    await world.advance(9_000);
    expect(world.facts('incident.closed')).toEqual([]);
    expect(page()).toMatchObject({ resolved: undefined });

    await world.live(29_000);
    expect(world.facts('incident.closed')).toEqual([]);
    await world.live(3_000);
    expect(world.facts('incident.closed')).toMatchObject([{ because: 'healthy for 30 s' }]);
  });

  it('releases no channel that a call of unknown end blocks', async () => {
    const time = suspendableClock();
    const world = pipelineHarness({ time });
    await world.live(20_000);
    world.engine.onRestart = async () => {
      throw new ReeveError('TIMED_OUT', 'no answer');
    };
    world.engine.kill('news');
    await world.live(60_000);
    expect(world.facts('tool.unknown')).toHaveLength(1);
    await untilHealthy(world);
    await world.live(4_000);

    time.suspend(HOURS_MS);
    await world.advance(9_000);
    expect(world.facts('unknown.settled')).toEqual([]);
    await world.live(7_000);
    expect(world.facts('unknown.settled')).toMatchObject([{ because: 'healthy for 5 s' }]);
  });

  it('is no silence of a trouble either, where nothing can tell of health', async () => {
    const time = suspendableClock();
    const world = pipelineHarness({ time, phase: 0 });
    await world.live(20_000);
    const clearSince = () => world.pipeline.watch.watched('news')?.clearSinceMs;
    const before = clearSince();
    time.suspend(HOURS_MS);
    await world.advance(1_000);
    expect(clearSince()).toBeGreaterThan(before!);
  });
});
