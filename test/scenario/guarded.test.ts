import { describe, expect, it } from 'vitest';
import { pipelineHarness } from '../support/pipeline_harness.ts';

type World = ReturnType<typeof pipelineHarness>;
const ANN = { who: 'ann', because: 'test' } as const;
const pages = (world: World) => world.facts('escalation.raised').map(({ escalation }) => escalation);
const held = (world: World) => Object.values(world.pipeline.guardState().containments).map(({ reason }) => reason);

async function playing(options: Parameters<typeof pipelineHarness>[0] = {}): Promise<World> {
  const world = pipelineHarness(options);
  await world.live(10_000);
  return world;
}

describe('a storm of starts that others make', () => {
  const NAMES = ['news', ...Array.from({ length: 11 }, (_, index) => `c${index}`)];

  async function stormy(options: Parameters<typeof pipelineHarness>[0] = {}): Promise<World> {
    const world = await playing({ channels: NAMES, ...options });
    for (const name of NAMES.slice(1, 11)) world.engine.startByHand(name);
    await world.live(1_000);
    return world;
  }

  it('contains the fleet with one page and pages one that dies under it, and nothing is restarted before it was quiet for 60 s', async () => {
    const world = await stormy();
    expect(held(world)).toEqual(['restart_storm']);
    world.engine.kill('news');
    await world.live(60_000);
    expect(world.engine.restarts).toEqual([]);
    const own = { reason: 'lasting', scope: { kind: 'channel', id: 'news' } };
    expect(pages(world)).toMatchObject([{ key: 'containment/fleet', reason: 'containment' }, own]);
    await world.live(90_000);
    expect(held(world)).toEqual([]);
    expect(world.engine.restarts).toMatchObject([{ channel: 'news' }]);
    expect(world.outbox().pages.every(({ resolved }) => resolved !== undefined)).toBe(true);
  });

  it('pages three that die under it by the page of the containment, which lists them', async () => {
    const world = await stormy({ groups: { news: 'a', c1: 'b', c2: 'c' } });
    for (const name of ['news', 'c1', 'c2']) world.engine.kill(name);
    await world.live(60_000);
    const page = { key: 'containment/fleet', reason: 'containment' };
    expect(pages(world)).toMatchObject([page, { ...page, channels: ['news', 'c1', 'c2'] }]);
  });

  it('goes on waiting for a person where the persona says so, until the release', async () => {
    const world = await stormy({ persona: 'cautious' });
    world.engine.kill('news');
    await world.live(300_000);
    expect(world.engine.restarts).toEqual([]);
    expect(held(world)).toEqual(['restart_storm']);
    world.say({ type: 'control.released', scope: { kind: 'fleet' }, ...ANN });
    await world.live(60_000);
    expect(held(world)).toEqual([]);
    expect(world.engine.restarts).toHaveLength(1);
  });

  it('is not ended by a release while it goes on', async () => {
    const world = await stormy();
    world.say({ type: 'control.released', scope: { kind: 'fleet' }, ...ANN });
    await world.live(5_000);
    expect(held(world)).toEqual(['restart_storm']);
  });
});

describe('restarts that keep failing', () => {
  const limits = { breakerFailuresMax: 1, fingerprintMemoryMs: 1_000 };

  /** One failed restart opens the breaker; each incident may restart as often as it likes. */
  async function opened(): Promise<World> {
    const world = await playing({
      limits,
      personaWith: { restart_cap: 10, tool_access_policy: { restart_channel: 'allow' } },
    });
    world.engine.onRestart = async () => 'said yes and did nothing';
    world.engine.kill('news');
    while (!held(world).includes('breaker_open')) await world.live(1_000);
    return world;
  }

  it('open the breaker, contain the channel, and admit exactly one probe afterwards, whose cure closes it', async () => {
    const world = await opened();
    expect(world.engine.restarts).toHaveLength(1);
    world.engine.onRestart = undefined;
    // The fix that failed is remembered; a person has looked at it, and the breaker is what is left.
    await world.live(100_000);
    expect(world.engine.restarts).toHaveLength(1);
    await world.live(120_000);
    world.say({ type: 'control.phase_set', phase: 4, group: undefined, ...ANN });
    world.engine.startByHand('news');
    await world.live(60_000);
    world.engine.kill('news');
    await world.live(90_000);
    expect(world.engine.restarts).toHaveLength(2);
    expect(world.facts('attempt.verified').map(({ verification }) => verification.cured)).toEqual([false, true]);
    expect(held(world)).toEqual([]);
  });

  it('page once for the episode: of the failed restart, and not of the containment that it leads to', async () => {
    const world = await opened();
    await world.live(400_000);
    expect(pages(world).map(({ reason }) => reason)).toEqual(['not_helping']);
    expect(world.outbox().pages).toMatchObject([{ resolved: undefined }]);
  });
});

describe('a channel that others start again and again', () => {
  const about = (world: World) => pages(world).filter(({ key }) => key === 'containment/channel:news');

  async function churning(options: Parameters<typeof pipelineHarness>[0] = {}): Promise<World> {
    const world = await playing(options);
    for (let start = 1; start <= 4; start += 1) {
      world.engine.startByHand('news');
      await world.live(2_000);
    }
    expect(held(world)).toEqual(['restart_storm']);
    return world;
  }

  it('is paged for its containment when nothing else has paged it for 15 s, until that ends', async () => {
    const world = await playing();
    const scope = { kind: 'channel', id: 'news' } as const;
    const why = { reason: 'restart_storm', detail: '4 starts by others', releaseByPerson: false } as const;
    world.ledger.append([{ channel: 'news', fact: { type: 'containment.raised', scope, ...why } }]);
    await world.live(14_000);
    expect(pages(world)).toEqual([]);
    await world.live(2_000);
    expect(about(world)).toHaveLength(1);
    await world.live(100_000);
    expect(pages(world)).toHaveLength(1);
    expect(world.facts('escalation.resolved').map(({ key }) => key)).toEqual(['containment/channel:news']);
  });

  it('is paged at once where only a person ends its containment', async () => {
    const world = await churning({ personaWith: { risk_tolerance: 'low' } });
    const raised = world.entries.findIndex(({ fact }) => fact.type === 'containment.raised');
    expect(world.entries[raised + 1]).toMatchObject({ fact: { type: 'escalation.raised' } });
    expect(about(world)).toHaveLength(1);
  });

  it('is not paged for its containment when its own page came and went while it was contained', async () => {
    const world = await churning();
    world.engine.kill('news', 15);
    await world.live(14_000);
    expect(pages(world).map(({ key }) => key)).toEqual(['incident/inc-1']);
    world.engine.startByHand('news');
    await world.live(50_000);
    expect(held(world)).toEqual(['restart_storm']);
    expect(world.facts('escalation.resolved').map(({ key }) => key)).toEqual(['incident/inc-1']);
    await world.live(400_000);
    expect(pages(world)).toHaveLength(1);
  });
});

describe('a verified cure that does not hold', () => {
  it('is paged, and the same fix is not made again, though the incident was closed in between', async () => {
    const world = await playing();
    world.engine.kill('news');
    await world.live(20_000);
    expect(world.facts('incident.closed')).toHaveLength(1);
    world.engine.kill('news');
    await world.live(180_000);
    expect(world.facts('attempt.relapsed')).toHaveLength(1);
    expect(world.engine.restarts).toHaveLength(1);
    expect(pages(world)).toMatchObject([{ reason: 'guard_refused' }]);
  });

  it('is another failure and another restart when it held for more than a minute', async () => {
    const world = await playing();
    world.engine.kill('news');
    await world.live(80_000);
    world.engine.kill('news');
    await world.live(20_000);
    expect(world.facts('attempt.relapsed')).toEqual([]);
    expect(world.engine.restarts).toHaveLength(2);
  });
});

describe('a journal that failed somewhere else than in the guard', () => {
  it('is not trusted for a single change', async () => {
    const world = await playing();
    world.store.failWrites('no space left on device');
    expect(() => world.ledger.append([{ fact: { type: 'control.thawed', ...ANN } }])).toThrow();
    expect(world.pipeline.guard.journalError).toContain('no space');
    expect(world.pipeline.preview('news', 'restart_channel')?.checks.at(-1)).toMatchObject({ verdict: 'not_asked' });
    expect(world.pipeline.preview('news', 'restart_channel')?.checks.find(({ id }) => id === 6)?.value).toContain(
      'journal',
    );
  });

  it('is reported although nothing but the containment was to be written', async () => {
    const world = await playing();
    world.store.failWrites('no space left on device');
    expect(() => world.ledger.append([{ fact: { type: 'control.thawed', ...ANN } }])).toThrow();
    await world.live(2_000);
    expect(world.failures.join('\n')).toContain('journal: containment could not be written');
  });
});

describe('an incident that no probe can show to be over', () => {
  it('closes when it shows no trouble any more, so that the next one is not hidden by it', async () => {
    const world = await playing({ outputProbe: false });
    world.engine.kill('news');
    await world.live(40_000);
    world.engine.startByHand('news');
    await world.live(130_000);
    expect(world.pipeline.incidents().open).toEqual([]);
    world.engine.kill('news');
    await world.live(40_000);
    expect(world.facts('incident.opened')).toHaveLength(2);
    expect(pages(world)).toHaveLength(2);
  });
});
