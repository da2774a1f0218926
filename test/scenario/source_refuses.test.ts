import { describe, expect, it } from 'vitest';
import { aSymptom } from '../support/a.ts';
import { modelPlanner } from '../../src/agent/planner.ts';
import { pipelineHarness, type PipelineOptions } from '../support/pipeline_harness.ts';
import { chooses, offered, scriptedModel } from '../support/scripted_model.ts';

/** Its access ran out by the log, and its encoder ended: new credentials come first, then a start. */
async function accessRunsOut(options: PipelineOptions = {}) {
  const world = pipelineHarness({ channels: ['news'], sources: true, ...options });
  const { engine, clock, pipeline } = world;
  engine.capabilities.add('credentials');
  await world.live(30_000);
  engine.refusingSources.add('news');
  const moment = { at: clock.now(), monoMs: clock.monotonicMs() };
  pipeline.symptom(aSymptom(moment, { channel: 'news', kind: 'auth_expired', confidence: 0.9 }));
  engine.end('news', 1);
  return world;
}

async function accessRenewed() {
  const world = await accessRunsOut();
  while (world.engine.refreshes.length === 0) await world.live(250);
  return world;
}

const restarts = ({ engine }: Awaited<ReturnType<typeof accessRunsOut>>) => engine.restarts.length;

describe('a channel whose source refuses it', () => {
  it('is started once new credentials are verified and the source lets it in again', async () => {
    const world = await accessRenewed();
    world.engine.refusingSources.clear();
    await world.live(20_000);
    expect(restarts(world)).toBe(1);
  });

  it('is not started while the source still refuses, though the credentials are verified: a person is asked', async () => {
    const world = await accessRenewed();
    await world.live(120_000);
    expect(restarts(world)).toBe(0);
    const [page] = world.facts('escalation.raised');
    expect(page?.escalation.details).toContain('restart_channel is not available (its source still answers 403)');
  });

  it('is started when the source lets it in again later', async () => {
    const world = await accessRenewed();
    await world.live(120_000);
    world.engine.refusingSources.clear();
    await world.live(60_000);
    expect(restarts(world)).toBe(1);
  });

  it('is not among what a model may start, however often it is asked, until the source lets it in', async () => {
    const model = scriptedModel(chooses('restart_channel', 'refresh_credentials'));
    const planner = { planner: modelPlanner({ model, templateOf: () => '<str>' }), mode: 'before_rules' } as const;
    const world = await accessRunsOut({ planner: { ...planner, deadlineMs: 8_000, replyTokensMax: 256 } });
    await world.live(120_000);
    expect(restarts(world)).toBe(0);
    expect(model.asked.length).toBeGreaterThan(0);
    expect(model.asked.filter((prompt) => offered(prompt, 'restart_channel') !== undefined)).toEqual([]);
    world.engine.refusingSources.clear();
    await world.live(60_000);
    expect(restarts(world)).toBe(1);
  });
});
