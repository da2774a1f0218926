import { describe, expect, it } from 'vitest';
import type { Engine } from '../../../src/core/engine.ts';
import type { Scope } from '../../../src/core/scope.ts';
import { rebuildPlayout } from '../../../src/remediation/tools/rebuild_playout.ts';
import type { EffectPorts } from '../../../src/remediation/tool.ts';
import { aChannel, permitTerms } from '../../support/a.ts';

const NEWS: Scope = { kind: 'channel', id: 'news' };

const engineThat = (parts: Partial<Engine>) => ({ id: 'local', kind: 'fake', ...parts }) as Engine;

describe('a rebuild of a playout', () => {
  const run = (itemsAdded: number, target: Scope = NEWS) => {
    const engine = engineThat({ rebuildPlayout: async () => ({ itemsAdded, summary: 'planned until noon' }) });
    const ports = { channelOf: () => aChannel(), engineOf: () => engine, healthLine: String, clean: String };
    return rebuildPlayout.run(ports, target, {} as Parameters<typeof rebuildPlayout.run>[2], 'local');
  };

  it('says how many items the engine added', async () => {
    expect(await run(1)).toBe('1 items added; planned until noon');
  });

  it('has failed where the engine added nothing, whatever it says', async () => {
    await expect(run(0)).rejects.toThrow('the rebuild added no items: planned until noon');
  });

  it('is of one channel', async () => {
    await expect(run(1, { kind: 'group', id: 'pull' })).rejects.toThrow('a channel was expected');
  });
});

describe('the effect of a rebuild', () => {
  const check = (engine: Engine | undefined, target: Scope = NEWS) => {
    const terms = permitTerms({ call: { tool: 'rebuild_playout', target, channels: [] } });
    return rebuildPlayout.effect!.check({ engine } as EffectPorts, {
      terms,
      sinceMs: 0,
      previousGeneration: undefined,
      cacheEntriesBefore: undefined,
      signal: new AbortController().signal,
    });
  };
  const playing = (plays: boolean) => engineThat({ probePlayout: async () => plays });

  it('is seen when the channel has something to play, and not before', async () => {
    expect(await check(playing(true))).toEqual({ state: 'cured', because: 'it has something to play now' });
    expect(await check(playing(false))).toEqual({ state: 'not_yet', because: 'nothing to play yet' });
  });

  it('cannot be seen without a probe, or of anything but a channel', async () => {
    const blind = { state: 'not_yet', because: 'the engine has no probe for rebuild_playout' };
    expect(await check(engineThat({}))).toEqual(blind);
    expect(await check(undefined)).toEqual(blind);
    expect(await check(playing(true), { kind: 'group', id: 'pull' })).toEqual(blind);
  });
});
