import { describe, expect, it } from 'vitest';
import type { Scope } from '../../../src/core/scope.ts';
import { anIncident } from '../../support/a.ts';
import { pipelineHarness } from '../../support/pipeline_harness.ts';

const NEWS: Scope = { kind: 'channel', id: 'news' };
const GROUP: Scope = { kind: 'group', id: 'encoders' };

async function playing(options: Parameters<typeof pipelineHarness>[0] = {}) {
  const world = pipelineHarness(options);
  await world.live(40_000);
  const { snapshots } = world.pipeline;
  return { ...world, snapshots, nowMs: () => world.clock.monotonicMs() };
}

describe('a snapshot of a channel', () => {
  it('is none where the channel is not configured', async () => {
    const { snapshots, nowMs } = await playing();
    expect(snapshots.see({ kind: 'channel', id: 'nowhere' }, nowMs())).toBeUndefined();
  });

  it('says that it plays, and names its trouble when it does not', async () => {
    const { snapshots, nowMs, engine, live } = await playing({ phase: 0 });
    expect(snapshots.see(NEWS, nowMs())?.sight).toMatchObject({ trouble: undefined, healthy: true });
    engine.kill('news');
    await live(1_000);
    expect(snapshots.see(NEWS, nowMs())?.sight).toMatchObject({
      trouble: { classification: 'process_crashed' },
      healthy: false,
    });
  });

  it('is covered while a person has taken it over', async () => {
    const { snapshots, nowMs, say } = await playing();
    expect(snapshots.see(NEWS, nowMs())?.sight.spokenFor).toBe(false);
    say({ type: 'control.leased', scope: NEWS, forMs: 60_000, who: 'ann', because: 'a test' });
    expect(snapshots.see(NEWS, nowMs())?.sight.spokenFor).toBe(true);
  });
});

describe('a snapshot of a group without a shared cause', () => {
  it('has no trouble since it was first looked at, and is well when all of its channels are', async () => {
    const { snapshots, nowMs, live, engine } = await playing({ channels: ['news', 'sport'], phase: 0 });
    const firstMs = nowMs();
    expect(snapshots.see(GROUP, firstMs)?.sight).toMatchObject({ healthy: true, clearSinceMs: firstMs });
    engine.kill('sport');
    await live(5_000);
    expect(snapshots.see(GROUP, nowMs())?.sight).toMatchObject({
      ...{ trouble: undefined, healthy: undefined, clearSinceMs: firstMs },
    });
  });
});

describe('a snapshot of a group whose channels run on several engines', () => {
  it('names the engine of those that the cause has touched, and where it touched none that of the first', async () => {
    const { snapshots, nowMs, live, engine, facts } = await playing({
      channels: ['a', 'b', 'c', 'd'],
      engines: { a: 'well', b: 'ill', c: 'ill', d: 'ill' },
      sources: ['b', 'c', 'd'],
    });
    expect(snapshots.see(GROUP, nowMs())?.engine).toBe('well');
    for (const name of ['b', 'c', 'd']) engine.deadSources.add(name);
    await live(5_000);
    for (const name of ['b', 'c', 'd']) engine.kill(name);
    await live(30_000);
    expect(snapshots.see(GROUP, nowMs())).toMatchObject({ engine: 'ill', channels: ['b', 'c', 'd'] });
    expect(facts('incident.opened').map(({ incident }) => [incident.scope, incident.engine])).toEqual([[GROUP, 'ill']]);
  });
});

describe('a snapshot of a group whose cause has been forgotten while its incident is open', () => {
  it('is handed over once one of it is its own affair, though others play', async () => {
    const { snapshots, nowMs, live, engine, ledger, pipeline } = await playing({
      channels: ['news', 'sport'],
      phase: 0,
    });
    const incident = anIncident({ id: 'inc-group', scope: GROUP, channels: ['news', 'sport'] });
    ledger.append([{ incident: 'inc-group', fact: { type: 'incident.opened', incident } }]);
    const isHandedOver = () => snapshots.see(GROUP, nowMs())?.sight.handedOver;
    const before = isHandedOver();
    engine.kill('sport');
    await live(500);
    pipeline.watch.handOver(['sport']);
    expect([before, isHandedOver()]).toEqual([false, true]);
  });
});

describe('the envelope of a channel', () => {
  it('counts the restarts of an hour, those of the fleet of a minute, and what is left of the cooldown', async () => {
    const { snapshots, engine, live } = await playing();
    expect(snapshots.envelope(anIncident())).toMatchObject({
      ...{ restartCount: 0, restartVelocity: 0, lastAction: undefined, cooldownRemaining: 0 },
    });
    engine.kill('news');
    await live(10_000);
    const soon = snapshots.envelope(anIncident());
    expect(soon).toMatchObject({ restartCount: 1, restartVelocity: 1, lastAction: 'restart_channel' });
    expect(soon.cooldownRemaining).toBeGreaterThan(0);
    await live(60_000);
    expect(snapshots.envelope(anIncident())).toMatchObject({
      ...{ restartCount: 1, restartVelocity: 0, cooldownRemaining: 0 },
    });
  });

  it('cannot be taken of a channel that is not configured', async () => {
    const { snapshots } = await playing();
    const scope: Scope = { kind: 'channel', id: 'nowhere' };
    expect(() => snapshots.envelope(anIncident({ scope }))).toThrow(/nowhere has an incident but is not configured/);
  });
});

describe('the envelope of a group whose cause is gone', () => {
  it('is about the group, and no shared cause lasts', async () => {
    const { snapshots } = await playing({ channels: ['news', 'sport'] });
    const incident = anIncident({ scope: GROUP, channels: ['news', 'sport'] });
    expect(snapshots.envelope(incident)).toMatchObject({ scope: GROUP, sharedCause: false, restartCount: 0 });
  });
});
