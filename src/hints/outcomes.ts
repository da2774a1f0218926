/** What hints achieved: the change of the score after each, added up by hint and by how far the hint is trusted. */
import type { Bucket } from './maturity.ts';

/** One hint about which feedback came. */
export interface Outcome {
  readonly patternId: string;
  /** The last score before the hint and the score after it. */
  readonly preScore: number;
  readonly postScore: number;
  /** When the feedback came. */
  readonly atMs: number;
}

/** What one hint achieved. */
export interface PatternRecord {
  /** Outcomes, at least 1. */
  readonly count: number;
  readonly averageUplift: number;
  /** Part of the outcomes whose score rose by more than 0.05. */
  readonly winRate: number;
  readonly lastSeenMs: number;
}

/** Records by hint, in groups. `unbucketed`: hints whose cluster is gone. */
export type HintStatistics = Readonly<Record<Bucket | 'unbucketed', ReadonlyMap<string, PatternRecord>>>;

/** A rise must be above this to count as a win. */
const WIN_ABOVE = 0.05;
/** Differences are rounded to this many parts of one, or 0.52 - 0.47 would be more than 0.05. */
const PARTS = 1e9;

/** A record of fewer outcomes says nothing yet. */
const FALL_COUNT_MIN = 5;

/** Why a hint is to be sent no more: enough outcomes, their sum below zero and fewer wins than not. Else undefined. */
export function fallOf(outcomes: readonly Outcome[]): string | undefined {
  if (outcomes.length < FALL_COUNT_MIN) return undefined;
  const { count, averageUplift, winRate } = recordOf(outcomes);
  if (averageUplift >= 0 || winRate >= 0.5) return undefined;
  return `over ${count} outcomes the score fell by ${(-averageUplift).toFixed(3)} on average`;
}

/** The change of the score, exact to nine decimals. */
export const deltaScore = ({ preScore, postScore }: Pick<Outcome, 'preScore' | 'postScore'>): number =>
  Math.round((postScore - preScore) * PARTS) / PARTS;

/** Adds up outcomes. `bucketOf` gives a hint's group as it is now, undefined when no cluster has that hint. */
export function statisticsOf(
  outcomes: readonly Outcome[],
  bucketOf: (patternId: string) => Bucket | undefined,
): HintStatistics {
  const statistics = { staging: new Map(), production: new Map(), demoted: new Map(), unbucketed: new Map() };
  for (const [patternId, own] of Map.groupBy(outcomes, (outcome) => outcome.patternId)) {
    statistics[bucketOf(patternId) ?? 'unbucketed'].set(patternId, recordOf(own));
  }
  return statistics;
}

function recordOf(outcomes: readonly Outcome[]): PatternRecord {
  const deltas = outcomes.map(deltaScore);
  return {
    count: deltas.length,
    averageUplift: deltas.reduce((sum, delta) => sum + delta, 0) / deltas.length,
    winRate: deltas.filter((delta) => delta > WIN_ABOVE).length / deltas.length,
    lastSeenMs: outcomes.reduce((last, { atMs }) => Math.max(last, atMs), Number.NEGATIVE_INFINITY),
  };
}

/** Hints as metrics show them. */
export interface HintFigures {
  /** Mean uplift over all outcomes of a bucket; buckets without outcomes are left out. */
  readonly uplift: readonly { readonly bucket: string; readonly mean: number }[];
  readonly blindSpots: number;
  readonly clusters: number;
}

/** Mean uplift of each bucket that has outcomes, over its outcomes. */
export function figuresOf(
  {
    clusterCount: clusters,
    blindSpotCount: blindSpots,
  }: { readonly clusterCount: number; readonly blindSpotCount: number },
  statistics: HintStatistics,
): HintFigures {
  const uplift = Object.entries(statistics).flatMap(([bucket, records]) => {
    const all = [...records.values()];
    const count = all.reduce((sum, record) => sum + record.count, 0);
    const total = all.reduce((sum, record) => sum + record.count * record.averageUplift, 0);
    return count === 0 ? [] : [{ bucket, mean: total / count }];
  });
  return { uplift, blindSpots, clusters };
}
