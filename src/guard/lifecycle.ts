import type { MonoMs } from '../core/clock.ts';
import { keyOfScope, type ScopeKey } from '../core/scope.ts';
import type { PermitTerms } from '../core/tool.ts';
import { admit, cure, fail, relapse, settleProbe } from './breaker.ts';
import { isStaged, specOf, subjectOf, verdictDueMs } from './spec.ts';
import { type GuardState, newSubject, type OpenAttempt, type SubjectState } from './state.ts';
import { addStart, startOf } from './window.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

/** Bounds of the lists of one target or group. Laws look back less far than these reach. */
const OPEN_KEPT = 64;
const TRIED_KEPT = 64;
/** Own restarts of one channel that are remembered; a daily cap above it is taken as this. */
export const RESTARTS_KEPT = 256;
const GROUP_MARKS_KEPT = 256;
const SPENDS_KEPT = 4_096;

/** A staged start takes its time; its own verdict comes after its last start. */
const PLAN_MS_MAX = HOUR_MS;

/** The record of a target, made when it is first touched. */
export function subjectFor(state: GuardState, key: ScopeKey): SubjectState {
  const known = state.subjects[key];
  if (known !== undefined) return known;
  const made = newSubject();
  state.subjects[key] = made;
  return made;
}

const engineOf = (state: GuardState, terms: PermitTerms): string | undefined =>
  terms.engine ?? state.incidents[terms.incident]?.engine;
const groupOf = (state: GuardState, terms: PermitTerms): string | undefined =>
  terms.group ?? state.incidents[terms.incident]?.group;

const targetFor = (state: GuardState, terms: PermitTerms): SubjectState =>
  subjectFor(state, keyOfScope(terms.call.target));
const recordFor = (state: GuardState, terms: PermitTerms): SubjectState =>
  subjectFor(state, subjectOf(terms.call, engineOf(state, terms)));

/** A restart of one channel: what the window, the caps and the breaker count. */
const isStart = (terms: PermitTerms): boolean =>
  terms.call.tool === 'restart_channel' && terms.call.target.kind === 'channel';

function keep<T>(list: T[], item: T, max: number): void {
  list.push(item);
  if (list.length > max) list.shift();
}

/** What became certain by time alone: probes and attempts whose deadline has passed have failed at that deadline. */
export function settle(subject: SubjectState, nowMs: MonoMs): void {
  const due = subject.open.filter((attempt) => nowMs >= attempt.dueMs);
  if (due.length > 0) subject.open = subject.open.filter((attempt) => nowMs < attempt.dueMs);
  for (const { terms, startedMs, dueMs } of due) {
    if (startedMs !== undefined) failed(subject, terms, dueMs);
  }
  settleProbe(subject.breaker, nowMs);
}

const admittedBy = (terms: PermitTerms) => ({ permit: terms.id, generation: terms.generation });

function failed(subject: SubjectState, terms: PermitTerms, atMs: MonoMs, fingerprint = terms.fingerprint): void {
  if (isStart(terms)) fail(subject.breaker, admittedBy(terms), atMs);
  if (fingerprint === undefined) return;
  keep(subject.tried, { tool: terms.call.tool, fingerprint, atMs }, TRIED_KEPT);
}

/** The reservation: everything that the permit may use up is used up now, whether or not it is ever redeemed. */
export function grant(state: GuardState, terms: PermitTerms): void {
  const { call } = terms;
  const spec = specOf(call.tool);
  const target = targetFor(state, terms);
  const record = recordFor(state, terms);
  settle(record, terms.grantedMs);
  target.fence = Math.max(target.fence, terms.fence);
  const group = groupOf(state, terms);
  const engine = engineOf(state, terms);
  if (group !== undefined) target.group = group;
  if (engine !== undefined) target.engine = engine;

  record.uses[call.tool] = { permit: terms.id, expiresMs: terms.expiresMs };
  if (spec.effect === 'observe') return;
  const dueMs = isStaged(call) ? terms.expiresMs + PLAN_MS_MAX : verdictDueMs(terms);
  keep(record.open, { terms, dueMs }, OPEN_KEPT);
  if (terms.risk === 'high') grantHighRisk(state, terms, target);
  if (isStart(terms)) grantStart(state, terms, target);
  if (isStaged(call)) state.plans[terms.id] = { terms, starts: [] };
  spendViewers(state, terms);
}

function grantHighRisk(state: GuardState, terms: PermitTerms, target: SubjectState): void {
  const { id: permit, run, expiresMs } = terms;
  target.highRisk = { permit, run, expiresMs };
  if (terms.parent !== undefined) return;
  const key = keyOfScope({ kind: 'group', id: groupOf(state, terms) ?? keyOfScope(terms.call.target) });
  const marks = state.groups[key] ?? [];
  state.groups[key] = marks;
  keep(marks, { permit, target: keyOfScope(terms.call.target), run, atMs: expiresMs }, GROUP_MARKS_KEPT);
}

function grantStart(state: GuardState, terms: PermitTerms, target: SubjectState): void {
  const { id: permit, incident, run, grantedMs, expiresMs } = terms;
  const key = keyOfScope(terms.call.target);
  const channel = terms.call.target.kind === 'channel' ? terms.call.target.id : key;
  addStart(state.starts, { engine: engineOf(state, terms), channel, atMs: expiresMs, permit });
  target.restarts = target.restarts.filter((own) => own.atMs > grantedMs - DAY_MS);
  keep(target.restarts, { permit, incident, run, atMs: grantedMs }, RESTARTS_KEPT);
  const open = state.incidents[incident];
  if (open !== undefined) open.restarts[key] = (open.restarts[key] ?? 0) + 1;
  admit(target.breaker, admittedBy(terms), expiresMs);
  const plan = terms.parent === undefined ? undefined : state.plans[terms.parent];
  plan?.starts.push({ channel, permit, dueMs: verdictDueMs(terms) });
}

function spendViewers(state: GuardState, terms: PermitTerms): void {
  if (terms.viewerSeconds === undefined || terms.viewerSeconds <= 0) return;
  state.viewerSpends = state.viewerSpends.filter((spend) => spend.atMs > terms.grantedMs - HOUR_MS);
  keep(state.viewerSpends, { atMs: terms.grantedMs, seconds: terms.viewerSeconds }, SPENDS_KEPT);
}

/** The latest moment at which the action can have begun moves on: from the permit's expiry to the call itself. */
export function start(state: GuardState, terms: PermitTerms, atMs: MonoMs): void {
  const target = targetFor(state, terms);
  const record = recordFor(state, terms);
  const use = record.uses[terms.call.tool];
  if (use?.permit === terms.id) use.startedMs = atMs;
  if (target.highRisk?.permit === terms.id) target.highRisk.startedMs = atMs;
  const mark = groupMarkOf(state, terms);
  if (mark !== undefined) mark.atMs = atMs;
  const own = startOf(state.starts, terms.id);
  if (own !== undefined) Object.assign(own, { atMs, open: true });
  const attempt = attemptOf(record, terms);
  if (attempt === undefined) return;
  attempt.startedMs = atMs;
  moveProbe(record, attempt);
}

/** The call ended, well or badly: its cooldown begins. Whether it helped is judged later. */
export function finish(state: GuardState, terms: PermitTerms, atMs: MonoMs): void {
  const target = targetFor(state, terms);
  const record = recordFor(state, terms);
  const use = record.uses[terms.call.tool];
  if (use?.permit === terms.id) use.endedMs = atMs;
  if (target.highRisk?.permit === terms.id) target.highRisk.endedMs = atMs;
  const own = startOf(state.starts, terms.id);
  if (own !== undefined) {
    own.atMs = Math.max(own.atMs, atMs);
    delete own.open;
  }
  delete state.plans[terms.id];
  const attempt = attemptOf(record, terms);
  if (attempt === undefined) return;
  attempt.endedMs = atMs;
  attempt.dueMs = Math.min(attempt.dueMs, verdictDueMs({ ...terms, expiresMs: atMs }));
  moveProbe(record, attempt);
}

/** The call began and nobody knows how it ended: used, failed, and nothing more happens to the target. */
export function unknown(state: GuardState, terms: PermitTerms, atMs: MonoMs): void {
  finish(state, terms, atMs);
  const record = recordFor(state, terms);
  settle(record, atMs);
  if (takeAttempt(record, terms) !== undefined) failed(record, terms, atMs);
  noteVerdict(state, terms, 'failed');
  if (specOf(terms.call.tool).effect === 'observe') return;
  targetFor(state, terms).unknown = { permit: terms.id, tool: terms.call.tool, sinceMs: atMs };
}

export interface Judgement {
  readonly cured: boolean;
  readonly fingerprint: string;
  readonly atMs: MonoMs;
}

/** The verdict from fresh samples. It counts once; what came after the deadline has failed already. */
export function judge(state: GuardState, terms: PermitTerms, judgement: Judgement): void {
  const { cured, fingerprint, atMs } = judgement;
  const record = recordFor(state, terms);
  settle(record, atMs);
  const attempt = takeAttempt(record, terms);
  if (attempt === undefined) return;
  noteVerdict(state, terms, cured ? 'cured' : 'failed');
  if (!cured) {
    failed(record, terms, atMs, fingerprint);
    return;
  }
  if (isStart(terms)) cure(record.breaker, admittedBy(terms));
  const { tool } = terms.call;
  record.tried = record.tried.filter((tried) => tried.tool !== tool || tried.fingerprint !== fingerprint);
  const incident = state.incidents[terms.incident];
  if (incident !== undefined && !incident.fixed.includes(tool)) incident.fixed.push(tool);
}

/** It looked cured and was not. */
export function relapsed(state: GuardState, terms: PermitTerms, judgement: Omit<Judgement, 'cured'>): void {
  const record = recordFor(state, terms);
  settle(record, judgement.atMs);
  if (isStart(terms)) relapse(record.breaker, admittedBy(terms), judgement.atMs);
  const { fingerprint, atMs } = judgement;
  keep(record.tried, { tool: terms.call.tool, fingerprint, atMs }, TRIED_KEPT);
}

const attemptOf = (record: SubjectState, terms: PermitTerms): OpenAttempt | undefined =>
  record.open.find((attempt) => attempt.terms.id === terms.id);

function takeAttempt(record: SubjectState, terms: PermitTerms): OpenAttempt | undefined {
  const attempt = attemptOf(record, terms);
  if (attempt !== undefined) record.open = record.open.filter((one) => one !== attempt);
  return attempt;
}

/** A probe that began may take as long as its call and its verification; one that did not begin ends with its permit. */
function moveProbe(record: SubjectState, attempt: OpenAttempt): void {
  const { probe } = record.breaker;
  if (probe?.permit === attempt.terms.id) probe.deadlineMs = attempt.dueMs;
}

const groupMarkOf = (state: GuardState, terms: PermitTerms) =>
  state.groups[keyOfScope({ kind: 'group', id: groupOf(state, terms) ?? keyOfScope(terms.call.target) })]?.findLast(
    (mark) => mark.permit === terms.id,
  );

function noteVerdict(state: GuardState, terms: PermitTerms, verdict: 'cured' | 'failed'): void {
  const plan = terms.parent === undefined ? undefined : state.plans[terms.parent];
  const begun = plan?.starts.find((one) => one.permit === terms.id);
  if (begun !== undefined) begun.verdict = verdict;
}
