import { describe, expect, it } from 'vitest';
import { pipelineHarness } from '../support/pipeline_harness.ts';

type World = ReturnType<typeof pipelineHarness>;
const NAMES = ['vip', 'a', 'b', 'c', 'd'];
const restarted = (world: World) => world.engine.restarts.map(({ channel }) => channel);
const pages = (world: World) =>
  world
    .facts('escalation.raised')
    .map(({ escalation: { reason, scope } }) => [reason, scope.kind === 'channel' ? scope.id : scope.kind]);
const GROUP = { kind: 'group', id: 'encoders' } as const;
const FLEET = { kind: 'fleet' } as const;
const ANN = { who: 'ann', because: 'test' } as const;

async function died(options: Parameters<typeof pipelineHarness>[0] = {}): Promise<World> {
  const world = pipelineHarness({ channels: NAMES, ...options });
  await world.live(20_000);
  for (const name of NAMES) world.engine.kill(name);
  return world;
}

describe('a staged start of a group', () => {
  it.each([
    ['denies restarts', { tool_access_policy: { restart_channel: 'deny' } }],
    ['allows none of them', { restart_cap: 0 }],
    ['only looks', { operational_mode: 'diagnostic' }],
    ['asks a person first', { tool_access_policy: { restart_channel: 'require_approval' } }],
  ] as const)('never starts a channel whose own persona %s; starts the others, and reports it', async (_, vip) => {
    const world = await died({ personas: { vip } });
    await world.live(240_000);
    expect(restarted(world).toSorted()).toEqual(['a', 'b', 'c', 'd']);
    // It may be reported once that it waits for the end of a containment; why it is not started is reported once.
    const reasons = pages(world).flatMap(([reason, about]) => (about === 'vip' ? [reason] : []));
    expect(reasons.filter((reason) => reason !== 'lasting')).toHaveLength(1);
    expect(reasons.length).toBeLessThanOrEqual(2);
    expect(world.outbox().pages.filter(({ resolved }) => resolved === undefined)).toHaveLength(1);
  });

  it('leaves out a leased channel, goes on with the others, and has it started when the lease ends', async () => {
    const world = await died();
    world.say({ type: 'control.leased', scope: { kind: 'channel', id: 'b' }, forMs: 200_000, ...ANN });
    await world.live(120_000);
    expect(restarted(world).toSorted()).toEqual(['a', 'c', 'd', 'vip']);
    await world.live(100_000);
    expect(restarted(world)).toContain('b');
  });

  it.each([
    ['a lease of the group', { type: 'control.leased', scope: GROUP, forMs: 200_000 }],
    [
      'a window of the group',
      { type: 'control.window_added', window: 'w', scope: GROUP, startsInMs: 0, forMs: 200_000 },
    ],
    [
      'a window of the fleet',
      { type: 'control.window_added', window: 'w', scope: FLEET, startsInMs: 0, forMs: 200_000 },
    ],
  ] as const)('is what comes at the end of %s, with no page for each of its channels', async (_, hold) => {
    const world = await died();
    world.say({ ...hold, ...ANN });
    await world.live(199_000);
    expect([restarted(world), pages(world)]).toEqual([[], []]);
    await world.live(41_000);
    expect(restarted(world).toSorted()).toEqual(NAMES.toSorted());
    expect(pages(world)).toEqual([]);
  });

  it('ends where a window of the group begins in the middle of it, and goes on as one plan at its end', async () => {
    const world = await died();
    while (restarted(world).length < 1) await world.live(250);
    const begun = restarted(world).length;
    world.say({ type: 'control.window_added', window: 'w', scope: GROUP, startsInMs: 0, forMs: 200_000, ...ANN });
    await world.live(199_000);
    expect(restarted(world)).toHaveLength(begun);
    await world.live(41_000);
    expect(restarted(world).toSorted()).toEqual(NAMES.toSorted());
    expect(pages(world)).toEqual([]);
  });

  it('begins no plan where none of its channels may be started, and that is no cure that did not help', async () => {
    const world = await died({ personaWith: { tool_access_policy: { restart_channel: 'deny' } } });
    await world.live(120_000);
    expect(restarted(world)).toEqual([]);
    expect(world.facts('tool.started')).toEqual([]);
    expect(pages(world).map(([reason]) => reason)).not.toContain('not_helping');
    expect(pages(world).length).toBeGreaterThan(0);
  });

  it('waits for the proof anew where one more dies in the middle of it, and goes on in the same plan', async () => {
    const world = await died({ channels: [...NAMES, 'late'] });
    while (restarted(world).length < 1) await world.live(500);
    world.engine.kill('late');
    await world.live(35_000);
    expect(restarted(world)).toEqual(expect.arrayContaining(NAMES));
    const plans = world.facts('tool.started').filter(({ permit }) => permit.call.channels.length > 1);
    expect(plans).toHaveLength(1);
  });

  it.each([
    ['denies restarts', { tool_access_policy: { restart_channel: 'deny' } }],
    ['only looks', { operational_mode: 'diagnostic' }],
  ] as const)(
    'ends where a reload brings a persona of the group that %s, though each channel’s own allows them',
    async (_, whole) => {
      const world = await died();
      while (restarted(world).length < 1) await world.live(250);
      world.reload({ whole });
      const begun = restarted(world).length;
      await world.live(60_000);
      expect(restarted(world)).toHaveLength(begun);
      expect(pages(world).map(([reason]) => reason)).not.toContain('not_helping');
      world.reload({ whole: { tool_access_policy: { restart_channel: 'allow' }, operational_mode: 'remediation' } });
    },
  );
});
