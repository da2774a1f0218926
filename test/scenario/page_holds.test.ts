import { describe, expect, it } from 'vitest';
import type { Symptom } from '../../src/core/symptom.ts';
import { pipelineHarness, type PipelineOptions } from '../support/pipeline_harness.ts';

/** What it writes itself while it is too slow. */
const overload = (moment: { readonly at: number; readonly monoMs: number }): Symptom => ({
  ...moment,
  channel: 'news',
  kind: 'encoder_overload',
  origin: 'log',
  countInWindow: 9,
  windowMs: 60_000,
  confidence: 0.9,
  pattern: undefined,
  evidence: [],
});

/** An encoder that reports once a second, at so many seconds of output a second. */
async function starvedFor(starvedMs: number, options: PipelineOptions = {}, starved = 0.1) {
  const world = pipelineHarness(options);
  const { clock, pipeline } = world;
  world.engine.capabilities.add('pool');
  let outTimeMs = 0;
  const encode = async (forMs: number, speed: number): Promise<void> => {
    for (let passed = 0; passed < forMs; passed += 1_000) {
      outTimeMs += speed * 1_000;
      const moment = { at: clock.now(), monoMs: clock.monotonicMs() };
      if (speed < 1) pipeline.symptom(overload(moment));
      pipeline.take({ kind: 'progress', channel: 'news', source: 'news', ...moment, outTimeMs, frame: undefined });
      // Its segments come as slowly as it encodes.
      if (speed < 1 && passed % (2_000 / speed) !== 0)
        Object.assign(world.engine.channels.get('news')!, { changedMs: clock.monotonicMs() });
      await world.live(1_000);
    }
  };
  await encode(30_000, 1);
  await encode(starvedMs, starved);
  const backMs = clock.monotonicMs();
  await encode(90_000, 1.2);
  const paged = world.entries.filter(({ fact }) => fact.type === 'escalation.raised').map(({ monoMs }) => monoMs);
  return {
    world,
    late: paged.map((atMs) => atMs - backMs),
    summaries: world.facts('escalation.raised').map(({ escalation }) => escalation.summary),
  };
}

const WATCHED: readonly (readonly [string, PipelineOptions])[] = [
  ['by its playlist', {}],
  ['by nothing but its reports', { outputProbe: false }],
  ['by whether its port answers', { reach: { source: 'tcp', answers: () => true } }],
];

describe.each(WATCHED)('an encoder that is watched %s, was starved and has its CPU back', (_, options) => {
  it.each([14, 16, 18])('is not paged after that: starved for %s s', async (seconds) => {
    const { late, summaries } = await starvedFor(seconds * 1_000, options);
    // The reports of one interval more are needed to see that it is back.
    expect(
      late.filter((ms) => ms > 3_000),
      summaries.join(),
    ).toEqual([]);
  });

  it('is paged while it lasts, and its page ends with it', async () => {
    const { world, late } = await starvedFor(120_000, options);
    expect(late).toHaveLength(1);
    expect(late[0]).toBeLessThan(-60_000);
    expect(world.facts('escalation.resolved')).toHaveLength(1);
  });
});
