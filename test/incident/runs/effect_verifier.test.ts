import { describe, expect, it } from 'vitest';
import type { Engine } from '../../../src/core/engine.ts';
import { InvariantError } from '../../../src/core/errors.ts';
import type { ToolName } from '../../../src/core/tool.ts';
import type { FactStore } from '../../../src/ground/facts/facts.ts';
import { EffectVerifier } from '../../../src/incident/runs/effect_verifier.ts';
import { aCall, permitTerms } from '../../support/a.ts';
import { fakeClock } from '../../support/fake_clock.ts';

const signal = new AbortController().signal;
const termsOf = (tool: ToolName, id = 'per-1') => permitTerms({ id, call: aCall({ tool }), engine: 'local' });

function verifying(engine: Partial<Engine> | undefined, view: FactStore['view'] = () => undefined) {
  const { clock, advance } = fakeClock();
  const factStore = { view } as FactStore;
  const verifier = new EffectVerifier({ factStore, clock, engineOf: () => engine as Engine | undefined });
  const judge = (tool: ToolName, id?: string) => verifier.judge(termsOf(tool, id), clock.monotonicMs(), signal);
  return { verifier, judge, advance };
}

describe('the effect of a tool', () => {
  it('is none where it only looks', async () => {
    const { judge } = verifying({});
    expect(await judge('fetch_recent_logs')).toEqual({
      state: 'not_yet',
      because: 'fetch_recent_logs changes nothing',
    });
  });

  it('of a restart has failed where the channel is not configured any more', async () => {
    expect(await verifying({}).judge('restart_channel')).toEqual({
      state: 'failed',
      because: 'it is no longer configured',
    });
  });

  it('that only the engine can show is not known where the engine is gone, or fails', async () => {
    const gone = await verifying(undefined).judge('refresh_credentials');
    expect(gone).toEqual({ state: 'not_yet', because: 'its engine is no longer configured' });
    const probeCredentials = async () => {
      throw new Error('refused');
    };
    expect(await verifying({ probeCredentials }).judge('refresh_credentials')).toEqual({
      state: 'not_yet',
      because: 'refused',
    });
  });

  it('is not taken for unknown where the check itself is broken', async () => {
    const probeCredentials = async () => {
      throw new InvariantError('a bug');
    };
    await expect(verifying({ probeCredentials }).judge('refresh_credentials')).rejects.toThrow('a bug');
  });
});

describe('a probe of an engine', () => {
  it('is asked at most once a second for each permit', async () => {
    let asked = 0;
    const probeCredentials = async () => {
      asked += 1;
      return true;
    };
    const { judge, advance } = verifying({ probeCredentials });
    expect(await judge('refresh_credentials')).toMatchObject({ state: 'cured' });
    await advance(999);
    expect(await judge('refresh_credentials')).toEqual({
      state: 'not_yet',
      because: 'the probe was asked a moment ago',
    });
    expect(await judge('refresh_credentials', 'per-2')).toMatchObject({ state: 'cured' });
    await advance(1);
    expect(await judge('refresh_credentials')).toMatchObject({ state: 'cured' });
    expect(asked).toBe(3);
  });
});

describe('what was there before an action', () => {
  it('is compared with what is there after it: a cache that is not smaller is not emptied', async () => {
    let entries = 5;
    const { verifier, judge, advance } = verifying({ probeCache: async () => entries });
    await verifier.note(termsOf('invalidate_cache'), signal);
    expect((await judge('invalidate_cache')).state).toBe('not_yet');
    await advance(1_000);
    entries = 0;
    expect((await judge('invalidate_cache')).state).toBe('cured');
  });

  it('is waited for only where the tool compares a cache, and the engine can count it', () => {
    const { verifier } = verifying({ probeCache: async () => 5 });
    expect(verifier.note(termsOf('restart_channel'), signal)).toBeUndefined();
    expect(verifying({}).verifier.note(termsOf('invalidate_cache'), signal)).toBeUndefined();
  });

  it('may fail without keeping the action back', async () => {
    const probeCache = async () => {
      throw new Error('refused');
    };
    await expect(verifying({ probeCache }).verifier.note(termsOf('invalidate_cache'), signal)).resolves.toBeUndefined();
  });
});
