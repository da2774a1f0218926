import { describe, expect, it } from 'vitest';
import { pipelineHarness, type PipelineOptions } from '../support/pipeline_harness.ts';

type World = ReturnType<typeof pipelineHarness>;
type Reload = Parameters<World['reload']>[0];

const DENIED = { tool_access_policy: { restart_channel: 'deny' } } as const;
const ALLOWED = { tool_access_policy: { restart_channel: 'allow' } } as const;

/** What the daemon does once it has read an edit. */
function edit(world: World, change: Reload, applied: readonly string[] = ['personas']): void {
  world.reload(change);
  const because = `applied: ${applied.join(', ')}`;
  world.ledger.append([{ fact: { type: 'config.loaded', configSha: 'ab', because, applied } }]);
  world.pipeline.onCommand();
}

/** News is dead, was not restarted, and a person was paged. */
async function refused(options: PipelineOptions): Promise<World> {
  const world = pipelineHarness(options);
  await world.live(10_000);
  world.engine.kill('news');
  while (world.facts('escalation.raised').length === 0) await world.live(250);
  await world.live(60_000);
  expect(world.engine.restarts).toEqual([]);
  return world;
}

describe('a start that the configuration did not allow', () => {
  it.each<[string, PipelineOptions, Reload]>([
    ['the tool is allowed', { personaWith: DENIED }, { persona: ALLOWED }],
    [
      'the mode is remediation',
      { personaWith: { operational_mode: 'diagnostic' } },
      { persona: { operational_mode: 'remediation' } },
    ],
    ['the cap leaves room', { personaWith: { restart_cap: 0 } }, { persona: { restart_cap: 2 } }],
    ['the phase is one that changes something', { phase: 1 }, { phase: 4 }],
  ])('is made within five seconds of the edit after which %s, and its page is taken back', async (_, before, after) => {
    const world = await refused(before);
    edit(world, after, after.phase === undefined ? ['personas'] : ['phase']);
    await world.live(5_250);
    expect(world.engine.restarts).toHaveLength(1);
    await world.live(30_000);
    expect(world.outbox().pages.filter(({ resolved }) => resolved === undefined)).toEqual([]);
  });

  it('is asked about once more after an edit that does not allow it either, and nobody is paged again', async () => {
    const world = await refused({ personaWith: DENIED });
    const runs = world.facts('run.started').length;
    edit(world, { persona: { ...DENIED, restart_cap: 1 } });
    await world.live(60_000);
    expect(world.facts('run.started')).toHaveLength(runs + 1);
    expect(world.facts('escalation.raised')).toHaveLength(1);
  });

  it('is left alone by an edit of what decides nothing', async () => {
    const world = await refused({ personaWith: DENIED });
    const runs = world.facts('run.started').length;
    edit(world, {}, ['patterns', 'escalation', 'log']);
    edit(world, {}, []);
    await world.live(60_000);
    expect(world.facts('run.started')).toHaveLength(runs);
  });
});

it('a restart that did not help is not made again because a file was edited', async () => {
  const world = pipelineHarness();
  await world.live(10_000);
  world.engine.onRestart = () => Promise.resolve('accepted');
  world.engine.kill('news');
  while (world.facts('escalation.raised').length === 0) await world.live(1_000);
  const restarts = world.engine.restarts.length;
  expect(restarts).toBeGreaterThan(0);
  edit(world, { persona: { restart_cap: 9 } });
  await world.live(120_000);
  expect(world.engine.restarts).toHaveLength(restarts);
});
