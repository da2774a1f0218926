import { describe, expect, it } from 'vitest';
import type { Persona } from '../../src/core/persona.ts';
import type { Symptom } from '../../src/core/symptom.ts';
import { pipelineHarness } from '../support/pipeline_harness.ts';

type World = ReturnType<typeof pipelineHarness>;
const ANN = { who: 'ann', because: 'I looked' } as const;

/** What a pattern says once a second, in staging or not. */
async function speaks(world: World, ms: number, more: Partial<Symptom> = {}): Promise<void> {
  for (let passed = 0; passed < ms; passed += 1_000) {
    const evidence = [{ source: 'news', text: 'reader adrift: wanted part 4, oldest kept lies beyond' }];
    world.pipeline.symptom({
      ...{ at: world.clock.now(), monoMs: world.clock.monotonicMs(), channel: 'news', kind: 'segment_missing' },
      ...{ origin: 'log', countInWindow: 6, windowMs: 60_000, confidence: 0.9, pattern: 'taught_adrift', evidence },
      ...more,
    });
    await world.live(1_000);
  }
}

const names = (world: World) =>
  new Set(world.facts('envelope.taken').map(({ envelope }) => envelope.failureClassification));

async function frozen(more: Partial<Symptom>, options: Parameters<typeof pipelineHarness>[0] = {}): Promise<World> {
  const world = pipelineHarness(options);
  await world.live(10_000);
  world.engine.freeze('news');
  await speaks(world, 20_000, { countInWindow: 1, ...more });
  return world;
}

describe('a trouble that only a pattern in staging names', () => {
  /** Only the text of the line shows a source that is gone. */
  const adrift = async (more: Partial<Symptom>) => {
    const world = pipelineHarness();
    await world.live(10_000);
    await speaks(world, 20_000, { countInWindow: 40, ...more });
    return world;
  };

  it('is named by it, and the envelope says that the name is on trial', async () => {
    const world = await adrift({ onTrial: true });
    const envelopes = world.facts('envelope.taken').map(({ envelope }) => envelope);
    expect(envelopes.length).toBeGreaterThan(0);
    for (const { failureClassification, onTrial } of envelopes)
      expect([failureClassification, onTrial]).toEqual(['hls_window_slip', true]);
  });

  it('is named by one in production as before, and nothing is on trial', async () => {
    const world = await adrift({});
    const envelopes = world.facts('envelope.taken').map(({ envelope }) => envelope);
    expect(envelopes.length).toBeGreaterThan(0);
    for (const { failureClassification, onTrial } of envelopes)
      expect([failureClassification, onTrial]).toEqual(['hls_window_slip', undefined]);
  });
});

describe('a trouble that nothing else names', () => {
  /** The output does not answer, and the process works: only the log says that it stands still. */
  const mute = async (more: Partial<Symptom>, personaWith: Partial<Persona> = {}) => {
    let isMute = false;
    const world = pipelineHarness({ personaWith, reach: { source: 'viewer', answers: () => !isMute } });
    await world.live(10_000);
    isMute = true;
    await speaks(world, 25_000, { kind: 'stalled_output', countInWindow: 1, ...more });
    return world;
  };

  it('is not acted on by a pattern in staging before a person says yes', async () => {
    const world = await mute({ onTrial: true });
    expect(names(world)).toContain('output_stalled');
    expect(world.engine.restarts).toEqual([]);
    const refused = world.facts('guard.decided').map(({ decision }) => decision);
    expect(refused).toMatchObject([{ verdict: 'deny', code: 'approval_needed' }]);
    expect(JSON.stringify(refused)).toContain('a pattern in staging, which alone names this, wants');
    const [asked] = world.facts('approval.asked');
    expect(asked?.approval.call.tool).toBe('restart_channel');
    expect(world.facts('escalation.raised').at(-1)?.escalation.details).toContain('reeve approve');
    world.say({ type: 'approval.answered', id: asked!.approval.id, yes: true, ...ANN });
    await speaks(world, 10_000, { kind: 'stalled_output', countInWindow: 1, onTrial: true });
    expect(world.engine.restarts).toHaveLength(1);
  });

  it('is acted on without a question by a pattern in production', async () => {
    const world = await mute({});
    expect(world.facts('approval.asked')).toEqual([]);
    expect(world.engine.restarts).toHaveLength(1);
  });

  it('is acted on by a pattern in production, whatever one in staging fits beside it', async () => {
    const world = pipelineHarness({
      reach: { source: 'viewer', answers: () => world.clock.monotonicMs() < 1_012_000 },
    });
    await world.live(10_000);
    for (let second = 0; second < 25; second += 1) {
      await speaks(world, 1_000, { kind: 'stalled_output', countInWindow: 1 });
      await speaks(world, 1_000, { kind: 'stalled_output', countInWindow: 1, onTrial: true });
    }
    expect(world.facts('approval.asked')).toEqual([]);
    expect(world.engine.restarts.length).toBeGreaterThan(0);
  });
});

describe('a trouble that has a name without the pattern in staging', () => {
  it('keeps that name, and what is done about it is done without a question', async () => {
    const world = await frozen({ onTrial: true });
    const [acted] = world.facts('plan.made');
    expect(acted).toMatchObject({ plan: { kind: 'act', by: { rule: 'output_stalled' } } });
    expect(world.facts('approval.asked')).toEqual([]);
    expect(world.engine.restarts).toHaveLength(1);
  });

  it('gets the name of the pattern once that is in production', async () => {
    const world = await frozen({});
    expect(names(world)).toContain('hls_window_slip');
  });
});
