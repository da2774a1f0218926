import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { nameOf, type Point, type Trial } from './point.ts';

export type Counts = Readonly<Record<Point['call'], number>>;

/** What an earlier run came to. */
export interface Earlier {
  readonly counts: Counts;
  /** The newest trial of each point. */
  readonly trials: readonly Trial[];
}

/**
 * The trials of a long run, one line each, written as they end: what was cut off goes on where it stood. The first
 * line says how many points there are, for that differs a little from one run of the scenario to the next.
 */
export class TrialRecord {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  begin(counts: Counts): void {
    mkdirSync(dirname(this.#path), { recursive: true });
    writeFileSync(this.#path, `${JSON.stringify(counts)}\n`);
  }

  add(trial: Trial): void {
    appendFileSync(this.#path, `${JSON.stringify(trial)}\n`);
  }

  /** Undefined when there is nothing to go on with. A last line that was cut off is a trial to make again. */
  read(): Earlier | undefined {
    const lines = existsSync(this.#path) ? readFileSync(this.#path, 'utf8').split('\n').slice(0, -1) : [];
    const [counts, ...trials] = lines.map((line): unknown => JSON.parse(line));
    if (counts === undefined) return undefined;
    const newest = new Map((trials as readonly Trial[]).map((trial) => [nameOf(trial.point), trial]));
    return { counts: counts as Counts, trials: [...newest.values()] };
  }
}

const isOver = ({ problems }: Trial): boolean => problems.length === 0;

/** Points of `points` that no earlier trial has got through. */
export function leftOf(points: readonly Point[], earlier: readonly Trial[]): readonly Point[] {
  const over = new Set(earlier.filter(isOver).map(({ point }) => nameOf(point)));
  return points.filter((point) => !over.has(nameOf(point)));
}
