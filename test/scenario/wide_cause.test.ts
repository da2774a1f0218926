import { describe, expect, it } from 'vitest';
import type { Phase } from '../../src/core/control.ts';
import { type PipelineOptions, pipelineHarness } from '../support/pipeline_harness.ts';

const ENGINES = { a: 'one', b: 'one', c: 'two', d: 'two' };
const NAMES = Object.keys(ENGINES);

/** The source that all of them read from is gone for a minute, and they die of it. */
async function outage(groups: Readonly<Record<string, string>>, options: PipelineOptions = {}) {
  const world = pipelineHarness({ channels: NAMES, groups, engines: ENGINES, sources: true, ...options });
  await world.live(20_000);
  for (const name of NAMES) world.engine.deadSources.add(name);
  await world.live(5_000);
  for (const name of NAMES) world.engine.kill(name);
  await world.live(60_000);
  for (const name of NAMES) world.engine.deadSources.delete(name);
  await world.live(180_000);
  return world;
}

describe('a source that groups on several engines read from', () => {
  it.each([
    ['that are channels of their own', { a: 'g1', b: 'g2', c: 'g3', d: 'g4' }],
    ['of two', { a: 'g1', b: 'g1', c: 'g2', d: 'g2' }],
  ])('leaves down groups %s, and each is started once it is back', async (_, groups) => {
    const world = await outage(groups);
    expect(world.engine.restarts.map(({ channel }) => channel).toSorted()).toEqual(NAMES);
    const denials = world.facts('run.ended').flatMap(({ outcome }) => ('denial' in outcome ? [outcome.denial] : []));
    expect(denials).not.toContain('params_invalid');
    expect(world.outbox().pages.filter(({ resolved }) => resolved === undefined)).toEqual([]);
    expect(world.failures).toEqual([]);
  });
});

describe('a source that groups in several phases read from, on one engine', () => {
  const engines = Object.fromEntries(NAMES.map((name) => [name, 'one']));
  const own = Object.fromEntries(NAMES.map((name) => [name, name]));
  const pairs = { a: 'g1', b: 'g1', c: 'g2', d: 'g2' };

  it.each<[string, Record<string, string>, Record<string, Phase>, string[]]>([
    ['the first of groups of two', pairs, { g1: 1 }, ['c', 'd']],
    ['the last of groups of two', pairs, { g2: 1 }, ['a', 'b']],
    ['the first of channels of their own', own, { a: 1 }, ['b', 'c', 'd']],
    ['the last of channels of their own', own, { d: 1 }, ['a', 'b', 'c']],
    ['none', own, {}, NAMES],
  ])(
    'starts what came down with it but what the phase of %s forbids, which is told',
    async (_, groups, groupPhases, restarted) => {
      const world = await outage(groups, { engines, groupPhases });
      expect(world.engine.restarts.map(({ channel }) => channel).toSorted()).toEqual(restarted);
      const named = world
        .outbox()
        .pages.filter(({ resolved }) => resolved === undefined)
        .map(({ escalation }) => escalation);
      for (const name of NAMES.filter((one) => !restarted.includes(one)))
        expect(
          named.flatMap(({ channels }) => channels),
          JSON.stringify(named),
        ).toContain(name);
    },
  );
});

describe('a group that a cause of its whole engine touches', () => {
  /** One of it and two of others read from a source that is gone; the other three of it, whose sources nobody probes, die. */
  it('is not started for a cause of its own that is over while the wider one lasts, and is after it', async () => {
    const channels = ['a', 'b', 'c', 'd', 'e', 'f'];
    const world = pipelineHarness({
      channels,
      groups: { a: 'g1', b: 'g1', c: 'g1', d: 'g1', e: 'g2', f: 'g2' },
      engines: Object.fromEntries(channels.map((name) => [name, 'one'])),
      sources: ['a', 'e', 'f'],
    });
    await world.live(20_000);
    for (const name of ['a', 'e', 'f']) world.engine.deadSources.add(name);
    for (const name of ['a', 'e', 'f']) world.engine.kill(name);
    await world.live(20_000);
    for (const name of ['b', 'c', 'd']) world.engine.kill(name);
    await world.live(90_000);
    expect(world.engine.restarts).toEqual([]);
    for (const name of ['a', 'e', 'f']) world.engine.deadSources.delete(name);
    await world.live(180_000);
    expect(world.engine.restarts.map(({ channel }) => channel).toSorted()).toEqual(channels);
    expect(world.outbox().pages.filter(({ resolved }) => resolved === undefined)).toEqual([]);
  });

  it('keeps no channel of a group that it has not touched from being restarted', async () => {
    const channels = ['a', 'b', 'c', 'd', 'x', 'y'];
    const world = pipelineHarness({
      channels,
      groups: { a: 'g1', b: 'g1', c: 'g2', d: 'g2', x: 'g3', y: 'g3' },
      engines: Object.fromEntries(channels.map((name) => [name, 'one'])),
      sources: ['a', 'b', 'c', 'd'],
    });
    await world.live(20_000);
    for (const name of ['a', 'b', 'c', 'd']) world.engine.deadSources.add(name);
    for (const name of ['a', 'b', 'c', 'd']) world.engine.kill(name);
    await world.live(20_000);
    world.engine.kill('x');
    await world.live(20_000);
    expect(world.engine.restarts.map(({ channel }) => channel)).toEqual(['x']);
    expect(Object.keys(world.pipeline.guardState().containments).toSorted()).toEqual([
      'group:g1|shared_cause',
      'group:g2|shared_cause',
    ]);
  });

  it('is not started for a cause of its own while an engine of others of it does not answer', async () => {
    const channels = ['a', 'b', 'c', 'z'];
    const world = pipelineHarness({
      channels,
      groups: Object.fromEntries(channels.map((name) => [name, 'g1'])),
      engines: { a: 'one', b: 'one', c: 'one', z: 'two' },
    });
    await world.live(20_000);
    world.silentEngines.add('two');
    await world.live(20_000);
    for (const name of ['a', 'b', 'c']) world.engine.kill(name);
    await world.live(90_000);
    expect(world.engine.restarts).toEqual([]);
    world.silentEngines.delete('two');
    await world.live(120_000);
    expect(world.engine.restarts.map(({ channel }) => channel).toSorted()).toEqual(['a', 'b', 'c']);
  });
});
