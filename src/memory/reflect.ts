/** Reflection: active insights of one claim become one of their summed strength. Pure and deterministic. */
import type { MemoryFact } from '../core/memory.ts';
import { type Claim, contradicts, type Insight, insightId, keyOfClaim, sentenceOf } from './insight.ts';

export type Merge = Extract<MemoryFact, { type: 'insight.merged' }>;

/** Insights that one merge takes at most, so that no merge is long. Larger groups become one in several passes. */
export const MEMBERS_MAX = 64;

/** Insights of one claim, as far as they were read. */
interface Group {
  readonly claim: Claim;
  readonly key: string;
  readonly members: number;
  readonly strength: number;
  readonly newest: Insight;
}

/** One pass over active insights in the order of their claims, then of their birth. */
export class Pass {
  #group: Group | undefined;

  /** What became complete with this one: a group that ended before it, or one that is full. */
  take(insight: Insight): Merge | undefined {
    const key = keyOfClaim(insight);
    const before = this.#group;
    if (before !== undefined && before.key === key && before.members < MEMBERS_MAX) {
      const strength = before.strength + insight.strength;
      this.#group = { ...before, members: before.members + 1, strength, newest: insight };
      return undefined;
    }
    const { pair, subject, verdict, strength } = insight;
    this.#group = { claim: { pair, subject, verdict }, key, members: 1, strength, newest: insight };
    return before === undefined ? undefined : mergeOf(before);
  }

  end(): Merge | undefined {
    const last = this.#group;
    this.#group = undefined;
    return last === undefined ? undefined : mergeOf(last);
  }
}

/** The one that takes the place of all; undefined where there is nothing to merge. */
function mergeOf({ claim, key, members, strength, newest }: Group): Merge | undefined {
  if (members < 2) return undefined;
  return {
    type: 'insight.merged',
    insight: insightId(`${key}|${newest.id}|${strength}`),
    ...claim,
    text: sentenceOf(claim, strength),
    strength,
    merged: members,
    throughSeq: newest.bornSeq,
  };
}

/** What one pass over all of these would merge. */
export function mergesOf(insights: readonly Insight[]): readonly Merge[] {
  const pass = new Pass();
  const active = insights.filter(({ state }) => state === 1).sort(byClaim);
  return [...active.map((insight) => pass.take(insight)), pass.end()].flatMap((merge) => merge ?? []);
}

/** As the memory's file sorts them: by code unit. */
function byClaim(one: Insight, other: Insight): number {
  const texts = [one.pair[0], one.pair[1], one.subject, one.verdict] as const;
  const others = [other.pair[0], other.pair[1], other.subject, other.verdict] as const;
  const at = texts.findIndex((text, index) => text !== others[index]);
  if (at >= 0) return texts[at]! < others[at]! ? -1 : 1;
  return one.bornSeq - other.bornSeq || (one.id < other.id ? -1 : 1);
}

/** The insights after a merge: the new one is active, those it came from are archived and name it. */
export function afterMerge(
  insights: readonly Insight[],
  merge: Merge,
  born: Pick<Insight, 'bornSeq' | 'at'>,
): readonly Insight[] {
  if (insights.some(({ id }) => id === merge.insight)) return insights;
  const { insight: id, pair, subject, verdict, text, strength, throughSeq } = merge;
  const key = keyOfClaim(merge);
  const isMember = (each: Insight) => each.state === 1 && each.bornSeq <= throughSeq && keyOfClaim(each) === key;
  const archived = insights.map((each): Insight => (isMember(each) ? { ...each, state: 0, mergedInto: id } : each));
  const fresh = { origin: undefined, mergedInto: undefined, wordedBy: undefined };
  return [...archived, { id, pair, subject, verdict, text, strength, state: 1, ...born, ...fresh }];
}

/** Pairs of active insights that contradict each other: marked, never merged. */
export function contradictionsOf(insights: readonly Insight[]): readonly (readonly [Insight, Insight])[] {
  const active = insights.filter(({ state }) => state === 1);
  return active.flatMap((one, index) =>
    active.slice(index + 1).flatMap((other) => (contradicts(one, other) ? [[one, other] as const] : [])),
  );
}
