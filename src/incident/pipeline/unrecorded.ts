/** Finds who gets into trouble while the journal takes nothing, and when the page about them is over. */
import type { MonoMs } from '../../core/clock.ts';
import type { Ids } from '../../core/id.ts';
import type { Read } from '../../core/journal.ts';
import { PATIENCE_MS, type Persona } from '../../core/persona.ts';
import type { ChannelId, ChannelRef, GroupId, Scope } from '../../core/scope.ts';
import { type IncidentState, openOn } from '../lifecycle/state.ts';
import { CLEAR_HOLD_MS, NOTIFIED_HOLD_MS } from '../lifecycle/transitions.ts';
import { keyOfUnrecorded, type UnrecordedTrouble, unrecordedPage } from '../pages/unrecorded_page.ts';
import type { FindingTracker } from './finding_tracker.ts';
import type { UnjournaledPort } from './ports.ts';
import type { Snapshots } from './snapshots.ts';

export interface UnrecordedDeps {
  readonly ids: Ids;
  readonly unjournaled?: UnjournaledPort | undefined;
  readonly watch: Pick<FindingTracker, 'troubled' | 'watched'>;
  readonly snapshots: Pick<Snapshots, 'see'>;
  readonly incidents: Read<IncidentState>;
  readonly personaOf: (scope: Scope, group: GroupId) => Pick<Persona, 'aggressiveness'>;
  /** Undefined: it is not configured. */
  readonly channelOf: (channel: ChannelId) => ChannelRef | undefined;
}

/** Shorter than where a run may be about to help: none is, and only the engine itself may start it again. */
const OVERDUE_MS = 12_000;

export const BECAUSE_OVER = 'all that it lists are well again';

/** The page about those that got into trouble while no incident could be opened. It lives with the process. */
export class Unrecorded {
  readonly #deps: UnrecordedDeps;
  /** Whom the page lists as it was raised last. */
  #page: { readonly key: string; readonly listed: readonly ChannelId[] } | undefined;

  constructor(deps: UnrecordedDeps) {
    this.#deps = deps;
  }

  /** Once a second. Writes nothing. */
  look(nowMs: MonoMs): void {
    const { unjournaled, ids } = this.#deps;
    if (unjournaled?.isNeeded() !== true) return;
    if (this.#page !== undefined && this.isOver(this.#page.listed, nowMs)) {
      unjournaled.resolve(this.#page.key, BECAUSE_OVER);
      this.#page = undefined;
    }
    const down = this.#overdue(nowMs);
    if (down.every(({ channel }) => this.#page?.listed.includes(channel) === true)) return;
    this.#page = {
      key: this.#page?.key ?? keyOfUnrecorded(ids.next('esc')),
      listed: down.map(({ channel }) => channel),
    };
    unjournaled.raise(unrecordedPage(this.#page.key, down));
  }

  /**
   * All of these have been well for a while, are as somebody wants them, or left the configuration. Where nothing can
   * tell of health, the absence of trouble has to do, as for an incident.
   */
  isOver(channels: readonly ChannelId[], nowMs: MonoMs): boolean {
    const { watch, channelOf } = this.#deps;
    return channels.every((id) => {
      const tracked = watch.watched(id);
      if (tracked === undefined) return channelOf(id) === undefined;
      const { finding, healthySinceMs, clearSinceMs = nowMs } = tracked;
      if (finding.trouble) return false;
      if (finding.quiet) return true;
      if (healthySinceMs !== undefined) return nowMs - healthySinceMs >= NOTIFIED_HOLD_MS;
      return finding.healthy === undefined && nowMs - clearSinceMs >= CLEAR_HOLD_MS;
    });
  }

  /** In trouble for as long as law L6 allows, and named by nothing that people have. */
  #overdue(nowMs: MonoMs): readonly UnrecordedTrouble[] {
    const { watch, personaOf } = this.#deps;
    return [...watch.troubled].flatMap((channel): readonly UnrecordedTrouble[] => {
      const tracked = watch.watched(channel);
      if (tracked?.finding.trouble !== true) return [];
      const { aggressiveness } = personaOf({ kind: 'channel', id: channel }, tracked.ref.group);
      const dueMs = tracked.troubledMs + PATIENCE_MS[aggressiveness] + OVERDUE_MS;
      if (nowMs < dueMs || this.#isNamed(channel, nowMs)) return [];
      return [{ channel, classification: tracked.finding.classification }];
    });
  }

  #isNamed(channel: ChannelId, nowMs: MonoMs): boolean {
    const { snapshots, incidents } = this.#deps;
    const scope: Scope = { kind: 'channel', id: channel };
    if ((openOn(incidents(), scope)?.told.length ?? 0) > 0) return true;
    const { spokenFor, listed, absorber } = snapshots.see(scope, nowMs)?.sight ?? {};
    return spokenFor === true || listed === true || (absorber?.notified === true && absorber.lists);
  }
}
