import { describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '../../../src/core/limits.ts';
import { classifyEngine } from '../../../src/ground/rules/classify_engine.ts';
import { nextEngine, nextHost, NO_ENGINE_FACTS } from '../../../src/ground/facts/engine_facts.ts';

const answer = (ok: boolean, monoMs: number, poolPressure?: number) => ({
  kind: 'engine' as const,
  engine: 'local',
  at: monoMs,
  monoMs,
  source: 'engine',
  ok,
  poolPressure,
  reportsPool: poolPressure !== undefined,
  ...(ok ? {} : { failure: 'refused' as const }),
});

const disk = (usedRatio: number | undefined) =>
  nextHost(undefined, {
    kind: 'host',
    engine: 'local',
    at: 0,
    monoMs: 5,
    source: 'host',
    disks: [
      { path: '/', usedRatio: 0.1 },
      { path: '/var/hls', usedRatio },
    ],
    oomKills: undefined,
    cpuPressure: undefined,
  });

const classOf = (facts = NO_ENGINE_FACTS, host?: ReturnType<typeof disk>) =>
  classifyEngine({ engine: 'local', facts, host, limits: DEFAULT_LIMITS }, 100)?.classification;

describe('an engine as a whole', () => {
  it('is fine while nothing is known of it: absent is not broken', () => {
    expect(classOf()).toBeUndefined();
    expect(classOf(NO_ENGINE_FACTS, disk(undefined))).toBeUndefined();
  });

  it('is down at the third failure in a row, and up at the first answer', () => {
    let facts = NO_ENGINE_FACTS;
    for (const ms of [1, 2]) facts = nextEngine(facts, answer(false, ms));
    expect(classOf(facts)).toBeUndefined();
    facts = nextEngine(facts, answer(false, 3));
    expect(classOf(facts)).toBe('control_plane_down');
    expect(classOf(nextEngine(facts, answer(true, 4)))).toBeUndefined();
  });

  it('is exhausted when a disk is 95 % full, not at 94.9 %', () => {
    expect(classOf(NO_ENGINE_FACTS, disk(0.95))).toBe('host_exhausted');
    expect(classOf(NO_ENGINE_FACTS, disk(0.949))).toBeUndefined();
  });

  it('has no room at the pool pressure of the limits', () => {
    expect(classOf(nextEngine(NO_ENGINE_FACTS, answer(true, 1, 0.9)))).toBe('pool_exhausted');
    expect(classOf(nextEngine(NO_ENGINE_FACTS, answer(true, 1, 0.899)))).toBeUndefined();
  });
});
