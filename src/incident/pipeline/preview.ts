// Asks the guard about one call on one channel without reserving anything.
import type { Clock } from '../../core/clock.ts';
import type { Read } from '../../core/journal.ts';
import { type ChannelRef, sameScope, type Scope } from '../../core/scope.ts';
import type { ToolName } from '../../core/tool.ts';
import type { Guard, Preview } from '../../guard/guard.ts';
import type { IncidentState } from '../lifecycle/state.ts';
import type { Settings } from './settings.ts';
import type { Snapshots } from './snapshots.ts';
import { supposedIncident } from './supposed.ts';

export interface PreviewDeps {
  readonly guard: Pick<Guard, 'preview'>;
  readonly incidents: Read<IncidentState>;
  readonly snapshots: Pick<Snapshots, 'envelope'>;
  readonly settings: () => Settings;
  readonly clock: Clock;
}

/** What the guard would answer now: for the channel's own incident, or for one that is supposed to open now. */
export function previewOf(ref: ChannelRef, tool: ToolName, deps: PreviewDeps): Preview {
  const scope: Scope = { kind: 'channel', id: ref.id };
  const open = deps.incidents().open.find(({ incident }) => sameScope(incident.scope, scope));
  const incident = open?.incident ?? supposedIncident(ref, deps.clock);
  return deps.guard.preview({
    call: { tool, target: scope, channels: [] },
    envelope: deps.snapshots.envelope(incident),
    persona: deps.settings().personaOf(scope, ref.group),
    incident,
    run: 'run-preview',
    decider: { kind: 'operator', who: 'preview' },
    stepHighRiskUsed: false,
  });
}
