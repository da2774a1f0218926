// Does what is due by time alone: evaluates containment, expires questions, and looks at incidents again.
import { expireApprovals } from '../../control/approvals.ts';
import { type ControlState, frozenNow, heldBelow } from '../../control/state.ts';
import { hasTrait } from '../../core/classification.ts';
import type { Clock, MonoMs } from '../../core/clock.ts';
import { invariant } from '../../core/errors.ts';
import type { Ids } from '../../core/id.ts';
import type { Append, Draft, Read } from '../../core/journal.ts';
import { type ChannelId, type EngineId, type Scope, scopesOver } from '../../core/scope.ts';
import { type Escalation, type Incident, reaching } from '../../core/incident.ts';
import { describeCall } from '../../core/tool.ts';
import { MASS_GROUPS_MIN } from '../../ground/correlate/mass_deaths.ts';
import type { FactStore } from '../../ground/facts/facts.ts';
import type { Guard } from '../../guard/guard.ts';
import { fleetCapOf, fleetRestartsOfDay } from '../../guard/state/fleet_cap.ts';
import { ageOf, type GuardState, type HeldContainment } from '../../guard/state/state.ts';
import { isLeftToIncident, isPaged, KEY_OF_MASS_OUTAGE, keyOfContainmentPage, pageFor } from '../pages/page.ts';
import {
  becauseOf,
  budgetPage,
  type FleetBudget,
  hasRoomAgain,
  isUsedUp,
  KEY_OF_BUDGET,
} from '../pages/budget_page.ts';
import { heldPhasePage, KEYS_OF_HELD_PHASE } from '../pages/phase_page.ts';
import { isUnrecordedKey } from '../pages/unrecorded_page.ts';
import type { ChannelIndex } from './channel_index.ts';
import { leftByFailedPlans } from './failed_plans.ts';
import { HoldEnds } from './hold_ends.ts';
import { unlistedOf } from './named.ts';
import type { OpenPages, UnjournaledPort } from './ports.ts';
import type { Settings } from './settings.ts';
import { SharedPages } from './shared_pages.ts';
import { type IncidentState, openById } from '../lifecycle/state.ts';
import type { SharedBy } from '../lifecycle/transitions.ts';
import type { StartQueue } from '../runs/start_queue.ts';
import type { FindingTracker } from './finding_tracker.ts';
import type { Snapshots } from './snapshots.ts';
import { settledUnknown } from './settled_unknown.ts';
import { BECAUSE_OVER, Unrecorded } from './unrecorded.ts';

export interface HousekeepingDeps {
  readonly append: Append;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly unjournaled?: UnjournaledPort | undefined;
  readonly snapshots: Snapshots;
  readonly settings: () => Settings;
  readonly factStore: FactStore;
  readonly watch: FindingTracker;
  readonly guard: Guard;
  readonly guardState: Read<GuardState>;
  readonly control: Read<ControlState>;
  readonly incidents: Read<IncidentState>;
  readonly channelIndex: ChannelIndex;
  readonly startQueue: StartQueue;
  /** The probes of these channels look often for a while. */
  readonly lookCloser: (channels: readonly ChannelId[], forMs: number) => void;
  readonly engines: readonly EngineId[];
  readonly raise: (page: Omit<Escalation, 'id' | 'at'>) => readonly Draft[];
  readonly resolve: (key: string, because: string) => readonly Draft[];
  readonly openPages: () => OpenPages;
  /** A page about exactly this scope is open, or was until then or later. */
  readonly wasPaged: (scope: Scope, sinceMs: MonoMs) => boolean;
  /** Something in Reeve itself went wrong. */
  readonly onFailure: (text: string) => void;
  /** How long a channel must be healthy before an UNKNOWN start on it is settled. */
  readonly healthyHoldMs: number;
}

/** One page for all who wait comes before the pages of those that have waited longest (law L6). */
const CROWD_PAGED_MS = 10_000;
/** So long the containment of one channel waits for the page of that channel's own trouble. */
const OWN_PAGE_MS = 15_000;
/** A reading of a pool that is older than this, and than so many looks at its engine, says nothing (law S8). */
const POOL_FRESH_MS = 10_000;
const POOL_FRESH_POLLS = 3;
const CLOSER_EVERY_MS = 10_000;
const CLOSER_FOR_MS = 600_000;

/** Keeps containment as the world stands, and what becomes due by time alone. */
export class Housekeeping {
  readonly #deps: HousekeepingDeps;
  readonly #holdEnds = new HoldEnds();
  readonly #sharedPages: SharedPages;
  readonly #unrecorded: Unrecorded;
  #closerMs = 0;

  constructor(deps: HousekeepingDeps) {
    this.#deps = deps;
    this.#sharedPages = new SharedPages(deps);
    const { channelOf, personaOf } = deps.channelIndex;
    this.#unrecorded = new Unrecorded({ ...deps, channelOf, personaOf });
  }

  /** Once a second: while the journal takes nothing, who goes down is paged without it. */
  pageUnrecorded(nowMs: MonoMs): void {
    this.#unrecorded.look(nowMs);
  }

  /** Drafts that put an incident on the list of an open page about it and others; empty where there is none. */
  listElsewhere(incident: Incident, sharedBy: SharedBy, nowMs: MonoMs): readonly Draft[] {
    return this.#sharedPages.widen(scopesOver(incident.scope, incident), sharedBy, nowMs);
  }

  /** After every fact that may trigger containment, and once a second. */
  contain(): void {
    const { engines, control, guard, watch } = this.#deps;
    const pools = engines.map((engine) => ({ engine, ...this.pool(engine) }));
    const written = guard.contain({
      pools,
      sharedCauses: watch.sharedGroups(),
      frozen: frozenNow(control()) !== undefined,
    });
    if (!written) this.#deps.onFailure(`journal: containment could not be written: ${guard.journalError}`);
  }

  /** What the engine says of its pool now. An engine that does not answer says nothing, and so does an old reading. */
  pool(engine: EngineId) {
    const { factStore, guardState, clock } = this.#deps;
    const { last } = factStore.engineFacts(engine);
    const freshMs = Math.max(POOL_FRESH_MS, POOL_FRESH_POLLS * (factStore.engineSetup(engine)?.pollMs ?? 0));
    const isFresh = last?.ok === true && ageOf(guardState(), last.monoMs, clock.monotonicMs()) <= freshMs;
    return { poolPressure: isFresh ? last.poolPressure : undefined, reportsPool: last?.reportsPool ?? false };
  }

  /** Once a second. */
  keepUp(nowMs: MonoMs): void {
    const expired = this.#expired(nowMs);
    if (expired.length > 0) this.#deps.append(expired);
    this.contain();
    this.#leaveToThemselves(nowMs);
    this.#keepPages(nowMs);
    this.#pageHoldEnds(nowMs);
    for (const settled of settledUnknown(this.#deps, nowMs)) this.#deps.append([settled]);
    this.#lookCloser(nowMs);
  }

  #leaveToThemselves(nowMs: MonoMs): void {
    const { incidents, watch, guardState, channelIndex } = this.#deps;
    const left = leftByFailedPlans(incidents().open, {
      causeOf: (scope) => watch.causeOf(scope),
      proofOf: (cause) => watch.proofOfCause(cause, nowMs),
      channelOf: channelIndex.channelOf,
      guardState: guardState(),
    });
    if (left.length > 0) watch.handOver(left);
  }

  /**
   * The end of a trouble is seen at once by those who look often. Not for ever, and not where each look is one more
   * request to a source that asks for fewer.
   */
  #lookCloser(nowMs: MonoMs): void {
    if (nowMs - this.#closerMs < CLOSER_EVERY_MS) return;
    this.#closerMs = nowMs;
    const young = this.#deps
      .incidents()
      .open.map(({ incident }) => incident)
      .filter(
        ({ openedMs, classification }) => nowMs - openedMs < CLOSER_FOR_MS && !hasTrait(classification, 'spared'),
      );
    const ids = new Set(young.flatMap(({ scope }) => this.#deps.channelIndex.channelsIn(scope)));
    if (ids.size > 0) this.#deps.lookCloser([...ids], 2 * CLOSER_EVERY_MS);
  }

  /**
   * Each question without an answer, and each yes that could not be used: it ends, and its page is in the same append.
   */
  #expired(nowMs: MonoMs): readonly Draft[] {
    const { control, incidents, raise } = this.#deps;
    const about = { envelope: undefined, attempts: [] };
    return expireApprovals(control(), nowMs).flatMap((expired): readonly Draft[] => {
      const { fact } = expired;
      const kept = control().approvals.find(
        ({ approval }) => fact.type === 'approval.expired' && approval.id === fact.id,
      );
      const incident = openById(incidents(), kept?.approval.incident ?? '')?.incident;
      if (kept === undefined || incident === undefined) return [expired];
      const what = describeCall(kept.approval.call);
      const because =
        kept.state === 'yes' ? `the yes to ${what} could not be used in time` : `there was no answer in time: ${what}`;
      const page = pageFor(incident, 'approval_expired', { ...about, because });
      // Each time it is news: whoever said yes believes that it was done.
      return [expired, ...raise(kept.state === 'yes' ? { ...page, occasion: `yes to ${kept.approval.id}` } : page)];
    });
  }

  /** The strictest persona in the scope decides whether a person must end its containment. */
  releaseByPerson(scope: Scope): boolean {
    return this.#deps.channelIndex.personasIn(scope).some(({ risk_tolerance }) => risk_tolerance === 'low');
  }

  /** A shared cause has an incident that pages; a persona may want to hear of containment only if it lasts. */
  pageOf(raised: Draft): readonly Draft[] {
    const { fact } = raised;
    invariant(fact.type === 'containment.raised', `a containment was expected, got ${fact.type}`);
    if (fact.reason === 'shared_cause' || isLeftToIncident(fact) || this.#pagesLater(fact.scope)) return [];
    return this.#deps.raise(this.#sharedPages.ofContainment(fact));
  }

  #pagesLater(scope: Scope): boolean {
    const policies = this.#deps.channelIndex
      .personasIn(scope)
      .map(({ escalation_policy: { on_containment } }) => on_containment);
    return policies.length > 0 && policies.every((policy) => policy === 'after_cooldown');
  }

  /** Pages that were put off are sent when the containment lasts; pages of what is no longer contained are resolved. */
  #keepPages(nowMs: MonoMs): void {
    const open = this.#deps.openPages();
    const held = Object.values(this.#deps.guardState().containments).filter(({ reason }) => isPaged(reason));
    const heldKeys = new Set(held.map(({ scope }) => keyOfContainmentPage(scope)));
    const late = held.filter((one) => !open.has(keyOfContainmentPage(one.scope)) && this.#isPageDue(one, nowMs));
    const over = [...open.keys()].filter((key) => key.startsWith('containment/') && !heldKeys.has(key));
    // Of a process before this one.
    const played = [...open].filter(([key, ids]) => isUnrecordedKey(key) && this.#unrecorded.isOver(ids, nowMs));
    const { crowd, dispersed } = this.#crowdPages(open.has(KEY_OF_MASS_OUTAGE), nowMs);
    const budget = this.budget(nowMs);
    const isPoor = open.has(KEY_OF_BUDGET);
    const drafts = [
      ...late.flatMap((one) => this.#deps.raise(this.#sharedPages.ofContainment(one))),
      ...over.flatMap((key) => this.#deps.resolve(key, 'the containment has ended')),
      ...crowd.flatMap((page) => this.#deps.raise(page)),
      ...dispersed.flatMap((key) => this.#deps.resolve(key, 'no channel waits for a start any more')),
      ...(isPoor || !isUsedUp(budget) ? [] : this.#deps.raise(budgetPage(budget))),
      ...(isPoor && hasRoomAgain(budget) ? this.#deps.resolve(KEY_OF_BUDGET, becauseOf(budget)) : []),
      ...played.flatMap(([key]) => this.#deps.resolve(key, BECAUSE_OVER)),
      ...this.#phasePages(open),
    ];
    if (drafts.length > 0) this.#deps.append(drafts);
  }

  /** The journal was empty or set back: a page says that nothing is repaired, until a person sets a phase. */
  #phasePages(open: OpenPages): readonly Draft[] {
    const { control, settings, raise, resolve } = this.#deps;
    const below = heldBelow(control(), settings().initialPhase(''));
    const page = below === undefined ? undefined : heldPhasePage(below);
    const over = KEYS_OF_HELD_PHASE.filter((key) => open.has(key) && key !== page?.key);
    return [
      ...over.flatMap((key) => resolve(key, 'the phase is not held below another')),
      ...(page === undefined || open.has(page.key) ? [] : raise(page)),
    ];
  }

  #isPageDue(held: HeldContainment, nowMs: MonoMs): boolean {
    const { scope, raisedMs } = held;
    const isLeft = isLeftToIncident(held);
    const soon = isLeft && !this.#pagesLater(scope);
    const waitMs = soon ? OWN_PAGE_MS : this.#deps.settings().limits.containmentCooldownMs;
    return nowMs - raisedMs >= waitMs && !(isLeft && this.#deps.wasPaged(scope, raisedMs));
  }

  /** What the fleet has used of its daily budget (law S5). */
  budget(nowMs: MonoMs): FleetBudget {
    const { settings, guardState, channelIndex } = this.#deps;
    const max = fleetCapOf(settings().limits, channelIndex.ids.length);
    const { count, freeInMs } = fleetRestartsOfDay(guardState(), max, nowMs);
    return { used: count, max, freeInMs };
  }

  /** The queue is notified of before each channel in it; that whole groups have died at once cannot wait. */
  #crowdPages(isOpen: boolean, nowMs: MonoMs) {
    const crowd = this.#deps.startQueue.crowd(nowMs);
    const { count, sinceMs, held } = crowd;
    const isDue = held.groups >= MASS_GROUPS_MIN || (count > 0 && nowMs - sinceMs >= CROWD_PAGED_MS);
    const isOver = count === 0 && held.groups === 0;
    return {
      crowd: isDue && !isOpen ? [this.#sharedPages.ofMassOutage(crowd)] : [],
      dispersed: isOver && isOpen ? [KEY_OF_MASS_OUTAGE] : [],
    };
  }

  /** A hold is over and nothing is done about what it left down: it is paged, also where a page stands already. */
  #pageHoldEnds(nowMs: MonoMs): void {
    const { incidents, control, watch, channelIndex, raise, append } = this.#deps;
    const isDown = ({ scope }: Incident): boolean =>
      channelIndex.channelsIn(scope).some((id) => watch.watched(id)?.finding.trouble === true);
    const due = this.#holdEnds.due(incidents().open, control(), { nowMs, isDown });
    const drafts = due.flatMap(({ incident, because, hold }) => {
      const all = reaching(incident, unlistedOf(incidents(), watch, incident.scope)?.channels ?? []);
      const page = pageFor(all, 'lasting', { because, envelope: undefined, attempts: [] });
      return raise({ ...page, occasion: hold });
    });
    if (drafts.length > 0) append(drafts);
  }
}
