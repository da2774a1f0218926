/** What the memory says to a planner or in a conversation: few, short, cited by id, and never the text of a log. */
import type { GroundedContextEnvelope } from '../core/envelope.ts';
import { type Concept, conceptsOf, isClosed } from './concepts.ts';
import { type Insight, sentenceOf } from './insight.ts';
import type { NodeView, Reads } from './reads.ts';
import { termsOf } from './search.ts';

/** One thing that is recalled. */
export interface Recalled {
  /** `ins-…` or `inc-…`: what a sentence that relies on it must cite. */
  readonly id: string;
  readonly kind: 'insight' | 'incident' | 'dialogue' | 'node';
  /** At most 240 characters. */
  readonly text: string;
}

/** What is to be looked for. */
export interface SearchPlan {
  /** Ids that were named. */
  readonly ids: readonly string[];
  readonly terms: readonly string[];
  readonly concepts: readonly string[];
}

export const RECALLED_MAX = 8;
export const RECALLED_CHARS_MAX = 1_600;
const TEXT_CHARS_MAX = 240;
const PER_PAIR = 4;
const INCIDENTS_MAX = 3;
const NAMED = /\b(?:ins|inc|esc|apr|trn|tsk|env|pln|grd|act|ver|out|pag|rep|sym)-[a-z0-9][a-z0-9-]{0,40}\b/g;

/** What a question asks for, found without a model. */
export const searchPlanOf = (text: string): SearchPlan => ({
  ids: [...new Set(text.match(NAMED) ?? [])].slice(0, RECALLED_MAX),
  terms: termsOf(text),
  concepts: conceptsOf(text),
});

/** The plan for an envelope: its classification, its symptom, and what its evidence is about. */
function searchPlanFor(envelope: GroundedContextEnvelope): SearchPlan {
  const { failureClassification, lastErrorType, evidence } = envelope;
  const concepts = new Set<Concept>(evidence.flatMap(({ text }) => conceptsOf(text)));
  if (lastErrorType !== undefined) concepts.add(`symptom:${lastErrorType}`);
  const closed = [...concepts].filter(isClosed).sort();
  const own: readonly string[] = failureClassification === undefined ? [] : [`class:${failureClassification}`];
  return { ids: [], terms: [], concepts: [...own, ...closed] };
}

/** For a conversation: what was named, insights, incidents and earlier answers that share its words. */
export function recallFor(reads: Reads, plan: SearchPlan): readonly Recalled[] {
  const named = plan.ids.flatMap((id) => reads.get(id) ?? []).map((view) => recalledView(reads, view));
  const terms = [...plan.terms, ...plan.concepts.map((concept) => concept.slice(concept.indexOf(':') + 1))].join(' ');
  const views = (only: 'insights' | 'events') =>
    reads.search.find(terms, RECALLED_MAX, only).flatMap(({ row }) => reads.nodes.ofDocument(row) ?? []);
  const isActive = ({ type, attributes }: NodeView) => type !== 'insight' || attributes.state === 1;
  const found = [...views('insights').filter(isActive).slice(0, PER_PAIR), ...views('events')];
  return bounded([...named, ...found.map((view) => recalledView(reads, view))]);
}

/** For a planner: insights about the envelope's class and concepts, and the last incidents of the class here. */
export function recallForPlanner(reads: Reads, envelope: GroundedContextEnvelope): readonly Recalled[] {
  const { concepts } = searchPlanFor(envelope);
  const [own, ...others] = concepts;
  if (own === undefined || !own.startsWith('class:')) return [];
  const insights = others.flatMap((other) => reads.insights.ofPair([own, other], PER_PAIR));
  const strongest = insights.sort((a, b) => b.strength - a.strength || (a.id < b.id ? -1 : 1));
  const place = envelope.channelId === undefined ? undefined : `channel:${envelope.channelId}`;
  const before = place === undefined ? [] : reads.incidentsOf(place, own, INCIDENTS_MAX);
  return bounded([...strongest.map(templated), ...before.map((view) => recalledView(reads, view))]);
}

/** By the template, whatever a model made of it: what a planner reads comes from closed lists. */
const templated = (insight: Insight): Recalled => ({
  id: insight.id,
  kind: 'insight',
  text: sentenceOf(insight, insight.strength),
});

function recalledView(reads: Reads, view: NodeView): Recalled {
  const { id, type, label } = view;
  if (type === 'insight') return { id, kind: 'insight', text: label };
  if (type !== 'incident')
    return {
      id,
      kind: type === 'question' || type === 'answer' || type === 'dialogue_turn' ? 'dialogue' : 'node',
      text: label,
    };
  const island = reads.island(id);
  const done = island.filter(({ type: each }) => each === 'verification').map(({ label: each }) => each);
  const ending = island.findLast(({ attributes }) => 'ending' in attributes)?.label ?? 'still open';
  return { id, kind: 'incident', text: [label, ...done, ending].join('; ') };
}

/** Each once, within the bounds; what comes first counts most. */
function bounded(all: readonly Recalled[]): readonly Recalled[] {
  const kept = new Map<string, Recalled>();
  let chars = 0;
  for (const { id, kind, text } of all) {
    const short = text.slice(0, TEXT_CHARS_MAX);
    if (kept.has(id) || kept.size >= RECALLED_MAX || chars + short.length > RECALLED_CHARS_MAX) continue;
    kept.set(id, { id, kind, text: short });
    chars += short.length;
  }
  return [...kept.values()];
}
