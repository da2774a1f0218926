// Pages that speak for many incidents at once, of a containment or of all who wait for a start, and whom they list.
import type { Escalation } from '../../core/incident.ts';
import type { Draft, JournalFact, Read } from '../../core/journal.ts';
import type { MonoMs } from '../../core/clock.ts';
import type { ChannelId, Scope } from '../../core/scope.ts';
import { containmentsOf, type GuardState } from '../../guard/state/state.ts';
import { type IncidentState, openOn } from '../lifecycle/state.ts';
import type { SharedBy } from '../lifecycle/transitions.ts';
import {
  containmentPage,
  isPaged,
  KEY_OF_MASS_OUTAGE,
  keyOfContainmentPage,
  type MassOutage,
  massOutagePage,
} from '../pages/page.ts';
import type { StartQueue } from '../runs/start_queue.ts';
import type { ChannelIndex } from './channel_index.ts';
import type { FindingTracker } from './finding_tracker.ts';
import { troubledIn } from './named.ts';
import type { OpenPages } from './ports.ts';

type Page = Omit<Escalation, 'id' | 'at'>;
type Contained = Omit<Extract<JournalFact, { type: 'containment.raised' }>, 'type'>;

export interface SharedPagesDeps {
  readonly guardState: Read<GuardState>;
  readonly incidents: Read<IncidentState>;
  readonly watch: Pick<FindingTracker, 'causes' | 'watched' | 'troubled'>;
  readonly channelIndex: Pick<ChannelIndex, 'channelsIn'>;
  readonly startQueue: Pick<StartQueue, 'crowd' | 'isInCrowd'>;
  readonly openPages: () => OpenPages;
  readonly raise: (page: Page) => readonly Draft[];
}

/** So many incidents that nobody was notified of are put on the list of one page; fewer get a page each. */
const SHARED_MIN = 3;

/**
 * Whoever such a page lists has no page of its own: one for each would be the second storm. Few get pages of their own,
 * which say more, and which flood control does not hold up.
 */
export class SharedPages {
  readonly #deps: SharedPagesDeps;

  constructor(deps: SharedPagesDeps) {
    this.#deps = deps;
  }

  /** It lists all of its scope that are in trouble now. */
  ofContainment(contained: Contained): Page {
    const members = new Set(this.#deps.channelIndex.channelsIn(contained.scope));
    const troubled = [...this.#deps.watch.troubled].filter((id) => members.has(id));
    return containmentPage({ type: 'containment.raised', ...contained }, troubled);
  }

  /** It lists all that wait, and of the groups that are held all that are in trouble now. */
  ofMassOutage(crowd: MassOutage): Page {
    const { incidents, watch } = this.#deps;
    const troubled = new Set<ChannelId>(crowd.scopes.flatMap((scope) => troubledIn(incidents(), watch, scope)));
    return massOutagePage(crowd, [...troubled]);
  }

  /**
   * Law L6: puts the scope on the list of a page that is open about it and others, where there is one and it has many
   * to list. `over`: the scope itself, then those that hold it. Empty: it needs a page of its own.
   */
  widen(over: readonly Scope[], sharedBy: SharedBy, nowMs: MonoMs): readonly Draft[] {
    const { guardState, startQueue, openPages, raise } = this.#deps;
    const open = openPages();
    const [own] = over;
    if (own !== undefined && open.has(KEY_OF_MASS_OUTAGE) && startQueue.isInCrowd(own, nowMs)) {
      const crowd = startQueue.crowd(nowMs);
      return this.#areMany(crowd.scopes, KEY_OF_MASS_OUTAGE) ? raise(this.ofMassOutage(crowd)) : [];
    }
    if (sharedBy === 'mass_outage') return [];
    const narrowest = over
      .flatMap((scope) => containmentsOf(guardState(), [scope]))
      .find(
        ({ scope, reason }) => scope.kind !== 'channel' && isPaged(reason) && open.has(keyOfContainmentPage(scope)),
      );
    if (narrowest === undefined) return [];
    const within = this.#incidentsIn(narrowest.scope);
    return this.#areMany(within, keyOfContainmentPage(narrowest.scope)) ? raise(this.ofContainment(narrowest)) : [];
  }

  /** Of these scopes, those that the open page does not list, and whose own incident nobody was notified of. */
  #areMany(scopes: readonly Scope[], key: string): boolean {
    const { incidents, watch, openPages } = this.#deps;
    const listed = new Set(openPages().get(key));
    const isUnlisted = (scope: Scope): boolean =>
      openOn(incidents(), scope)?.told.length === 0 &&
      troubledIn(incidents(), watch, scope).some((id) => !listed.has(id));
    return scopes.filter(isUnlisted).length >= SHARED_MIN;
  }

  /** The scopes of the open incidents that lie within this one. */
  #incidentsIn(whole: Scope): readonly Scope[] {
    const { incidents, channelIndex } = this.#deps;
    const members = new Set(channelIndex.channelsIn(whole));
    const scopes = incidents().open.map(({ incident }) => incident.scope);
    return scopes.filter((scope) => channelIndex.channelsIn(scope).every((id) => members.has(id)));
  }
}
