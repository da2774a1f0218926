/** Takes snapshots and envelopes of channels and shared causes. */
import { questionState } from '../../control/approvals.ts';
import type { ControlState } from '../../control/state.ts';
import type { Clock, MonoMs } from '../../core/clock.ts';
import { HOUR_MS, MINUTE_MS } from '../../core/duration.ts';
import type { Containment, EnvelopeHistory, GroundedContextEnvelope } from '../../core/envelope.ts';
import { invariant } from '../../core/errors.ts';
import type { Incident } from '../../core/incident.ts';
import type { Read } from '../../core/journal.ts';
import type { Limits } from '../../core/limits.ts';
import {
  type ChannelId,
  type ChannelRef,
  keyOfScope,
  type Scope,
  type ScopeKey,
  scopesOf,
  scopesOver,
} from '../../core/scope.ts';
import type { DenialCode } from '../../core/plan.ts';
import type { ToolName } from '../../core/tool.ts';
import { coveredBy } from '../../ground/correlate/cause_index.ts';
import type { SharedCause } from '../../ground/correlate/correlate.ts';
import { causeEnvelope, channelEnvelope } from '../../ground/envelope.ts';
import type { FactStore } from '../../ground/facts/facts.ts';
import { isStoppedByPerson } from '../../ground/facts/health.ts';
import { containmentNow } from '../../guard/containment.ts';
import { cooldownOf } from '../../guard/state/cooldown.ts';
import { containmentsOf, type GuardState, subjectAt } from '../../guard/state/state.ts';
import { startsIn } from '../../guard/state/window.ts';
import { goneCause, isEachItsOwn, isHandedOver, isWell, timesOf, wellSinceMs } from '../lifecycle/causes.ts';
import { isRefusalOver } from '../lifecycle/refusal.ts';
import type { Snapshot } from '../lifecycle/seen.ts';
import { absorberOf, isInMassOutage, isListed, isNamed, troubledIn, unlistedOf } from './named.ts';
import type { Seen } from '../lifecycle/seen.ts';
import { type IncidentState, openOn } from '../lifecycle/state.ts';
import type { FindingTracker } from './finding_tracker.ts';
import type { TrackedChannel } from './tracked_channel.ts';
import type { OpenPages } from './ports.ts';

export interface SnapshotDeps {
  readonly factStore: FactStore;
  readonly watch: FindingTracker;
  readonly guard: Read<GuardState>;
  readonly control: Read<ControlState>;
  readonly incidents: Read<IncidentState>;
  readonly limits: () => Limits;
  readonly clock: Clock;
  readonly channelOf: (id: string) => ChannelRef | undefined;
  readonly channelsIn: (scope: Scope) => readonly ChannelId[];
  /** What the guard would refuse a start of the channel or the group for now; undefined: it would not. */
  readonly refusedFor: (scope: Scope) => DenialCode | undefined;
  /** It waits for a start, or its group is held. */
  readonly isInCrowd: (scope: Scope, nowMs: MonoMs) => boolean;
  readonly openPages: () => OpenPages;
}

const NOTHING_LEFT = { trouble: undefined, healthy: undefined, healthySinceMs: undefined };

/** Makes snapshots and envelopes of what is watched. Reads, never writes. */
export class Snapshots {
  readonly #deps: SnapshotDeps;
  /** Since when nothing is known of a cause whose incident is open: after a start of Reeve it is no longer known. */
  readonly #causelessMs = new Map<ScopeKey, MonoMs>();

  constructor(deps: SnapshotDeps) {
    this.#deps = deps;
  }

  /** Undefined for a scope that is not configured. */
  see(scope: Scope, nowMs: MonoMs): Seen | undefined {
    return scope.kind === 'channel' ? this.#seeChannel(scope, nowMs) : this.#seeCause(scope, nowMs);
  }

  envelope(incident: Incident): GroundedContextEnvelope {
    const { clock } = this.#deps;
    const moment = { at: clock.now(), nowMs: clock.monotonicMs() };
    return incident.scope.kind === 'channel'
      ? this.#channelEnvelope(incident.scope.id, moment)
      : this.#causeEnvelope(incident, moment);
  }

  containment(scopes: readonly Scope[]): Containment {
    return containmentNow(this.#deps.guard(), scopes);
  }

  #seeChannel(scope: Extract<Scope, { kind: 'channel' }>, nowMs: MonoMs): Seen | undefined {
    const { watch, factStore } = this.#deps;
    watch.refresh(scope.id, nowMs);
    const watched = watch.watched(scope.id);
    if (watched === undefined) return undefined;
    const { ref, finding, classifiedMs, troubledMs, healthySinceMs, clearSinceMs } = watched;
    const cause = coveredBy(watch.causes, ref);
    return {
      group: ref.group,
      engine: ref.engine,
      channels: [],
      viewers: watched.viewers,
      because: finding.because,
      sight: {
        trouble: finding.trouble
          ? {
              classification: finding.classification,
              settling: finding.settling,
              settledMs: finding.actNotBeforeMs,
              sinceMs: classifiedMs,
              troubledMs,
            }
          : undefined,
        healthy: finding.healthy,
        healthySinceMs,
        clearSinceMs,
        quiet: !finding.trouble && finding.quiet,
        stoppedByPerson: isStoppedByPerson(factStore.view(scope.id)?.process),
        covered: cause !== undefined,
        absorber: cause && absorberOf(this.#deps, cause.scope, ref.id),
        refusalIsOver: this.#refusalIsOver(scope),
        contained: this.containment(scopesOf(ref)).active,
        ...this.#spokenFor(scope, scopesOf(ref), nowMs),
        listed: finding.trouble && isListed(this.#deps, scopesOf(ref), nowMs),
        approval: questionState(this.#deps.control(), scope),
      },
    };
  }

  #seeCause(scope: Scope, nowMs: MonoMs): Seen {
    const cause = this.#deps.watch.causeOf(scope);
    const first = this.#deps.channelOf(this.#deps.channelsIn(scope)[0] ?? '');
    const ill = this.#deps.channelOf(cause?.channels[0] ?? '') ?? first;
    const engine = scope.kind === 'engine' ? scope.id : (ill?.engine ?? keyOfScope(scope));
    const group = scope.kind === 'group' ? scope.id : (first?.group ?? keyOfScope(scope));
    const scopes = scopesOver(scope, { group, engine });
    return {
      group,
      engine,
      channels: cause?.channels ?? [],
      // Of the one that its plan starts first: the others come when that one is proved.
      viewers: cause && Math.max(0, ...cause.down.map((id) => this.#deps.watch.watched(id)?.viewers ?? 0)),
      because: cause?.because ?? 'the shared cause is gone',
      sight: {
        ...this.#causeNow(scope, cause, nowMs),
        quiet: false,
        covered: false,
        unlisted: unlistedOf(this.#deps.incidents(), this.#deps.watch, scope),
        handedOver: isHandedOver(cause, this.#isGiven) || this.#isForgotten(scope, cause),
        refusalIsOver: this.#refusalIsOver(scope),
        contained: this.#isContained(scope, scopes, nowMs),
        ...this.#spokenFor(scope, scopes, nowMs),
        approval: questionState(this.#deps.control(), scope),
      },
    };
  }

  /** While it is active, the cause itself; when it is over, what it left down; in the end, whether all play again. */
  #causeNow(
    scope: Scope,
    cause: SharedCause | undefined,
    nowMs: MonoMs,
  ): Pick<Snapshot, 'trouble' | 'healthy' | 'healthySinceMs' | 'clearSinceMs'> {
    const goneMs = this.#goneMs(scope, cause, nowMs);
    const isOver = cause === undefined || cause.phase === 'over';
    const classification = isOver ? this.#downClass(cause) : cause.classification;
    if (isHandedOver(cause, this.#isGiven)) return { ...NOTHING_LEFT, clearSinceMs: goneMs };
    if (cause !== undefined && classification !== undefined) {
      const sinceMs = isOver ? cause.lastMs : cause.sinceMs;
      const trouble = { classification, settling: false, settledMs: 0, sinceMs, ...timesOf(cause, this.#deps.watch) };
      return { trouble, healthy: false, healthySinceMs: undefined, clearSinceMs: undefined };
    }
    const about = this.#about(scope, cause);
    const healthy = about.length > 0 && about.every(isWell) ? true : undefined;
    const healthySinceMs = healthy ? Math.max(cause?.lastMs ?? 0, ...about.map(wellSinceMs)) : undefined;
    return { trouble: undefined, healthy, healthySinceMs, clearSinceMs: goneMs };
  }

  #isForgotten(scope: Scope, cause: SharedCause | undefined): boolean {
    const isKnown = cause !== undefined || this.containment([scope]).active;
    const named = openOn(this.#deps.incidents(), scope)?.incident.channels ?? [];
    return !isKnown && (named.some(this.#isGiven) || isEachItsOwn(this.#about(scope, cause), this.#deps.incidents()));
  }

  #refusalIsOver(scope: Scope): boolean {
    return isRefusalOver(openOn(this.#deps.incidents(), scope)?.last, () => this.#deps.refusedFor(scope));
  }

  readonly #isGiven = (channel: ChannelId): boolean => this.#deps.watch.isHandedOver(channel);

  /** What a witness has proven to be over keeps the group's own staged start no longer (law S8). */
  #isContained(scope: Scope, scopes: readonly Scope[], nowMs: MonoMs): boolean {
    const active = containmentsOf(this.#deps.guard(), scopes);
    if (active.length === 0) return false;
    const isProven = this.#deps.watch.isProvenOver(scope, nowMs);
    return active.some(({ reason, releaseByPerson }) => !(isProven && reason === 'shared_cause' && !releaseByPerson));
  }

  /** Since when the cause has not shown itself. */
  #goneMs(scope: Scope, cause: SharedCause | undefined, nowMs: MonoMs): MonoMs {
    const key = keyOfScope(scope);
    if (cause !== undefined) this.#causelessMs.delete(key);
    else if (!this.#causelessMs.has(key)) this.#causelessMs.set(key, nowMs);
    return cause?.lastMs ?? this.#causelessMs.get(key) ?? nowMs;
  }

  /** The channels that the cause touched; all of the scope where it named none. */
  #about(scope: Scope, cause: SharedCause | undefined): readonly (TrackedChannel | undefined)[] {
    const named = openOn(this.#deps.incidents(), scope)?.incident.channels ?? [];
    const ids = [...new Set([...named, ...(cause?.channels ?? [])])].filter(
      (id) => this.#deps.channelOf(id) && !this.#isGiven(id),
    );
    return ids.length === 0 ? this.#members(scope) : ids.map((id) => this.#deps.watch.watched(id));
  }

  #spokenFor(scope: Scope, scopes: readonly Scope[], nowMs: MonoMs): Pick<Snapshot, 'inCrowd' | 'spokenFor'> {
    const down = troubledIn(this.#deps.incidents(), this.#deps.watch, scope);
    const inCrowd = this.#deps.isInCrowd(scope, nowMs) && isInMassOutage(this.#deps, down);
    return { inCrowd, spokenFor: inCrowd || isNamed(this.#deps, { scopes, down, nowMs }) };
  }

  #members(scope: Scope): readonly TrackedChannel[] {
    return this.#deps.channelsIn(scope).flatMap((id) => this.#deps.watch.watched(id) ?? []);
  }

  #downClass(cause: SharedCause | undefined) {
    const first = cause?.down[0];
    const finding = first === undefined ? undefined : this.#deps.watch.watched(first)?.finding;
    return finding?.trouble ? finding.classification : undefined;
  }

  /** Of the newest question: an older one was about what the trouble was then. */
  #channelEnvelope(channel: ChannelId, moment: { at: number; nowMs: MonoMs }): GroundedContextEnvelope {
    const { factStore, watch } = this.#deps;
    watch.refresh(channel, moment.nowMs);
    const facts = factStore.view(channel);
    const watched = watch.watched(channel);
    invariant(facts !== undefined && watched !== undefined, `${channel} has an incident but is not configured`);
    const poolPressure = factStore.engineFacts(facts.setup.engine).last?.poolPressure;
    const history: EnvelopeHistory = {
      ...this.#counts(channel, moment.nowMs),
      containmentMode: this.containment(scopesOf(facts.setup)),
      sharedCause: watch.suspected(facts.setup),
      lastingMs: moment.nowMs - watched.classifiedMs,
    };
    return channelEnvelope({ facts, finding: watched.finding, poolPressure }, history, moment);
  }

  #causeEnvelope(incident: Incident, moment: { at: number; nowMs: MonoMs }): GroundedContextEnvelope {
    const { factStore, watch } = this.#deps;
    const { scope, group, engine } = incident;
    const found = watch.causeOf(scope) ?? goneCause(incident, moment.nowMs);
    const cause = { ...found, down: this.#mostWatchedFirst(found.down) };
    const members = this.#members(scope).flatMap(({ ref, finding }) => {
      const facts = factStore.view(ref.id);
      return facts === undefined ? [] : [{ facts, finding }];
    });
    const poolPressure = factStore.engineFacts(engine).last?.poolPressure;
    const history: EnvelopeHistory = {
      restartCount: 0,
      restartVelocity: this.velocity(moment.nowMs),
      lastAction: undefined,
      cooldownRemaining: 0,
      containmentMode: this.containment(scopesOver(scope, incident)),
      sharedCause: cause.phase === 'active',
      lastingMs: moment.nowMs - (cause.phase === 'active' ? cause.sinceMs : cause.lastMs),
    };
    const assessment = scope.kind === 'engine' ? watch.engine(scope.id) : undefined;
    return causeEnvelope({ cause, members, engine, group, poolPressure, assessment }, history, moment);
  }

  /** Where only so many may start in a minute, those who wait for a picture should be as few as can be. */
  #mostWatchedFirst(channels: readonly ChannelId[]): readonly ChannelId[] {
    const viewers = (id: ChannelId): number => this.#deps.watch.watched(id)?.viewers ?? 0;
    return [...channels].sort((a, b) => viewers(b) - viewers(a) || (a < b ? -1 : 1));
  }

  /** Starts over all channels in the last 60 s. */
  velocity(nowMs: MonoMs): number {
    return startsIn(this.#deps.guard().starts, { windowMs: MINUTE_MS, nowMs }).length;
  }

  #counts(channel: ChannelId, nowMs: MonoMs) {
    const state = this.#deps.guard();
    const subject = subjectAt(state, keyOfScope({ kind: 'channel', id: channel }));
    const own = state.starts.filter((mark) => mark.channel === channel && mark.atMs > nowMs - HOUR_MS);
    const uses = Object.entries(subject.uses) as [ToolName, { endedMs?: MonoMs; startedMs?: MonoMs }][];
    const started = uses.filter(([, use]) => use.startedMs !== undefined);
    started.sort(([, a], [, b]) => (b.startedMs ?? 0) - (a.startedMs ?? 0));
    return {
      restartCount: own.length,
      restartVelocity: this.velocity(nowMs),
      lastAction: started[0]?.[0],
      cooldownRemaining: cooldownOf(subject.uses.restart_channel, this.#deps.limits().restartCooldownMs, nowMs).leftMs,
    };
  }
}
