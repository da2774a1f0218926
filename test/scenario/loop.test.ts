import { describe, expect, it } from 'vitest';
import { pipelineHarness } from '../support/pipeline_harness.ts';

type World = ReturnType<typeof pipelineHarness>;
const MINUTES = 60_000;
const pagedFor = (world: World) => world.facts('escalation.raised').map(({ escalation }) => escalation.classification);

/** Three processes of two seconds, each begun by the engine itself; then it gives the channel up. */
async function flapping(lastLine: 'fatal' | 'config' = 'fatal'): Promise<World> {
  const world = pipelineHarness();
  await world.live(40_000);
  const channel = world.engine.channels.get('news')!;
  for (let round = 0; round < 4; round += 1) {
    if (lastLine === 'config') says(world);
    Object.assign(channel, { state: 'exited', exitSignal: undefined, exitCode: 1 });
    await world.live(500);
    if (round === 3) continue;
    world.engine.startByHand('news');
    await world.live(2_000);
  }
  Object.assign(world.engine.channels.get('news')!, { state: 'fatal', exitCode: 1 });
  return world;
}

function says(world: World): void {
  const moment = { at: world.clock.now(), monoMs: world.clock.monotonicMs() };
  const line = { countInWindow: 1, windowMs: 60_000, pattern: 'a_setting', evidence: [{ source: 'log', text: 'bad' }] };
  world.pipeline.symptom({ channel: 'news', kind: 'config_error', origin: 'log', confidence: 0.9, ...line, ...moment });
}

describe('a channel that dies as often as it is started', () => {
  it('is paged at once and started once, when it has been dead for ten minutes', async () => {
    const world = await flapping();
    await world.live(9.5 * MINUTES);
    expect(pagedFor(world)).toEqual(['item_churn']);
    expect(world.engine.restarts).toEqual([]);
    await world.live(1 * MINUTES);
    expect(world.engine.restarts).toHaveLength(1);
    expect(pagedFor(world)).toEqual(['item_churn']);
    await world.live(1 * MINUTES);
    expect(world.facts('incident.closed').map(({ ending }) => ending)).toEqual(['resolved']);
  });

  it('is not started again when the process of that start died, too', async () => {
    const world = await flapping();
    world.engine.onRestart = async () => 'it was started, and is as it was';
    await world.live(60 * MINUTES);
    expect(world.engine.restarts).toHaveLength(1);
    expect(new Set(pagedFor(world))).toEqual(new Set(['item_churn', 'process_crashed']));
  });

  it('is not started at all where its final output gives the reason', async () => {
    const world = await flapping('config');
    await world.live(30 * MINUTES);
    expect(pagedFor(world)).toEqual(['encoder_misconfigured']);
    expect(world.engine.restarts).toEqual([]);
  });

  it('is not started by Reeve while a person has a lease on it', async () => {
    const world = await flapping();
    const scope = { kind: 'channel', id: 'news' } as const;
    world.say({ type: 'control.leased', scope, forMs: 60 * MINUTES, who: 'ann', because: 'I am at it' });
    await world.live(30 * MINUTES);
    expect(world.engine.restarts).toEqual([]);
  });
});
