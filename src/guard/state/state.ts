// Defines the guard's state: everything that its laws count, folded from the journal.
import type { MonoMs } from '../../core/clock.ts';
import type { ContainmentReason } from '../../core/envelope.ts';
import {
  type EngineId,
  type GroupId,
  type IncidentId,
  keyOfScope,
  type RunId,
  type Scope,
  type ScopeKey,
} from '../../core/scope.ts';
import type { PermitId, PermitTerms, ToolName } from '../../core/tool.ts';
import { type BreakerState, newBreaker } from './breaker.ts';
import type { ToolUse } from './cooldown.ts';
import type { StartMark } from './window.ts';

/** A permitted change that is not judged yet. */
export interface OpenAttempt {
  terms: PermitTerms;
  startedMs?: MonoMs;
  endedMs?: MonoMs;
  /** Without a verdict by then it has failed. */
  dueMs: MonoMs;
}

/** A fix that did not work. */
export interface Tried {
  tool: ToolName;
  fingerprint: string;
  atMs: MonoMs;
}

/** One restart by Reeve. */
export interface OwnRestart {
  permit: PermitId;
  incident: IncidentId;
  run: RunId;
  atMs: MonoMs;
  /** One of a staged plan: the plan's permit. */
  plan?: PermitId;
  /** Of a staged plan, and verified: it counts for its channel and not against the budget of the fleet. */
  proven?: true;
}

/** A high-risk action, and the one before it. */
export interface HighRiskUse extends ToolUse {
  run: RunId;
  before?: HighRiskUse;
}

interface Cure {
  readonly incident: IncidentId;
  readonly atMs: MonoMs;
  readonly carried: number;
}

/** What the guard remembers of one target: a channel, or a group or engine that was itself the target of a tool. */
export interface SubjectState {
  group?: GroupId;
  engine?: EngineId;
  /** The highest fence token handed out. */
  fence: number;
  /** The last observed process of the channel: the same one seen twice is one start. */
  life?: string;
  uses: Partial<Record<ToolName, ToolUse>>;
  highRisk?: HighRiskUse;
  open: OpenAttempt[];
  tried: Tried[];
  restarts: OwnRestart[];
  breaker: BreakerState;
  /** The last verified restart: for which incident, and how many restarts of earlier ones it had to answer for. */
  cured?: Cure;
  /** Those before it, oldest first; absent where there are none. */
  curedBefore?: readonly Cure[];
  /**
   * A change of Reeve's began that may have left the channel stopped, and no new process of it has been observed since
   * (law S6). `startsNothing`: the change is no restart, and nothing needs to follow it.
   */
  unproven?: { permit: PermitId; sinceMs: MonoMs; startsNothing?: true };
  /** A change began here and its end is not known: nothing more until it is seen healthy, or a person resets it. */
  unknown?: { permit: PermitId; tool: ToolName; sinceMs: MonoMs };
  /** The last change of unknown end that a person has reset: it may be seen to have worked still (law S5). */
  unknownReset?: PermitId;
}

/** One high-risk action as its group saw it begin. Starts of a staged plan are part of the plan's one. */
export interface GroupMark {
  permit: PermitId;
  target: ScopeKey;
  run: RunId;
  atMs: MonoMs;
}

export interface GuardIncident {
  scope: Scope;
  group: GroupId;
  engine: EngineId;
  /** Missing in a state that an earlier version folded. */
  openedMs?: MonoMs;
  /** Restarts by Reeve, by target. */
  restarts: Record<ScopeKey, number>;
  /** Tools whose effect was verified: what makes a restart the right next step after a credential or cache fix. */
  fixed: ToolName[];
}

/** A staged start under way. */
export interface StagedPlan {
  terms: PermitTerms;
  /** The plan's own permit was redeemed then. */
  startedMs?: MonoMs;
  starts: { channel: string; permit: PermitId; verdict?: 'cured' | 'failed'; dueMs: MonoMs }[];
}

export interface HeldContainment {
  scope: Scope;
  reason: ContainmentReason;
  detail: string;
  releaseByPerson: boolean;
  raisedMs: MonoMs;
  /** Who allowed it to end. */
  releasedBy?: string;
}

/** Viewer-seconds that an action was expected to cost. */
export interface ViewerSpend {
  atMs: MonoMs;
  seconds: number;
}

/** Targets are kept in this many buckets, so that changing one copies a bucket and not the fleet. */
const BUCKETS = 128;

/** Which bucket a target is in: a plain string hash (FNV-1a), the same on every machine. */
export function bucketOf(key: ScopeKey): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < key.length; at += 1) hash = Math.imul(hash ^ key.charCodeAt(at), 0x01000193);
  return (hash >>> 0) % BUCKETS;
}

/**
 * All that the guard's laws count, folded from the journal and nothing else. Plain JSON. Keys that come from names are
 * scope keys: they hold a colon, so no name can be taken for a property of Object.
 */
export interface GuardState {
  readonly subjects: readonly Readonly<Record<ScopeKey, SubjectState>>[];
  readonly groups: Readonly<Record<ScopeKey, readonly GroupMark[]>>;
  readonly starts: readonly StartMark[];
  readonly incidents: Readonly<Record<IncidentId, GuardIncident>>;
  readonly plans: Readonly<Record<PermitId, StagedPlan>>;
  readonly containments: Readonly<Record<string, HeldContainment>>;
  readonly viewerSpends: readonly ViewerSpend[];
  readonly clockJumpedMs?: MonoMs;
  /** When the machine slept, and for how long, newest last: what is older than that is older by that (law T3). */
  readonly sleeps?: readonly { readonly atMs: MonoMs; readonly forMs: number }[];
}

export const newGuardState = (): GuardState => ({
  subjects: Array.from({ length: BUCKETS }, () => ({})),
  groups: {},
  starts: [],
  incidents: {},
  plans: {},
  containments: {},
  viewerSpends: [],
});

export const newSubject = (): SubjectState => ({
  fence: 0,
  uses: {},
  open: [],
  tried: [],
  restarts: [],
  breaker: newBreaker(),
});

/** What is remembered of a target; an untouched one when nothing ever happened there. */
export const subjectAt = (state: GuardState, key: ScopeKey): Readonly<SubjectState> =>
  state.subjects[bucketOf(key)]?.[key] ?? newSubject();

/** Every target of which something is remembered. */
export const subjectsOf = (state: GuardState): readonly (readonly [ScopeKey, Readonly<SubjectState>])[] =>
  state.subjects.flatMap((bucket) => Object.entries(bucket));

/** The highest fence token handed out for anything that is on the engine. */
export const highestFence = (state: GuardState, engine: EngineId): number =>
  subjectsOf(state).reduce((max, [, one]) => (one.engine === engine ? Math.max(max, one.fence) : max), 0);

export const containmentKey = (scope: Scope, reason: ContainmentReason): string => `${keyOfScope(scope)}|${reason}`;

type Placed = readonly { readonly at: number; readonly held: HeldContainment }[];

/** Of the containments that were asked about last, each with its place: all channels of one look have the same. */
const byScope = new WeakMap<GuardState['containments'], Partial<Record<ScopeKey, Placed>>>();

/** Containments of any of the scopes, in the order in which they are held. */
export function containmentsOf({ containments }: GuardState, scopes: readonly Scope[]): readonly HeldContainment[] {
  const known = byScope.get(containments) ?? placedByScope(containments);
  byScope.set(containments, known);
  const found = [...new Set(scopes.map(keyOfScope))].flatMap((key) => known[key] ?? []);
  return found.sort((one, other) => one.at - other.at).map(({ held }) => held);
}

const placedByScope = (containments: GuardState['containments']): Partial<Record<ScopeKey, Placed>> =>
  Object.groupBy(
    Object.values(containments).map((held, at) => ({ at, held })),
    ({ held }) => keyOfScope(held.scope),
  );

/** How long ago `sinceMs` was, the time that the machine slept since included (law T3). */
export const ageOf = (state: GuardState, sinceMs: MonoMs, nowMs: MonoMs): number =>
  (state.sleeps ?? [])
    .filter(({ atMs }) => atMs >= sinceMs)
    .reduce((ageMs, { forMs }) => ageMs + forMs, nowMs - sinceMs);

/** Restarts that began and were never judged, and are overdue now: each failed at its deadline. */
export const overdueOf = (subject: SubjectState, nowMs: MonoMs): readonly OpenAttempt[] =>
  subject.open.filter((attempt) => attempt.startedMs !== undefined && nowMs >= attempt.dueMs);
