import { describe, expect, it } from 'vitest';
import { aSymptom } from '../support/a.ts';
import { pipelineHarness } from '../support/pipeline_harness.ts';

/** Its access ran out by the log, and its encoder ended: new credentials come first, then a start. */
async function accessRunsOut() {
  const world = pipelineHarness({ channels: ['news'], sources: true });
  const { engine, clock, pipeline } = world;
  engine.capabilities.add('credentials');
  await world.live(30_000);
  engine.refusingSources.add('news');
  const moment = { at: clock.now(), monoMs: clock.monotonicMs() };
  pipeline.symptom(aSymptom(moment, { channel: 'news', kind: 'auth_expired', confidence: 0.9 }));
  engine.end('news', 1);
  while (engine.refreshes.length === 0) await world.live(250);
  return world;
}

const restarts = ({ engine }: Awaited<ReturnType<typeof accessRunsOut>>) => engine.restarts.length;

describe('a channel whose source refuses it', () => {
  it('is started once new credentials are verified and the source lets it in again', async () => {
    const world = await accessRunsOut();
    world.engine.refusingSources.clear();
    await world.live(20_000);
    expect(restarts(world)).toBe(1);
  });

  it('is not started while the source still refuses, though the credentials are verified: a person is asked', async () => {
    const world = await accessRunsOut();
    await world.live(120_000);
    expect(restarts(world)).toBe(0);
    const [page] = world.facts('escalation.raised');
    expect(page?.escalation.details).toContain('restart_channel is not available (its source still answers 403)');
  });

  it('is started when the source lets it in again later', async () => {
    const world = await accessRunsOut();
    await world.live(120_000);
    world.engine.refusingSources.clear();
    await world.live(60_000);
    expect(restarts(world)).toBe(1);
  });
});
