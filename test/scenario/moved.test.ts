import { describe, expect, it } from 'vitest';
import { MemoryStore } from '../../src/journal/memory.ts';
import { fakeClock } from '../support/fake_clock.ts';
import { FakeEngine } from '../support/fake_engine.ts';
import { pipelineHarness, type PipelineOptions } from '../support/pipeline_harness.ts';

const ANN = { who: 'ann', because: 'works on it' } as const;
const NEWS = { kind: 'channel', id: 'news' } as const;

/** News goes down under a lease of five minutes, and the next process runs it elsewhere. */
async function moved(from: PipelineOptions, to: PipelineOptions) {
  const options = { time: fakeClock(), store: new MemoryStore() };
  const engine = new FakeEngine(options.time.clock, ['news']);
  const before = pipelineHarness({ ...options, engine, ...from });
  await before.live(10_000);
  before.say({ type: 'control.leased', scope: NEWS, forMs: 300_000, ...ANN });
  engine.kill('news');
  await before.live(20_000);
  expect(before.pipeline.incidents().open).toHaveLength(1);
  before.pipeline[Symbol.dispose]();
  const after = pipelineHarness({ ...options, engine, ...to });
  return { engine, after };
}

describe('a channel that is down and was moved with a restart of Reeve', () => {
  it('is started on the engine that it has now, though its incident was opened on another', async () => {
    const { engine, after } = await moved({ engines: { news: 'old' } }, { engines: { news: 'new' } });
    await after.live(330_000);
    expect(engine.restarts).toHaveLength(1);
    expect(after.pipeline.incidents().open).toEqual([]);
  });

  it('is paged about when a lease on the group that it has now ends', async () => {
    const nothing = { personaWith: { tool_access_policy: {} } };
    const { after } = await moved({ ...nothing, groups: { news: 'old' } }, { ...nothing, groups: { news: 'new' } });
    after.say({ type: 'control.leased', scope: { kind: 'group', id: 'new' }, forMs: 600_000, ...ANN });
    await after.live(590_000);
    const paged = after.facts('escalation.raised').length;
    await after.live(15_000);
    const summaries = after.facts('escalation.raised').map(({ escalation }) => escalation.summary);
    expect(summaries.slice(paged)).toEqual([expect.stringMatching(/the lease of ann has ended/)]);
  });
});
