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
