import { describe, expect, it } from 'vitest';
import { countingIds } from '../../src/core/id.ts';
import type { FactType } from '../../src/core/journal.ts';
import { MemoryStore } from '../../src/journal/memory.ts';
import { fakeClock } from '../support/fake_clock.ts';
import type { FakeEngine } from '../support/fake_engine.ts';
import { pipelineHarness } from '../support/pipeline_harness.ts';

const pages = (world: ReturnType<typeof pipelineHarness>) =>
  world.facts('escalation.raised').map(({ escalation }) => escalation);

describe('a killed channel', () => {
  it('is restarted once, verified on fresh output of a new process, and its incident closes as resolved', async () => {
    const world = pipelineHarness();
    await world.live(10_000);
    world.engine.kill('news');
    await world.live(20_000);
    expect(world.failures).toEqual([]);
    expect(world.engine.restarts).toHaveLength(1);
    expect(world.facts('attempt.verified')).toMatchObject([{ verification: { cured: true } }]);
    expect(world.facts('incident.closed')).toMatchObject([{ ending: 'resolved' }]);
    expect(pages(world)).toEqual([]);
  });

  it('is left to a person when the fix does not work, and is not restarted a second time', async () => {
    const world = pipelineHarness();
    await world.live(10_000);
    world.engine.onRestart = async () => 'said yes and did nothing';
    world.engine.kill('news');
    await world.live(120_000);
    expect(world.engine.restarts).toHaveLength(1);
    expect(pages(world).map(({ reason }) => reason)).toEqual(['not_helping']);
  });

  it.each([0, 1, 2] as const)('is not touched at phase %i, and a person is paged', async (phase) => {
    const world = pipelineHarness({ phase });
    await world.live(10_000);
    world.engine.kill('news');
    await world.live(20_000);
    expect(world.engine.restarts).toEqual([]);
    expect(pages(world)).toHaveLength(1);
  });
});

describe('a frozen channel', () => {
  it('is restarted within 20 s of becoming visible by its playlist', async () => {
    const world = pipelineHarness();
    await world.live(10_000);
    world.engine.freeze('news');
    await world.live(6_000 + 20_000);
    expect(world.facts('attempt.verified')).toMatchObject([{ verification: { cured: true } }]);
  });
});

describe('three channels that die together', () => {
  it('are one incident, and none of them is restarted by itself', async () => {
    const world = pipelineHarness({ channels: ['a', 'b', 'c', 'd'] });
    await world.live(10_000);
    for (const name of ['a', 'b', 'c']) world.engine.kill(name);
    await world.live(15_000);
    const opened = world.facts('incident.opened').map(({ incident }) => incident.scope.kind);
    expect(opened.filter((kind) => kind === 'group')).toHaveLength(1);
    expect(world.engine.restarts.length).toBeLessThanOrEqual(2);
  });
});

describe('a crash of Reeve in the middle of a restart', () => {
  it('never calls the engine a second time, shows UNKNOWN, pages a person and counts the start', async () => {
    const time = fakeClock();
    const world = pipelineHarness({ time });
    await world.live(10_000);
    world.engine.onRestart = () => new Promise(() => undefined);
    world.engine.kill('news');
    await world.live(3_000);
    expect(world.engine.restarts).toHaveLength(1);
    world.pipeline[Symbol.dispose]();

    const again = pipelineHarness({ store: world.store, time, engine: world.engine });
    await again.live(60_000);
    expect(again.facts('tool.unknown')).toHaveLength(1);
    expect(world.engine.restarts).toHaveLength(1);
    expect(pages(again).map(({ reason }) => reason)).toContain('outcome_unknown');
    expect(again.pipeline.guardState().starts.filter(({ channel }) => channel === 'news').length).toBeGreaterThan(0);
  });

  /** Killed while the engine stops the channel; it stands `stopped`, or does so soon. */
  async function halfway(found: 'stopped' | 'stopping') {
    const time = fakeClock();
    const world = pipelineHarness({ time });
    const { engine } = world;
    await world.live(10_000);
    engine.onRestart = () => new Promise(() => undefined);
    engine.freeze('news');
    await world.live(15_000);
    expect(engine.restarts).toHaveLength(1);
    world.pipeline[Symbol.dispose]();
    engine.stop('news');
    engine.channels.get('news')!.state = found;
    // What the dead process would write when its call runs out must not reach the next one's journal.
    const store = new MemoryStore({ rows: [...world.store.read({})] });
    const again = pipelineHarness({ store, time, engine });
    await again.live(3_000);
    engine.stop('news');
    await again.live(300_000);
    return again;
  }

  it.each(['stopped', 'stopping'] as const)(
    'that had got as far as %s is not taken for a stop on purpose: its page stays until the channel plays',
    async (found) => {
      const again = await halfway(found);
      expect(pages(again).map(({ reason }) => reason)).toContain('outcome_unknown');
      expect(again.facts('incident.closed')).toEqual([]);
      expect(again.facts('escalation.resolved')).toEqual([]);
      expect(again.engine.restarts).toHaveLength(1);
      again.engine.startByHand('news');
      await again.live(120_000);
      expect(again.facts('incident.closed')).toHaveLength(1);
    },
  );

  it('and that a person started and then stopped counts as stopped on purpose', async () => {
    const again = await halfway('stopped');
    again.engine.startByHand('news');
    await again.live(10_000);
    again.engine.stop('news');
    await again.live(30_000);
    expect(again.facts('incident.closed')).toMatchObject([{ ending: 'by_person' }]);
  });
});

/** A process whose journal ends before the first entry of the type, and the next one. */
async function restartedAfter(type: FactType, between: (engine: FakeEngine) => void = () => {}) {
  const time = fakeClock();
  const ids = countingIds();
  const world = pipelineHarness({ time, ids });
  const { store, engine } = world;
  const append = store.append.bind(store);
  let over = false;
  store.append = (rows) => {
    over ||= rows.some((row) => row.type === type);
    if (over) throw new Error('the machine stops here');
    append(rows);
  };
  await world.live(10_000);
  engine.kill('news');
  await world.live(5_000);
  const types = world.entries.map(({ fact }) => fact.type);
  expect([over, types.includes('tool.started')]).toEqual([true, false]);
  world.pipeline[Symbol.dispose]();
  store.append = append;
  between(engine);
  return pipelineHarness({ store, time, engine, ids });
}

describe('what a run writes down', () => {
  it('makes an incident and its run durable in one write, envelope, plan and answer in the next, and loses no envelope', async () => {
    const world = pipelineHarness();
    const append = world.store.append.bind(world.store);
    const writes: string[][] = [];
    world.store.append = (rows) => {
      writes.push(rows.map(({ type }) => type));
      append(rows);
    };
    await world.live(10_000);
    world.engine.kill('news');
    await world.live(60_000);
    expect(world.engine.restarts).toHaveLength(1);
    const opening = writes.findIndex((types) => types.includes('incident.opened'));
    expect(
      writes.slice(opening, opening + 2).map((types) => types.filter((type) => type !== 'symptom.raised')),
    ).toEqual([
      ['incident.opened', 'run.started'],
      ['envelope.taken', 'plan.made', 'guard.decided'],
    ]);
    expect(writes.flat().filter((type) => type === 'envelope.taken')).toHaveLength(2);
  });
});

describe('a crash of Reeve before it called anything', () => {
  it.each(['envelope.taken', 'guard.decided'] as const)(
    'at %s takes the incident up again, restarts once, and sends no page',
    async (type) => {
      const again = await restartedAfter(type);
      await again.live(30_000);
      expect(again.engine.restarts).toHaveLength(1);
      expect(again.facts('tool.unknown')).toEqual([]);
      expect(again.facts('incident.closed')).toMatchObject([{ ending: 'resolved' }]);
      expect(pages(again)).toEqual([]);
    },
  );

  it('at incident.opened finds the channel dead, of whose process nothing is written, and pages a person once', async () => {
    const again = await restartedAfter('incident.opened');
    await again.live(60_000);
    expect(again.engine.restarts).toEqual([]);
    expect(pages(again)).toHaveLength(1);
  });

  it('with a permit in hand that can be redeemed no more restarts once, and does not wait for its place', async () => {
    const again = await restartedAfter('tool.started');
    await again.live(30_000);
    expect(again.engine.restarts).toHaveLength(1);
    expect(pages(again)).toEqual([]);
  });

  it('does nothing when the channel plays again by itself meanwhile', async () => {
    const again = await restartedAfter('plan.made', (engine) => engine.startByHand('news'));
    await again.live(30_000);
    expect(again.engine.restarts).toEqual([]);
    expect(again.facts('incident.closed')).toMatchObject([{ ending: 'self_healed' }]);
  });
});

describe('a freeze', () => {
  it('stops every change until the thaw', async () => {
    const world = pipelineHarness();
    await world.live(10_000);
    world.ledger.append([{ fact: { type: 'control.frozen', who: 'ann', because: 'test' } }]);
    world.engine.kill('news');
    await world.live(20_000);
    expect(world.engine.restarts).toEqual([]);
  });
});
