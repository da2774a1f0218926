import { describe, expect, it } from 'vitest';
import { SYMPTOMS, type Symptom, type SymptomKind } from '../../src/core/symptom.ts';
import { pipelineHarness } from '../support/pipeline_harness.ts';

type World = ReturnType<typeof pipelineHarness>;

const symptomOf = (world: World, kind: SymptomKind, from: Pick<Symptom, 'origin' | 'pushed'>): Symptom => ({
  at: world.clock.now(),
  monoMs: world.clock.monotonicMs(),
  channel: 'news',
  kind,
  ...from,
  countInWindow: 3,
  windowMs: 60_000,
  confidence: 0.95,
  pattern: undefined,
  evidence: [{ source: 'intake:loki', text: 'as pushed' }],
});

/** What the holder of one ingest token can say at once: log lines and an alert that has a meaning. */
function pushBoth(world: World, kind: SymptomKind): void {
  world.pipeline.symptom(symptomOf(world, kind, { origin: 'log' }));
  world.pipeline.symptom(symptomOf(world, kind, { origin: 'metric', pushed: true }));
}

describe('lines and an alert that one token pushed (S10)', () => {
  it.each(SYMPTOMS)('restart no channel whose output answers: %s', async (kind) => {
    const world = pipelineHarness({ reach: { source: 'http', answers: () => true } });
    await world.live(30_000);
    for (let second = 0; second < 120; second += 1) {
      pushBoth(world, kind);
      await world.live(1_000);
    }
    expect(world.engine.restarts).toEqual([]);
    expect(world.facts('tool.started')).toEqual([]);
  });

  it.each(SYMPTOMS)('restart no channel that runs and of whose output nothing is known: %s', async (kind) => {
    const world = pipelineHarness({ outputProbe: false });
    await world.live(30_000);
    for (let second = 0; second < 120; second += 1) {
      pushBoth(world, kind);
      await world.live(1_000);
    }
    expect(world.engine.restarts).toEqual([]);
  });

  it.each(SYMPTOMS)('leave no dead channel without a start or a page: %s', async (kind) => {
    const world = pipelineHarness();
    await world.live(10_000);
    world.engine.kill('news');
    for (let second = 0; second < 130; second += 1) {
      pushBoth(world, kind);
      await world.live(1_000);
    }
    const reactions = world.facts('escalation.raised').length + world.engine.restarts.length;
    expect(reactions).toBeGreaterThan(0);
    const takenBack = world.facts('escalation.resolved').length;
    expect(takenBack === 0 || world.pipeline.watch.watched('news')?.healthySinceMs !== undefined).toBe(true);
  });
});

describe('who writes the log of a channel and pushes alerts', () => {
  it('restarts nothing by reports of progress that end, while the output answers', async () => {
    const world = pipelineHarness({ reach: { source: 'http', answers: () => true } });
    const report = (second: number): void => {
      const moment = { at: world.clock.now(), monoMs: world.clock.monotonicMs() };
      const outTimeMs = second * 1_000;
      world.pipeline.take({
        kind: 'progress',
        channel: 'news',
        source: 'news',
        ...moment,
        outTimeMs,
        frame: undefined,
      });
    };
    for (let second = 0; second < 30; second += 1) {
      report(second);
      await world.live(1_000);
    }
    for (let second = 0; second < 120; second += 1) {
      pushBoth(world, 'stalled_output');
      await world.live(1_000);
    }
    expect(world.engine.restarts).toEqual([]);
  });
});

describe('an output that stops answering', () => {
  it.each(['http', 'tcp', 'status:icecast'])(
    'is an incident that pages within its patience: a look by %s',
    async (source) => {
      let isUp = true;
      const world = pipelineHarness({ reach: { source, answers: () => isUp }, persona: 'watcher' });
      await world.live(60_000);
      isUp = false;
      await world.live(120_000);
      expect(world.facts('incident.opened')).toHaveLength(1);
      expect(world.facts('escalation.raised')).toHaveLength(1);
    },
  );
});
