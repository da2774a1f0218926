import type { MonoMs } from '../core/clock.ts';
import type { ContainmentReason } from '../core/envelope.ts';
import type { EngineId, GroupId, IncidentId, RunId, Scope, ScopeKey } from '../core/scope.ts';
import { keyOfScope } from '../core/scope.ts';
import type { PermitId, PermitTerms, ToolName } from '../core/tool.ts';
import { type BreakerState, newBreaker } from './breaker.ts';
import type { ToolUse } from './cooldown.ts';
import type { StartMark } from './window.ts';

/** A permitted change that nobody has judged yet. */
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
}

/** What the guard remembers of one target: a channel, or a group or engine that was itself the target of a tool. */
export interface SubjectState {
  group?: GroupId;
  engine?: EngineId;
  /** The highest fence token handed out. */
  fence: number;
  /** The last observed life of the channel: the same one seen twice is one start. */
  life?: string;
  uses: Partial<Record<ToolName, ToolUse>>;
  highRisk?: ToolUse & { run: RunId };
  open: OpenAttempt[];
  tried: Tried[];
  restarts: OwnRestart[];
  breaker: BreakerState;
  /** A change began here and Reeve died: nothing more until it is seen healthy, or a person resets it. */
  unknown?: { permit: PermitId; tool: ToolName; sinceMs: MonoMs };
}

/** One high-risk action as its group saw it begin. Starts of a staged plan are part of the plan's one. */
export interface GroupMark {
  permit: PermitId;
  target: ScopeKey;
  run: RunId;
  atMs: MonoMs;
}

export interface OpenIncident {
  scope: Scope;
  group: GroupId;
  engine: EngineId;
  /** Restarts by Reeve, by target. */
  restarts: Record<ScopeKey, number>;
  /** Tools whose effect was verified: what makes a restart the right next step after a credential or cache fix. */
  fixed: ToolName[];
}

/** A staged start under way. */
export interface StagedPlan {
  terms: PermitTerms;
  starts: { channel: string; permit: PermitId; verdict?: 'cured' | 'failed'; dueMs: MonoMs }[];
}

export interface HeldContainment {
  scope: Scope;
  reason: ContainmentReason;
  detail: string;
  releaseByPerson: boolean;
  raisedMs: MonoMs;
  /** Who said that it may end. */
  releasedBy?: string;
}

/** Viewer-seconds that an action was expected to cost. */
export interface ViewerSpend {
  atMs: MonoMs;
  seconds: number;
}

/**
 * All that the guard's laws count, folded from the journal and nothing else. Plain JSON: keys are scope keys (they hold
 * a colon, so no name can be a property of Object), and no value is undefined once written.
 *
 * The fold owns its state and changes it in place, because one entry must not cost a copy of ten thousand channels.
 * Readers look and keep nothing; a snapshot is its JSON.
 */
export interface GuardState {
  subjects: Record<ScopeKey, SubjectState>;
  groups: Record<ScopeKey, GroupMark[]>;
  starts: StartMark[];
  incidents: Record<IncidentId, OpenIncident>;
  plans: Record<PermitId, StagedPlan>;
  containments: Record<string, HeldContainment>;
  viewerSpends: ViewerSpend[];
  clockJumpedMs?: MonoMs;
}

export const newGuardState = (): GuardState => ({
  subjects: {},
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
export const subjectAt = (state: GuardState, key: ScopeKey): SubjectState => state.subjects[key] ?? newSubject();

export const containmentKey = (scope: Scope, reason: ContainmentReason): string => `${keyOfScope(scope)}|${reason}`;

/** Containments of any of the scopes. */
export function containmentsOf(state: GuardState, scopes: readonly Scope[]): readonly HeldContainment[] {
  const keys = new Set(scopes.map(keyOfScope));
  return Object.values(state.containments).filter((held) => keys.has(keyOfScope(held.scope)));
}

/** Restarts that began and were never judged, and are overdue now: each failed at its deadline. */
export const overdueOf = (subject: SubjectState, nowMs: MonoMs): readonly OpenAttempt[] =>
  subject.open.filter((attempt) => attempt.startedMs !== undefined && nowMs >= attempt.dueMs);
