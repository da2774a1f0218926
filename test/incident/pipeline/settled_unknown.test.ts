import { describe, expect, it } from 'vitest';
import { keyOfScope, type Scope } from '../../../src/core/scope.ts';
import { settledUnknown, type SettledUnknownDeps } from '../../../src/incident/pipeline/settled_unknown.ts';
import { withSubject } from '../../guard/subjects.ts';

const NEWS: Scope = { kind: 'channel', id: 'news' };
const GROUP: Scope = { kind: 'group', id: 'encoders' };
const ENGINE: Scope = { kind: 'engine', id: 'local' };

interface World {
  readonly healthySinceMs?: number | undefined;
  /** Absent: the channel is in trouble. */
  readonly healthy?: boolean | undefined;
  readonly engineTrouble?: object;
}

/** A call that began at 1,000 and whose end is not known; what settles it. */
function settledAt(nowMs: number, scope: Scope, world: World) {
  const finding = 'healthy' in world ? { trouble: false, quiet: true, healthy: world.healthy } : { trouble: true };
  const guardState = withSubject(
    { unknown: { permit: 'per-1', tool: 'restart_channel', sinceMs: 1_000 } },
    keyOfScope(scope),
  );
  const deps = {
    watch: { watched: () => ({ finding, healthySinceMs: world.healthySinceMs }), engine: () => world.engineTrouble },
    guardState: () => guardState,
    channelIndex: { channelsIn: () => ['news'] },
    healthyHoldMs: 5_000,
  };
  return settledUnknown(deps as unknown as SettledUnknownDeps, nowMs);
}

describe('a start whose end is UNKNOWN', () => {
  it('is settled when its channel has been healthy for five seconds since', () => {
    expect(settledAt(6_999, NEWS, { healthySinceMs: 2_000 })).toEqual([]);
    expect(settledAt(7_000, NEWS, { healthySinceMs: 2_000 })).toEqual([
      { channel: 'news', fact: { type: 'unknown.settled', because: 'healthy for 5 s' } },
    ]);
  });

  it.each([
    [999, 0],
    [1_000, 1],
    [undefined, 0],
  ])('with health since %s is settled by health from after it alone', (healthySinceMs, count) => {
    expect(settledAt(60_000, NEWS, { healthySinceMs })).toHaveLength(count);
  });
});

describe('a plan or an engine-wide call whose end is UNKNOWN', () => {
  it.each([GROUP, ENGINE])('is settled when all of $kind has been healthy for five seconds since', (scope) => {
    const settled = { fact: { type: 'unknown.settled', scope } };
    expect(settledAt(6_999, scope, { healthy: true, healthySinceMs: 2_000 })).toEqual([]);
    expect(settledAt(7_000, scope, { healthy: true, healthySinceMs: 2_000 })).toMatchObject([settled]);
    expect(settledAt(5_999, scope, { healthy: true, healthySinceMs: 500 })).toEqual([]);
    expect(settledAt(6_000, scope, { healthy: true, healthySinceMs: 500 })).toMatchObject([settled]);
  });

  it('is not settled where one of it is in trouble, or none of it is known to play', () => {
    expect(settledAt(60_000, GROUP, { healthySinceMs: 2_000 })).toEqual([]);
    expect(settledAt(60_000, GROUP, { healthy: undefined })).toEqual([]);
  });

  it('is not settled while something is wrong with the engine itself', () => {
    const world = { healthy: true, healthySinceMs: 2_000, engineTrouble: {} };
    expect(settledAt(60_000, ENGINE, world)).toEqual([]);
    expect(settledAt(60_000, GROUP, world)).toHaveLength(1);
  });
});
