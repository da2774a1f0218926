/** The transitions of the guard's state. */
import type { MonoMs } from '../../core/clock.ts';
import { DAY_MS, HOUR_MS } from '../../core/duration.ts';
import { keyOfScope } from '../../core/scope.ts';
import type { PermitTerms } from '../../core/tool.ts';
import { admit, fail, settleProbe } from './breaker.ts';
import type { Edit } from './edit.ts';
import { isStaged, isStart as isStartOf, specOf, subjectOf } from '../../remediation/catalog.ts';
import { verdictDueAfterMs, verdictDueMs } from '../verdict_due.ts';
import type { ToolUse } from './cooldown.ts';
import type { OpenAttempt, StagedPlan, SubjectState } from './state.ts';
import { addStart, startOf } from './window.ts';

/** So many starts of a plan that were not verified end it; of the canary, one does. */
const STAGED_FAILURES_MAX = 2;

/** Bounds of the lists of one target or group. Laws look back less far than these reach. */
const OPEN_KEPT = 64;
const TRIED_KEPT = 64;
/** Own restarts of one channel that are remembered; a daily cap above it is taken as this. */
export const RESTARTS_KEPT = 256;
const GROUP_MARKS_KEPT = 256;
const SPENDS_KEPT = 4_096;

/** A staged start takes its time; its own verdict comes after its last start. */
export const PLAN_MS_MAX = HOUR_MS;

const engineOf = (edit: Edit, terms: PermitTerms): string | undefined =>
  terms.engine ?? edit.state.incidents[terms.incident]?.engine;
/** Without a group a target is a group of its own: a missing name must not switch a limit off. */
export const groupOf = (edit: Edit, terms: PermitTerms): string =>
  terms.group ?? edit.state.incidents[terms.incident]?.group ?? keyOfScope(terms.call.target);

/** What is remembered of the target of a permit, to be changed. */
export const targetFor = (edit: Edit, terms: PermitTerms): SubjectState => edit.subject(keyOfScope(terms.call.target));
/** What is remembered of what the permit changes: the engine for its credentials, else the target. */
export const recordFor = (edit: Edit, terms: PermitTerms): SubjectState =>
  edit.subject(subjectOf(terms.call, engineOf(edit, terms)));

/** A restart of one channel: what the window, the caps and the breaker count. */
export const isStart = ({ call }: PermitTerms): boolean => isStartOf(call);

function keep<T>(list: T[], item: T, max: number): void {
  list.push(item);
  if (list.length > max) list.shift();
}

/** What became certain by time alone: probes and attempts whose deadline has passed have failed at that deadline. */
export function settle(subject: SubjectState, nowMs: MonoMs): void {
  const due = subject.open.filter((attempt) => nowMs >= attempt.dueMs);
  subject.open = subject.open.filter((attempt) => nowMs < attempt.dueMs);
  for (const { terms, startedMs, dueMs } of due) {
    if (startedMs !== undefined) failed(subject, terms, dueMs);
  }
  settleProbe(subject.breaker, nowMs);
}

/** What the breaker knows an attempt by. */
export const admittedBy = (terms: PermitTerms) => ({ permit: terms.id, generation: terms.generation });

/** It did not help: the breaker counts it, and what it was tried on remembers it. */
export function failed(subject: SubjectState, terms: PermitTerms, atMs: MonoMs, fingerprint = terms.fingerprint): void {
  if (isStart(terms)) fail(subject.breaker, admittedBy(terms), atMs);
  if (fingerprint !== undefined) noteTried(subject, terms, fingerprint, atMs);
}

/** This tool did not mend what looked like this. */
export const noteTried = (subject: SubjectState, { call }: PermitTerms, fingerprint: string, atMs: MonoMs): void =>
  keep(subject.tried, { tool: call.tool, fingerprint, atMs }, TRIED_KEPT);

/** The reservation: everything that the permit may use up is used up now, whether or not it is ever redeemed. */
export function grant(edit: Edit, terms: PermitTerms): void {
  const { call } = terms;
  const target = targetFor(edit, terms);
  const record = recordFor(edit, terms);
  settle(record, terms.grantedMs);
  target.fence = Math.max(target.fence, terms.fence);
  const engine = engineOf(edit, terms);
  if (engine !== undefined) target.engine = engine;
  target.group = groupOf(edit, terms);

  record.uses[call.tool] = { permit: terms.id, expiresMs: terms.expiresMs, ...beforeIt(record.uses[call.tool]) };
  if (specOf(call.tool).effect === 'observe') return;
  const dueMs = isStaged(call) ? terms.expiresMs + PLAN_MS_MAX : verdictDueMs(terms);
  keep(record.open, { terms, dueMs }, OPEN_KEPT);
  if (terms.risk === 'high') grantHighRisk(edit, terms, target);
  if (isStart(terms)) grantStart(edit, terms, target);
  if (isStaged(call)) edit.putPlan(terms.id, { terms, starts: [] });
  spendViewers(edit, terms);
}

/** The use before this one is kept: it counts again, should this one be given back. */
function beforeIt<T extends ToolUse>(use: T | undefined): { before?: T } {
  if (use === undefined) return {};
  const { before: _, ...last } = use;
  return { before: last as T };
}

function grantHighRisk(edit: Edit, terms: PermitTerms, target: SubjectState): void {
  const { id: permit, run, expiresMs } = terms;
  target.highRisk = { permit, run, expiresMs, ...beforeIt(target.highRisk) };
  if (terms.parent !== undefined) return;
  const mark = { permit, target: keyOfScope(terms.call.target), run, atMs: expiresMs };
  keep(edit.marks(groupOf(edit, terms)), mark, GROUP_MARKS_KEPT);
}

function grantStart(edit: Edit, terms: PermitTerms, target: SubjectState): void {
  const { id: permit, incident, run, grantedMs, expiresMs } = terms;
  const key = keyOfScope(terms.call.target);
  const channel = terms.call.target.kind === 'channel' ? terms.call.target.id : key;
  addStart(edit.starts(), { engine: engineOf(edit, terms), channel, atMs: expiresMs, permit, ...plannedBy(terms) });
  target.restarts = target.restarts.filter((own) => own.atMs > grantedMs - DAY_MS);
  keep(target.restarts, { permit, incident, run, atMs: grantedMs, ...plannedBy(terms) }, RESTARTS_KEPT);
  const open = edit.incident(incident);
  if (open !== undefined) open.restarts[key] = (open.restarts[key] ?? 0) + 1;
  admit(target.breaker, admittedBy(terms), expiresMs);
  const plan = terms.parent === undefined ? undefined : edit.plan(terms.parent);
  plan?.starts.push({ channel, permit, dueMs: verdictDueMs(terms) });
}

const plannedBy = ({ parent }: PermitTerms) => (parent === undefined ? {} : { plan: parent });

function spendViewers(edit: Edit, terms: PermitTerms): void {
  if (terms.viewerSeconds === undefined || terms.viewerSeconds <= 0) return;
  const recent = edit.state.viewerSpends.filter((spend) => spend.atMs > terms.grantedMs - HOUR_MS);
  keep(recent, { atMs: terms.grantedMs, seconds: terms.viewerSeconds }, SPENDS_KEPT);
  edit.set({ viewerSpends: recent });
}

/** What is remembered of this permit's use of its tool, also where a later permit has come. */
function usesBy({ id, call }: PermitTerms, record: SubjectState, target: SubjectState): readonly ToolUse[] {
  const [use, high] = [record.uses[call.tool], target.highRisk];
  return [use, use?.before, high, high?.before].filter((one) => one?.permit === id) as ToolUse[];
}

/** The latest moment at which the action can have begun moves on: from the permit's expiry to the call itself. */
export function start(edit: Edit, terms: PermitTerms, atMs: MonoMs): void {
  const target = targetFor(edit, terms);
  const record = recordFor(edit, terms);
  for (const use of usesBy(terms, record, target)) use.startedMs = atMs;
  const attempt = attemptOf(record, terms);
  if (attempt !== undefined) attempt.startedMs = atMs;
  if (attempt !== undefined) moveProbe(record, attempt);
  const plan = edit.plan(terms.id);
  if (plan !== undefined) plan.startedMs = atMs;
  if (attempt !== undefined) leftUnproven(terms, target, atMs);
  if (terms.risk !== 'high') return;
  const mark = edit.marks(groupOf(edit, terms)).findLast((one) => one.permit === terms.id);
  if (mark !== undefined) mark.atMs = atMs;
  if (!isStart(terms)) return;
  const own = startOf(edit.starts(), terms.id);
  if (own !== undefined) Object.assign(own, { atMs, open: true });
}

/**
 * Whatever changes something of a channel may stop it on the way, and fail to start it again; a restart must show a new
 * process, anything else need not.
 */
function leftUnproven({ id: permit, call }: PermitTerms, target: SubjectState, sinceMs: MonoMs): void {
  const { effect, engineWide } = specOf(call.tool);
  if (call.target.kind !== 'channel' || effect !== 'change' || engineWide) return;
  if (isStartOf(call)) target.unproven = { permit, sinceMs };
  else if (target.unproven === undefined || target.unproven.startsNothing)
    target.unproven = { permit, sinceMs, startsNothing: true };
}

/** The call ended, well or badly: its cooldown begins. Whether it helped is judged later. */
export function finish(edit: Edit, terms: PermitTerms, atMs: MonoMs): void {
  const target = targetFor(edit, terms);
  const record = recordFor(edit, terms);
  for (const use of usesBy(terms, record, target)) use.endedMs = atMs;
  const own = isStart(terms) ? startOf(edit.starts(), terms.id) : undefined;
  if (own !== undefined) {
    own.atMs = Math.max(own.atMs, atMs);
    delete own.open;
  }
  const attempt = attemptOf(record, terms);
  if (attempt !== undefined) {
    attempt.endedMs = atMs;
    attempt.dueMs = Math.min(attempt.dueMs, verdictDueAfterMs(terms.call.tool, atMs));
    moveProbe(record, attempt);
  }
  finishPlan(edit, terms, atMs);
}

/** The canary did not come up, or two did not. One of many is that one's own trouble. */
export function isBroken({ starts }: StagedPlan, nowMs = Number.POSITIVE_INFINITY): boolean {
  const lost = starts.filter(({ verdict, dueMs }) => verdict === 'failed' || (verdict === undefined && nowMs >= dueMs));
  return lost.length >= STAGED_FAILURES_MAX || (lost.length > 0 && lost[0] === starts[0]);
}

/**
 * A staged plan is judged by its starts, each of which was judged by itself. One that started nothing tried nothing.
 */
function finishPlan(edit: Edit, terms: PermitTerms, atMs: MonoMs): void {
  const plan = edit.state.plans[terms.id];
  if (plan === undefined) return;
  edit.putPlan(terms.id, undefined);
  const record = recordFor(edit, terms);
  takeAttempt(record, terms);
  if (isBroken(plan)) failed(record, terms, atMs);
}

/** The call began and its end is not known: used, failed, and nothing more happens to the target. */
export function unknown(edit: Edit, terms: PermitTerms, atMs: MonoMs): void {
  finish(edit, terms, atMs);
  const record = recordFor(edit, terms);
  settle(record, atMs);
  if (takeAttempt(record, terms) !== undefined) failed(record, terms, atMs);
  noteVerdict(edit, terms, 'failed');
  if (specOf(terms.call.tool).effect === 'observe') return;
  targetFor(edit, terms).unknown = { permit: terms.id, tool: terms.call.tool, sinceMs: atMs };
}

const attemptOf = (record: SubjectState, terms: PermitTerms): OpenAttempt | undefined =>
  record.open.find((attempt) => attempt.terms.id === terms.id);

/** The attempt of a permit that waits for its verdict, which waits no more; undefined where none does. */
export function takeAttempt(record: SubjectState, terms: PermitTerms): OpenAttempt | undefined {
  const attempt = attemptOf(record, terms);
  if (attempt !== undefined) record.open = record.open.filter((one) => one !== attempt);
  return attempt;
}

/**
 * A probe that began may take as long as its call and its verification; one that did not begin ends with its permit.
 */
function moveProbe(record: SubjectState, attempt: OpenAttempt): void {
  const { probe } = record.breaker;
  if (probe?.permit === attempt.terms.id) probe.deadlineMs = attempt.dueMs;
}

/** A start of a staged plan was judged. */
export function noteVerdict(edit: Edit, terms: PermitTerms, verdict: 'cured' | 'failed'): void {
  const plan = terms.parent === undefined ? undefined : edit.plan(terms.parent);
  const begun = plan?.starts.find((one) => one.permit === terms.id);
  if (begun !== undefined) begun.verdict = verdict;
}
