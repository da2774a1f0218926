/** Tells each fact of an incident in one line, for the story, the tree and the answers to questions. */
import { spell } from '../core/duration.ts';
import type { FactType, JournalFact } from '../core/journal.ts';
import { describeDecider, type Plan } from '../core/plan.ts';
import { keyOfScope } from '../core/scope.ts';
import { describeCall } from '../core/tool.ts';

type Tellers = { [T in FactType]?: (fact: Extract<JournalFact, { type: T }>) => string };

/** One line for each kind of fact that belongs to an incident. */
const TELLERS: Tellers = {
  'symptom.raised': ({ symptom }) =>
    `symptom   ${symptom.kind} from ${symptom.origin}, ${symptom.countInWindow} in ${spell(symptom.windowMs)}` +
    quote(symptom.evidence.at(-1)?.text),
  'incident.opened': ({ incident }) =>
    `incident  ${incident.classification} on ${keyOfScope(incident.scope)}${list(incident.channels)}`,
  'incident.reclassified': ({ from, to, because }) => `incident  is now ${to}, was ${from}: ${because}`,
  'envelope.taken': ({ envelope }) =>
    `envelope  ${envelope.failureClassification ?? 'no failure'}, confidence ${envelope.confidence}; ` +
    envelope.signals.map(({ origin, says }) => `${origin}: ${says}`).join('; '),
  'plan.made': ({ plan }) => `plan      ${planText(plan)}`,
  'plan.chosen': ({ model, tool, target, becauseCode, evidenceIds }) =>
    `planner   ${model} chose ${tool} ${target} (${becauseCode}${evidenceIds.map((id) => `, ${id}`).join('')})`,
  'hint.injected': ({ pattern, similarity, staging }) =>
    `hint      the planner is sent ${pattern} (${similarity.toFixed(2)}${staging ? ', staging' : ''})`,
  'hint.scored': ({ postScore }) => `hint      the score after it: ${postScore}`,
  'plan.rejected': ({ model, reason }) => `planner   ${model}: answer NOT used (${reason})`,
  'guard.decided': ({ call, decision }) =>
    decision.verdict === 'allow'
      ? `guard     allows ${call}`
      : `guard     refuses (${decision.code}) ${call}: ${decision.because}`,
  'tool.started': ({ permit }) => `tool      ${describeCall(permit.call)} starts (${permit.id})`,
  'tool.finished': ({ result }) =>
    `tool      ${result.ok ? 'ended' : `failed (${result.code})`} after ${spell(result.durationMs)}: ${result.summary}`,
  'tool.unknown': ({ because }) => `tool      UNKNOWN: ${because}`,
  'attempt.verified': ({ verification: { cured, waitedMs, because } }) =>
    `verified  ${cured ? 'cured' : 'NOT cured'} after ${spell(waitedMs)}: ${because}`,
  'attempt.relapsed': ({ because }) => `verified  NOT for long: ${because}`,
  'run.ended': ({ outcome }) =>
    `run       ${outcome.kind}${outcome.kind === 'escalated' ? ` (${outcome.reason})` : ''}: ${outcome.because}`,
  'approval.asked': ({ approval }) => `approval  asked as ${approval.id}`,
  'approval.answered': ({ yes, who, because }) => `approval  ${yes ? 'yes' : 'no'} from ${who}: ${because}`,
  'approval.expired': ({ id }) => `approval  ${id} expired without an answer`,
  'escalation.raised': ({ escalation }) => `page      ${escalation.severity}: ${escalation.summary}`,
  'escalation.resolved': ({ because }) => `page      resolved: ${because}`,
  'delivery.done': ({ receiver, what }) => `page      ${what} delivered to ${receiver}`,
  'delivery.failed': ({ receiver, error }) => `page      NOT delivered to ${receiver} yet: ${error}`,
  'incident.closed': ({ ending, because, openMs }) => `closed    ${ending} after ${spell(openMs)}: ${because}`,
};

const LABEL_CHARS = 10;

/** The line of a fact: a word of `LABEL_CHARS` characters, then what it says; undefined for a fact without a line. */
export function lineOf(fact: JournalFact): string | undefined {
  const teller = TELLERS[fact.type] as ((fact: JournalFact) => string) | undefined;
  return teller?.(fact);
}

/** What a fact says, without the word that its line in the story begins with; undefined for a fact without a line. */
export const tellingOf = (fact: JournalFact): string | undefined => lineOf(fact)?.slice(LABEL_CHARS);

const planText = (plan: Plan): string =>
  `${plan.kind === 'act' ? describeCall(plan.call) : plan.kind}, by ${describeDecider(plan.by)}: ${plan.because}`;

const list = (channels: readonly string[]): string => (channels.length === 0 ? '' : ` (${channels.join(', ')})`);

const quote = (text: string | undefined): string => (text === undefined ? '' : `: ${text.slice(0, 120)}`);
