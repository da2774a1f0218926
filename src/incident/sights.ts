import type { ControlState } from '../control/state.ts';
import type { Clock, MonoMs } from '../core/clock.ts';
import type { Containment, ContainmentReason, GroundedContextEnvelope } from '../core/envelope.ts';
import { invariant } from '../core/errors.ts';
import type { Incident } from '../core/incident.ts';
import type { Read } from '../core/journal.ts';
import type { Limits } from '../core/limits.ts';
import { type ChannelId, type ChannelRef, keyOfScope, type Scope, scopesOf } from '../core/scope.ts';
import type { ToolName } from '../core/tool.ts';
import type { SharedCause } from '../ground/correlate.ts';
import { causeEnvelope, channelEnvelope, type GuardCounts } from '../ground/envelope.ts';
import type { Board } from '../ground/facts.ts';
import { cooldownOf } from '../guard/cooldown.ts';
import { containmentsOf, type GuardState, subjectAt } from '../guard/state.ts';
import { startsIn } from '../guard/window.ts';
import type { Seen } from './responder.ts';
import type { Watch, Watched } from './watch.ts';

export interface SightDeps {
  readonly board: Board;
  readonly watch: Watch;
  readonly guard: Read<GuardState>;
  readonly control: Read<ControlState>;
  readonly limits: () => Limits;
  readonly clock: Clock;
  readonly channelOf: (id: string) => ChannelRef | undefined;
}

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

/** Turns what is watched into what the desk judges and into envelopes. Reads, never writes. */
export class Sights {
  readonly #deps: SightDeps;

  constructor(deps: SightDeps) {
    this.#deps = deps;
  }

  /** What there is to see of a scope now; undefined for one that is not configured. */
  see(scope: Scope, nowMs: MonoMs): Seen | undefined {
    return scope.kind === 'channel' ? this.#seeChannel(scope, nowMs) : this.#seeCause(scope, nowMs);
  }

  /** The whole of what a decision may rest on, at this moment. */
  envelope(incident: Incident): GroundedContextEnvelope {
    const { clock } = this.#deps;
    const moment = { at: clock.now(), nowMs: clock.monotonicMs() };
    return incident.scope.kind === 'channel'
      ? this.#channelEnvelope(incident.scope.id, moment)
      : this.#causeEnvelope(incident, moment);
  }

  containment(scopes: readonly Scope[]): Containment {
    const held = containmentsOf(this.#deps.guard(), scopes).map(({ reason }) => reason);
    const [first, ...rest] = [...new Set<ContainmentReason>(held)];
    return first === undefined ? { active: false } : { active: true, reasons: [first, ...rest] };
  }

  #seeChannel(scope: Extract<Scope, { kind: 'channel' }>, nowMs: MonoMs): Seen | undefined {
    const { watch } = this.#deps;
    watch.refresh(scope.id, nowMs);
    const watched = watch.watched(scope.id);
    if (watched === undefined) return undefined;
    const { ref, finding, classifiedMs, healthySinceMs } = watched;
    return {
      group: ref.group,
      engine: ref.engine,
      channels: [],
      because: finding.because,
      sight: {
        trouble: finding.trouble
          ? {
              classification: finding.classification,
              settling: finding.settling,
              settledMs: finding.actNotBeforeMs,
              sinceMs: classifiedMs,
            }
          : undefined,
        healthy: finding.healthy,
        healthySinceMs,
        quiet: !finding.trouble && finding.quiet,
        covered: watch.covered(ref),
        contained: this.containment(scopesOf(ref)).active,
        approval: this.#approval(scope),
      },
    };
  }

  #seeCause(scope: Scope, nowMs: MonoMs): Seen {
    const cause = this.#deps.watch.causeOf(scope);
    const members = this.#members(scope);
    const first = members[0]?.ref;
    const over = cause === undefined || cause.phase === 'over';
    const classification = cause === undefined ? undefined : over ? this.#darkClass(cause) : cause.classification;
    const well = members.filter(({ finding }) => !finding.trouble && finding.healthy !== false);
    const healthy = classification === undefined && well.length === members.length;
    const sinceMs = cause === undefined ? nowMs : over ? cause.lastMs : cause.sinceMs;
    return {
      group: scope.kind === 'group' ? scope.id : (first?.group ?? keyOfScope(scope)),
      engine: scope.kind === 'engine' ? scope.id : (first?.engine ?? keyOfScope(scope)),
      channels: cause?.channels ?? [],
      because: cause?.because ?? 'the shared cause is gone',
      sight: {
        trouble: classification === undefined ? undefined : { classification, settling: false, settledMs: 0, sinceMs },
        healthy: classification === undefined ? (healthy ? true : undefined) : false,
        healthySinceMs: healthy ? this.#wellSince(members, cause) : undefined,
        quiet: false,
        covered: false,
        contained: this.containment([scope, { kind: 'fleet' }]).active,
        approval: this.#approval(scope),
      },
    };
  }

  #members(scope: Scope) {
    const inside = (ref: ChannelRef) => scopesOf(ref).some((one) => keyOfScope(one) === keyOfScope(scope));
    return this.#deps.watch.all().filter(({ ref }) => inside(ref));
  }

  #darkClass(cause: SharedCause) {
    const [first] = cause.dark;
    const finding = first === undefined ? undefined : this.#deps.watch.watched(first)?.finding;
    return finding?.trouble ? finding.classification : undefined;
  }

  #wellSince(members: readonly Watched[], cause: SharedCause | undefined): MonoMs {
    return Math.max(cause?.lastMs ?? 0, ...members.map(({ healthySinceMs }) => healthySinceMs ?? 0));
  }

  #approval(scope: Scope): Seen['sight']['approval'] {
    const about = this.#deps
      .control()
      .approvals.filter(({ approval }) => keyOfScope(approval.call.target) === keyOfScope(scope));
    if (about.some(({ state }) => state === 'yes')) return 'yes';
    return about.some(({ state }) => state === 'pending') ? 'pending' : 'none';
  }

  #channelEnvelope(channel: ChannelId, moment: { at: number; nowMs: MonoMs }): GroundedContextEnvelope {
    const { board, watch } = this.#deps;
    watch.refresh(channel, moment.nowMs);
    const facts = board.view(channel);
    const watched = watch.watched(channel);
    invariant(facts !== undefined && watched !== undefined, `${channel} has an incident but is not configured`);
    const poolPressure = board.engineFacts(facts.setup.engine).last?.poolPressure;
    const counts: GuardCounts = {
      ...this.#counts(channel, moment.nowMs),
      containment: this.containment(scopesOf(facts.setup)),
      sharedCause: watch.suspected(facts.setup),
      lastingMs: moment.nowMs - watched.classifiedMs,
    };
    return channelEnvelope({ facts, finding: watched.finding, poolPressure }, counts, moment);
  }

  #causeEnvelope(incident: Incident, moment: { at: number; nowMs: MonoMs }): GroundedContextEnvelope {
    const { board, watch } = this.#deps;
    const { scope, group, engine } = incident;
    const cause = watch.causeOf(scope) ?? goneCause(incident, moment.nowMs);
    const members = this.#members(scope).flatMap(({ ref, finding }) => {
      const facts = board.view(ref.id);
      return facts === undefined ? [] : [{ facts, finding }];
    });
    const poolPressure = board.engineFacts(engine).last?.poolPressure;
    const counts: GuardCounts = {
      restartCount: 0,
      restartVelocity: this.velocity(moment.nowMs),
      lastAction: undefined,
      cooldownRemaining: 0,
      containment: this.containment([scope, { kind: 'fleet' }]),
      sharedCause: cause.phase === 'active',
      lastingMs: moment.nowMs - (cause.phase === 'active' ? cause.sinceMs : cause.lastMs),
    };
    const assessment = scope.kind === 'engine' ? watch.engine(scope.id) : undefined;
    return causeEnvelope({ cause, members, engine, group, poolPressure, assessment }, counts, moment);
  }

  /** Starts over all channels in the last 60 s, whoever began them. */
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

/** A cause that was forgotten while its incident is still open: over, with nothing left dark. */
const goneCause = (incident: Incident, nowMs: MonoMs): SharedCause => ({
  key: keyOfScope(incident.scope),
  scope: incident.scope,
  family: 'unknown',
  classification: incident.classification,
  channels: incident.channels,
  because: 'the shared cause is gone',
  sinceMs: incident.openedMs,
  lastMs: nowMs,
  phase: 'over',
  dark: [],
});
