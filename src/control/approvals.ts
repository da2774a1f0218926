/** Questions that wait for a person's yes or no. */
import { createHash } from 'node:crypto';
import type { FailureClass } from '../core/classification.ts';
import type { MonoMs } from '../core/clock.ts';
import type { Approval, ControlFact } from '../core/control.ts';
import { MINUTE_MS } from '../core/duration.ts';
import type { Draft } from '../core/journal.ts';
import { type IncidentId, keyOfScope, sameScope, type Scope } from '../core/scope.ts';
import type { ToolCall } from '../core/tool.ts';
import { canonicalJson } from '../core/wire.ts';
import type { ControlState, KeptApproval } from './control_state.ts';

/** A yes given at the last moment still leaves the new run this long to use it. */
export const YES_MS_MIN = MINUTE_MS;

/** Questions that are over are kept for people to read, at most this many. */
const OVER_KEPT_MAX = 100;
/**
 * A last bound on those that somebody waits for, above what an outage asks at once: one question for each group. What
 * is forgotten would neither expire nor be asked again (law L2).
 */
const AWAITED_KEPT_MAX = 2_000;

/**
 * Binds a yes to exactly what was asked: tool, target, parameters and classification.
 * SHA-256 over their canonical JSON, in hexadecimal.
 */
export function approvalHash(call: ToolCall, classification: FailureClass | undefined): string {
  const asked = { tool: call.tool, target: keyOfScope(call.target), channels: call.channels, classification };
  return createHash('sha256').update(canonicalJson(asked)).digest('hex');
}

/** The question of this very content that still waits for an answer. */
export function pendingFor(state: ControlState, hash: string, nowMs: MonoMs): Approval | undefined {
  const kept = state.approvals.find((one) => one.approval.hash === hash && isOpen(one, nowMs));
  return kept?.approval;
}

/** Questions that wait for an answer, oldest first. */
export const pendingApprovals = (state: ControlState, nowMs: MonoMs): readonly Approval[] =>
  openQuestions(state, nowMs).map((one) => one.approval);

/** The same, with what was answered so far. */
export const openQuestions = (state: ControlState, nowMs: MonoMs): readonly KeptApproval[] =>
  state.approvals.filter((one) => isOpen(one, nowMs));

const isOpen = (one: KeptApproval, nowMs: MonoMs): boolean => one.state === 'pending' && nowMs < one.expiresMs;

/** Who is for it so far: the one who asked, where two are needed, and everybody who said yes. Each name once. */
export function approvedBy({ approval, yesBy = [] }: KeptApproval): readonly string[] {
  const asker = approval.eyes === 2 && approval.askedBy !== undefined ? [approval.askedBy] : [];
  return [...new Set([...asker, ...yesBy])];
}

/** True when a yes of `who` would be the last that it needs. */
export const isEnough = (kept: KeptApproval, who: string): boolean =>
  new Set([...approvedBy(kept), who]).size >= (kept.approval.eyes ?? 1);

/**
 * True when a person said yes to exactly this, the yes is unused, and it is not too old. `eyes` 2: two people are
 * behind it, also where the question was asked before two were wanted.
 */
export function hasYes(state: ControlState, id: string, hash: string, { nowMs, eyes = 1 }: YesNeeded): boolean {
  const kept = state.approvals.find((one) => one.approval.id === id);
  if (kept === undefined || kept.state !== 'yes') return false;
  return kept.approval.hash === hash && nowMs < kept.expiresMs && approvedBy(kept).length >= eyes;
}

interface YesNeeded {
  readonly nowMs: MonoMs;
  readonly eyes?: 1 | 2;
}

/** Facts that close each question without an answer and each unused yes. Append them; expired is not denied. */
export function expireApprovals(state: ControlState, nowMs: MonoMs): readonly Draft[] {
  const over = state.approvals.filter(
    (one) => (one.state === 'pending' || one.state === 'yes') && nowMs >= one.expiresMs,
  );
  return over.map(({ approval }) => expiredDraft(approval));
}

/** Facts that close what an incident still asks, or was allowed and did not use, because it asks for it no longer. */
export function withdrawApprovals(
  state: ControlState,
  incident: IncidentId,
): { readonly drafts: readonly Draft[]; readonly yesUnused: boolean } {
  const live = liveOf(state, incident);
  return { drafts: live.map(({ approval }) => expiredDraft(approval)), yesUnused: live.some(isYes) };
}

/**
 * Facts that close what Reeve itself has asked there, because it asks anew: an answer to a question that is not the
 * newest would change nothing. `yes`: one that a person has given, and that does not fit what is due now.
 */
export function supersedeQuestions(
  state: ControlState,
  incident: IncidentId,
): { readonly drafts: readonly Draft[]; readonly yes: Approval | undefined } {
  const own = liveOf(state, incident).filter(isOwn);
  return { drafts: own.map(({ approval }) => expiredDraft(approval)), yes: own.find(isYes)?.approval };
}

const liveOf = (state: ControlState, incident: IncidentId): readonly KeptApproval[] =>
  state.approvals.filter(
    (one) => one.approval.incident === incident && (one.state === 'pending' || one.state === 'yes'),
  );

const isYes = (one: KeptApproval): boolean => one.state === 'yes';

const expiredDraft = (approval: Approval): Draft => ({
  incident: approval.incident,
  run: approval.run,
  fact: { type: 'approval.expired', id: approval.id },
});

/** A yes of the incident that nothing has used yet: until it is used, nothing else is done there. */
export const unusedYes = (state: ControlState, incident: IncidentId, nowMs: MonoMs): Approval | undefined =>
  state.approvals.find((one) => one.approval.incident === incident && isYes(one) && nowMs < one.expiresMs)?.approval;

/** What a person proposed is that person's question: whatever becomes of it says nothing of what Reeve asked. */
const isOwn = ({ approval }: KeptApproval): boolean => approval.proposed !== true;

/** The newest question about the scope that Reeve itself asked. */
export const ownQuestion = (state: ControlState, scope: Scope): KeptApproval | undefined =>
  state.approvals.findLast((one) => isOwn(one) && sameScope(one.approval.call.target, scope));

/** How that question stands; one that was used is none any more. */
export function questionState(state: ControlState, scope: Scope): Exclude<KeptApproval['state'], 'used'> | 'none' {
  const newest = ownQuestion(state, scope);
  return newest === undefined || newest.state === 'used' ? 'none' : newest.state;
}

/** Asks a person. The question waits `waitMs`. */
export function askApproval(approval: Omit<Approval, 'hash' | 'expiresMs'>, waitMs: number): Draft {
  const hash = approvalHash(approval.call, approval.classification);
  return {
    channel: approval.call.target.kind === 'channel' ? approval.call.target.id : undefined,
    incident: approval.incident,
    run: approval.run,
    fact: { type: 'approval.asked', approval: { ...approval, hash, expiresMs: approval.askedMs + waitMs } },
  };
}

type ApprovalFact = Extract<ControlFact, { readonly type: `approval.${string}` }>;

/**
 * Folds one fact into the kept questions. An answer that comes too late, or to a question that is over, is no answer.
 */
export function applyApproval(
  kept: readonly KeptApproval[],
  fact: ApprovalFact,
  nowMs: MonoMs,
): readonly KeptApproval[] {
  if (fact.type === 'approval.asked') {
    const { approval } = fact;
    const others = kept.filter((one) => one.approval.id !== approval.id);
    return bounded([...others, { approval, state: 'pending', expiresMs: approval.expiresMs, answer: undefined }]);
  }
  return bounded(kept.map((one) => (one.approval.id === fact.id ? next(one, fact, nowMs) : one)));
}

function next(one: KeptApproval, fact: Exclude<ApprovalFact, { type: 'approval.asked' }>, nowMs: MonoMs): KeptApproval {
  switch (fact.type) {
    case 'approval.answered': {
      if (!isOpen(one, nowMs)) return one;
      const answer = { who: fact.who, because: fact.because };
      if (!fact.yes) return { ...one, state: 'no', answer };
      const heard = { ...one, answer, yesBy: [...new Set([...(one.yesBy ?? []), fact.who])] };
      if (!isEnough(one, fact.who)) return heard;
      return { ...heard, state: 'yes', expiresMs: Math.max(one.expiresMs, nowMs + YES_MS_MIN) };
    }
    case 'approval.used':
      return one.state === 'yes' ? { ...one, state: 'used' } : one;
    case 'approval.expired':
      return one.state === 'pending' || one.state === 'yes' ? { ...one, state: 'expired' } : one;
  }
}

/** The machine slept: what was asked or answered before that is older by as much (law T3). */
export const olderBy = (kept: readonly KeptApproval[], sleptMs: number): readonly KeptApproval[] =>
  kept.map((one) => ({ ...one, expiresMs: one.expiresMs - sleptMs }));

function bounded(all: readonly KeptApproval[]): readonly KeptApproval[] {
  const isLive = (one: KeptApproval): boolean => one.state === 'pending' || one.state === 'yes';
  const over = all.filter((one) => !isLive(one));
  const live = all.filter(isLive);
  if (over.length <= OVER_KEPT_MAX && live.length <= AWAITED_KEPT_MAX) return all;
  // By its newest question of its scope an incident knows that it has expired, and asks it again.
  const newest = new Map(all.filter(isOwn).map((one) => [keyOfScope(one.approval.call.target), one]));
  const isAwaited = (one: KeptApproval): boolean =>
    one.state === 'expired' && newest.get(keyOfScope(one.approval.call.target)) === one;
  const gone = new Set([
    ...over.slice(0, -OVER_KEPT_MAX).filter((one) => !isAwaited(one)),
    ...over.filter(isAwaited).slice(0, -AWAITED_KEPT_MAX),
    ...live.slice(0, -AWAITED_KEPT_MAX),
  ]);
  return all.filter((one) => !gone.has(one));
}
