/** What was learned: a claim about two concepts, as strong as the number of incidents behind it. */
import { createHash } from 'node:crypto';
import type { EpochMs } from '../core/clock.ts';
import type { ConceptPair, InsightVerdict } from '../core/memory.ts';

/** What an insight claims: insights of one key say the same and may be merged. */
export interface Claim {
  readonly pair: ConceptPair;
  /** A tool's name, or `nobody` where nothing was done. */
  readonly subject: string;
  readonly verdict: InsightVerdict;
}

export interface Insight extends Claim {
  readonly id: string;
  /** One sentence by a template, or by a model. */
  readonly text: string;
  /** How many incidents say so; at least 1. */
  readonly strength: number;
  /** 1 active; 0 archived: its strength is in `mergedInto`. */
  readonly state: 0 | 1;
  /** The journal entry that it came from. */
  readonly bornSeq: number;
  readonly at: EpochMs;
  /** The incident that a weak insight came from; undefined for a merged one. */
  readonly origin: string | undefined;
  readonly mergedInto: string | undefined;
  /** The model that rephrased it; undefined for the template's text. */
  readonly wordedBy: string | undefined;
}

export const NO_TOOL = 'nobody';

export const keyOfClaim = ({ pair, subject, verdict }: Claim): string => [...pair, subject, verdict].join('|');

/** One name for one origin: made again from the same journal it has the same name. */
export const insightId = (from: string): string =>
  `ins-${createHash('sha256').update(from).digest('hex').slice(0, 12)}`;

const VERDICT_PHRASES: Readonly<Record<InsightVerdict, (subject: string) => string>> = {
  cured: (subject) => `${subject} cured it, verified on fresh samples`,
  not_cured: (subject) => `${subject} did not cure it`,
  self_healed: () => 'it passed by itself',
  absorbed: () => 'it was part of a shared cause',
  by_person: () => 'a person ended it',
  unresolved: () => 'nothing ended it',
};

/** The template's sentence: entries of closed lists and numbers only. */
export function sentenceOf({ pair, subject, verdict }: Claim, strength: number): string {
  const [a, b] = pair.map((concept) => concept.replace(':', ' '));
  const times = strength === 1 ? 'once' : `${strength} times`;
  return `${a} with ${b}: ${VERDICT_PHRASES[verdict](subject)} (seen ${times})`;
}

/** Both cannot be right: the same tool against the same trouble cured it and did not. */
export const contradicts = (one: Claim, other: Claim): boolean =>
  one.pair[0] === other.pair[0] &&
  one.pair[1] === other.pair[1] &&
  one.subject === other.subject &&
  one.verdict !== other.verdict &&
  [one.verdict, other.verdict].every((verdict) => verdict === 'cured' || verdict === 'not_cured');
