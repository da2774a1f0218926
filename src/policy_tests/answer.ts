/** Reads from the journal what Reeve answered to a case. */
import type { FailureClass } from '../core/classification.ts';
import type { Escalation, Outcome } from '../core/incident.ts';
import type { JournalEntry } from '../core/journal.ts';
import type { DenialCode, GuardCheck, Plan } from '../core/plan.ts';
import { type ToolName, toolNamed } from '../core/tool.ts';

/** One answer of the guard, as the journal has it. */
export interface Decision {
  /** `restart_channel on channel:news`. */
  readonly call: string;
  readonly tool: ToolName | undefined;
  readonly verdict: 'allow' | 'deny';
  readonly code: DenialCode | undefined;
  readonly because: string;
  readonly retryAfterMs: number | undefined;
  readonly trace: readonly GuardCheck[];
}

/** What Reeve did about one situation, read from the journal it wrote. */
export interface Answer {
  readonly classification: FailureClass | undefined;
  /** The first plan; undefined: no run began. */
  readonly plan: Plan | undefined;
  readonly decisions: readonly Decision[];
  readonly tools: readonly ToolName[];
  readonly outcome: Outcome | undefined;
  readonly pages: readonly Escalation[];
  /** What went wrong in Reeve itself: a case in which anything did has failed. */
  readonly failures: readonly string[];
}

/** Reads the answer to the first run that was begun among the entries. */
export function answerOf(
  entries: readonly JournalEntry[],
  about: { readonly classification: FailureClass | undefined; readonly failures: readonly string[] },
): Answer {
  let plan: Plan | undefined;
  let outcome: Outcome | undefined;
  let classification = about.classification;
  const decisions: Decision[] = [];
  const tools: ToolName[] = [];
  const pages: Escalation[] = [];
  for (const { fact } of entries) {
    if (fact.type === 'plan.made') plan ??= fact.plan;
    else if (fact.type === 'guard.decided') decisions.push(decisionOf(fact));
    else if (fact.type === 'tool.started') tools.push(fact.permit.call.tool);
    else if (fact.type === 'run.ended') outcome ??= fact.outcome;
    else if (fact.type === 'escalation.raised') pages.push(fact.escalation);
    else if (fact.type === 'envelope.taken') classification ??= fact.envelope.failureClassification;
  }
  return { classification, plan, decisions, tools, outcome, pages, failures: about.failures };
}

function decisionOf(fact: Extract<JournalEntry['fact'], { type: 'guard.decided' }>): Decision {
  const { call, decision } = fact;
  const denied = decision.verdict === 'deny' ? decision : undefined;
  return {
    call,
    tool: toolNamed(call.split(' ')[0] ?? ''),
    verdict: decision.verdict,
    code: denied?.code,
    because: denied?.because ?? 'every question passes',
    retryAfterMs: denied?.retryAfterMs,
    trace: decision.trace,
  };
}
