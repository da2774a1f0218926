/** The exact text that a planner is sent: Reeve's own text, numbers, and log lines without their variable parts. */
import { type GroundedContextEnvelope, promptLines } from '../core/envelope.ts';
import type { Origin, SymptomKind } from '../core/symptom.ts';
import type { Attempt, ToolName } from '../core/tool.ts';
import { specOf } from '../remediation/catalog.ts';
import { BECAUSE_CODES } from './answer.ts';
import { type Choice, isEnd } from './choices.ts';

/** Everything that a planner is sent. No field holds text of outsiders. */
export interface PromptFacts {
  /** What is left out is sent as unknown. Which of them are sent, the envelope's own table decides. */
  readonly fields: Partial<GroundedContextEnvelope>;
  /** Independent witnesses: `s1` and so on. */
  readonly witnesses: readonly {
    readonly id: string;
    readonly origin: Origin;
    readonly symptom: SymptomKind | undefined;
  }[];
  /** Log lines and samples as shapes, their variable parts typed or cut: `e1` and so on. */
  readonly shapes: readonly { readonly id: string; readonly origin: Origin; readonly shape: string }[];
  /** What this run has done so far. */
  readonly attempts: readonly { readonly tool: ToolName; readonly cured: boolean | undefined }[];
  /** What was learned from earlier incidents; at most five are sent. */
  readonly recalled: readonly string[];
  readonly hint: string | undefined;
}

/** Largest prompt in characters. What does not fit is cut from what was recalled, then from the shapes. */
export const PROMPT_CHARS_MAX = 6_000;
const SHAPES_MAX = 12;
const RECALLED_MAX = 5;
const LINE_CHARS_MAX = 300;

/** What is sent of an envelope. `templateOf` gives the shape of a line without what an outsider can write. */
export function factsOf(
  envelope: GroundedContextEnvelope,
  beside: {
    readonly templateOf: (line: string) => string;
    readonly attempts: readonly Attempt[];
    readonly recalled?: readonly string[];
    readonly hint?: string | undefined;
  },
): PromptFacts {
  return {
    fields: envelope,
    witnesses: envelope.signals.map(({ origin, symptom }, index) => ({ id: `s${index + 1}`, origin, symptom })),
    shapes: envelope.evidence.map(({ id, origin, text }) => ({ id, origin, shape: beside.templateOf(text) })),
    attempts: beside.attempts.map(({ result, verification }) => ({
      tool: result.call.tool,
      cured: verification?.cured,
    })),
    recalled: beside.recalled ?? [],
    hint: beside.hint,
  };
}

/** Ids that an answer may cite: those that the prompt shows. */
export const evidenceIdsOf = ({ witnesses, shapes }: PromptFacts): readonly string[] => [
  ...witnesses.map(({ id }) => id),
  ...shapes.slice(0, SHAPES_MAX).map(({ id }) => id),
];

/** Pure: the same facts and choices give the same bytes. Never longer than `PROMPT_CHARS_MAX`. */
export function promptFor(facts: PromptFacts, choices: readonly Choice[]): string {
  const head = [...RULES, '', ...fieldLines(facts), '', 'choices:', ...choices.map(choiceLine), ''].join('\n');
  const shapes = facts.shapes.slice(0, SHAPES_MAX).map(({ id, origin, shape }) => `${id}: ${origin}: ${shape}`);
  const learned = [
    ...facts.recalled.slice(0, RECALLED_MAX).map((text) => `recalled: ${oneLine(text)}`),
    ...(facts.hint === undefined ? [] : [`hint: ${oneLine(facts.hint)}`]),
  ];
  const rest = ['log shapes (variable parts typed or cut, words of the log left out):', ...shapes, ...learned];
  let prompt = head;
  for (const line of rest) {
    if (prompt.length + line.length + 1 > PROMPT_CHARS_MAX) break;
    prompt += `${prompt.endsWith('\n') ? '' : '\n'}${line}`;
  }
  return prompt.slice(0, PROMPT_CHARS_MAX);
}

const RULES = [
  'A streaming channel is in trouble. Choose exactly one of the numbered choices.',
  'Every choice is safe to ask for: a guard decides whether it is done. Escalate when unsure: a person is then called.',
  'Answer with JSON only, nothing before or after it:',
  '{"choice": <index>, "evidence_ids": ["e1"], "because_code": "<code>"}',
  'evidence_ids: ids from below that the choice rests on; a call needs at least one.',
  `because_code: ${BECAUSE_CODES.join(', ')}.`,
  'Any other answer is discarded.',
];

function fieldLines({ fields, witnesses, attempts }: PromptFacts): readonly string[] {
  return [
    ...promptLines(fields),
    ...witnesses.map(
      ({ id, origin, symptom }) =>
        `${id}: ${origin} ${symptom === undefined ? 'agrees with the classification' : `says ${symptom}`}`,
    ),
    ...attempts.map(({ tool, cured }, index) => `step ${index + 1}: ${tool}, ${RESULT[String(cured)]}`),
  ];
}

const RESULT: Readonly<Record<string, string>> = {
  true: 'its effect was verified',
  false: 'it did not help',
  undefined: 'it only looked',
};

function choiceLine({ index, tool, target, needsApproval }: Choice): string {
  if (isEnd(tool)) return `${index}: ${tool} ${target} (${END_MEANS[tool]})`;
  const { effect, risk } = specOf(tool);
  const means = effect === 'observe' ? 'only looks' : `${risk} risk${needsApproval ? ', a person is asked first' : ''}`;
  return `${index}: ${tool} ${target} (${means})`;
}

const END_MEANS = {
  wait: 'a person is called if it lasts',
  stop: 'nothing more now; a person is called if it lasts',
  escalate: 'a person is called now',
} as const;

/** Control characters and line breaks gone, at most 300 characters. */
const oneLine = (text: string): string =>
  text
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim()
    .slice(0, LINE_CHARS_MAX);
