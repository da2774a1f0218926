import { CALLS, FAULTS, type Point, type Trial, tryPoint } from './point.ts';

/** Every fault at every call. */
export const pointsOf = (counts: Readonly<Record<Point['call'], number>>): readonly Point[] =>
  FAULTS.flatMap((fault) =>
    CALLS.flatMap((call) =>
      Array.from({ length: counts[call] }, (_, index): Point => ({ fault, call, nth: index + 1 })),
    ),
  );

/**
 * `size` points of each fault and call, evenly spread from first to last; the seed moves them, so that other points
 * come in another run, and the same ones in a run with the same seed.
 */
export function sampleOf(points: readonly Point[], size: number, seed: number): readonly Point[] {
  const kinds = Map.groupBy(points, ({ fault, call }) => `${fault} ${call}`);
  return [...kinds.values()].flatMap((same) => {
    const step = same.length / Math.min(size, same.length);
    const offset = (seed * 0.618_033_988_75) % 1;
    return Array.from(
      { length: Math.min(size, same.length) },
      (_, index) => same[Math.floor((index + offset) * step)]!,
    );
  });
}

/** Tries them, some at a time: a trial is mostly waiting. */
export async function tryAll(
  points: readonly Point[],
  { workers, onTrial }: { readonly workers: number; readonly onTrial?: (trial: Trial) => void },
): Promise<readonly Trial[]> {
  const waiting = [...points];
  const trials: Trial[] = [];
  const work = async (): Promise<void> => {
    for (let point = waiting.shift(); point !== undefined; point = waiting.shift()) {
      const trial = await tryPoint(point);
      trials.push(trial);
      onTrial?.(trial);
    }
  };
  await Promise.all(Array.from({ length: workers }, work));
  return trials;
}

/** The figures of some trials. */
export interface Tally {
  readonly tried: number;
  /** The scenario was over before the daemon made so many calls. */
  readonly notReached: number;
  readonly survived: number;
  /** Restarts that were under way when the daemon went: UNKNOWN afterwards. */
  readonly unknown: number;
  readonly doubleInvocations: number;
  readonly lostEscalations: number;
}

export function tallyOf(trials: readonly Trial[]): Tally {
  const hit = trials.filter((trial) => trial.hit);
  const sum = (count: (trial: Trial) => number): number => hit.reduce((total, trial) => total + count(trial), 0);
  const broken = (law: string) => sum(({ problems }) => problems.filter((problem) => problem.startsWith(law)).length);
  return {
    tried: hit.length,
    notReached: trials.length - hit.length,
    survived: hit.filter(({ problems }) => problems.length === 0).length,
    unknown: sum(({ unknown }) => unknown),
    doubleInvocations: broken('S6'),
    lostEscalations: broken('L1'),
  };
}
