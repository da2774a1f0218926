/** Finds incidents whose hold (lease, maintenance window, freeze) has ended while the trouble goes on. */
import {
  type ControlState,
  frozenNow,
  type Lease,
  leaseOf,
  type MaintenanceWindow,
  windowOf,
} from '../../control/state.ts';
import type { MonoMs } from '../../core/clock.ts';
import type { Incident } from '../../core/incident.ts';
import { type IncidentId, keyOfScope, type Scope, scopesOver } from '../../core/scope.ts';
import type { OpenIncident } from '../lifecycle/state.ts';

/** What may be started again is started within this time of the end; who is still down then is paged about. */
const START_MS = 3_000;

interface Hold {
  /** For people: `the lease of ann`. */
  readonly what: string;
  /** Names it among all holds, over restarts of Reeve too. */
  readonly id: string;
  /** When it was seen to have ended; undefined while it lasts. */
  endedMs?: MonoMs;
}

/** An incident that a hold has left alone, and that nothing is done about now that the hold is over. */
export interface Abandoned {
  readonly incident: Incident;
  readonly because: string;
  /** Names the hold. */
  readonly hold: string;
}

/**
 * Whoever took a channel in hand may have forgotten it, and may have acknowledged its page. Asked once a second. After
 * a start of Reeve what the journal still has of holds that are over counts as just ended.
 */
export class HoldEnds {
  readonly #holds = new Map<IncidentId, Hold>();
  readonly #known = new Set<IncidentId>();

  /** `isDown`: the trouble of the incident goes on, as far as is known. */
  due(
    open: readonly OpenIncident[],
    control: ControlState,
    { nowMs, isDown }: { readonly nowMs: MonoMs; readonly isDown: (incident: Incident) => boolean },
  ): readonly Abandoned[] {
    this.#forget(open);
    return open.flatMap(({ incident, running }) => {
      const hold = this.#holdOf(incident, control, nowMs);
      if (hold?.endedMs === undefined || running || nowMs - hold.endedMs < START_MS) return [];
      this.#holds.delete(incident.id);
      if (!isDown(incident)) return [];
      const because = `${hold.what} has ended, and ${keyOfScope(incident.scope)} is still down`;
      return [{ incident, because, hold: hold.id }];
    });
  }

  #holdOf(incident: Incident, control: ControlState, nowMs: MonoMs): Hold | undefined {
    const { id } = incident;
    const past = (): Hold | undefined => (this.#known.has(id) ? undefined : pastHold(incident, control, nowMs));
    const held = heldBy(incident, control, nowMs) ?? past();
    this.#known.add(id);
    if (held?.endedMs === undefined && held !== undefined) this.#holds.set(id, held);
    else if (held !== undefined) this.#holds.set(id, { ...held, endedMs: nowMs });
    const hold = this.#holds.get(id);
    if (hold !== undefined && held === undefined) hold.endedMs ??= nowMs;
    return hold;
  }

  #forget(open: readonly OpenIncident[]): void {
    const ids = new Set(open.map(({ incident }) => incident.id));
    for (const id of this.#known) if (!ids.has(id)) this.#known.delete(id);
    for (const id of this.#holds.keys()) if (!ids.has(id)) this.#holds.delete(id);
  }
}

const ofLease = ({ who, scope, fromMs }: Lease): Hold => ({
  what: `the lease of ${who}`,
  id: `lease ${keyOfScope(scope)} ${fromMs}`,
});

const ofWindow = ({ who, id, fromMs }: MaintenanceWindow): Hold => ({
  what: `maintenance window ${id} of ${who}`,
  id: `window ${id} ${fromMs}`,
});

function heldBy(incident: Incident, control: ControlState, nowMs: MonoMs): Hold | undefined {
  const frozen = frozenNow(control);
  if (frozen !== undefined) return { what: `the freeze by ${frozen.who}`, id: `freeze ${frozen.sinceMs}` };
  const scopes = scopesOver(incident.scope, incident);
  const lease = leaseOf(control, scopes, nowMs);
  if (lease !== undefined) return ofLease(lease);
  const window = windowOf(control, scopes, nowMs);
  return window === undefined ? undefined : ofWindow(window);
}

/** A hold that ended while Reeve was away: it lay over the time since the incident was opened. */
function pastHold(incident: Incident, control: ControlState, nowMs: MonoMs): Hold | undefined {
  const scopes = scopesOver(incident.scope, incident).map(keyOfScope);
  const lay = ({ scope, untilMs }: { scope: Scope; untilMs: MonoMs }): boolean =>
    scopes.includes(keyOfScope(scope)) && untilMs > incident.openedMs && untilMs <= nowMs;
  const lease = control.leases.find(lay);
  if (lease !== undefined) return { ...ofLease(lease), endedMs: 0 };
  const window = control.windows.find(lay);
  return window === undefined ? undefined : { ...ofWindow(window), endedMs: 0 };
}
