/** Facts of the hints: which were sent, what they achieved, how far each is trusted, and what none is known for. */

/** Texts here are redacted and at most 2,000 characters. */
export type HintFact =
  | {
      readonly type: 'hint.injected';
      readonly injection: string;
      readonly pattern: string;
      readonly cluster: string;
      /** The label of the error's kind, or for Reeve's own planner the classification. */
      readonly symptom: string;
      /** The description of the cluster that fitted best. */
      readonly matched: string;
      /** Cosine, 0 to 1. */
      readonly similarity: number;
      readonly staging: boolean;
      /** Scores of the attempts before it, oldest first: at least one. */
      readonly scores: readonly number[];
      /** The attempt that was about to be made, from 1. */
      readonly iteration: number;
      readonly asker: 'planner' | 'client';
      readonly who: string;
      /** Of the trouble, where Reeve's own planner asked. */
      readonly fingerprint?: string;
    }
  | {
      readonly type: 'hint.scored';
      readonly injection: string;
      readonly postScore: number;
      readonly iterations?: number;
      readonly notes?: string;
      readonly who: string;
    }
  /** It holds as long as the bundle states what it stated then: a bundle that says something new is heard. */
  | {
      readonly type: 'hint.priority_set';
      readonly cluster: string;
      readonly pattern: string;
      /** What the bundle states; undefined where it states nothing. */
      readonly stated?: number;
      readonly from: number;
      readonly to: number;
      readonly who: string;
      readonly because: string;
    }
  /** Errors with one beginning came as often as the threshold says. Once per window. */
  | {
      readonly type: 'hint.blind_spot';
      readonly prefixHash: string;
      readonly count: number;
      readonly windowMs: number;
      readonly threshold: number;
      readonly firstSeenMs: number;
      readonly lastSeenMs: number;
      readonly excerpt: string;
    };

/** Every kind of them: what the derived file of the hints is fed with. */
export const HINT_FACTS = ['hint.injected', 'hint.scored', 'hint.priority_set', 'hint.blind_spot'] as const;
