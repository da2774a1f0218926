import { describe, expect, it } from 'vitest';
import { type PipelineOptions, pipelineHarness } from '../../support/pipeline_harness.ts';

const KEY = /^unrecorded\/esc/;

/** Everything plays; then the disk takes nothing, and at once these die. */
async function onFullDisk(dying: readonly string[], options: PipelineOptions = {}) {
  const world = pipelineHarness({ channels: ['news', 'sport'], groups: { sport: 'other' }, ...options });
  await world.live(30_000);
  world.store.failWrites('no space left on device');
  for (const id of dying) world.engine.kill(id);
  return world;
}

describe('a channel that goes down while the journal takes nothing', () => {
  it('is named by a page, though no incident can be opened, and by one only', async () => {
    const world = await onFullDisk(['news']);
    await world.live(25_000);
    expect(world.unjournaled).toMatchObject([
      { key: expect.stringMatching(KEY), reason: 'journal_broken', channels: ['news'] },
    ]);
    await world.live(120_000);
    expect(world.unjournaled).toHaveLength(1);
    expect(world.engine.restarts).toEqual([]);
  });

  it('is not paged before law L6 asks for it, nor where it comes back in time', async () => {
    const world = await onFullDisk(['news']);
    await world.live(10_000);
    world.engine.startByHand('news');
    await world.live(60_000);
    expect(world.unjournaled).toEqual([]);
  });

  it('waits as long as its persona is patient', async () => {
    const world = await onFullDisk(['news'], { personaWith: { aggressiveness: 'cautious' } });
    await world.live(25_000);
    expect(world.unjournaled).toEqual([]);
    await world.live(10_000);
    expect(world.unjournaled).toHaveLength(1);
  });

  it('is put on the list of the page that is open', async () => {
    const world = await onFullDisk(['news']);
    await world.live(30_000);
    world.engine.kill('sport');
    await world.live(30_000);
    const [first, second, ...more] = world.unjournaled;
    expect(second).toMatchObject({ key: first?.key, channels: ['news', 'sport'] });
    expect(more).toEqual([]);
  });

  it('is on the list again where it was well in between and others were not', async () => {
    const world = await onFullDisk(['news']);
    await world.live(30_000);
    world.engine.startByHand('news');
    world.engine.kill('sport');
    await world.live(25_000);
    world.engine.kill('news');
    await world.live(30_000);
    expect(world.unjournaled.map((page) => ('channels' in page ? page.channels?.toSorted() : page))).toEqual([
      ['news'],
      ['sport'],
      ['news', 'sport'],
    ]);
  });

  it('has its page ended when all of the list have played for a while, and a new page after that', async () => {
    const world = await onFullDisk(['news']);
    await world.live(30_000);
    world.engine.startByHand('news');
    await world.live(25_000);
    expect(world.unjournaled).toHaveLength(1);
    await world.live(15_000);
    expect(world.unjournaled[1]).toEqual({
      key: world.unjournaled[0]?.key,
      because: 'all that it lists are well again',
    });
    world.engine.kill('news');
    await world.live(30_000);
    expect(world.unjournaled).toHaveLength(3);
    expect(world.unjournaled[2]?.key).not.toBe(world.unjournaled[0]?.key);
  });

  it('is not paged where its own page was sent before', async () => {
    const world = pipelineHarness({ channels: ['news'], phase: 0 });
    await world.live(30_000);
    world.engine.kill('news');
    await world.live(60_000);
    expect(world.facts('escalation.raised')).toHaveLength(1);
    world.store.failWrites('no space left on device');
    await world.live(60_000);
    expect(world.unjournaled).toEqual([]);
  });

  it("is not paged during a person's lease, and is after it", async () => {
    const world = pipelineHarness({ channels: ['news'] });
    await world.live(30_000);
    const scope = { kind: 'channel', id: 'news' } as const;
    world.say({ type: 'control.leased', scope, forMs: 60_000, who: 'ann', because: 'work' });
    world.store.failWrites('no space left on device');
    world.engine.kill('news');
    await world.live(55_000);
    expect(world.unjournaled).toEqual([]);
    await world.live(10_000);
    expect(world.unjournaled).toMatchObject([{ channels: ['news'] }]);
  });
});

describe('while the journal takes entries', () => {
  it('nobody is paged without it', async () => {
    const world = pipelineHarness({ channels: ['news'], phase: 0 });
    await world.live(30_000);
    world.engine.kill('news');
    await world.live(120_000);
    expect(world.unjournaled).toEqual([]);
  });
});
