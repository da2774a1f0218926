import { describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '../../src/core/limits.ts';
import type { EngineSample, HostSample } from '../../src/core/sample.ts';
import { classifyEngine } from '../../src/ground/rules/classify_engine.ts';
import {
  fullestDisk,
  type HostFacts,
  nextEngine,
  nextHost,
  NO_ENGINE_FACTS,
} from '../../src/ground/facts/engine_facts.ts';

const machine = (used: readonly (number | undefined)[], oomKills?: number, monoMs = 5): HostSample => ({
  kind: 'host',
  engine: 'local',
  at: 0,
  monoMs,
  source: 'host',
  disks: used.map((usedRatio, at) => ({ path: `/disk${at}`, usedRatio })),
  oomKills,
  cpuPressure: undefined,
});
const disks = (...used: readonly (number | undefined)[]) => nextHost(undefined, machine(used));
const assessed = (facts = NO_ENGINE_FACTS, host?: HostFacts) =>
  classifyEngine({ engine: 'local', facts, host, limits: DEFAULT_LIMITS }, 100);

describe('the report of an engine', () => {
  const failing = (monoMs: number): EngineSample => ({
    kind: 'engine',
    engine: 'local',
    at: 0,
    monoMs,
    source: 'engine',
    ok: false,
    poolPressure: undefined,
    reportsPool: false,
  });

  it('says that the engine is there and takes no credentials of Reeve any more', () => {
    const refused = (monoMs: number): EngineSample => ({ ...failing(monoMs), failure: 'refused_credentials' });
    const facts = [1, 2, 3].map(refused).reduce(nextEngine, NO_ENGINE_FACTS);
    expect(assessed(facts)).toMatchObject({
      classification: 'control_plane_down',
      because: "the engine refused Reeve's credentials 3 times in a row",
    });
    expect(assessed(nextEngine(facts, { ...failing(4), failure: 'timeout' }))?.because).toBe(
      'the engine failed 4 times in a row (timeout)',
    );
  });

  it('that fails without a reason has an unknown reason', () => {
    expect(assessed([1, 2, 3].map(failing).reduce(nextEngine, NO_ENGINE_FACTS))).toMatchObject({
      because: 'the engine failed 3 times in a row (unknown)',
      sinceMs: 1,
    });
  });

  it('is not made up where it was never asked', () => {
    expect(assessed({ ...NO_ENGINE_FACTS, failStreak: 3 })).toBeUndefined();
  });

  it('is nothing of its disks where none could be read', () => {
    expect([disks(), disks(undefined), undefined].map((host) => assessed(undefined, host))).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });
});

it.each([
  [[0.1, 0.97, 0.5], '/disk1'],
  [[0.97, 0.1], '/disk0'],
  [[0.5, 0.97, 0.97], '/disk1'],
  [[undefined, 0.2], '/disk1'],
  [[undefined], undefined],
  [[], undefined],
])('of disks used to %j the fullest is %s', (used, path) => {
  expect(fullestDisk(disks(...used))?.path).toBe(path);
});

it.each([
  [7, 8, true],
  [0, 1, true],
  [8, 8, false],
  [8, 7, false],
  [undefined, 8, false],
  [7, undefined, false],
  [undefined, undefined, false],
])('a count of kills by the kernel that was %s and is %s has risen: %s', (before, now, rose) => {
  const facts = nextHost(nextHost(undefined, machine([], before, 1_000)), machine([], now, 2_000));
  expect(facts.oomRoseMs).toBe(rose ? 2_000 : undefined);
  expect(nextHost(facts, machine([], now, 3_000)).oomRoseMs).toBe(facts.oomRoseMs);
});
