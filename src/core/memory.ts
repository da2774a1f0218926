/** Facts of the memory: the steps of a conversation, and what became of insights. Nothing else is stored by it. */

/** What was done for one question, in this order. `reflection` stands alone: it belongs to no question. */
const TURN_STEPS = ['instinct', 'enrichment_plan', 'recall', 'synthesis'] as const;
export type TurnStep = (typeof TURN_STEPS)[number];
export type TaskStep = TurnStep | 'reflection';

/** What an insight says of its subject, a tool or nobody. Opposites contradict each other. */
export const VERDICTS = ['cured', 'not_cured', 'self_healed', 'absorbed', 'by_person', 'unresolved'] as const;
export type InsightVerdict = (typeof VERDICTS)[number];

/** Two concepts, for example `class:process_crashed` and `error:http_403`; always in the same order. */
export type ConceptPair = readonly [string, string];

/** Texts here are redacted and at most 2,000 characters. `turn` names the question that a fact belongs to. */
export type MemoryFact =
  | {
      readonly type: 'question.asked';
      readonly turn: string;
      readonly session: string | undefined;
      readonly who: string;
      readonly text: string;
    }
  | { readonly type: 'task.started'; readonly turn: string; readonly task: string; readonly step: TaskStep }
  | {
      readonly type: 'search_plan.made';
      readonly turn: string;
      readonly task: string;
      /** Words that are searched for. */
      readonly terms: readonly string[];
      readonly concepts: readonly string[];
    }
  | {
      readonly type: 'task.reported';
      readonly turn: string;
      readonly task: string;
      readonly step: TaskStep;
      readonly ok: boolean;
      readonly summary: string;
      /** Ids of what it found or relied on. */
      readonly cites: readonly string[];
      readonly tookMs: number;
    }
  | {
      readonly type: 'question.answered';
      readonly turn: string;
      readonly text: string;
      readonly cites: readonly string[];
      /** Undefined when it was answered without one. */
      readonly model: string | undefined;
    }
  /** A question and its answer left the short memory; this is what is kept of both. */
  | {
      readonly type: 'dialogue.distilled';
      readonly turn: string;
      readonly session: string | undefined;
      readonly text: string;
      readonly cites: readonly string[];
    }
  /** All active insights of this pair and claim that were born up to `throughSeq` became this one. */
  | {
      readonly type: 'insight.merged';
      readonly insight: string;
      readonly pair: ConceptPair;
      readonly subject: string;
      readonly verdict: InsightVerdict;
      readonly text: string;
      /** The sum of theirs. */
      readonly strength: number;
      readonly merged: number;
      readonly throughSeq: number;
    }
  /** A model rephrased it; what it claims is unchanged. */
  | { readonly type: 'insight.worded'; readonly insight: string; readonly text: string; readonly model: string };
