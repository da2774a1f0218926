import { describe, expect, it } from 'vitest';
import { anIncident } from '../support/a.ts';
import { pipelineHarness } from '../support/pipeline_harness.ts';

it('a start that was refused because another incident was just closing is asked about again when that has closed', async () => {
  const world = pipelineHarness();
  await world.live(20_000);
  const incident = anIncident({ id: 'inc-engine', scope: { kind: 'engine', id: 'local' }, engine: 'local' });
  const about = { incident: incident.id };
  // A run for it is under way: without one nobody waits for an engine that has left no channel down.
  world.ledger.append([
    { ...about, fact: { type: 'incident.opened', incident } },
    { ...about, run: 'run-engine', fact: { type: 'run.started', attempt: 1 } },
  ]);
  const closed = { type: 'incident.closed', ending: 'self_healed', because: 'gone', openMs: 1 } as const;
  let refusals = 0;
  world.ledger.subscribe(({ fact }) => {
    if (fact.type !== 'guard.decided' || fact.decision.verdict !== 'deny') return;
    refusals += 1;
    // Before the run that was refused has written its end.
    if (refusals === 1) queueMicrotask(() => world.ledger.append([{ ...about, fact: closed }]));
  });
  world.engine.kill('news');
  while (refusals === 0) await world.live(250);
  await world.live(10_000);
  expect(world.engine.restarts).toHaveLength(1);
});

describe('a start that was refused for want of evidence', () => {
  /** The log says it, and the picture still moves. */
  async function onLogAlone(seconds: number) {
    const world = pipelineHarness();
    const say = (): void => {
      const now = { at: world.clock.now(), monoMs: world.clock.monotonicMs() };
      const symptom = { kind: 'segment_missing', channel: 'news', origin: 'log', confidence: 0.8 } as const;
      const counted = { countInWindow: 20, windowMs: 60_000, pattern: undefined };
      world.pipeline.symptom({ ...symptom, ...counted, ...now, evidence: [{ source: 'news', text: 'reader adrift' }] });
    };
    const live = async (forSeconds: number, until: () => boolean = () => false) => {
      for (let passed = 0; passed < forSeconds && !until(); passed += 1) {
        say();
        await world.live(1_000);
      }
    };
    await world.live(20_000);
    await live(seconds);
    expect(world.facts('guard.decided').at(-1)!.decision).toMatchObject({ verdict: 'deny', code: 'evidence_missing' });
    return { world, live, pages: () => world.facts('escalation.raised').length };
  }

  it('is made as soon as a second signal arrives, and no page is sent before', async () => {
    const { world, live, pages } = await onLogAlone(4);
    expect(pages()).toBe(0);
    world.engine.freeze('news');
    await live(30, () => world.engine.restarts.length > 0);
    expect([world.engine.restarts.length, pages()]).toEqual([1, 0]);
  });

  it('is paged when no other signal arrives, and made all the same when one does later', async () => {
    const { world, live, pages } = await onLogAlone(25);
    expect(pages()).toBe(1);
    world.engine.freeze('news');
    await live(30, () => world.engine.restarts.length > 0);
    expect(world.engine.restarts).toHaveLength(1);
    expect(world.facts('guard.decided').length).toBeLessThan(6);
  });
});
