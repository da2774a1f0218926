/** Answers a case that gives an envelope. */
import type { MonoMs } from '../core/clock.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../core/duration.ts';
import type { Incident } from '../core/incident.ts';
import type { Draft } from '../core/journal.ts';
import { REPLAY_FROM_MS } from '../replay/replica.ts';
import { VirtualClock } from '../replay/virtual_clock.ts';
import { type Answer, answerOf } from './answer.ts';
import type { PastEvent } from './document.ts';
import type { Frame } from './frame.ts';
import { draftsOf } from './history.ts';
import { PolicyHarness } from './harness.ts';
import { lastingOf, usualScope } from './given_facts.ts';

/** The wall clock of every case at the moment of its question. Nothing depends on it. */
export const NOON = Date.UTC(2026, 0, 1, 12);
export const NOW_MS: MonoMs = REPLAY_FROM_MS;
/** Containment is looked at each second for this long after something happened. */
const TAIL_MS = 5 * SECOND_MS;
const ANSWER_MS_MAX = 10 * MINUTE_MS;

/** What Reeve does about an envelope that is given: history first, then one look, then the run to its end. */
export async function answerByEnvelope(frame: Frame): Promise<Answer> {
  const past = pastOf(frame);
  const startMs = NOW_MS - Math.max(...past.map(({ agoMs }) => agoMs)) - 5 * SECOND_MS;
  const clock = new VirtualClock({ at: NOON - (NOW_MS - startMs), monoMs: startMs });
  const stage = new PolicyHarness(frame, clock);
  stage.look();
  for (const { agoMs, happen } of past) {
    pass(stage, clock, NOW_MS - agoMs);
    stage.ledger.append(happen(stage, clock));
    stage.keepUp();
  }
  pass(stage, clock, NOW_MS);
  const from = stage.entries.length;
  for (const reason of frame.given.envelope?.containment ?? []) {
    const fact = { type: 'containment.raised', reason, detail: 'as given', releaseByPerson: false } as const;
    stage.ledger.append([{ fact: { ...fact, scope: usualScope(reason, frame) } }]);
  }
  stage.keepUp();
  stage.fail();
  stage.look();
  stage.responder.look(frame.scope);
  await toTheEnd(stage, clock, from);
  stage.responder[Symbol.dispose]();
  const { classification } = frame;
  return answerOf(stage.entries.slice(from), { classification, failures: stage.failures });
}

/** Time passes; containment is looked at as often as the past asks for it. */
function pass(stage: PolicyHarness, clock: VirtualClock, untilMs: MonoMs): void {
  const quietMs = Math.min(clock.monotonicMs() + TAIL_MS, untilMs);
  const closeMs = Math.max(quietMs, untilMs - HOUR_MS);
  for (let nowMs = clock.monotonicMs(); nowMs < untilMs; nowMs = clock.monotonicMs()) {
    const skips = nowMs >= quietMs && nowMs < closeMs;
    clock.step(skips ? closeMs : Math.min(untilMs, nowMs + SECOND_MS));
    stage.keepUp();
  }
}

interface Past {
  readonly agoMs: number;
  readonly happen: (stage: PolicyHarness, clock: VirtualClock) => readonly Draft[];
}

/** Oldest first: the incident is opened before anything that belongs to it. */
function pastOf(frame: Frame): readonly Past[] {
  const events = [...(frame.given.history ?? [])].sort((a, b) => b.at - a.at);
  const ofIncident = events.filter(isOfIncident).map(({ at }) => at);
  const openedMs = Math.max(lastingOf(frame), ...ofIncident);
  const incident = incidentOf(frame, NOW_MS - openedMs);
  const opened: Past = {
    agoMs: openedMs,
    happen: () => [{ incident: incident.id, fact: { type: 'incident.opened', incident } }],
  };
  const before = events.map(
    (event): Past => ({ agoMs: event.at, happen: (stage, clock) => again(event, { frame, incident, stage, clock }) }),
  );
  const earlier = before.filter(({ agoMs }) => agoMs > openedMs);
  return [...earlier, opened, ...before.slice(earlier.length)];
}

const isOfIncident = (event: PastEvent): boolean =>
  ('incident' in event && event.incident === 'this') || 'escalation' in event || 'approval' in event;

function again(
  event: PastEvent,
  at: {
    readonly frame: Frame;
    readonly incident: Incident;
    readonly stage: PolicyHarness;
    readonly clock: VirtualClock;
  },
): readonly Draft[] {
  const { frame, incident, stage, clock } = at;
  return draftsOf(event, {
    at: clock.now(),
    nowMs: clock.monotonicMs(),
    ids: stage.ids,
    limits: frame.settings.limits,
    guard: stage.guardState(),
    incident,
    channel: frame.channel,
    classification: frame.classification,
    fingerprint: frame.fingerprint,
  });
}

export const incidentOf = (frame: Frame, openedMs: MonoMs): Incident => ({
  id: 'inc-this',
  scope: frame.scope,
  group: frame.scope.kind === 'group' ? frame.scope.id : frame.channel.group,
  engine: frame.channel.engine,
  openedAt: NOON - (NOW_MS - openedMs),
  openedMs,
  classification: frame.classification ?? 'unknown',
  channels: frame.given.envelope?.channels ?? [],
});

/** Until the run that was begun has ended, with a look at the channels each second. */
async function toTheEnd(stage: PolicyHarness, clock: VirtualClock, from: number): Promise<void> {
  using _ = clock.every(SECOND_MS, () => stage.look());
  await stage.settle();
  const has = (type: string): boolean => stage.entries.slice(from).some(({ fact }) => fact.type === type);
  if (!has('run.started')) return;
  while (!has('run.ended') && clock.step(NOW_MS + ANSWER_MS_MAX)) await stage.settle();
}
