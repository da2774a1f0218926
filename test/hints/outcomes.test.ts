import { describe, expect, it } from 'vitest';
import { deltaScore, fallOf, figuresOf, type Outcome, statisticsOf } from '../../src/hints/outcomes.ts';

const outcome = (patternId: string, postScore: number, preScore = 0.5): Outcome => ({
  ...{ patternId, preScore, postScore, atMs: 0 },
});
const bucketOf = (id: string) => (id === 'gone' ? undefined : id === 'new' ? 'staging' : 'production');

describe('what hints achieved', () => {
  it('is the change of the score, exact to nine decimals', () => {
    expect(deltaScore({ preScore: 0.47, postScore: 0.52 })).toBe(0.05);
  });

  it('is added up by hint, in the bucket that the hint has now', () => {
    const statistics = statisticsOf(
      [outcome('a', 0.7), outcome('a', 0.5), outcome('new', 0.4), outcome('gone', 0.9)],
      bucketOf,
    );
    expect(statistics.production.get('a')).toMatchObject({ count: 2, averageUplift: 0.1, winRate: 0.5 });
    expect(statistics.staging.get('new')?.averageUplift).toBeCloseTo(-0.1);
    expect([...statistics.unbucketed.keys()]).toEqual(['gone']);
  });

  it('demotes a hint after five outcomes that do harm, not after four, and not one that helps', () => {
    const harmful = (count: number) => Array.from({ length: count }, () => outcome('a', 0.4));
    expect(fallOf(harmful(4))).toBeUndefined();
    expect(fallOf(harmful(5))).toContain('over 5 outcomes the score fell by 0.100');
    expect(fallOf([...harmful(4), outcome('a', 1)])).toBeUndefined();
  });

  it('is shown by the mean over all outcomes of a bucket, so that many weigh more than one', () => {
    const statistics = statisticsOf(
      [outcome('a', 0.6), outcome('a', 0.6), outcome('a', 0.6), outcome('b', 0.9)],
      bucketOf,
    );
    const { uplift, clusters, blindSpots } = figuresOf({ clusterCount: 3, blindSpotCount: 2 }, statistics);
    expect(uplift).toHaveLength(1);
    expect(uplift[0]!.bucket).toBe('production');
    expect(uplift[0]!.mean).toBeCloseTo((3 * 0.1 + 0.4) / 4);
    expect([clusters, blindSpots]).toEqual([3, 2]);
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
