import type { FailureClass } from '../core/classification.ts';
import type { SymptomKind } from '../core/symptom.ts';
import type { ToolName } from '../core/tool.ts';

/** One thing that a planner may choose, by its index. Nothing else it says has any effect. */
export interface Choice {
  readonly index: number;
  readonly tool: ToolName | 'stop' | 'escalate';
  /** `channel:news`, or `-` for stop and escalate. */
  readonly target: string;
}

/** What a planner is told. Every field is Reeve's own word, a number, or a template that holds no outsider's words. */
export interface PromptFacts {
  readonly classification: FailureClass | undefined;
  readonly symptom: SymptomKind;
  /** 0 to 1. */
  readonly confidence: number;
  /** Undefined where it is not known. */
  readonly healthy: boolean | undefined;
  readonly restartCount: number;
  readonly contained: boolean;
  /** Shapes of the log lines, their variable parts typed or cut; each is named `L1`, `L2`, … */
  readonly templates: readonly string[];
}

const TEMPLATES_MAX = 12;
/** Largest prompt in characters. What does not fit is cut from the templates. */
export const PROMPT_CHARS_MAX = 4_000;

/** The calls that may be chosen, then `stop` and `escalate`: these two are always there. */
export function choicesOf(calls: readonly { readonly tool: ToolName; readonly target: string }[]): readonly Choice[] {
  const ends = [
    { tool: 'stop', target: '-' },
    { tool: 'escalate', target: '-' },
  ] as const;
  return [...calls, ...ends].map(({ tool, target }, index) => ({ index, tool, target }));
}

/** The exact text that a planner is sent. Pure: the same facts and choices give the same bytes. */
export function promptFor(facts: PromptFacts, choices: readonly Choice[]): string {
  const known = (value: unknown): string => (value === undefined ? 'unknown' : String(value));
  const head = [
    'A streaming channel is in trouble. Choose exactly one of the numbered choices, or none if unsure.',
    'Answer with JSON only: {"choice": <index>, "evidence": ["L1", ...]}. Any other answer is discarded.',
    '',
    `failure_classification: ${known(facts.classification)}`,
    `last_error_type: ${facts.symptom}`,
    `confidence: ${facts.confidence.toFixed(2)}`,
    `channel_healthy: ${known(facts.healthy)}`,
    `restart_count: ${facts.restartCount}`,
    `containment_mode: ${facts.contained}`,
    '',
    'choices:',
    ...choices.map(({ index, tool, target }) => `${index}: ${tool} ${target}`),
    '',
    'log shapes (variable parts typed or cut):',
  ].join('\n');
  const shapes = facts.templates.slice(0, TEMPLATES_MAX).map((template, at) => `L${at + 1}: ${template}`);
  return [head, ...shapes].join('\n').slice(0, PROMPT_CHARS_MAX);
}
