import { describe, expect, it } from 'vitest';
import { pipelineHarness } from '../support/pipeline_harness.ts';

const ROLLED = Array.from({ length: 12 }, (_, index) => `c${index}`);
const world = () => pipelineHarness({ channels: [...ROLLED, 'news'], group: 'rolled', groups: { news: 'other' } });
type World = ReturnType<typeof world>;

const contained = (one: World) => one.facts('containment.raised').map(({ reason }) => reason);
const announce = (one: World, with_: { readonly rolling?: true; readonly group?: string; readonly forMs?: number }) =>
  one.say({
    type: 'control.window_added',
    window: 'win-1',
    scope: { kind: 'group', id: with_.group ?? 'rolled' },
    forMs: with_.forMs ?? 600_000,
    startsInMs: 0,
    ...(with_.rolling === undefined ? {} : { rolling: with_.rolling }),
    who: 'ann',
    because: 'a new version',
  });

/** A person restarts one channel after another, two seconds apart. */
async function roll(one: World): Promise<void> {
  for (const name of ROLLED) {
    Object.assign(one.engine.channels.get(name)!, { state: 'stopped', stoppedOnPurpose: true });
    await one.live(500);
    one.engine.startByHand(name);
    await one.live(1_500);
  }
}

const dies = (one: World): void => {
  Object.assign(one.engine.channels.get('news')!, { state: 'exited', exitSignal: 9 });
};

describe('a person who restarts twelve channels one after another (S2)', () => {
  it('contains the fleet where nothing was announced, also in a plain maintenance window', async () => {
    const unannounced = world();
    await unannounced.live(61_000);
    await roll(unannounced);
    expect(contained(unannounced)).toEqual(['restart_storm']);
    const plain = world();
    await plain.live(61_000);
    announce(plain, {});
    await roll(plain);
    expect(contained(plain)).toEqual(['restart_storm']);
  });

  it('contains nothing where it was announced; each start is recorded, and another group is helped', async () => {
    const one = world();
    await one.live(61_000);
    announce(one, { rolling: true });
    await roll(one);
    expect(contained(one)).toEqual([]);
    const starts = one.facts('start.observed').filter(({ planned }) => planned === 'win-1');
    expect(starts).toHaveLength(12);
    dies(one);
    await one.live(15_000);
    expect(one.engine.restarts.map(({ channel }) => channel)).toEqual(['news']);
    expect(one.facts('escalation.raised')).toEqual([]);
  });

  it('contains the fleet where another group was announced, or the window had ended', async () => {
    const other = world();
    await other.live(61_000);
    announce(other, { rolling: true, group: 'other' });
    await roll(other);
    expect(contained(other)).toEqual(['restart_storm']);
    const over = world();
    await over.live(61_000);
    announce(over, { rolling: true, forMs: 1_000 });
    await over.live(1_000);
    await roll(over);
    expect(contained(over)).toEqual(['restart_storm']);
  });
});
