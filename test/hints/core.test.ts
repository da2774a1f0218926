import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BlindSpots, EVENTS_MAX, PREFIXES_MAX, prefixHashOf } from '../../src/hints/blind_spots.ts';
import { bucketOf, priorityAfter } from '../../src/hints/maturity.ts';
import { type Cluster, createHintIndex } from '../../src/hints/nearest.ts';
import { deltaScore, statisticsOf } from '../../src/hints/outcomes.ts';
import { FREE_ATTEMPTS_CLIENT, FREE_ATTEMPTS_PLANNER, strategyFor } from '../../src/hints/strategy.ts';

const cluster = (id: string, pattern: string, priority?: Cluster['priority']): Cluster => ({
  ...{ id, standardName: id, patterns: [pattern], keywords: [], associatedPatterns: [`pattern_${id}`], priority },
});

describe('ROSClaw-How, what it does: three strategies', () => {
  const course = { safety: false, iteration: 4, scores: [0.42, 0.47, 0.47, 0.46], freeAttempts: FREE_ATTEMPTS_CLIENT };

  it('sends a hint on the request of the documented example', () => {
    expect(strategyFor(course)).toBe('CATALYST');
  });

  it('leaves the free attempts alone and not one more, for clients and for the planner', () => {
    expect(strategyFor({ ...course, iteration: 3 })).toBe('FREE_EXPLORATION');
    const own = { ...course, freeAttempts: FREE_ATTEMPTS_PLANNER };
    expect(strategyFor({ ...own, iteration: 1 })).toBe('FREE_EXPLORATION');
    expect(strategyFor({ ...own, iteration: 2 })).toBe('CATALYST');
  });

  it('leaves an improving score alone; a plateau and a rise below the best score get a hint', () => {
    expect(strategyFor({ ...course, scores: [0.4, 0.5, 0.6] })).toBe('FREE_EXPLORATION');
    expect(strategyFor({ ...course, scores: [0.5, 0.5] })).toBe('CATALYST');
    expect(strategyFor({ ...course, scores: [0.9, 0.1, 0.2] })).toBe('CATALYST');
    expect(strategyFor({ ...course, scores: [] })).toBe('FREE_EXPLORATION');
  });

  it('puts safety before everything else', () => {
    const scores = fc.array(fc.double({ noNaN: true, noDefaultInfinity: true }));
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 99 }), scores, (iteration, all) => {
        expect(strategyFor({ ...course, safety: true, iteration, scores: all })).toBe('SAFETY');
      }),
    );
  });

  it('refuses an iteration below 1 and a score that is no number', () => {
    expect(() => strategyFor({ ...course, iteration: 0 })).toThrow('iteration: expected a whole number from 1, got 0');
    expect(() => strategyFor({ ...course, scores: [1, Number.NaN] })).toThrow('score 2: expected a finite number');
    expect(() => strategyFor({ ...course, freeAttempts: -1 })).toThrow('free attempts');
  });
});

describe('ROSClaw-How, admin/promote and the runtime priority gate', () => {
  it('moves by a step or to a value, within -1 and 1; unset counts as production', () => {
    expect(priorityAfter(0, { delta: 1 })).toBe(1);
    expect(priorityAfter(1, { delta: 5 })).toBe(1);
    expect(priorityAfter(0, { priority: -9 })).toBe(-1);
    expect(priorityAfter(undefined, { delta: -1 })).toBe(0);
    expect([-1, 0, 1, undefined].map((at) => bucketOf(at as Cluster['priority']))).toEqual([
      ...['demoted', 'staging', 'production', 'production'],
    ]);
    expect(() => priorityAfter(0, { delta: 0.5 })).toThrow('expected a whole number, got 0.5');
  });

  it('never finds a demoted cluster, marks one in staging, and finds the next best instead', () => {
    const text = 'commanded velocity diverges';
    const good = cluster('b', 'commanded velocity diverges to infinity');
    const at = (priority: Cluster['priority']) =>
      createHintIndex([cluster('a', text, priority), good]).nearest(text, 0.5);
    expect(at(-1)).toMatchObject({ cluster: { id: 'b' }, isStaging: false });
    expect(at(0)).toMatchObject({ cluster: { id: 'a' }, isStaging: true, matched: text });
    expect(at(undefined)).toMatchObject({ cluster: { id: 'a' }, isStaging: false });
    expect(createHintIndex([cluster('a', text, -1)]).clusterCount).toBe(0);
  });

  it('finds at the floor and nothing above it, and the same whatever the order of the clusters', () => {
    const clusters = ['x', 'y', 'z'].map((id) => cluster(id, 'decoder lost its reference frame'));
    const found = createHintIndex(clusters).nearest('decoder lost a frame', 0)!;
    expect(found.cluster.id).toBe('x');
    expect(createHintIndex(clusters.toReversed()).nearest('decoder lost a frame', found.similarity)).toEqual(found);
    expect(createHintIndex(clusters).nearest('decoder lost a frame', found.similarity + 1e-9)).toBeUndefined();
    expect(createHintIndex(clusters).nearest('', 0)).toBeUndefined();
  });
});

describe('ROSClaw-How, stats', () => {
  it('counts a win above a rise of 0.05 and not at it', () => {
    const outcome = (patternId: string, postScore: number, atMs: number) => ({
      ...{ patternId, preScore: 0.47, postScore, atMs },
    });
    expect(deltaScore({ preScore: 0.47, postScore: 0.52 })).toBe(0.05);
    const all = [outcome('p', 0.52, 7), outcome('p', 0.53, 5), outcome('gone', 0.4, 1)];
    const { staging, unbucketed, production, demoted } = statisticsOf(all, (id) =>
      id === 'p' ? 'staging' : undefined,
    );
    expect(staging.get('p')).toMatchObject({ count: 2, winRate: 0.5, lastSeenMs: 7 });
    expect(staging.get('p')?.averageUplift).toBeCloseTo(0.055, 9);
    expect(unbucketed.get('gone')).toMatchObject({ count: 1, winRate: 0 });
    expect([production.size, demoted.size]).toEqual([0, 0]);
  });
});

describe('ROSClaw-How, blind spots', () => {
  const settings = { windowMs: 100, threshold: 3 };

  it('hashes the beginning without its numbers', () => {
    expect(prefixHashOf('Error 12 at 0xAF')).toBe(prefixHashOf('error  7 at 0x1'));
    expect(prefixHashOf('Error 12 at 0xAF')).not.toBe(prefixHashOf('Warning 12 at 0xAF'));
    expect(prefixHashOf('x')).toMatch(/^[0-9a-f]{64}$/);
  });

  it('reports a beginning at the threshold, once per window, and again after a quiet window', () => {
    const spots = new BlindSpots(settings);
    const report = (...times: number[]) => times.map((at) => spots.record('odd quirk', at)?.count);
    expect(report(0, 1, 2, 3, 101)).toEqual([undefined, undefined, 3, undefined, undefined]);
    expect(report(300, 301, 302)).toEqual([undefined, undefined, 3]);
  });

  it('forgets an event exactly when the window has passed', () => {
    const spots = new BlindSpots(settings);
    for (const at of [0, 1, 2]) spots.record('odd quirk', at);
    expect(spots.summary(99)).toMatchObject({ active: [{ count: 3, firstSeenMs: 0, lastSeenMs: 2 }], totalEvents: 3 });
    expect(spots.summary(100)).toMatchObject({ active: [], totalUniquePrefixes: 1, totalEvents: 2 });
    expect(spots.summary(102)).toEqual({ active: [], totalUniquePrefixes: 0, totalEvents: 0 });
  });

  it('stays bounded under a flood of different and of equal errors, and when the clock is set back', () => {
    const spots = new BlindSpots(settings);
    const words = (at: number) => [...String(at)].map((digit) => 'abcdefghij'[Number(digit)]).join('');
    for (let at = 0; at < PREFIXES_MAX + 5; at += 1) spots.record(words(at), 50);
    expect(spots.summary(50).totalUniquePrefixes).toBe(PREFIXES_MAX);
    for (let at = 0; at < EVENTS_MAX + 5; at += 1) spots.record('same', 10);
    expect(spots.summary(10).active).toMatchObject([{ count: EVENTS_MAX, lastSeenMs: 50 }]);
  });

  it('refuses a window or threshold that could never report', () => {
    for (const bad of [0, 1.5, EVENTS_MAX + 1]) {
      expect(() => new BlindSpots({ ...settings, threshold: bad })).toThrow('threshold: expected 1 to 1000');
    }
    expect(() => new BlindSpots({ ...settings, windowMs: 0 })).toThrow('window: expected above 0');
  });
});
