import { describe, expect, it } from 'vitest';
import { startsIn } from '../../src/guard/state/window.ts';
import { FakeEngine } from '../support/fake_engine.ts';
import { fakeClock } from '../support/fake_clock.ts';
import { pipelineHarness, type PipelineOptions } from '../support/pipeline_harness.ts';

const WINDOW_MS = 60_000;
const NAMES = Array.from({ length: 12 }, (_, at) => `c${at}`);

/** Processes that are `ageMs` old when Reeve first looks at them. */
function aged(ages: readonly number[], options: PipelineOptions = {}) {
  const time = fakeClock();
  const channels = NAMES.slice(0, ages.length);
  const engine = new FakeEngine(time.clock, channels);
  for (const [at, name] of channels.entries()) engine.startByHand(name, ages[at]);
  return { ...pipelineHarness({ ...options, channels, engine, time }), time };
}

const inWindow = ({ pipeline, clock }: ReturnType<typeof pipelineHarness>): number =>
  startsIn(pipeline.guardState().starts, { windowMs: WINDOW_MS, nowMs: clock.monotonicMs() }).length;

describe('processes that are younger than the window when they are first seen (S2)', () => {
  it('count as starts of that time, by the age that the engine gives them', async () => {
    const world = aged([2_000, 59_000, 61_000]);
    await world.live(250);
    expect(inWindow(world)).toBe(2);
    await world.live(1_000);
    expect(inWindow(world)).toBe(1);
    await world.live(57_000);
    expect(inWindow(world)).toBe(0);
    expect(world.facts('start.observed').map(({ origin }) => origin)).toEqual(['unknown', 'unknown']);
  });

  it('count up to, and not at, the length of the window', async () => {
    const world = aged([WINDOW_MS - 1, WINDOW_MS]);
    await world.live(250);
    expect(world.facts('start.observed')).toHaveLength(1);
  });

  it('are a storm where they are many: it contains the fleet, and nothing of Reeve’s is added to it', async () => {
    const world = aged(NAMES.map(() => 2_000));
    await world.live(1_000);
    expect(world.facts('containment.raised').map(({ reason }) => reason)).toEqual(['restart_storm']);
    world.engine.kill('c0');
    await world.live(50_000);
    expect(world.engine.restarts).toEqual([]);
  });

  it('are no storm where they are old', async () => {
    const world = aged(NAMES.map(() => WINDOW_MS));
    await world.live(1_000);
    expect(world.facts('containment.raised')).toEqual([]);
    expect(inWindow(world)).toBe(0);
  });

  it('count nothing where they were seen by the process of Reeve before', async () => {
    const first = aged([2_000, 2_000]);
    await first.live(5_000);
    expect(inWindow(first)).toBe(2);
    first.pipeline[Symbol.dispose]();
    const { engine, store, time } = first;
    const again = pipelineHarness({ channels: NAMES.slice(0, 2), engine, store, time });
    await again.live(1_000);
    expect(again.facts('start.observed')).toEqual([]);
    expect(inWindow(again)).toBe(2);
  });

  it('count once where Reeve’s own call made them and Reeve died before it saw them', async () => {
    const first = aged([100_000]);
    await first.live(5_000);
    first.engine.kill('c0');
    first.engine.onRestart = () => new Promise(() => undefined);
    await first.live(20_000);
    expect(first.engine.restarts).toHaveLength(1);
    first.pipeline[Symbol.dispose]();
    const { engine, store, time } = first;
    engine.startByHand('c0');
    const again = pipelineHarness({ channels: ['c0'], engine, store, time });
    await again.live(1_000);
    expect(again.facts('start.observed').map(({ origin }) => origin)).toEqual(['reeve']);
    expect(inWindow(again)).toBe(1);
  });

  it('are not taken for the effect of a call that came after they had begun', async () => {
    const first = aged([100_000]);
    await first.live(5_000);
    first.engine.kill('c0');
    first.engine.onRestart = () => new Promise(() => undefined);
    await first.live(20_000);
    first.pipeline[Symbol.dispose]();
    const { engine, store, time } = first;
    engine.startByHand('c0', 40_000);
    const again = pipelineHarness({ channels: ['c0'], engine, store, time });
    await again.live(1_000);
    expect(again.facts('start.observed').map(({ origin }) => origin)).toEqual(['unknown']);
  });
});
