import { describe, expect, it } from 'vitest';
import type { FailureClass } from '../../src/core/classification.ts';
import { ReeveError } from '../../src/core/errors.ts';
import { MemoryStore } from '../../src/journal/memory.ts';
import { correlate } from '../../src/ground/correlate/correlate.ts';
import { type Seen, SeenChannels } from '../../src/ground/correlate/seen_channel.ts';
import { createToolbox } from '../../src/remediation/toolbox.ts';
import { aSymptom } from '../support/a.ts';
import { fakeClock } from '../support/fake_clock.ts';
import { FakeEngine } from '../support/fake_engine.ts';
import { pipelineHarness } from '../support/pipeline_harness.ts';

const NO_SPACE = 'no space left on device';

/** Reads everything once, as the collectors do. */
async function look({ engine, pipeline }: ReturnType<typeof pipelineHarness>): Promise<void> {
  const report = await engine.observe();
  for (const sample of [report.engine, ...report.processes]) pipeline.take(sample);
  pipeline.take(engine.playlistOf('news'));
  pipeline.settle();
}

describe('what the simulation found', () => {
  it('reports a journal that fails in the middle of a poll that a timer made, and goes on', async () => {
    const store = new MemoryStore();
    const world = pipelineHarness({ store });
    await world.live(10_000);
    world.engine.kill('news', 0);
    for (let passed = 0; passed < 12_000 && world.facts('incident.opened').length === 0; passed += 50) {
      await look(world);
      if (world.pipeline.watch.watched('news')?.finding.trouble) store.failWrites(NO_SPACE);
      await world.advance(50);
    }
    expect(world.failures.join('\n')).toContain(NO_SPACE);
  });

  it('reports a journal that fails when a log line belongs to an open incident, and goes on', async () => {
    const store = new MemoryStore();
    const world = pipelineHarness({ store });
    await world.live(10_000);
    world.engine.kill('news');
    while (world.facts('incident.opened').length === 0) await world.live(250);
    store.failWrites(NO_SPACE);
    const line = aSymptom({ at: world.clock.now(), monoMs: world.clock.monotonicMs() });
    expect(() => world.pipeline.symptom(line)).not.toThrow();
    expect(world.failures.join('\n')).toContain(NO_SPACE);
  });
});

describe('a tool that looks, pointed at a group by a rule', () => {
  const tools = createToolbox({
    channelOf: () => undefined,
    engineOf: () => new FakeEngine(fakeClock().clock, ['news']),
    healthLine: () => '',
    clean: (text) => text,
  });
  const context = { permit: 'per-1', fence: 1, signal: new AbortController().signal };

  it.each(['fetch_recent_logs', 'get_channel_health'] as const)('is answered with a refusal: %s', async (name) => {
    const looked = tools.get(name)!({ kind: 'engine', id: 'local' }, context);
    await expect(looked).rejects.toBeInstanceOf(ReeveError);
  });
});

describe('a shared cause of the source', () => {
  const member = (id: string, hasSource: boolean, classification: FailureClass): Seen => ({
    ref: { id, group: 'g', engine: 'e', expected: 'always', hasSource, hasOutputProbe: true },
    firstSeenMs: 1_000,
    isAbsent: false,
    sourceHost: hasSource ? 'origin:443' : undefined,
    finding: {
      trouble: true,
      classification,
      confidence: 0.9,
      healthy: false,
      because: '',
      signals: [],
      lastErrorType: undefined,
      errorFrequency: 0,
      fingerprint: classification,
      sinceMs: 1_000,
      settling: false,
      actNotBeforeMs: 0,
      wants: [],
    },
  });
  const limits = { sharedCauseChannelsMin: 3, sharedCauseWindowMs: 60_000, windowStartsMax: 10 };
  const seenAs = (seen: readonly Seen[]) => ({ seen: new SeenChannels(seen), engines: [], limits });
  const during = ['a', 'b'].map((id) => member(id, true, 'upstream_unavailable'));
  const unprobed = member('c', false, 'upstream_unavailable');

  it('is not kept open by the final output of a dead channel without a probe, against probes that read it', () => {
    const begun = correlate(seenAs([...during, unprobed]), [], 2_000);
    const back = [member('a', true, 'process_crashed'), member('b', true, 'process_crashed'), unprobed];
    const later = correlate(seenAs(back), begun, 30_000);
    expect(begun.map(({ phase }) => phase)).toEqual(['active']);
    expect(later).toMatchObject([{ phase: 'over', down: ['a', 'b'] }]);
  });

  it('lasts while nothing but log text reports it', () => {
    const members = ['a', 'b', 'c'].map((id) => member(id, false, 'upstream_unavailable'));
    const begun = correlate(seenAs(members), [], 2_000);
    expect(correlate(seenAs(members), begun, 30_000)).toMatchObject([{ phase: 'active' }]);
  });
});
