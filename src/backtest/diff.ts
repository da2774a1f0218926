/** Compares the incidents of two policies on one recording. */
import type { IncidentStory } from './decisions.ts';

/** One incident under two policies. `same`: the same decisions in the same order, whenever they were made. */
export interface IncidentDiff {
  readonly verdict: 'same' | 'other' | 'only_base' | 'only_against';
  readonly scope: string;
  readonly classification: string;
  readonly openedAt: number;
  /** How much later the second made its first change; undefined where one of them made none. */
  readonly actsLaterMs: number | undefined;
  /** The steps, without times and ids. */
  readonly base: readonly string[];
  readonly against: readonly string[];
}

export interface Diff {
  readonly same: number;
  readonly other: number;
  readonly onlyBase: number;
  readonly onlyAgainst: number;
  readonly incidents: readonly IncidentDiff[];
}

/** Two openings of one trouble may lie this far apart: personas differ in patience. */
const NEAR_MS = 120_000;

/** Pairs the incidents of two courses by scope and time, and says for each pair whether the decisions are the same. */
export function diffOf(base: readonly IncidentStory[], against: readonly IncidentStory[]): Diff {
  const left = new Set(against);
  const paired = base.map((one) => {
    const other = nearestTo(one, left);
    if (other !== undefined) left.delete(other);
    return comparedOf(one, other);
  });
  const alone = [...left].map((one) => comparedOf(undefined, one));
  const incidents = [...paired, ...alone].sort((a, b) => a.openedAt - b.openedAt || (a.scope < b.scope ? -1 : 1));
  const count = (verdict: IncidentDiff['verdict']): number => incidents.filter((one) => one.verdict === verdict).length;
  return {
    same: count('same'),
    other: count('other'),
    onlyBase: count('only_base'),
    onlyAgainst: count('only_against'),
    incidents,
  };
}

function nearestTo(one: IncidentStory, candidates: ReadonlySet<IncidentStory>): IncidentStory | undefined {
  const away = (other: IncidentStory): number => Math.abs(other.openedAt - one.openedAt);
  const overlaps = (other: IncidentStory): boolean =>
    other.openedAt <= (one.closedAt ?? Number.POSITIVE_INFINITY) &&
    one.openedAt <= (other.closedAt ?? Number.POSITIVE_INFINITY);
  return [...candidates]
    .filter((other) => other.scope === one.scope && (away(other) <= NEAR_MS || overlaps(other)))
    .sort((a, b) => away(a) - away(b))[0];
}

/** A step that comes again at once is printed once: how often a wait was asked again depends on the clock only. */
export function stepsOf({ decisions }: Pick<IncidentStory, 'decisions'>): readonly string[] {
  const steps = decisions.map(({ step }) => step);
  return steps.filter((step, index) => step !== steps[index - 1]);
}

function comparedOf(base: IncidentStory | undefined, against: IncidentStory | undefined): IncidentDiff {
  const [left, right] = [base === undefined ? [] : stepsOf(base), against === undefined ? [] : stepsOf(against)];
  const one = (base ?? against)!;
  const isSame = left.join('\n') === right.join('\n');
  const verdict = base === undefined ? 'only_against' : against === undefined ? 'only_base' : isSame ? 'same' : 'other';
  const { scope, classification, openedAt } = one;
  const [first, second] = [firstActAt(base), firstActAt(against)];
  const actsLaterMs = first === undefined || second === undefined ? undefined : second - first;
  return { verdict, scope, classification, openedAt, actsLaterMs, base: left, against: right };
}

const firstActAt = (story: IncidentStory | undefined): number | undefined =>
  story?.decisions.find(({ kind }) => kind === 'act')?.at;
