import { describe, expect, it } from 'vitest';
import { pipelineHarness } from '../support/pipeline_harness.ts';

const STEP_MS = 250;
const LIFE_MS = 2_000;

/** The engine starts `loop` again every two seconds; `news`, in another group, freezes beside it. */
async function played(isFlapping: boolean) {
  const world = pipelineHarness({ channels: ['loop', 'news'], groups: { loop: 'a', news: 'b' } });
  await world.live(40_000);
  const loop = world.engine.channels.get('loop')!;
  const flap = async (forMs: number): Promise<void> => {
    for (let passed = 0; passed < forMs; passed += STEP_MS) {
      if (isFlapping && passed % LIFE_MS === 0) Object.assign(loop, { state: 'exited', exitCode: 1 });
      if (isFlapping && passed % LIFE_MS === STEP_MS) world.engine.startByHand('loop');
      await world.live(STEP_MS, STEP_MS);
    }
  };
  await flap(30_000);
  const frozenMs = world.clock.monotonicMs();
  world.engine.channels.get('news')!.frozen = true;
  await flap(30_000);
  const of = (type: string) =>
    world.entries.find(({ fact, monoMs, channel }) => fact.type === type && channel === 'news' && monoMs > frozenMs);
  const afterMs = (type: string): number => (of(type)?.monoMs ?? Number.POSITIVE_INFINITY) - frozenMs;
  return { world, afterMs };
}

describe('a channel that freezes beside one of another group that its engine starts every two seconds', () => {
  it('is found within 10 s, restarted and verified within 20 s', async () => {
    const { world, afterMs } = await played(true);
    expect(afterMs('incident.opened')).toBeLessThanOrEqual(10_000);
    expect(afterMs('tool.started')).toBeLessThanOrEqual(20_000);
    expect(afterMs('attempt.verified')).toBeLessThanOrEqual(20_000);
    expect(world.facts('attempt.verified').map(({ verification }) => verification.cured)).toEqual([true]);
    expect(world.engine.restarts.map(({ channel }) => channel)).toEqual(['news']);
  });

  it('is no slower than without the neighbour by more than two seconds', async () => {
    const [beside, alone] = [await played(true), await played(false)];
    for (const type of ['incident.opened', 'attempt.verified']) {
      expect(beside.afterMs(type) - alone.afterMs(type)).toBeLessThanOrEqual(2_000);
    }
  });

  it('is paged neither for itself nor for its neighbour, which is contained alone', async () => {
    const { world } = await played(true);
    expect(world.facts('containment.raised').map(({ scope, reason }) => [scope, reason])).toEqual([
      [{ kind: 'channel', id: 'loop' }, 'restart_storm'],
    ]);
    const about = world.facts('escalation.raised').map(({ escalation }) => escalation.scope);
    expect(about.filter((scope) => scope.kind !== 'channel' || scope.id !== 'loop')).toEqual([]);
  });
});
