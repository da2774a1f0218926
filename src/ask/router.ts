/** Chooses a tool by the words of a question: without a model, and always the same for the same question. */
import type { Tool, ToolArgs } from './tool.ts';

export interface RoutingTarget {
  readonly name: string;
  readonly target_type: 'tool' | 'skill';
  readonly description: string;
  readonly hints: readonly string[];
  /** Arguments that the question holds for it. */
  readonly extractArgs?: (prompt: string) => ToolArgs;
}

export interface RoutingDecision {
  /** Undefined: fallback, nothing is looked up. */
  readonly target: string | undefined;
  readonly target_type: 'tool' | 'skill' | 'fallback';
  /** 0 to 1. */
  readonly confidence: number;
  readonly args: ToolArgs;
  readonly reasoning: string;
  readonly id: string;
  /** Seconds since 1970. */
  readonly timestamp: number;
}

export interface Router {
  route(prompt: string, targets: readonly RoutingTarget[]): RoutingDecision;
}

export const DEFAULT_CONFIDENCE_THRESHOLD = 0.5;
/** One word says less than a phrase. */
const WORD_WEIGHT = 0.5;
const PHRASE_WEIGHT = 0.8;
const MS_PER_SECOND = 1_000;

export const targetsOf = (tools: readonly Tool[]): readonly RoutingTarget[] =>
  tools.map(({ name, description, routingHints, extractArgs }) => ({
    ...{ name, target_type: 'tool' as const, description, hints: routingHints, extractArgs },
  }));

interface Scored {
  readonly target: RoutingTarget;
  readonly matched: readonly string[];
  readonly confidence: number;
}

/** By words and phrases. A target's confidence is 1 minus the product of what each hint that fits leaves open. */
export class RuleRouter implements Router {
  readonly #threshold: number;
  readonly #stamp: { now(): number; uuid(): string };

  /** `threshold`: 0 to 1; what is below it is no match. */
  constructor(threshold: number, stamp: { now(): number; uuid(): string }) {
    this.#threshold = threshold;
    this.#stamp = stamp;
  }

  route(prompt: string, targets: readonly RoutingTarget[]): RoutingDecision {
    const words = ` ${wordsOf(prompt)} `;
    const best = targets
      .map((target) => scored(target, words))
      .filter(({ matched }) => matched.length > 0)
      .sort((a, b) => b.confidence - a.confidence || (a.target.name < b.target.name ? -1 : 1))[0];
    const made = { id: this.#stamp.uuid(), timestamp: this.#stamp.now() / MS_PER_SECOND };
    if (best === undefined || best.confidence < this.#threshold) {
      const reasoning = best === undefined ? 'no hint fits' : `${best.target.name} fits, below ${this.#threshold}`;
      const confidence = best?.confidence ?? 0;
      return { target: undefined, target_type: 'fallback', confidence, args: {}, reasoning, ...made };
    }
    const { target, matched, confidence } = best;
    const reasoning = `it says ${matched.map((hint) => JSON.stringify(hint)).join(', ')}`;
    const args = target.extractArgs?.(prompt) ?? {};
    return { target: target.name, target_type: target.target_type, confidence, args, reasoning, ...made };
  }
}

const wordsOf = (text: string): string => (text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? []).join(' ');

function scored(target: RoutingTarget, words: string): Scored {
  const matched = target.hints.filter((hint) => words.includes(` ${wordsOf(hint)} `));
  const open = matched.reduce((left, hint) => left * (1 - (hint.includes(' ') ? PHRASE_WEIGHT : WORD_WEIGHT)), 1);
  return { target, matched, confidence: Math.round((1 - open) * 1_000) / 1_000 };
}
