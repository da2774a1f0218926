import { describe, expect, it } from 'vitest';
import type { ActionContext } from '../../src/core/engine.ts';
import type { CredentialSample, EngineSample } from '../../src/core/sample.ts';
import { ALL_CAPABILITIES, type Imagined, RecordingEngine } from '../../src/replay/recording_engine.ts';
import { fakeClock } from '../support/fake_clock.ts';

const context = {} as ActionContext;

function anEngine(imagined?: Imagined) {
  const { clock, advance } = fakeClock();
  const engine = new RecordingEngine({ id: 'local', capabilities: ALL_CAPABILITIES }, clock, imagined);
  const moment = () => ({ at: clock.now(), monoMs: clock.monotonicMs(), source: 'recording' });
  const credential = (ok: boolean): CredentialSample => ({ kind: 'credential', engine: 'local', ok, ...moment() });
  const sample: EngineSample = {
    ...{ kind: 'engine', engine: 'local', ok: true, poolPressure: 0.5, reportsPool: true },
    ...moment(),
  };
  return { engine, advance, credential, sample };
}
const refused = (what: string) => ({ code: 'ENGINE_REFUSED', message: `the record does not contain ${what}` });

describe('a look at an engine that only records', () => {
  it('is what was last recorded of it, with what was recorded of its credentials', async () => {
    const { engine, sample, credential } = anEngine();
    engine.heard({ ...sample, poolPressure: 0.1 });
    engine.heard(sample);
    const report = { engine: sample, processes: [], viewers: [] };
    expect(await engine.observe()).toEqual({ ...report, credential: undefined });
    engine.heard(credential(false));
    expect(await engine.observe()).toEqual({ ...report, credential: credential(false) });
  });

  it('is refused where nothing was recorded of the engine itself', async () => {
    const { engine, credential } = anEngine();
    engine.heard(credential(true));
    await expect(engine.observe()).rejects.toMatchObject(refused('of the engine itself'));
  });

  it('finds no log lines', async () => {
    expect(await anEngine().engine.recentLogs()).toBe('');
  });
});

describe('a change', () => {
  it('is recorded and not done, and its channel is handed to the caller that supplies its effect', async () => {
    const changed: (string | undefined)[] = [];
    const { engine } = anEngine({ onChange: (channel) => changed.push(channel) });
    expect(await engine.restart('news', context)).toBe('written down, not done');
    expect(await engine.refreshCredentials()).toBe('written down, not done');
    expect(await engine.rebuildPlayout('sport')).toEqual({ itemsAdded: 1, summary: 'written down, not done' });
    expect(await engine.invalidateCache(undefined)).toBe('written down, not done');
    expect(changed).toEqual(['news', undefined, 'sport', undefined]);
  });
});

describe('whether the credentials work', () => {
  it('is what a probe found that was recorded after they were refreshed', async () => {
    const { engine, advance, credential } = anEngine();
    engine.heard(credential(true));
    await engine.refreshCredentials();
    await expect(engine.probeCredentials()).rejects.toMatchObject(refused('whether the credentials work'));
    await advance(1);
    engine.heard(credential(false));
    expect(await engine.probeCredentials()).toBe(false);
    engine.heard(credential(true));
    expect(await engine.probeCredentials()).toBe(true);
  });

  it('is in the record where nothing was refreshed, and is not where nothing was recorded', async () => {
    const { engine, credential } = anEngine();
    await expect(engine.probeCredentials()).rejects.toMatchObject(refused('whether the credentials work'));
    engine.heard(credential(true));
    expect(await engine.probeCredentials()).toBe(true);
  });
});

describe('what only a running engine can report', () => {
  it('is what the caller supplied', async () => {
    const [works, fails] = [anEngine({ works: true }).engine, anEngine({ works: false }).engine];
    expect([await works.probeCredentials(), await fails.probeCredentials()]).toEqual([true, false]);
    expect([await works.probePlayout(), await fails.probePlayout()]).toEqual([true, false]);
    expect([await works.probeCache(), await fails.probeCache()]).toEqual([0, 1]);
  });

  it('is refused where the caller supplied nothing', async () => {
    const { engine } = anEngine();
    await expect(engine.probePlayout()).rejects.toMatchObject(refused('what is left to play'));
    await expect(engine.probeCache()).rejects.toMatchObject(refused('what the cache holds'));
  });
});
