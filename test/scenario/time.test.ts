import { describe, expect, it } from 'vitest';
import type { MemoryStore } from '../../src/journal/memory.ts';
import { fakeClock } from '../support/fake_clock.ts';
import type { FakeEngine } from '../support/fake_engine.ts';
import { pipelineHarness } from '../support/pipeline_harness.ts';

type World = ReturnType<typeof pipelineHarness>;
const TEN_YEARS_MS = 10 * 365 * 86_400_000;
/** That a clock was set is written down, and is no decision. */
const decided = (world: World) =>
  world.entries.filter(({ fact }) => fact.type !== 'clock.jumped').map(({ monoMs, fact }) => `${monoMs} ${fact.type}`);

/** A killed channel, a frozen one, and a wall clock that somebody corrects in the middle of each. */
async function story(jumpMs: number): Promise<World> {
  const world = pipelineHarness({ channels: ['news', 'sport'], limits: { sharedCauseChannelsMin: 3 } });
  await world.live(10_000);
  world.jumpWall(jumpMs);
  world.engine.kill('news');
  await world.live(2_000);
  world.jumpWall(-2 * jumpMs);
  await world.live(90_000);
  world.engine.freeze('sport');
  await world.live(8_000);
  world.jumpWall(jumpMs);
  await world.live(90_000);
  return world;
}

describe('a wall clock that jumps (T1)', () => {
  it.each([TEN_YEARS_MS, -TEN_YEARS_MS, 3_600_000, -1_000])('by %i ms changes no decision', async (jumpMs) => {
    const straight = await story(0);
    const jumped = await story(jumpMs);
    expect(straight.engine.restarts).toHaveLength(2);
    expect(decided(jumped)).toEqual(decided(straight));
    expect(jumped.facts('clock.jumped').map(({ cause }) => cause)).toContain('corrected');
    expect(jumped.engine.restarts).toEqual(straight.engine.restarts);
  });
});

/** Another process of Reeve over the same journal and the same engine, after a reboot of the machine. */
function afterReboot(store: MemoryStore, engineOf: (time: ReturnType<typeof fakeClock>) => FakeEngine | undefined) {
  const time = fakeClock(Date.UTC(2026, 0, 2), 'boot-2');
  const engine = engineOf(time);
  return pipelineHarness({ store, time, ...(engine === undefined ? {} : { engine }) });
}

describe('a reboot of the machine (T2)', () => {
  it('keeps the cooldown, the spacing and the window: elapsed time is the uptime, not the wall clock', async () => {
    const world = pipelineHarness();
    await world.live(10_000);
    world.engine.kill('news');
    await world.live(5_000);
    expect(world.engine.restarts).toHaveLength(1);
    const before = world.pipeline.guardState();
    const lastMs = world.ledger.clock.monotonicMs();
    world.pipeline[Symbol.dispose]();

    const again = afterReboot(world.store, () => undefined);
    expect(again.ledger.clock.monotonicMs()).toBeGreaterThanOrEqual(lastMs);
    expect(again.pipeline.guardState().starts.length).toBe(before.starts.length);
    await again.live(10_000);
    const preview = again.pipeline.preview('news', 'restart_channel');
    expect(preview?.checks.find(({ question }) => question === 'caps')?.value).toContain('1 in 24 h');
  });
});

describe('a cold start', () => {
  it('takes what is on the disk and in the process table for evidence of nothing until it has moved or died', async () => {
    const world = pipelineHarness();
    world.engine.freeze('news');
    await world.live(6_000);
    expect(world.facts('tool.started')).toEqual([]);
  });

  it('does not act on an incident of the process before on what that one knew, only on what it sees now', async () => {
    const world = pipelineHarness();
    await world.live(10_000);
    world.engine.onRestart = async () => 'said yes and did nothing';
    world.engine.kill('news');
    await world.live(500);
    world.pipeline[Symbol.dispose]();
    world.engine.onRestart = undefined;
    world.engine.restarts.length = 0;
    world.engine.startByHand('news');

    const time = { clock: world.clock, advance: world.advance, jumpWall: world.jumpWall };
    const again = pipelineHarness({ store: world.store, time, engine: world.engine });
    await again.live(60_000);
    expect(again.engine.restarts).toEqual([]);
  });

  it('leaves the incident of a shared cause open until the channels are seen to play again', async () => {
    const channels = ['a', 'b', 'c', 'd'];
    const world = pipelineHarness({ channels, sources: true });
    await world.live(10_000);
    for (const name of ['a', 'b', 'c']) {
      world.engine.deadSources.add(name);
      world.engine.freeze(name);
    }
    await world.live(90_000);
    world.pipeline[Symbol.dispose]();

    const time = { clock: world.clock, advance: world.advance, jumpWall: world.jumpWall };
    const again = pipelineHarness({ channels, sources: true, store: world.store, time, engine: world.engine });
    await again.live(30_000);
    expect(again.facts('incident.closed')).toEqual([]);
    expect(again.facts('escalation.resolved')).toEqual([]);
    again.engine.deadSources.clear();
    for (const name of ['a', 'b', 'c']) again.engine.startByHand(name);
    await again.live(90_000);
    expect(again.facts('incident.closed')).toHaveLength(1);
  });
});
