import { describe, expect, it } from 'vitest';
import { PoolReadings } from '../../../src/collect/prometheus/pool.ts';
import type { EngineSample } from '../../../src/core/sample.ts';
import { fakeClock, suspendableClock } from '../../support/fake_clock.ts';

const ASKED = new Map([['q', 30_000]]);

describe('the pressure on a pool that another system reports', () => {
  const sample = {
    kind: 'engine',
    engine: 'local',
    ok: true,
    poolPressure: undefined,
    reportsPool: false,
  } as unknown as EngineSample;

  it('overrides what the engine reports; when it is old it is unknown, not fine', async () => {
    const { clock, advance } = fakeClock();
    const pool = new PoolReadings(clock, (engine) => (engine === 'local' ? ASKED : undefined));
    expect(pool.over(sample)).toMatchObject({ reportsPool: true, poolPressure: undefined });
    pool.note('local', 0.95, 'q');
    await advance(30_000);
    expect(pool.over(sample)).toMatchObject({ reportsPool: true, poolPressure: 0.95 });
    await advance(1);
    expect(pool.over(sample)).toMatchObject({ reportsPool: true, poolPressure: undefined });
    expect(pool.over({ ...sample, engine: 'other' })).toMatchObject({ reportsPool: false });
  });
});

describe('a reading from before the machine slept', () => {
  it('is as old as the sleep was long', async () => {
    const { clock, advance, suspend } = suspendableClock();
    const pool = new PoolReadings(clock, () => ASKED);
    const sample = { kind: 'engine', engine: 'local', poolPressure: undefined } as unknown as EngineSample;
    pool.note('local', 0.1, 'q');
    await advance(10_000);
    suspend(20_000);
    expect(pool.over(sample).poolPressure).toBe(0.1);
    suspend(1);
    expect(pool.over(sample)).toMatchObject({ reportsPool: true, poolPressure: undefined });
    pool.note('local', 0.2, 'q');
    expect(pool.over(sample).poolPressure).toBe(0.2);
  });
});

describe('several readings of one engine', () => {
  const sample = { kind: 'engine', engine: 'local', poolPressure: undefined } as unknown as EngineSample;
  const asked = new Map([
    ['encoders', 30_000],
    ['connections', 120_000],
  ]);

  it('give the highest while all of them come, each at its own pace', async () => {
    const { clock, advance } = fakeClock();
    const pool = new PoolReadings(clock, () => asked);
    pool.note('local', 0.2, 'connections');
    await advance(90_000);
    pool.note('local', 0.95, 'encoders');
    await advance(30_000);
    expect(pool.over(sample).poolPressure).toBe(0.95);
    await advance(1);
    expect(pool.over(sample).poolPressure).toBeUndefined();
  });

  it('are not known before each of them has come once', () => {
    const pool = new PoolReadings(fakeClock().clock, () => asked);
    pool.note('local', 0.1, 'encoders');
    expect(pool.over(sample)).toMatchObject({ reportsPool: true, poolPressure: undefined });
    pool.note('local', 0.2, 'connections');
    expect(pool.over(sample).poolPressure).toBe(0.2);
  });

  it('of which one is missing do not hide behind what the engine says of itself', () => {
    const pool = new PoolReadings(fakeClock().clock, () => asked);
    pool.note('local', 0.95, 'encoders');
    expect(pool.over({ ...sample, poolPressure: 0.1 }).poolPressure).toBe(0.95);
  });
});
