/** Reflection: active insights of one claim become one of their summed strength. Pure and deterministic. */
import type { MemoryFact } from '../core/memory.ts';
import { type Claim, contradicts, type Insight, insightId, keyOfClaim, sentenceOf } from './insight.ts';

export type Merge = Extract<MemoryFact, { type: 'insight.merged' }>;

/** Insights of one claim as far as they were read: an insight at a time, so that a group may have any size. */
export interface Group {
  readonly claim: Claim;
  readonly key: string;
  readonly members: number;
  readonly strength: number;
  /** The one born last names the merged one: a group that grows gets a new name each time. */
  readonly newest: Pick<Insight, 'id' | 'bornSeq'>;
}

export function added(group: Group | undefined, insight: Insight): Group {
  const { pair, subject, verdict, id, bornSeq, strength } = insight;
  const claim = { pair, subject, verdict };
  if (group === undefined) return { claim, key: keyOfClaim(claim), members: 1, strength, newest: { id, bornSeq } };
  const { newest } = group;
  const isNewer = bornSeq > newest.bornSeq || (bornSeq === newest.bornSeq && id > newest.id);
  return {
    ...group,
    members: group.members + 1,
    strength: group.strength + strength,
    newest: isNewer ? { id, bornSeq } : newest,
  };
}

/** The one that takes the place of all; undefined where there is nothing to merge. */
export function mergeOf(group: Group, throughSeq: number): Merge | undefined {
  if (group.members < 2) return undefined;
  const { claim, key, strength, members, newest } = group;
  return {
    type: 'insight.merged',
    insight: insightId(`${key}|${newest.id}|${strength}`),
    ...claim,
    text: sentenceOf(claim, strength),
    strength,
    merged: members,
    throughSeq,
  };
}

/** What reflection over all of these would merge, in the order of the claims. Insights born later are left alone. */
export function mergesOf(insights: readonly Insight[], throughSeq: number): readonly Merge[] {
  const groups = new Map<string, Group>();
  for (const insight of insights) {
    if (insight.state === 0 || insight.bornSeq > throughSeq) continue;
    const key = keyOfClaim(insight);
    groups.set(key, added(groups.get(key), insight));
  }
  return [...groups.values()]
    .sort((a, b) => (a.key < b.key ? -1 : 1))
    .flatMap((group) => mergeOf(group, throughSeq) ?? []);
}

/** The insights after a merge: the new one is active, those it came from are archived and name it. */
export function afterMerge(insights: readonly Insight[], merge: Merge, born: Pick<Insight, 'bornSeq' | 'at'>) {
  if (insights.some(({ id }) => id === merge.insight)) return insights;
  const { insight: id, pair, subject, verdict, text, strength, throughSeq } = merge;
  const key = keyOfClaim(merge);
  const isMember = (each: Insight) => each.state === 1 && each.bornSeq <= throughSeq && keyOfClaim(each) === key;
  const archived = insights.map((each): Insight => (isMember(each) ? { ...each, state: 0, mergedInto: id } : each));
  const weak = { origin: undefined, mergedInto: undefined, wordedBy: undefined };
  const whole: Insight = { id, pair, subject, verdict, text, strength, state: 1, ...born, ...weak };
  return [...archived, whole];
}

/** Pairs of active insights that contradict each other: marked, never merged. */
export function contradictionsOf(insights: readonly Insight[]): readonly (readonly [Insight, Insight])[] {
  const active = insights.filter(({ state }) => state === 1);
  return active.flatMap((one, index) =>
    active.slice(index + 1).flatMap((other) => (contradicts(one, other) ? [[one, other] as const] : [])),
  );
}
