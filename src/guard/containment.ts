/** Finds the reasons to contain a scope. */
import type { MonoMs } from '../core/clock.ts';
import type { Containment, ContainmentReason } from '../core/envelope.ts';
import type { Draft } from '../core/journal.ts';
import type { Limits } from '../core/limits.ts';
import { type EngineId, type GroupId, keyOfScope, sameScope, parseScope, type Scope } from '../core/scope.ts';
import { breakerAt } from './state/breaker.ts';
import {
  containmentKey,
  containmentsOf,
  type GuardState,
  type HeldContainment,
  overdueOf,
  type SubjectState,
} from './state/state.ts';
import { churning, roomFor, startsMaxOf } from './state/window.ts';
import { specOf } from '../remediation/catalog.ts';

/** An engine's pool as it stands. */
export interface PoolFact {
  readonly engine: EngineId;
  /** 0 to 1; undefined: not known. */
  readonly poolPressure: number | undefined;
  readonly reportsPool: boolean;
}

/** What is observed now, beside what the journal records. */
export interface ContainmentFacts {
  /** Every configured engine: one that is left out is not looked at. */
  readonly pools: readonly PoolFact[];
  /** Groups in which a shared cause is suspected now. */
  readonly sharedCauses: readonly GroupId[];
  /** The kill switch. */
  readonly frozen: boolean;
  readonly journalError: string | undefined;
}

/** A reason to contain that holds now. */
export interface Trigger {
  readonly scope: Scope;
  readonly reason: ContainmentReason;
  readonly detail: string;
}

/** A corrected host clock counts as an anomaly for this long. */
const CLOCK_ANOMALY_MS = 10_000;

const FLEET: Scope = { kind: 'fleet' };

/** The breaker of a target at one moment, attempts that were not judged included. */
export function breakerOf(subject: SubjectState, limits: Limits, nowMs: MonoMs) {
  const overdue = overdueOf(subject, nowMs)
    .filter(({ terms }) => specOf(terms.call.tool).startsProcess && terms.generation === subject.breaker.generation)
    .map((attempt) => attempt.dueMs);
  return breakerAt(subject.breaker, overdue, { limits, nowMs });
}

/** Law S8, pool: full, or silent where it should speak. What is no number is not known. */
export function poolTrigger(pool: PoolFact, limits: Limits): Trigger | undefined {
  const scope: Scope = { kind: 'engine', id: pool.engine };
  const { poolPressure } = pool;
  if (poolPressure === undefined || !Number.isFinite(poolPressure)) {
    if (!pool.reportsPool) return undefined;
    return { scope, reason: 'pool_unknown', detail: 'the engine does not report its pool, and should' };
  }
  if (poolPressure < limits.poolPressureMax) return undefined;
  return { scope, reason: 'pool_pressure', detail: `pool ${poolPressure.toFixed(2)} of ${limits.poolPressureMax}` };
}

/** Law S8, start velocity over all origins and engines. */
function stormTrigger(state: GuardState, limits: Limits, nowMs: MonoMs): Trigger | undefined {
  const max = startsMaxOf(limits.windowStartsMax);
  const { count } = roomFor(state.starts, max, { windowMs: limits.windowMs, nowMs });
  return count < max ? undefined : { scope: FLEET, reason: 'restart_storm', detail: stormDetail(count, limits) };
}

/** Law S2: one channel that others start again and again is no storm. It is contained alone. */
function churnTriggers(state: GuardState, limits: Limits, nowMs: MonoMs): readonly Trigger[] {
  return [...churning(state.starts, { windowMs: limits.windowMs, nowMs })].map(([id, count]) => ({
    scope: { kind: 'channel', id },
    reason: 'restart_storm',
    detail: `${count} starts of ${id} by others within ${limits.windowMs / 1_000} s`,
  }));
}

export const stormDetail = (count: number, limits: Limits): string =>
  `${count} starts within ${limits.windowMs / 1_000} s, the limit is ${limits.windowStartsMax}`;

/** Nothing failed here and nothing is out: most channels, most of the time. */
const isPristine = ({ breaker, open }: Readonly<SubjectState>): boolean =>
  breaker.failures.length === 0 && breaker.openedMs === undefined && breaker.probe === undefined && open.length === 0;

function breakerTriggers(state: GuardState, limits: Limits, nowMs: MonoMs): readonly Trigger[] {
  const triggers: Trigger[] = [];
  for (const bucket of state.subjects) {
    for (const key in bucket) {
      const subject = bucket[key];
      if (subject === undefined || isPristine(subject)) continue;
      const trigger = breakerTrigger(parseScope(key), subject, { limits, nowMs });
      if (trigger !== undefined) triggers.push(trigger);
    }
  }
  return triggers;
}

function breakerTrigger(
  scope: Scope | undefined,
  subject: Readonly<SubjectState>,
  { limits, nowMs }: { readonly limits: Limits; readonly nowMs: MonoMs },
): Trigger | undefined {
  if (scope?.kind !== 'channel') return undefined;
  const view = breakerOf(subject, limits, nowMs);
  if (view.state !== 'open') return undefined;
  const detail = `restarts of ${scope.id} keep failing: opening ${view.trips}, for ${view.untilMs - nowMs} ms more`;
  return { scope, reason: 'breaker_open', detail };
}

/** Law S8, clock: a moment ago the machine slept or Reeve stood still. What happened meanwhile is not known yet. */
export function clockTrigger(state: GuardState, nowMs: MonoMs): Trigger | undefined {
  const jumpedMs = state.clockJumpedMs;
  if (jumpedMs === undefined || nowMs >= jumpedMs + CLOCK_ANOMALY_MS) return undefined;
  return {
    scope: FLEET,
    reason: 'clock_anomaly',
    detail: 'the machine slept or Reeve stood still: nothing is known of the time between',
  };
}

export const journalTrigger = (detail: string): Trigger => ({ scope: FLEET, reason: 'journal_error', detail });

/** Every reason that holds now (law S8). A half-open breaker is none. */
export function triggersNow(
  state: GuardState,
  facts: ContainmentFacts,
  at: { readonly limits: Limits; readonly nowMs: MonoMs },
): readonly Trigger[] {
  const { limits, nowMs } = at;
  const shared: Trigger[] = facts.sharedCauses.map((id) => ({
    scope: { kind: 'group', id },
    reason: 'shared_cause',
    detail: 'what the channels of this group have in common failed',
  }));
  const error = facts.journalError;
  return [
    stormTrigger(state, limits, nowMs),
    ...churnTriggers(state, limits, nowMs),
    ...breakerTriggers(state, limits, nowMs),
    ...facts.pools.map((pool) => poolTrigger(pool, limits)),
    ...shared,
    clockTrigger(state, nowMs),
    error === undefined ? undefined : journalTrigger(error),
    facts.frozen ? ({ scope: FLEET, reason: 'operator_freeze', detail: 'a person froze Reeve' } as const) : undefined,
  ].filter((trigger) => trigger !== undefined);
}

/**
 * Since when each containment's trigger has been absent, by its key. Kept in memory by the caller and empty after a
 * start: then the quiet time begins anew, which can only keep a containment longer.
 */
export type Quiet = ReadonlyMap<string, MonoMs>;

export interface Evaluation {
  /** Containments to raise and to clear, and what the raising of each brings with it. Append them in one go. */
  readonly drafts: readonly Draft[];
  readonly quiet: Quiet;
}

export interface EvaluationInput {
  readonly state: GuardState;
  readonly facts: ContainmentFacts;
  readonly limits: Limits;
  readonly nowMs: MonoMs;
  readonly quiet: Quiet;
  /** Only a person ends a containment of this scope. */
  readonly releaseByPerson: (scope: Scope) => boolean;
  /** What has left the configuration is contained no longer: nobody could release it. Absent: all of it is there. */
  readonly isConfigured?: ((scope: Scope) => boolean) | undefined;
  /** The page that goes with a raised containment, in the same transaction. */
  readonly onEscalate: (raised: Draft) => readonly Draft[];
}

const channelIn = (scope: Scope) => (scope.kind === 'channel' ? { channel: scope.id } : {});

/**
 * Its page speaks for whatever else contains the scope. A person's own freeze has none, and that of a clock that
 * jumped says that it is over in a moment: a storm that comes meanwhile is told as well, and louder.
 */
const isSaid = ({ reason, releaseByPerson }: HeldContainment): boolean =>
  reason !== 'operator_freeze' && (reason !== 'clock_anomaly' || releaseByPerson);

/**
 * The fact that contains a scope, with its page: one page per episode of a scope, and none for a person's own freeze.
 */
export function raise(
  state: GuardState,
  trigger: Trigger,
  how: Pick<EvaluationInput, 'releaseByPerson' | 'onEscalate'>,
): readonly Draft[] {
  const { scope, reason, detail } = trigger;
  const releaseByPerson = how.releaseByPerson(scope);
  const raised: Draft = {
    ...channelIn(scope),
    fact: { type: 'containment.raised', scope, reason, detail, releaseByPerson },
  };
  const isPaged = Object.values(state.containments).some((held) => sameScope(held.scope, scope) && isSaid(held));
  return isPaged || reason === 'operator_freeze' ? [raised] : [raised, ...how.onEscalate(raised)];
}

/**
 * Law S8 at one moment: raises what is triggered and not yet contained, clears what has been quiet for 60 s (and
 * released, where only a person may). A person's release ends the episode at once and is forgotten with it: what a
 * trigger that still holds raises in the same moment is a new episode, under the same page, with a quiet time of its
 * own. A thaw is such a decision, too, after which the quiet time begins.
 */
export function evaluate(input: EvaluationInput): Evaluation {
  const { state, facts, limits, nowMs, isConfigured = () => true } = input;
  const triggers = triggersNow(state, facts, { limits, nowMs }).filter(({ scope }) => isConfigured(scope));
  const holding = new Set(triggers.map(({ scope, reason }) => containmentKey(scope, reason)));
  const quiet = new Map<string, MonoMs>();
  const drafts: Draft[] = [];
  for (const [key, held] of Object.entries(state.containments)) {
    if (holding.has(key) && held.releasedBy === undefined) continue;
    const sinceMs = input.quiet.get(key) ?? nowMs;
    const { scope, reason } = held;
    const because = isConfigured(scope) ? whyOver(held, nowMs - sinceMs, limits) : 'it is no longer configured';
    if (because === undefined) {
      if (!holding.has(key)) quiet.set(key, sinceMs);
      continue;
    }
    // Its quiet time is forgotten with it: a start that is allowed in this very moment may raise the next episode.
    drafts.push({ ...channelIn(scope), fact: { type: 'containment.cleared', scope, reason, because } });
  }
  const raised = triggers.filter(({ scope, reason }) => {
    const held = state.containments[containmentKey(scope, reason)];
    return held === undefined || held.releasedBy !== undefined;
  });
  return { quiet, drafts: [...drafts, ...raisedOnce(input, raised)] };
}

/** Why a containment whose trigger has been absent for so long may end; undefined: not yet. */
function whyOver({ reason, releasedBy, releaseByPerson }: HeldContainment, quietMs: number, limits: Limits) {
  if (releasedBy !== undefined) return `released by ${releasedBy}`;
  if (quietMs < limits.containmentQuietMs) return undefined;
  const because = `quiet for ${quietMs / 1_000} s`;
  // To thaw is a person's decision already: it needs no second one.
  if (reason === 'operator_freeze') return `thawed by a person, and ${because}`;
  return releaseByPerson ? undefined : because;
}

/** Several reasons for one scope at once are one episode: the first pages. */
function raisedOnce(input: EvaluationInput, triggers: readonly Trigger[]): readonly Draft[] {
  const paged = new Set<string>();
  return triggers.flatMap((trigger) => {
    const key = keyOfScope(trigger.scope);
    const onEscalate = paged.has(key) ? () => [] : input.onEscalate;
    if (trigger.reason !== 'operator_freeze') paged.add(key);
    return raise(input.state, trigger, { releaseByPerson: input.releaseByPerson, onEscalate });
  });
}

/** Containment of a target as the envelope shows it: every reason that holds for any scope over it, each once. */
export function containmentNow(state: GuardState, scopes: readonly Scope[]): Containment {
  const [first, ...rest] = [...new Set(containmentsOf(state, scopes).map((held) => held.reason))];
  return first === undefined ? { active: false } : { active: true, reasons: [first, ...rest] };
}
