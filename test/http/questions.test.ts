import { describe, expect, it } from 'vitest';
import { questionViews } from '../../src/http/questions.ts';
import { type PipelineOptions, pipelineHarness } from '../support/pipeline_harness.ts';

const ASKS_FIRST = { tool_access_policy: { restart_channel: 'require_approval' } } as const;

async function asked(options: PipelineOptions = {}) {
  const world = pipelineHarness({ personaWith: ASKS_FIRST, ...options });
  await world.live(10_000);
  world.engine.kill('news');
  while (world.facts('approval.asked').length === 0) await world.live(250);
  return { ...world, views: () => questionViews(world.pipeline, world.clock.monotonicMs()) };
}

describe('a question that waits for a yes', () => {
  it('is not refused as long as the yes is all that is missing', async () => {
    const { views } = await asked();
    expect(views()).toMatchObject([{ what: 'restart_channel on channel:news', refused: null }]);
  });

  it('says that the guard would refuse it all the same where its tool has been forbidden since', async () => {
    const { views, reload } = await asked();
    reload({ persona: { tool_access_policy: { restart_channel: 'deny' } } });
    const because = 'persona system_admin does not allow restart_channel';
    expect(views()).toMatchObject([{ refused: { code: 'persona_denies', because } }]);
    reload({ persona: ASKS_FIRST });
    expect(views()).toMatchObject([{ refused: null }]);
  });

  it('says so, too, while a person keeps hands off the channel', async () => {
    const { views, say } = await asked();
    const scope = { kind: 'channel', id: 'news' } as const;
    say({ type: 'control.leased', scope, forMs: 60_000, who: 'ann', because: 'on it' });
    expect(views()).toMatchObject([{ refused: { code: 'hands_off' } }]);
  });
});
