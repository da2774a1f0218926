import { expect, it } from 'vitest';
import { pipelineHarness } from '../support/pipeline_harness.ts';

const DAY_MS = 86_400_000;

const die = (world: ReturnType<typeof pipelineHarness>, name: string): void => {
  Object.assign(world.engine.channels.get(name)!, { state: 'exited', exitSignal: 9 });
};

it('pages once when the fleet has used its restarts of the day, and asks again when one is free (S5, L5)', async () => {
  const world = pipelineHarness({
    channels: ['news', 'sport'],
    groups: { news: 'a', sport: 'b' },
    limits: { fleetDailyRestartCap: 1 },
  });
  const started = () => world.engine.restarts.map(({ channel }) => channel);
  const budgetPages = () =>
    world.facts('escalation.raised').filter(({ escalation }) => escalation.key === 'budget/fleet');
  await world.live(40_000);
  expect(world.pipeline.fleetBudget()).toEqual({ used: 0, max: 1, freeInMs: 0 });
  die(world, 'news');
  await world.live(30_000);
  expect(started()).toEqual(['news']);
  expect(budgetPages().map(({ escalation }) => escalation.summary)).toEqual([
    "Reeve has used 1 of the fleet's 1 restarts of 24 h and restarts nothing more; the next is free in 24 h",
  ]);

  die(world, 'sport');
  await world.live(60_000);
  expect(started()).toEqual(['news']);
  const codes = world.facts('guard.decided').flatMap(({ decision }) => ('code' in decision ? decision.code : []));
  expect(new Set(codes)).toEqual(new Set(['fleet_daily_cap']));
  const open = world.outbox().pages.filter(({ resolved }) => resolved === undefined);
  expect(open.map(({ key }) => key.replace(/inc-.*/, ''))).toEqual(['budget/fleet', 'incident/']);

  await world.advance(DAY_MS - 300_000);
  expect(started()).toEqual(['news']);
  await world.live(300_000, 1_000);
  expect(started()).toEqual(['news', 'sport']);
  expect(budgetPages()).toHaveLength(2);
});

it('pages nothing about a budget of 0, which a person has set, and what is down by itself', async () => {
  const world = pipelineHarness({ limits: { fleetDailyRestartCap: 0 } });
  await world.live(10_000);
  expect(world.facts('escalation.raised')).toEqual([]);
  die(world, 'news');
  await world.live(60_000);
  expect(world.engine.restarts).toEqual([]);
  expect(world.facts('escalation.raised').map(({ escalation }) => escalation.key)).toEqual([
    expect.stringMatching(/^incident\//),
  ]);
});
