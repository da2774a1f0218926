/** Asks the guard about a staged start without reserving anything (law L5). */
import type { Read } from '../../core/journal.ts';
import type { DenialCode } from '../../core/plan.ts';
import type { Scope } from '../../core/scope.ts';
import type { Guard } from '../../guard/guard.ts';
import { type IncidentState, openOn } from '../lifecycle/state.ts';
import type { ChannelIndex } from './channel_index.ts';
import type { FindingTracker } from './finding_tracker.ts';
import type { Snapshots } from './snapshots.ts';

export interface RefusedPlanDeps {
  readonly guard: Pick<Guard, 'preview'>;
  readonly incidents: Read<IncidentState>;
  readonly watch: Pick<FindingTracker, 'causeOf'>;
  readonly snapshots: Pick<Snapshots, 'envelope'>;
}

/** Why a staged start of what is down in a group or on an engine would be refused now; undefined: it would not. */
export function refusedPlan(
  scope: Scope,
  deps: RefusedPlanDeps,
  index: Pick<ChannelIndex, 'personaOf'>,
): DenialCode | undefined {
  const incident = openOn(deps.incidents(), scope)?.incident;
  const channels = deps.watch.causeOf(scope)?.down ?? [];
  if (incident === undefined || channels.length === 0) return undefined;
  return deps.guard.preview({
    call: { tool: 'restart_channel', target: scope, channels },
    envelope: deps.snapshots.envelope(incident),
    persona: index.personaOf(scope, incident.group),
    // As a run would find it: who died since it was opened is part of it by then.
    incident: { ...incident, channels },
    run: 'run-preview',
    decider: { kind: 'operator', who: 'preview' },
    stepHighRiskUsed: false,
  }).code;
}
