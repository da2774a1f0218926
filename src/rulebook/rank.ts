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

/** A measure of likeness that may not always be there. */
export interface Likeness {
  /**
   * For each item, 0 to 1, how alike its text is to the query; sends nothing. Undefined where anything is missing: then
   * n-grams decide for all, since two measures do not compare.
   */
  of(query: string, items: readonly object[], textOf: (at: number) => string): readonly number[] | undefined;
  /** Sees to it, within half a second or not at all, that a query can be compared. Never throws. */
  prepare(query: string, signal?: AbortSignal): Promise<void>;
}

/** What rules are compared by at this moment. */
export interface SimilarityState {
  readonly backend: 'ngrams' | 'embeddings';
  /** The configured model for vectors, as `provider/model`. */
  readonly model: string | undefined;
  /** Different texts of rules, and how many of them have a vector. */
  readonly rules: number;
  readonly embedded: number;
  readonly dimensions: number | undefined;
  /** Why it is n-grams although a model is configured. */
  readonly because: string | undefined;
}

/** Where no model for vectors is configured. */
export const NGRAMS: SimilarityState = {
  ...{ backend: 'ngrams', model: undefined, rules: 0, embedded: 0 },
  ...{ dimensions: undefined, because: undefined },
};

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
  likeness?: Likeness,
): readonly T[] {
  if (candidates.length < 2) return candidates;
  const alike = likenessesOf(
    candidates.map(({ rule }) => rule),
    query,
    likeness,
  );
  const rows = candidates.map((one, at) => {
    const standing = standingOf(one.rule.id);
    const likeness = alike[at] ?? 0;
    return { one, onTrial: standing?.onTrial === true, score: rankScore(likeness, standing), id: one.rule.id };
  });
  rows.sort((a, b) => Number(a.onTrial) - Number(b.onTrial) || b.score - a.score || (a.id < b.id ? -1 : 1));
  return rows.map(({ one }) => one);
}

function likenessesOf(rules: readonly Rule[], query: string, likeness: Likeness | undefined): readonly number[] {
  const found = likeness?.of(query, rules, (at) => textOf(rules[at] as Rule));
  if (found !== undefined) return found;
  const vector = vectorOf(query);
  return rules.map((rule) => cosine(vector, vectorOfRule(rule)));
}
