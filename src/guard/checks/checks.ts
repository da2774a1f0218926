/** The seventeen questions of the guard, in order. */
import type { GuardCheck } from '../../core/plan.ts';
import { approval, breaker, caps, cooldown, highRisk, viewers, window } from './counters.ts';
import { alreadyTried, evidence } from './evidence.ts';
import { type Answer, type CheckInput, notAsked, pass, refuse } from './check_input.ts';
import { capability, containment, handsOff, persona, phase, sharedCause, target } from './policy.ts';

/** One question of the guard: pure, named, and asked in the order of its id. */
export interface Question {
  readonly id: number;
  readonly name: string;
  readonly ask: (input: CheckInput) => Answer;
}

/** Question 17 as far as it can be foreseen; the append that follows decides. */
export function journal({ journalError }: CheckInput): Answer {
  const threshold = 'writable';
  if (journalError === undefined) return pass('writable', threshold);
  return refuse('journal_unwritable', { value: journalError, threshold }, `the journal failed: ${journalError}`);
}

/** Cheapest and most final first. The first refusal is the answer; all that can be asked are, for the trace. */
export const QUESTIONS: readonly Question[] = [
  { id: 1, name: 'target', ask: target },
  { id: 2, name: 'hands_off', ask: handsOff },
  { id: 3, name: 'phase', ask: phase },
  { id: 4, name: 'capability', ask: capability },
  { id: 5, name: 'persona', ask: persona },
  { id: 6, name: 'containment', ask: containment },
  { id: 7, name: 'shared_cause', ask: sharedCause },
  { id: 8, name: 'evidence', ask: evidence },
  { id: 9, name: 'already_tried', ask: alreadyTried },
  { id: 10, name: 'caps', ask: caps },
  { id: 11, name: 'breaker', ask: breaker },
  { id: 12, name: 'high_risk', ask: highRisk },
  { id: 13, name: 'cooldown', ask: cooldown },
  { id: 14, name: 'window', ask: window },
  { id: 15, name: 'viewers', ask: viewers },
  { id: 16, name: 'approval', ask: approval },
  { id: 17, name: 'journal', ask: journal },
];

/**
 * What a start within a staged plan is asked again (law S4), with the channel's own persona, with 9 for UNKNOWN and 12
 * for the order of the plan.
 */
const ASKED_OF_STAGED: ReadonlySet<number> = new Set([1, 2, 3, 4, 5, 6, 8, 9, 10, 11, 12, 13, 14, 16, 17]);

const NOTHING: ReadonlySet<number> = new Set();

/** Asked only when nothing before refused: a person is not asked about, and nothing is written for, what is refused. */
const ASKED_LAST: ReadonlySet<number> = new Set([16, 17]);

export type Refusal = Extract<Answer, { readonly verdict: 'refuse' }>;

export interface Asked {
  /** The first refusal in the order of the questions. */
  readonly refusal: Refusal | undefined;
  readonly trace: readonly GuardCheck[];
}

const checkOf = ({ id, name }: Question, answer: Answer): GuardCheck => ({
  id,
  question: name,
  value: answer.value,
  threshold: answer.threshold,
  verdict: answer.verdict,
  code: answer.verdict === 'refuse' ? answer.code : undefined,
});

/** Asks all questions of one moment. */
export function askAll(input: CheckInput, but: ReadonlySet<number> = NOTHING): Asked {
  let refusal: Refusal | undefined;
  const trace = QUESTIONS.map((question) => {
    const isLeftOut = but.has(question.id);
    const answer = isLeftOut ? notAsked('asked later') : answerTo(question, input, refusal !== undefined);
    if (answer.verdict === 'refuse') refusal ??= answer;
    return checkOf(question, answer);
  });
  return { refusal, trace };
}

function answerTo(question: Question, input: CheckInput, isRefused: boolean): Answer {
  if (isRefused && ASKED_LAST.has(question.id)) return notAsked('refused before');
  if (input.parent !== undefined && !ASKED_OF_STAGED.has(question.id)) return notAsked('weighed with the plan');
  return question.ask(input);
}

/** The trace of a call that is refused at the first question because there is nothing that the others could look at. */
export function refusedAtOnce(refusal: Refusal): Asked {
  const trace = QUESTIONS.map((question) => checkOf(question, question.id === 1 ? refusal : notAsked('no such call')));
  return { refusal, trace };
}
