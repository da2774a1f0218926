/** A closed incident becomes one weak insight: a pure function, and a text by template. */
import type { EpochMs } from '../core/clock.ts';
import type { InsightVerdict } from '../core/memory.ts';
import type { ConceptKind } from './concepts.ts';
import { type Claim, type Insight, insightId, NO_TOOL, sentenceOf } from './insight.ts';

/** What the graph knows of an incident at its end. */
export interface IncidentSummary {
  readonly id: string;
  readonly seq: number;
  readonly at: EpochMs;
  /** The classification that held last. */
  readonly failureClass: string;
  readonly concepts: readonly string[];
  /** Oldest first; a later verification of the same tool overrides the earlier. */
  readonly verifications: readonly { readonly tool: string; readonly cured: boolean }[];
  readonly ending: string;
}

/** What ties an incident to others best comes first. Hosts are names that others chose: never part of a claim. */
const SPECIFIC_FIRST: readonly ConceptKind[] = ['error', 'codec', 'software', 'symptom'];

/** A weak insight, of strength 1. Every closed incident gives exactly one. */
export function crystallise(summary: IncidentSummary): Insight {
  const claim = claimOf(summary);
  return {
    ...claim,
    id: insightId(summary.id),
    text: sentenceOf(claim, 1),
    strength: 1,
    state: 1,
    bornSeq: summary.seq,
    at: summary.at,
    origin: summary.id,
    mergedInto: undefined,
    wordedBy: undefined,
  };
}

function claimOf({ failureClass, concepts, verifications, ending }: IncidentSummary): Claim {
  const second = SPECIFIC_FIRST.flatMap((kind) => concepts.filter((each) => each.startsWith(`${kind}:`)).sort())[0];
  const pair = [`class:${failureClass}`, second ?? 'symptom:unknown'] as const;
  const last = verifications.at(-1);
  if (last !== undefined) return { pair, subject: last.tool, verdict: last.cured ? 'cured' : 'not_cured' };
  return { pair, subject: NO_TOOL, verdict: VERDICT_OF_ENDING[ending] ?? 'unresolved' };
}

const VERDICT_OF_ENDING: Readonly<Record<string, InsightVerdict>> = {
  self_healed: 'self_healed',
  absorbed: 'absorbed',
  by_person: 'by_person',
};
