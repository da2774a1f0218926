/** The order in which rules that fit are tried: the operator's own first, then likeness weighted by the record. */
import type { GroundedContextEnvelope } from '../core/envelope.ts';
import type { Rule } from '../core/rule.ts';
import { cosine, type TextVector, vectorOf } from '../core/similarity.ts';

/** What became of a rule's earlier calls. */
export interface Standing {
  readonly successes: number;
  readonly failures: number;
  /** Rules on trial are tried after those that are established. */
  readonly onTrial: boolean;
  /** Taken out of use: it is not asked. */
  readonly retired: boolean;
}

/** The record of a rule; undefined where nothing was recorded. */
export type StandingOf = (rule: string) => Standing | undefined;

/** Share of cures, drawn towards one half by one imagined cure and one imagined failure; 0.5 without a record. */
export const trackRecord = (standing: Pick<Standing, 'successes' | 'failures'> | undefined): number =>
  standing === undefined ? 0.5 : (standing.successes + 1) / (standing.successes + standing.failures + 2);

/** Likeness, 0 to 1, weighted by the record: a rule that always failed counts half of one that always cured. */
export const rankScore = (likeness: number, standing: Pick<Standing, 'successes' | 'failures'> | undefined): number =>
  likeness * (0.5 + 0.5 * trackRecord(standing));

/** What a rule is found by: its description and its examples. */
export const textOf = (rule: Pick<Rule, 'description' | 'examples' | 'when'>): string =>
  [rule.description, ...(rule.examples ?? []), ...rule.when.flatMap(({ examples = [] }) => examples)].join(' ||| ');

const vectors = new WeakMap<object, TextVector>();

/** The vector of a rule, made once for as long as the rule is the same object. */
function vectorOfRule(rule: Pick<Rule, 'description' | 'examples' | 'when'>): TextVector {
  const known = vectors.get(rule);
  if (known !== undefined) return known;
  const made = vectorOf(textOf(rule));
  vectors.set(rule, made);
  return made;
}

/** The longest text of the situation, which says most: what likeness compares. */
export const queryOf = ({ evidence, signals }: GroundedContextEnvelope): string =>
  [...evidence.map(({ text }) => text), ...signals.map(({ says }) => says)].reduce(
    (longest, text) => (text.length > longest.length ? text : longest),
    '',
  );

/**
 * Rules of one priority, best first: established before on trial, then likeness weighted by record, then by id.
 * Pure: the same rules, records and text give the same order.
 */
export function ranked<T extends { readonly rule: Rule }>(
  candidates: readonly T[],
  query: string,
  standingOf: StandingOf,
): readonly T[] {
  if (candidates.length < 2) return candidates;
  const vector = vectorOf(query);
  const rows = candidates.map((one) => {
    const standing = standingOf(one.rule.id);
    const likeness = cosine(vector, vectorOfRule(one.rule));
    return { one, onTrial: standing?.onTrial === true, score: rankScore(likeness, standing), id: one.rule.id };
  });
  rows.sort((a, b) => Number(a.onTrial) - Number(b.onTrial) || b.score - a.score || (a.id < b.id ? -1 : 1));
  return rows.map(({ one }) => one);
}
