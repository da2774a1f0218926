import { describe, expect, it } from 'vitest';
import type { ControlFact } from '../../src/core/control.ts';
import type { Persona } from '../../src/core/persona.ts';
import { MemoryStore } from '../../src/journal/memory.ts';
import { FakeEngine } from '../support/fake_engine.ts';
import { fakeClock } from '../support/fake_clock.ts';
import { pipelineHarness } from '../support/pipeline_harness.ts';

const ANN = { who: 'ann', because: 'works on it' } as const;
const NEWS = { kind: 'channel', id: 'news' } as const;
const HOLD_MS = 300_000;
const FLOOD_MS = 300_000;

const HOLDS: readonly (readonly [string, ControlFact, ControlFact | undefined])[] = [
  ['a lease', { type: 'control.leased', scope: NEWS, forMs: HOLD_MS, ...ANN }, undefined],
  [
    'a lease that a person ends',
    { type: 'control.leased', scope: NEWS, forMs: 900_000, ...ANN },
    { type: 'control.lease_ended', scope: NEWS, ...ANN },
  ],
  [
    'a maintenance window',
    { type: 'control.window_added', window: 'w', scope: NEWS, startsInMs: 0, forMs: HOLD_MS, ...ANN },
    undefined,
  ],
  [
    'a maintenance window that a person ends',
    { type: 'control.window_added', window: 'w', scope: NEWS, startsInMs: 0, forMs: 900_000, ...ANN },
    { type: 'control.window_ended', window: 'w', ...ANN },
  ],
  ['a freeze', { type: 'control.frozen', ...ANN }, { type: 'control.thawed', ...ANN }],
];

const NO_TOOLS: Partial<Persona> = { tool_access_policy: {} };

const BY_ANN = /ann has ended, and channel:news is still down$/;

async function held(begin: ControlFact, end: ControlFact | undefined, personaWith: Partial<Persona> = {}) {
  const world = pipelineHarness({ personaWith });
  await world.live(10_000);
  world.say(begin);
  world.engine.kill('news');
  await world.live(HOLD_MS - 1_000);
  expect(world.engine.restarts).toEqual([]);
  const pages = () => world.facts('escalation.raised').map(({ escalation }) => escalation.summary);
  const before = pages().length;
  await world.live(1_000);
  if (end !== undefined) world.say(end);
  return { ...world, newPages: () => pages().slice(before) };
}

describe.each(HOLDS)('%s that ends over a channel that is still down', (_, begin, end) => {
  it('pages about both within 5 s, whatever was paged before', async () => {
    const world = await held(begin, end, NO_TOOLS);
    await world.live(5_000);
    expect(world.newPages()).toHaveLength(1);
    expect(world.newPages()[0]).toMatch(BY_ANN);
    await world.live(60_000);
    expect(world.newPages()).toHaveLength(1);
  });

  it('has the channel started where Reeve may: at once, and a minute after a thaw', async () => {
    const world = await held(begin, end);
    await world.live(5_000);
    if (begin.type !== 'control.frozen') expect(world.engine.restarts).toHaveLength(1);
    await world.live(70_000);
    expect(world.engine.restarts).toHaveLength(1);
    expect(world.newPages().filter((page) => page.includes('still down'))).toHaveLength(
      begin.type === 'control.frozen' ? 1 : 0,
    );
  });

  it('does not page when the channel plays again by then', async () => {
    const world = await held(begin, end, NO_TOOLS);
    world.engine.startByHand('news');
    await world.live(60_000);
    expect(world.newPages()).toEqual([]);
  });
});

describe('a second hold that ends over the same trouble', () => {
  it.each(HOLDS)('is paged about as well: after the first, %s', async (_, begin, end) => {
    const world = await held(begin, end, NO_TOOLS);
    await world.live(FLOOD_MS);
    world.say(begin);
    await world.live(HOLD_MS);
    if (end !== undefined) world.say(end);
    await world.live(5_000);
    expect(world.newPages()).toEqual([expect.stringMatching(BY_ANN), expect.stringMatching(BY_ANN)]);
  });
});

describe('a maintenance window that is planned for later', () => {
  it('is not said to have ended over a channel that goes down before it', async () => {
    const world = pipelineHarness({ personaWith: NO_TOOLS });
    await world.live(10_000);
    const later = { type: 'control.window_added', window: 'w', startsInMs: 3_600_000, forMs: HOLD_MS } as const;
    world.say({ ...later, scope: NEWS, ...ANN });
    world.engine.kill('news');
    await world.live(60_000);
    expect(world.facts('escalation.raised').map(({ escalation }) => escalation.reason)).toEqual(['no_plan']);
  });
});

describe('a lease that ends while Reeve is away', () => {
  it('is paged about by its next process, and by none after that', async () => {
    const options = { personaWith: NO_TOOLS, time: fakeClock(), store: new MemoryStore() };
    const engine = new FakeEngine(options.time.clock, ['news']);
    const first = pipelineHarness({ ...options, engine });
    await first.live(10_000);
    first.say(HOLDS[0]![1]);
    engine.kill('news');
    await first.live(10_000);
    first.pipeline[Symbol.dispose]();
    await options.time.advance(HOLD_MS);
    const again = pipelineHarness({ ...options, engine });
    await again.live(5_000);
    const summaries = again.facts('escalation.raised').map(({ escalation }) => escalation.summary);
    expect(summaries).toEqual([expect.stringMatching(BY_ANN)]);
    again.pipeline[Symbol.dispose]();
    const third = pipelineHarness({ ...options, engine });
    await third.live(60_000);
    expect(third.facts('escalation.raised')).toEqual([]);
  });
});
