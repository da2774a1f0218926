import { describe, expect, it } from 'vitest';
import { pipelineHarness } from '../support/pipeline_harness.ts';

type World = ReturnType<typeof pipelineHarness>;

const reportPool = ({ pipeline, clock }: World, poolPressure: number | undefined, reportsPool = true): void => {
  const moment = { at: clock.now(), monoMs: clock.monotonicMs() };
  const about = { kind: 'engine', source: 'poll', engine: 'local', ok: true } as const;
  pipeline.observe({ ...about, ...moment, poolPressure, reportsPool });
};

const raised = (world: World) => world.facts('containment.raised').map(({ reason }) => reason);

describe('a reading of the pool that no other follows (S8)', () => {
  it('is unknown once it is 10 s old, and contains the engine that should report it', async () => {
    const world = pipelineHarness();
    reportPool(world, 0.5);
    await world.advance(10_000);
    expect(raised(world)).toEqual([]);
    await world.advance(1_000);
    expect(raised(world)).toEqual(['pool_unknown']);
    expect(world.facts('containment.raised')[0]?.detail).toBe('the engine does not report its pool, and should');
    expect(world.pipeline.preview('news', 'restart_channel')?.checks.find(({ id }) => id === 6)?.value).toContain(
      'pool_unknown (engine:local)',
    );
  });

  it('contains nothing of an engine that reports none', async () => {
    const world = pipelineHarness();
    reportPool(world, undefined, false);
    await world.advance(60_000);
    expect(raised(world)).toEqual([]);
  });

  it('is good again with the next one, and the containment ends after its quiet time', async () => {
    const world = pipelineHarness();
    reportPool(world, 0.5);
    await world.advance(12_000);
    for (let second = 0; second < 62; second += 1) {
      reportPool(world, 0.5);
      await world.advance(1_000);
    }
    expect(world.facts('containment.cleared').map(({ reason }) => reason)).toEqual(['pool_unknown']);
  });
});
