import { describe, expect, it } from 'vitest';
import type { EngineSample, HostSample } from '../../../src/core/sample.ts';
import { fullestDisk, nextEngine, nextHost, NO_ENGINE_FACTS } from '../../../src/ground/facts/engine_facts.ts';

const engine = (ok: boolean, monoMs: number) => ({ kind: 'engine', ok, monoMs }) as unknown as EngineSample;
const host = (monoMs: number, oomKills: number | undefined, ...usedRatio: readonly (number | undefined)[]) =>
  ({
    kind: 'host',
    monoMs,
    oomKills,
    disks: usedRatio.map((used, at) => ({ path: `/${at}`, usedRatio: used })),
  }) as unknown as HostSample;

describe('what is known of an engine', () => {
  it('counts failures in a row from the first one, until an answer', () => {
    const away = [engine(false, 10), engine(false, 20)].reduce(nextEngine, NO_ENGINE_FACTS);
    expect(away).toMatchObject({ failStreak: 2, failSinceMs: 10, lastOkMs: undefined });
    expect(nextEngine(away, engine(true, 30))).toMatchObject({ failStreak: 0, failSinceMs: undefined, lastOkMs: 30 });
  });

  it('keeps the time of the last answer through failures', () => {
    expect(nextEngine(nextEngine(NO_ENGINE_FACTS, engine(true, 5)), engine(false, 6)).lastOkMs).toBe(5);
  });
});

describe('what is known of a machine', () => {
  it('takes the first count of out-of-memory kills as it is, and only a later rise as a kill', () => {
    const first = nextHost(undefined, host(1, 7));
    expect(first.oomRoseMs).toBeUndefined();
    const rose = nextHost(first, host(2, 8));
    expect(rose.oomRoseMs).toBe(2);
    expect(nextHost(rose, host(3, 8)).oomRoseMs).toBe(2);
  });

  it('was well before only where two looks in a row counted its memory and found no disk full', () => {
    const well = nextHost(undefined, host(1, 0, 0.5));
    expect(well.wellBeforeMs).toBeUndefined();
    expect(nextHost(well, host(2, 0, 0.5)).wellBeforeMs).toBe(1);
    expect(nextHost(well, host(2, 1, 0.5)).wellBeforeMs).toBeUndefined();
    expect(nextHost(well, host(2, undefined, 0.5)).wellBeforeMs).toBeUndefined();
    expect(nextHost(well, host(2, 0, 1)).wellBeforeMs).toBeUndefined();
  });

  it('names the fullest disk of those that could be read, and none where none could', () => {
    expect(fullestDisk(nextHost(undefined, host(1, 0, 0.2, undefined, 0.9)))).toEqual({ path: '/2', ratio: 0.9 });
    expect(fullestDisk(nextHost(undefined, host(1, 0, undefined)))).toBeUndefined();
    expect(fullestDisk(undefined)).toBeUndefined();
  });
});
