/** A person asks for an action (`reeve ask`): it becomes a question, bound to an open incident, and nothing is done. */
import { askApproval, pendingFor } from '../../control/approvals.ts';
import type { Clock } from '../../core/clock.ts';
import type { Ids } from '../../core/id.ts';
import type { Append } from '../../core/journal.ts';
import { approversNeeded } from '../../core/persona.ts';
import { PASSING_DENIALS } from '../../core/plan.ts';
import type { Scope } from '../../core/scope.ts';
import { describeCall, type ToolCall, toolNamed } from '../../core/tool.ts';
import type { Preview } from '../../guard/guard.ts';
import type { CommandAnswer } from '../../core/command_answer.ts';
import { openOn } from '../lifecycle/state.ts';
import type { DecisionPipeline } from '../pipeline/decision_pipeline.ts';
import type { Settings } from '../pipeline/settings.ts';
import { specOf } from '../../remediation/catalog.ts';

export interface ProposalDeps {
  readonly pipeline: Pick<DecisionPipeline, 'preview' | 'incidents' | 'control' | 'snapshots'>;
  readonly append: Append;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly settings: () => Settings;
}

/** What is asked for, and by whom. */
export interface ProposalOrder {
  readonly channel: string;
  readonly tool: string;
  readonly who: string;
}

/**
 * Asks for a person's yes. Without an open incident on the channel, and where the guard would refuse for a reason that
 * does not pass by itself, nothing is asked: the answer is what the guard would say now, and what would change it.
 */
export function propose({ channel, tool: name, who }: ProposalOrder, deps: ProposalDeps): CommandAnswer {
  const { pipeline, clock, append, ids, settings } = deps;
  const tool = toolNamed(name);
  const preview = tool === undefined ? undefined : pipeline.preview(channel, tool);
  if (tool === undefined || preview === undefined)
    return { ok: false, because: `there is no channel ${channel} or no tool ${name}`, hint: 'reeve status' };
  if (specOf(tool).effect === 'observe') return { ok: false, because: `${tool} only looks: it needs no proposal` };
  const scope: Scope = { kind: 'channel', id: channel };
  const open = openOn(pipeline.incidents(), scope);
  if (open === undefined) return whyNot(`no incident is open on ${channel}, so nothing was proposed`, preview);
  const { incident } = open;
  if (isRefused(preview)) return whyNot(`nothing was proposed for ${incident.id}`, preview);
  const call: ToolCall = { tool, target: scope, channels: [] };
  const classification = pipeline.snapshots.envelope(incident).failureClassification ?? incident.classification;
  const eyes = approversNeeded(settings().personaOf(scope, incident.group)) === 2 && { eyes: 2 as const };
  const question = { id: ids.next('apr'), call, incident: incident.id, run: ids.next('run'), classification, ...eyes };
  const moment = { askedAt: clock.now(), askedMs: clock.monotonicMs() };
  const proposed = { ...question, ...moment, askedBy: who, proposed: true as const };
  const draft = askApproval(proposed, settings().limits.approvalMs);
  const asked = draft.fact.type === 'approval.asked' ? draft.fact.approval : undefined;
  const same = asked && pendingFor(pipeline.control(), asked.hash, moment.askedMs);
  if (same === undefined) append([draft]);
  const id = same?.id ?? question.id;
  const statement = `${same === undefined ? 'proposed' : 'asked already'}: ${describeCall(call)} for ${incident.id}`;
  return {
    ok: true,
    said: `${statement}; it waits for a yes: reeve approve ${id}`,
    more: { id, incident: incident.id },
  };
}

const isRefused = ({ verdict, code }: Preview): boolean =>
  verdict === 'deny' && code !== 'approval_needed' && (code === undefined || !PASSING_DENIALS.has(code));

function whyNot(because: string, { verdict, code, because: why, flips }: Preview): CommandAnswer {
  const now = verdict === 'allow' ? 'would allow it' : `would refuse it (${code}): ${why}`;
  const hint = flips.length === 0 ? undefined : `it would be otherwise if: ${flips.join('; ')}`;
  return { ok: false, because: `${because}; the guard ${now}`, hint };
}
