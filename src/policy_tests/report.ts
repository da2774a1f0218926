/** The report of policy tests. */
import { describeDecider } from '../core/plan.ts';
import type { Outcome } from '../core/incident.ts';
import type { Answer } from './answer.ts';
import { decisionFor } from './compare.ts';
import type { CaseResult } from './run.ts';

export { runPolicy } from './run.ts';

/** One case as programs and the terminal show it. Keys become snake_case at the border. */
export interface CaseReport {
  readonly file: string;
  readonly line: number;
  readonly name: string;
  readonly persona: string;
  readonly ok: boolean;
  readonly differences: readonly { readonly what: string; readonly expected: string; readonly got: string }[];
  readonly answer:
    | {
        readonly classification: string | undefined;
        readonly plan: string | undefined;
        readonly decision: DecisionReport | undefined;
        readonly tools: readonly string[];
        readonly outcome: string | undefined;
        readonly pages: readonly string[];
      }
    | undefined;
}

export interface DecisionReport {
  readonly call: string;
  readonly verdict: string;
  readonly code: string | undefined;
  readonly because: string;
  readonly retryAfterMs: number | undefined;
  readonly checks: readonly {
    readonly id: number;
    readonly question: string;
    readonly value: string;
    readonly threshold: string;
    readonly verdict: string;
  }[];
}

/** What is shown of a result: short texts instead of whole records. */
export function answerToWire(result: CaseResult): CaseReport {
  const { file, line, name, persona, ok, differences, answer, expected } = result;
  const shown = answer === undefined ? undefined : reportOf(answer, decisionReport(answer, expected));
  return { file, line, name, persona, ok, differences, answer: shown };
}

function reportOf(answer: Answer, decision: DecisionReport | undefined): NonNullable<CaseReport['answer']> {
  const { plan, outcome, pages, tools, classification } = answer;
  const planned = plan === undefined ? undefined : `${plan.kind} by ${describeDecider(plan.by)}: ${plan.because}`;
  return {
    classification,
    plan: planned,
    decision,
    tools,
    outcome: outcome === undefined ? undefined : outcomeText(outcome),
    pages: pages.map(({ reason, summary }) => `${reason}: ${summary}`),
  };
}

function decisionReport(answer: Answer, expected: CaseResult['expected']): DecisionReport | undefined {
  const decision = decisionFor(answer, expected) ?? answer.decisions[0];
  if (decision === undefined) return undefined;
  const { call, verdict, code, because, retryAfterMs, trace } = decision;
  const checks = trace.map(({ id, question, value, threshold, verdict: checkVerdict }) => ({
    id,
    question,
    value,
    threshold,
    verdict: checkVerdict,
  }));
  return { call, verdict, code, because, retryAfterMs, checks };
}

const outcomeText = (outcome: Outcome): string =>
  `${outcome.kind}${outcome.kind === 'escalated' ? ` (${outcome.reason})` : ''}: ${outcome.because}`;
