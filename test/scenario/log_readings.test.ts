import { describe, expect, it } from 'vitest';
import type { LogReading, Symptom, SymptomKind } from '../../src/core/symptom.ts';
import { type PipelineOptions, pipelineHarness } from '../support/pipeline_harness.ts';

type World = ReturnType<typeof pipelineHarness>;

/** The last lines of the log say this as a whole; `asked` counts how often they were read. */
function harness(says: SymptomKind | 'waits' | undefined, options: PipelineOptions = {}) {
  const asked: string[] = [];
  const readLog: PipelineOptions['readLog'] = (channel, { at, monoMs }): LogReading => {
    asked.push(channel);
    if (says === undefined || says === 'waits') return says;
    const evidence = [{ source: channel, text: 'what was said' }];
    const counted = { countInWindow: 1, windowMs: 60_000, confidence: 0.9, pattern: `sys_${says}`, evidence };
    return { at, monoMs, channel, kind: says, origin: 'log', whole: true, ...counted };
  };
  return { world: pipelineHarness({ ...options, readLog }), asked };
}

const names = (world: World): string[] => [
  ...new Set(world.facts('envelope.taken').flatMap(({ envelope }) => envelope.failureClassification ?? [])),
];

/** A line of the log, once a second. */
async function complains(world: World, ms: number, kind: SymptomKind): Promise<void> {
  const line: Omit<Symptom, 'at' | 'monoMs'> = {
    ...{ channel: 'news', kind, origin: 'log', countInWindow: 3, windowMs: 60_000, confidence: 0.9 },
    ...{ pattern: `sys_${kind}`, evidence: [{ source: 'news', text: 'what was said' }] },
  };
  for (let passed = 0; passed < ms; passed += 1_000) {
    world.pipeline.symptom({ ...line, at: world.clock.now(), monoMs: world.clock.monotonicMs() });
    await world.live(1_000);
  }
}

async function frozen(says: SymptomKind | 'waits' | undefined, options: PipelineOptions = {}) {
  const seen = harness(says, options);
  await seen.world.live(10_000);
  expect(seen.asked).toEqual([]);
  seen.world.engine.freeze('news');
  await seen.world.live(20_000);
  return seen;
}

describe('the last lines of a log, read as a whole', () => {
  it('are not read while the channel is well, whatever its log says', async () => {
    const { world, asked } = harness('disk_full');
    await world.live(10_000);
    await complains(world, 10_000, 'upstream_timeout');
    expect(asked).toEqual([]);
    expect(world.facts('incident.opened')).toEqual([]);
  });

  it('name the cause of an output that stands, once, before the incident opens', async () => {
    const { world, asked } = await frozen('disk_full');
    expect(asked).toEqual(['news']);
    expect(world.facts('incident.opened')).toHaveLength(1);
    expect(names(world)).toEqual(['host_exhausted']);
    expect(world.engine.restarts).toEqual([]);
  });

  it('are journaled with the incident as its symptoms', async () => {
    const { world } = await frozen('disk_full');
    const heard = world.facts('symptom.raised').map(({ symptom }) => symptom);
    expect(heard).toMatchObject([{ kind: 'disk_full', origin: 'log', whole: true }]);
  });

  it('give the same decisions, byte for byte, for the same facts', async () => {
    const [one, two] = [await frozen('disk_full'), await frozen('disk_full')];
    expect(JSON.stringify(two.world.entries)).toBe(JSON.stringify(one.world.entries));
  });

  it('change nothing where they name nothing: what stands is started', async () => {
    const { world, asked } = await frozen(undefined);
    expect(names(world)).toEqual(['output_stalled']);
    expect(world.engine.restarts).toHaveLength(1);
    expect(asked).toEqual(['news']);
  });

  it('delay no decision where too much is read at once, and are asked for again', async () => {
    const { world, asked } = await frozen('waits', { phase: 0 });
    expect(world.facts('incident.opened')).toHaveLength(1);
    expect(world.pipeline.watch.watched('news')?.finding.classification).toBe('output_stalled');
    expect(asked.length).toBeGreaterThan(1);
  });

  it('do not explain a death by a signal: such a channel is started, whatever they say', async () => {
    const { world } = harness('config_error');
    await world.live(10_000);
    world.engine.kill('news', 11);
    await world.live(15_000);
    expect(names(world)).toEqual(['process_crashed']);
    expect(world.engine.restarts).toHaveLength(1);
  });

  it('make no restart possible that the lines themselves forbid', async () => {
    for (const says of ['segment_missing', 'publisher_lost'] as const) {
      const { world } = harness(says);
      await world.live(10_000);
      world.engine.freeze('news');
      await complains(world, 20_000, 'disk_full');
      expect(names(world)).toEqual(['host_exhausted']);
      expect(world.engine.restarts).toEqual([]);
    }
  });

  it('are outranked by what the channel says after them', async () => {
    const { world } = await frozen('config_error');
    expect(names(world)).toEqual(['encoder_misconfigured']);
    await complains(world, 5_000, 'disk_full');
    expect(world.pipeline.watch.watched('news')?.finding.classification).toBe('host_exhausted');
  });

  it('are one kind of evidence with the lines that they are made of', async () => {
    const { world } = harness('upstream_timeout');
    await world.live(10_000);
    world.engine.freeze('news');
    await complains(world, 20_000, 'upstream_timeout');
    const { finding } = world.pipeline.watch.watched('news')!;
    expect(finding).toMatchObject({ classification: 'upstream_unavailable' });
    const signals = finding.trouble ? finding.signals.filter(({ origin }) => origin === 'log') : [];
    expect(signals).toHaveLength(1);
  });
});
