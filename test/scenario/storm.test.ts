import { describe, expect, it } from 'vitest';
import { pipelineHarness } from '../support/pipeline_harness.ts';

type World = ReturnType<typeof pipelineHarness>;
const MANY = Array.from({ length: 22 }, (_, at) => `c${at}`);
/** Each in a group of its own: what they have in common cannot be seen. */
const groups = Object.fromEntries(MANY.map((id) => [id, `g-${id}`]));
const restarted = (world: World) => world.engine.restarts.map(({ channel }) => channel);
const pages = (world: World) => world.facts('escalation.raised').map(({ escalation }) => escalation.key);

/** The most starts at a time that no verification had followed. */
function mostUnverified(world: World): number {
  const verifiedAt = new Map(
    world.entries.flatMap(({ channel, fact, monoMs }) =>
      fact.type === 'attempt.verified' && channel ? [[channel, monoMs]] : [],
    ),
  );
  const open = world.engine.restarts.map(({ channel, atMs }) => [atMs, verifiedAt.get(channel) ?? Infinity] as const);
  return Math.max(...open.map(([ms]) => open.filter(([from, to]) => from <= ms && ms < to).length));
}

/** As many watch as the name says. */
function watch(world: World, names: readonly string[], of: (name: string) => number): void {
  for (const channel of names) {
    const base = {
      kind: 'viewers',
      at: world.clock.now(),
      monoMs: world.clock.monotonicMs(),
      source: 'engine',
    } as const;
    world.pipeline.take({ ...base, channel, viewers: of(channel) });
  }
}

describe('more channels that died than the window has room for', () => {
  const viewers = (name: string): number => (Number(name.slice(1)) * 7) % 23;

  it('are plans of their groups, of which nine at most are not verified, those with most viewers first', async () => {
    const world = pipelineHarness({ channels: MANY, groups });
    await world.live(10_000);
    watch(world, MANY, viewers);
    const diedMs = world.clock.monotonicMs();
    for (const name of MANY) world.engine.kill(name);
    await world.live(80_000);
    expect(restarted(world).toSorted()).toEqual(MANY.toSorted());
    expect(mostUnverified(world)).toBe(9);
    expect(world.engine.restarts[0]!.atMs - diedMs).toBeGreaterThanOrEqual(30_000);
    expect(new Set(world.facts('containment.raised').map(({ reason }) => reason))).toEqual(new Set(['shared_cause']));
    const waited = restarted(world).slice(9);
    const leastOfFirst = Math.min(...waited.slice(0, 6).map(viewers));
    expect(Math.max(...waited.slice(9).map(viewers))).toBeLessThan(leastOfFirst);
  });

  it('are asked for by a group as its most watched channel would, for that one comes first', async () => {
    const names = ['c0', 'c1', 'c2'];
    const world = pipelineHarness({ channels: names, groups: { c0: 'g', c1: 'g', c2: 'g' } });
    await world.live(10_000);
    watch(world, names, (name) => (name === 'c1' ? 90 : 20));
    // Nothing is started, so that what the cause has left down stays down.
    world.say({ type: 'control.frozen', who: 'ann', because: 'test' });
    for (const name of names) world.engine.kill(name);
    await world.live(35_000);
    const { clock, pipeline } = world;
    expect(pipeline.snapshots.see({ kind: 'group', id: 'g' }, clock.monotonicMs())?.viewers).toBe(90);
  });

  it('that die when the plan of their group has ended wait for its proofs, and not for a minute', async () => {
    const names = MANY.slice(0, 6);
    const world = pipelineHarness({ channels: names, groups: Object.fromEntries(names.map((id) => [id, 'g'])) });
    await world.live(10_000);
    for (const name of names.slice(0, 3)) world.engine.kill(name);
    while (restarted(world).length < 3) await world.live(250);
    await world.live(6_000);
    expect(world.facts('run.ended').at(-1)).toMatchObject({ outcome: { kind: 'resolved' } });
    const diedMs = world.clock.monotonicMs();
    for (const name of names.slice(3)) world.engine.kill(name);
    await world.live(40_000);
    expect(restarted(world).slice(3).toSorted()).toEqual(names.slice(3));
    expect(world.engine.restarts[3]!.atMs - diedMs).toBeGreaterThanOrEqual(30_000);
    expect(pages(world)).toEqual([]);
  });

  it('are single ones where they take less than half of the window, and contain nothing', async () => {
    const few = MANY.slice(0, 4);
    const world = pipelineHarness({ channels: MANY, groups });
    await world.live(10_000);
    for (const name of few) world.engine.kill(name);
    await world.live(15_000);
    expect(restarted(world).toSorted()).toEqual(few.toSorted());
    expect(world.facts('containment.raised')).toEqual([]);
  });

  it('are one page when they wait for a minute, which ends when none waits any more', async () => {
    const world = pipelineHarness({ channels: MANY, groups });
    await world.live(10_000);
    for (const name of MANY) world.engine.kill(name);
    await world.live(90_000);
    expect(pages(world)).toEqual(['starts/fleet']);
    await world.live(120_000);
    expect(pages(world)).toEqual(['starts/fleet']);
    expect(world.facts('escalation.resolved').map(({ key }) => key)).toEqual(['starts/fleet']);
  });
});

describe('a group that lost its source', () => {
  const NAMES = ['a', 'b', 'c', 'd'];
  const lost = (world: World): void => {
    for (const name of NAMES) {
      world.engine.deadSources.add(name);
      world.engine.freeze(name);
    }
  };

  it('is started from the channel that most people wait for', async () => {
    const world = pipelineHarness({ channels: NAMES, sources: true });
    await world.live(10_000);
    watch(world, NAMES, (name) => ({ a: 3, b: 80, c: 7 })[name] ?? 0);
    lost(world);
    await world.live(60_000);
    world.engine.deadSources.clear();
    await world.live(150_000);
    expect(restarted(world)).toEqual(['b', 'c', 'a', 'd']);
  });

  it('is looked at closely until it is over', async () => {
    const world = pipelineHarness({ channels: NAMES, sources: true });
    await world.live(10_000);
    lost(world);
    await world.live(60_000);
    world.closer.length = 0;
    await world.live(21_000);
    expect(new Set(world.closer)).toEqual(new Set(NAMES));
  });

  it('takes with it the one whose own source has no probe, when the others have theirs again', async () => {
    const world = pipelineHarness({ channels: NAMES, sources: ['a', 'b', 'c'] });
    await world.live(10_000);
    lost(world);
    const symptom = { channel: 'd', kind: 'upstream_unreachable', origin: 'log', confidence: 0.9 } as const;
    const line = {
      countInWindow: 1,
      windowMs: 60_000,
      pattern: undefined,
      evidence: [{ source: 'log', text: 'gone' }],
    };
    const moment = { at: world.clock.now(), monoMs: world.clock.monotonicMs() };
    world.pipeline.symptom({ ...symptom, ...line, ...moment });
    Object.assign(world.engine.channels.get('d')!, { state: 'exited', exitSignal: undefined, exitCode: 1 });
    await world.live(60_000);
    world.engine.deadSources.clear();
    await world.live(150_000);
    expect(restarted(world).toSorted()).toEqual(NAMES);
  });
});

describe('a group whose sources no probe reads', () => {
  const NAMES = ['a', 'b', 'c', 'd'];
  /** All of them lose their source, say so, and end. */
  const lost = (world: World, names = NAMES): void => {
    for (const channel of names) {
      Object.assign(world.engine.channels.get(channel)!, { state: 'exited', exitSignal: undefined, exitCode: 1 });
      complain(world, channel);
    }
  };
  const complain = (world: World, channel: string): void =>
    world.pipeline.symptom({
      ...{ channel, kind: 'upstream_unreachable', origin: 'log', confidence: 0.9, countInWindow: 1 },
      ...{ windowMs: 60_000, pattern: undefined, evidence: [{ source: 'log', text: 'gone' }] },
      ...{ at: world.clock.now(), monoMs: world.clock.monotonicMs() },
    });

  it('is started half a minute after its last line, one first and the others when that one is back', async () => {
    const world = pipelineHarness({ channels: NAMES });
    await world.live(10_000);
    lost(world);
    await world.live(5_000);
    complain(world, 'c');
    const loggedMs = world.clock.monotonicMs();
    await world.live(29_000);
    expect(restarted(world)).toEqual([]);
    await world.live(60_000);
    const [first, ...others] = world.engine.restarts.map(({ atMs }) => atMs - loggedMs);
    expect(first).toBeGreaterThanOrEqual(30_000);
    expect(others).toHaveLength(3);
    const provedMs = world.entries.find(({ fact }) => fact.type === 'attempt.verified')!.monoMs - loggedMs;
    expect(Math.min(...others)).toBeGreaterThanOrEqual(provedMs);
    expect(Math.max(...others)).toBeLessThan(60_000);
  });

  it('waits for one that runs still: that one shows by itself when the source is back', async () => {
    const world = pipelineHarness({ channels: NAMES });
    await world.live(10_000);
    lost(world, ['a', 'b', 'c']);
    world.engine.channels.get('d')!.changedMs = Number.POSITIVE_INFINITY;
    complain(world, 'd');
    await world.live(100_000);
    expect(restarted(world)).toEqual([]);
  });

  it('is tried once and not again where its source is still away', async () => {
    const world = pipelineHarness({ channels: NAMES });
    await world.live(10_000);
    lost(world);
    world.engine.onRestart = async (channel) => {
      Object.assign(world.engine.channels.get(channel)!, { state: 'exited', exitSignal: undefined, exitCode: 1 });
      complain(world, channel);
      return 'started';
    };
    await world.live(300_000);
    expect(restarted(world)).toHaveLength(1);
  });
});

describe('several channels that died together', () => {
  it('are paged after a minute in which containment keeps them down', async () => {
    const world = pipelineHarness({ channels: ['a', 'b', 'c'], persona: 'cautious' });
    await world.live(10_000);
    for (const name of ['a', 'b', 'c']) world.engine.kill(name);
    await world.live(115_000);
    const [first] = world.facts('escalation.raised');
    expect(first?.escalation).toMatchObject({ reason: 'lasting', scope: { kind: 'group' } });
    expect(restarted(world)).toEqual([]);
  });

  it('are started when their sources have answered for ten seconds, and all are verified within 25', async () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
    const world = pipelineHarness({ channels: names, sources: true });
    await world.live(20_000);
    const killedMs = world.clock.monotonicMs();
    for (const name of names) world.engine.kill(name);
    await world.live(25_000);
    expect(Math.min(...world.engine.restarts.map(({ atMs }) => atMs)) - killedMs).toBeGreaterThanOrEqual(10_000);
    expect(world.facts('attempt.verified')).toHaveLength(names.length);
    expect(restarted(world).toSorted()).toEqual(names);
  });

  it('leave out one whose source does not answer', async () => {
    const names = ['a', 'b', 'c', 'd'];
    const world = pipelineHarness({ channels: names, sources: true });
    await world.live(20_000);
    for (const name of names) world.engine.kill(name);
    world.engine.deadSources.add('d');
    await world.live(60_000);
    expect(restarted(world).toSorted()).toEqual(['a', 'b', 'c']);
  });

  const inGroupsOf = (size: number, count: number) => {
    const channels = Array.from({ length: size * count }, (_, at) => `c${at}`);
    return { channels, groups: Object.fromEntries(channels.map((id, at) => [id, `g${at % count}`])) };
  };

  it('in three groups at once are one page for all, as soon as that is seen, and none for each group', async () => {
    const place = inGroupsOf(4, 3);
    const world = pipelineHarness(place);
    await world.live(10_000);
    for (const name of place.channels) world.engine.kill(name);
    await world.live(15_000);
    const [first, ...more] = world.facts('escalation.raised');
    expect(first?.escalation).toMatchObject({ key: 'starts/fleet', severity: 'critical', scope: { kind: 'fleet' } });
    expect(first?.escalation.summary).toBe('12 channels of 3 groups died and are contained for now');
    expect(more).toEqual([]);
    await world.live(300_000);
    expect(restarted(world).toSorted()).toEqual(place.channels.toSorted());
    expect(pages(world)).toEqual(['starts/fleet']);
    expect(world.facts('escalation.resolved').map(({ key }) => key)).toEqual(['starts/fleet']);
  });

  it('one after another in many groups are one page, also for those that died after it was sent', async () => {
    const place = inGroupsOf(4, 16);
    const world = pipelineHarness(place);
    await world.live(10_000);
    // The first of each group at once, the others in the seconds after.
    for (const [at, name] of place.channels.entries()) {
      if (at > 0 && at % 16 === 0) await world.live(2_000);
      world.engine.kill(name);
    }
    await world.live(400_000);
    expect(restarted(world).toSorted()).toEqual(place.channels.toSorted());
    expect([...new Set(pages(world))]).toEqual(['starts/fleet']);
  });

  it('in many groups are started group beside group, each after its own canary, in less than two minutes', async () => {
    const place = inGroupsOf(5, 8);
    const world = pipelineHarness(place);
    await world.live(10_000);
    for (const name of place.channels) world.engine.kill(name);
    await world.live(110_000);
    expect(restarted(world).toSorted()).toEqual(place.channels.toSorted());
    expect(pages(world)).toEqual(['starts/fleet']);
  });
});

describe('a storm after the machine was stopped for a while', () => {
  it('is paged, though the fleet is contained by its clock already', async () => {
    const world = pipelineHarness({ channels: MANY, groups });
    await world.live(10_000);
    world.ledger.append([{ fact: { type: 'clock.jumped', byMs: 20_000, cause: 'stopped' } }]);
    await world.live(3_000);
    for (const name of MANY) world.engine.kill(name);
    for (const name of MANY) world.engine.startByHand(name);
    await world.live(3_000);
    const said = world.facts('escalation.raised').map(({ escalation }) => [escalation.key, escalation.severity]);
    expect(said).toEqual([
      ['containment/fleet', 'warning'],
      ['containment/fleet', 'critical'],
    ]);
    await world.live(300_000);
    expect(world.facts('escalation.resolved').map(({ key }) => key)).toEqual(['containment/fleet']);
  });
});
