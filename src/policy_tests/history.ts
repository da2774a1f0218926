/** Makes journal facts of the history of a case. */
import { askApproval } from '../control/approvals.ts';
import type { FailureClass } from '../core/classification.ts';
import type { EpochMs, MonoMs } from '../core/clock.ts';
import type { Ids } from '../core/id.ts';
import type { Incident, Outcome } from '../core/incident.ts';
import type { Draft, JournalFact } from '../core/journal.ts';
import type { Limits } from '../core/limits.ts';
import { type ChannelRef, keyOfScope, type Scope } from '../core/scope.ts';
import { describeCall, type PermitTerms, type ToolCall } from '../core/tool.ts';
import { breakerOf } from '../guard/containment.ts';
import { specOf, subjectOf } from '../remediation/catalog.ts';
import { type GuardState, subjectAt } from '../guard/state/state.ts';
import { pageFor } from '../incident/pages/page.ts';
import type { PastEvent } from './document.ts';

/** What is known at the moment at which a past event happens again. */
export interface PastMoment {
  readonly at: EpochMs;
  readonly nowMs: MonoMs;
  readonly ids: Ids;
  readonly limits: Limits;
  readonly guard: GuardState;
  /** The incident of the case, which is open by then. */
  readonly incident: Incident;
  readonly channel: ChannelRef;
  readonly classification: FailureClass | undefined;
  readonly fingerprint: string;
}

const ANN = { who: 'ann', because: 'a policy test' } as const;

/** The facts that the daemon would have written when this happened. */
export function draftsOf(event: PastEvent, moment: PastMoment): readonly Draft[] {
  if ('result' in event) return repeated(event.times, () => actionDrafts(event, moment));
  if ('start' in event) return repeated(event.times, (count) => [startDraft(event, moment, count)]);
  if ('escalation' in event) return escalationDrafts(event.escalation, moment);
  if ('approval' in event) return approvalDrafts(event, moment);
  return [{ fact: factOfControl(event, moment) }];
}

const repeated = (times = 1, make: (count: number) => readonly Draft[]): readonly Draft[] =>
  Array.from({ length: times }, (_, count) => make(count)).flat();

type ActionEvent = Extract<PastEvent, { result: unknown }>;

function actionDrafts(event: ActionEvent, moment: PastMoment): readonly Draft[] {
  const permit = termsOf(event, moment);
  const { call } = permit;
  const fingerprint = event.fingerprint ?? moment.fingerprint;
  const about = { channel: event.channel ?? moment.channel.id, incident: permit.incident, run: permit.run };
  const result = { permit: permit.id, call, ok: true, summary: 'as given', durationMs: 0, code: undefined };
  const verified = (cured: boolean): JournalFact => ({
    type: 'attempt.verified',
    permit,
    verification: { permit: permit.id, cured, because: 'as given', waitedMs: 0 },
    fingerprint,
  });
  const begun: readonly JournalFact[] = [
    { type: 'guard.decided', call: describeCall(call), decision: { verdict: 'allow', permit, trace: [] }, tookMs: 0 },
    { type: 'tool.started', permit },
  ];
  const ended: JournalFact = { type: 'tool.finished', permit, result };
  const relapse: JournalFact = {
    type: 'attempt.relapsed',
    permit,
    fingerprint,
    because: 'as given',
  };
  const rest: Readonly<Record<ActionEvent['result'], readonly JournalFact[]>> = {
    cured: [ended, verified(true)],
    failed: [ended, verified(false)],
    relapsed: [ended, verified(true), relapse],
    unjudged: [ended],
    unknown: [{ type: 'tool.unknown', permit, because: 'as given' }],
    in_flight: [],
  };
  return [...begun, ...rest[event.result]].map((fact) => ({ ...about, fact }));
}

function termsOf(event: ActionEvent, moment: PastMoment): PermitTerms {
  const { ids, nowMs, limits, channel, guard } = moment;
  const target: Scope = { kind: 'channel', id: event.channel ?? channel.id };
  const call: ToolCall = { tool: event.tool, target, channels: [] };
  const subject = subjectAt(guard, subjectOf(call, channel.engine));
  return {
    id: ids.next('per'),
    call,
    incident: event.incident === 'this' ? moment.incident.id : 'inc-earlier',
    run: ids.next('run'),
    risk: specOf(event.tool).risk,
    generation: breakerOf(subject, limits, nowMs).generation,
    fence: subjectAt(guard, keyOfScope(target)).fence + 1,
    grantedMs: nowMs,
    expiresMs: nowMs + limits.permitMs,
    parent: undefined,
    engine: channel.engine,
    group: channel.group,
    fingerprint: event.fingerprint ?? moment.fingerprint,
  };
}

function startDraft(event: Extract<PastEvent, { start: unknown }>, moment: PastMoment, count: number): Draft {
  const { channel, ids } = moment;
  const generation = ids.next('req');
  const fact: JournalFact = { type: 'start.observed', origin: event.start, generation, engine: channel.engine };
  return { channel: event.channel ?? `another-${count + 1}`, fact };
}

function escalationDrafts(
  reason: Extract<PastEvent, { escalation: unknown }>['escalation'],
  moment: PastMoment,
): readonly Draft[] {
  const { incident, ids, at } = moment;
  const about = { channel: channelOf(incident.scope), incident: incident.id, run: ids.next('run') };
  const outcome: Outcome = { kind: 'escalated', reason, because: 'as given', denial: undefined };
  const page = pageFor(incident, reason, { because: 'as given', envelope: undefined, attempts: [] });
  return [
    { ...about, fact: { type: 'run.started', attempt: 1 } },
    { ...about, fact: { type: 'run.ended', outcome, steps: 0, tookMs: 0 } },
    { ...about, fact: { type: 'escalation.raised', escalation: { ...page, id: ids.next('esc'), at } } },
  ];
}

function approvalDrafts(event: Extract<PastEvent, { approval: unknown }>, moment: PastMoment): readonly Draft[] {
  const { incident, ids, at, nowMs, classification, limits } = moment;
  const call: ToolCall = { tool: event.tool, target: incident.scope, channels: [] };
  const [id, run] = [ids.next('apr'), ids.next('run')];
  const question = { id, call, incident: incident.id, run, classification, askedAt: at, askedMs: nowMs };
  const about = { channel: channelOf(incident.scope), incident: incident.id, run };
  const outcome: Outcome = { kind: 'approval_needed', because: 'as given' };
  const asked: readonly Draft[] = [
    { ...about, fact: { type: 'run.started', attempt: 1 } },
    { ...about, fact: { type: 'run.ended', outcome, steps: 0, tookMs: 0 } },
    askApproval(question, limits.approvalMs),
  ];
  if (event.approval === 'pending') return asked;
  const answered: JournalFact = { type: 'approval.answered', id, yes: event.approval === 'yes', ...ANN };
  return [...asked, { ...about, fact: answered }];
}

type ControlEvent = Exclude<
  PastEvent,
  { result: unknown } | { start: unknown } | { escalation: unknown } | { approval: unknown }
>;

/** What a person ordered, or what happened to more than one channel. */
function factOfControl(event: ControlEvent, { ids, at, nowMs, channel }: PastMoment): JournalFact {
  if ('lease' in event) return { type: 'control.leased', scope: event.lease, forMs: event.for, ...ANN };
  if ('maintenance' in event) {
    const order = { window: ids.next('win'), scope: event.maintenance, forMs: event.for, startsInMs: 0 };
    return { type: 'control.window_added', ...order, ...ANN };
  }
  if ('freeze' in event) return { type: 'control.frozen', ...ANN };
  if ('thaw' in event) return { type: 'control.thawed', ...ANN };
  if ('release' in event) return { type: 'control.released', scope: event.release, ...ANN };
  if ('reset' in event) return { type: 'control.reset', scope: event.reset, ...ANN };
  if ('clock_jump' in event) return { type: 'clock.jumped', byMs: event.clock_jump };
  if ('containment' in event) {
    const { containment: reason, scope } = event;
    return { type: 'containment.raised', scope, reason, detail: 'as given', releaseByPerson: false };
  }
  const { group, engine } = channel;
  const opened = { id: ids.next('inc'), scope: event.incident, group, engine, openedAt: at, openedMs: nowMs };
  return { type: 'incident.opened', incident: { ...opened, classification: 'unknown', channels: [] } };
}

const channelOf = (scope: Scope): string | undefined => (scope.kind === 'channel' ? scope.id : undefined);
