/** Says what a command that was carried out does not change: who reads `done` would wait for it. */
import { isJournals, JOURNAL_ENDS } from '../core/contained.ts';
import { keyOfScope, parseScope } from '../core/scope.ts';
import type { DecisionPipeline } from '../incident/pipeline/decision_pipeline.ts';
import type { Command, CommandName } from './daemon.ts';
import { refusedNow } from './questions.ts';

type Pipeline = Pick<
  DecisionPipeline,
  'control' | 'guardState' | 'incidents' | 'channelIndex' | 'factStore' | 'preview'
>;

/** Who gives one of these expects that something may be changed now. */
const PERMITTING: ReadonlySet<CommandName> = new Set(['release', 'reset', 'unlease', 'phase', 'approve', 'window_end']);

/** What still keeps Reeve from what the command seems to permit. */
export function butStill(command: Command, pipeline: Pipeline): string {
  const { frozen } = pipeline.control();
  if (frozen !== undefined)
    return PERMITTING.has(command.name)
      ? `; Reeve is frozen by ${frozen.who}, so nothing is changed before: reeve thaw --because "…"`
      : '';
  if (command.name === 'thaw') return afterFreeze(pipeline);
  if (command.name === 'phase') return heldLower(command, pipeline);
  return command.name === 'reset' ? heldElsewhere(command, pipeline) : '';
}

/**
 * Why a yes does nothing now: what was asked may have been forbidden since. Asked before the yes is written, since what
 * the yes permits uses cooldown and spacing up. A freeze is told by `butStill`.
 */
export function refusedAllTheSame({ name, fields }: Command, pipeline: Pipeline): string {
  const { frozen, approvals } = pipeline.control();
  if (name !== 'approve' || fields.yes !== true || frozen !== undefined) return '';
  const approval = approvals.find((one) => one.approval.id === fields.id)?.approval;
  const refused = approval && refusedNow(approval, pipeline);
  if (approval?.call.target.kind !== 'channel' || refused === undefined) return '';
  const why = `reeve why-not ${approval.call.target.id} ${approval.call.tool}`;
  return `; the guard refuses it now: ${refused.because} (${refused.code}; see: ${why})`;
}

/** The containment that a freeze has raised outlives it (law S8). */
function afterFreeze(pipeline: Pipeline): string {
  const held = Object.values(pipeline.guardState().containments);
  if (held.some(isJournals)) return `; fleet stays contained (journal_error): ${JOURNAL_ENDS}`;
  const isHeld = held.some(({ reason }) => reason === 'operator_freeze');
  return isHeld ? '; nothing is restarted for a minute yet, or until: reeve release fleet --because "…"' : '';
}

/** A channel that its group or engine speaks for is started by its incident, which was refused or failed by itself. */
function heldElsewhere({ fields }: Command, pipeline: Pipeline): string {
  const scope = typeof fields.scope === 'string' ? parseScope(fields.scope) : undefined;
  if (scope?.kind !== 'channel') return '';
  const holder = pipeline
    .incidents()
    .open.find(({ incident, last }) => incident.channels.includes(scope.id) && last?.kind === 'escalated');
  if (holder === undefined || holder.incident.scope.kind === 'channel') return '';
  const whole = keyOfScope(holder.incident.scope);
  return `; ${whole} speaks for it (${holder.incident.id}): reeve reset ${whole} --because "…"`;
}

/** So many groups are named in an answer. */
const NAMED_MAX = 5;

/** The lower of the phase of all and that of a group holds (docs/guard.md). */
function heldLower({ fields }: Command, { channelIndex, factStore }: Pipeline): string {
  const { phase, group } = fields;
  const groups = typeof group === 'string' ? [group] : [...new Set(factStore.channels.map((one) => one.group))];
  const lower = groups.filter((id) => channelIndex.phaseOf(id) < Number(phase));
  const named = lower.slice(0, NAMED_MAX).map((id) => `group ${id} stays at phase ${channelIndex.phaseOf(id)}`);
  if (lower.length > NAMED_MAX) named.push(`${lower.length - NAMED_MAX} more groups stay lower`);
  if (named.length === 0) return '';
  const why = typeof group === 'string' ? 'that of all is lower' : 'set for it alone';
  return `; ${named.join(', ')} (${why}: see reeve phase)`;
}
