/** Reads a planner's answer. Whatever is not exactly one of the offered choices is rejected and never repaired. */
import { z } from 'zod';
import type { PlanRejection } from '../core/plan.ts';
import { type Choice, isEnd } from './choices.ts';

/** Why a planner says that it chose; a closed set; a planner gives no free text. */
export const BECAUSE_CODES = [
  'evidence_fits_tool',
  'previous_step_helped',
  'look_before_acting',
  'may_pass_by_itself',
  'nothing_fits',
  'too_risky',
] as const;
export type BecauseCode = (typeof BECAUSE_CODES)[number];

export const ANSWER_CHARS_MAX = 2_000;
const EVIDENCE_IDS_MAX = 16;

const answerDocument = z.strictObject({
  choice: z.int().min(0).max(99),
  evidence_ids: z.array(z.string().regex(/^[a-z][0-9]{1,3}$/)).max(EVIDENCE_IDS_MAX),
  because_code: z.enum(BECAUSE_CODES),
});

/** The JSON Schema that a model is given for its answer: only indexes and ids that exist. */
export function answerSchema(choices: readonly Choice[], evidenceIds: readonly string[]): Record<string, unknown> {
  const ids = evidenceIds.length === 0 ? { type: 'string' } : { type: 'string', enum: [...evidenceIds] };
  return {
    type: 'object',
    properties: {
      choice: { type: 'integer', enum: choices.map(({ index }) => index) },
      evidence_ids: { type: 'array', items: ids },
      because_code: { type: 'string', enum: [...BECAUSE_CODES] },
    },
    required: ['choice', 'evidence_ids', 'because_code'],
    additionalProperties: false,
  };
}

export type Answer =
  | {
      readonly ok: true;
      readonly choice: Choice;
      readonly evidenceIds: readonly string[];
      readonly becauseCode: BecauseCode;
    }
  | { readonly ok: false; readonly reason: PlanRejection };

interface Question {
  readonly choices: readonly Choice[];
  /** Ids that the prompt showed. */
  readonly evidenceIds: readonly string[];
}

/**
 * The choice, or the one reason why there is none. A call needs at least one piece of evidence; one id that the
 * prompt did not show makes the whole answer void.
 */
export function readAnswer(text: string, { choices, evidenceIds }: Question): Answer {
  if (text.length > ANSWER_CHARS_MAX) return { ok: false, reason: 'too_long' };
  const parsed = parse(text);
  if (parsed === undefined) return { ok: false, reason: 'not_json' };
  const read = answerDocument.safeParse(parsed.value);
  if (!read.success) return { ok: false, reason: 'wrong_shape' };
  const { choice: index, evidence_ids: cited, because_code: becauseCode } = read.data;
  const choice = choices.find((each) => each.index === index);
  if (choice === undefined) return { ok: false, reason: 'unknown_choice' };
  if (cited.some((id) => !evidenceIds.includes(id))) return { ok: false, reason: 'forged_evidence' };
  if (cited.length === 0 && !isEnd(choice.tool)) return { ok: false, reason: 'no_evidence' };
  return { ok: true, choice, evidenceIds: [...new Set(cited)], becauseCode };
}

function parse(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}
