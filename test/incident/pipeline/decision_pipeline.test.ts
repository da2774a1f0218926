import { describe, expect, it } from 'vitest';
import type { Symptom } from '../../../src/core/symptom.ts';
import { aSymptom } from '../../support/a.ts';
import { pipelineHarness } from '../../support/pipeline_harness.ts';

const PLAYED_MS = 40_000;

async function playing(options: Parameters<typeof pipelineHarness>[0] = {}) {
  const world = pipelineHarness(options);
  await world.live(PLAYED_MS);
  return world;
}

describe('a sample', () => {
  it('is judged only where it may change a judgement', async () => {
    const { pipeline, engine } = await playing();
    expect(pipeline.take(engine.processOf('news'))).toBe(false);
    engine.kill('news');
    expect(pipeline.take(engine.processOf('news'))).toBe(true);
  });

  it('changes no finding before it is settled', async () => {
    const { pipeline, engine } = await playing();
    const isDown = () => pipeline.watch.watched('news')?.finding.trouble;
    engine.kill('news');
    pipeline.take(engine.processOf('news'));
    expect(isDown()).toBe(false);
    pipeline.settle();
    expect(isDown()).toBe(true);
  });
});

describe('a symptom', () => {
  it('is known to the facts at once, and judged when it is settled, or at once where it comes alone', async () => {
    const { pipeline, engine, clock } = await playing();
    const since = () => pipeline.watch.watched('news')?.finding.because;
    const dies = (): Symptom =>
      aSymptom({ at: clock.now(), monoMs: clock.monotonicMs() }, { channel: 'news', kind: 'upstream_unreachable' });
    engine.kill('news');
    pipeline.take(engine.processOf('news'));
    const before = since();
    pipeline.takeSymptom(dies());
    expect(pipeline.factStore.view('news')?.symptoms.map(({ kind }) => kind)).toContain('upstream_unreachable');
    expect(since()).toBe(before);
    pipeline.settle();
    expect(since()).not.toBe(before);
    const settled = pipeline.watch.watched('news');
    pipeline.symptom(dies());
    expect(pipeline.watch.watched('news')).not.toBe(settled);
  });
});

describe('a preview', () => {
  it('is what the guard would answer, reserves nothing, and is none of what is not known', async () => {
    const { pipeline, entries } = await playing();
    const before = entries.length;
    expect(pipeline.preview('news', 'restart_channel')).toBeDefined();
    expect(pipeline.preview('nowhere', 'restart_channel')).toBeUndefined();
    expect(entries).toHaveLength(before);
  });
});

describe('the phase of a group', () => {
  it('is the configured one until a person sets another', async () => {
    const world = pipelineHarness({ phase: 4 });
    expect(world.pipeline.channelIndex.phaseOf('encoders')).toBe(4);
    world.say({ type: 'control.phase_set', phase: 1, group: undefined, who: 'ann', because: 'a test' });
    expect(world.pipeline.channelIndex.phaseOf('encoders')).toBe(1);
  });
});

describe('the budget of the fleet', () => {
  it('is used by the restarts of Reeve', async () => {
    const world = await playing();
    expect(world.pipeline.fleetBudget()).toEqual({ used: 0, max: 20, freeInMs: 0 });
    world.engine.kill('news');
    await world.live(20_000);
    expect(world.pipeline.fleetBudget()).toMatchObject({ used: 1 });
  });
});

describe('a pipeline that was ended', () => {
  it('opens no incident and starts nothing', async () => {
    const world = await playing();
    world.pipeline[Symbol.dispose]();
    world.engine.kill('news');
    await world.live(60_000);
    expect(world.engine.restarts).toEqual([]);
    expect(world.pipeline.incidents().open).toEqual([]);
  });
});
