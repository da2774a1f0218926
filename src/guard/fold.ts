import type { JournalEntry, JournalFact, Projection } from '../core/journal.ts';
import { keyOfScope, type Scope, type ScopeKey } from '../core/scope.ts';
import { resetBreaker } from './breaker.ts';
import { finish, grant, judge, relapsed, settle, start, subjectFor, unknown } from './lifecycle.ts';
import { containmentKey, type GuardState, newGuardState, type SubjectState } from './state.ts';
import { addStart } from './window.ts';

const EMPTY: GuardState = newGuardState();

/** A start that we see this long after our own call ended is still that call's. */
const OWN_START_SEEN_WITHIN_MS = 120_000;

type FactOf<T extends JournalFact['type']> = Extract<JournalFact, { readonly type: T }>;

/** Folds a start that was seen at an engine. Ours was counted when it was permitted; here it only moves in time. */
function observeStart(state: GuardState, entry: JournalEntry, fact: FactOf<'start.observed'>): void {
  const { channel, monoMs } = entry;
  if (channel === undefined) return;
  const subject = subjectFor(state, keyOfScope({ kind: 'channel', id: channel }));
  if (subject.life === fact.generation) return;
  subject.life = fact.generation;
  subject.engine = fact.engine;
  const own = fact.origin === 'reeve' ? state.starts.findLast((mark) => mark.channel === channel) : undefined;
  const isThatOne = own?.permit !== undefined && own.life === undefined && own.atMs > monoMs - OWN_START_SEEN_WITHIN_MS;
  if (own !== undefined && isThatOne) {
    own.atMs = Math.max(own.atMs, monoMs);
    own.life = fact.generation;
    return;
  }
  addStart(state.starts, { engine: fact.engine, channel, atMs: monoMs });
}

const isWithin = (key: ScopeKey, subject: SubjectState, scope: Scope): boolean => {
  if (scope.kind === 'fleet' || key === keyOfScope(scope)) return true;
  if (scope.kind === 'group') return subject.group === scope.id;
  return scope.kind === 'engine' && subject.engine === scope.id;
};

/** Breaker, UNKNOWN and the memory of fixes begin anew. Caps, cooldowns and the window stay: they protect the viewers. */
function reset(state: GuardState, scope: Scope): void {
  for (const [key, subject] of Object.entries(state.subjects)) {
    if (!isWithin(key, subject, scope)) continue;
    subject.breaker = resetBreaker(subject.breaker);
    subject.tried = [];
    delete subject.unknown;
  }
}

/**
 * Nobody will judge what the last life of Reeve had out. A probe has failed, so half-open becomes open with the full
 * time; a permit that never began is gone with the process; staged plans end here. What began and did not end comes as
 * `tool.unknown` of its own.
 */
function startAnew(state: GuardState, nowMs: number): void {
  for (const subject of Object.values(state.subjects)) {
    settle(subject, nowMs);
    subject.open = subject.open.filter((attempt) => attempt.startedMs !== undefined);
    if (subject.breaker.probe === undefined) continue;
    subject.breaker.probe.deadlineMs = nowMs;
    settle(subject, nowMs);
  }
  state.plans = {};
}

function released(state: GuardState, scope: Scope, who: string): void {
  for (const held of Object.values(state.containments)) {
    if (keyOfScope(held.scope) === keyOfScope(scope)) held.releasedBy = who;
  }
}

function fold(state: GuardState, entry: JournalEntry): void {
  const { fact, monoMs } = entry;
  switch (fact.type) {
    case 'guard.decided':
      if (fact.decision.verdict === 'allow') grant(state, fact.decision.permit);
      return;
    case 'tool.started':
      start(state, fact.permit, monoMs);
      return;
    case 'tool.finished':
      finish(state, fact.permit, monoMs);
      return;
    case 'tool.unknown':
      unknown(state, fact.permit, monoMs);
      return;
    case 'attempt.verified': {
      const { permit, fingerprint, verification } = fact;
      judge(state, permit, { cured: verification.cured, fingerprint, atMs: monoMs });
      return;
    }
    case 'attempt.relapsed':
      relapsed(state, fact.permit, { fingerprint: fact.fingerprint, atMs: monoMs });
      return;
    case 'start.observed':
      observeStart(state, entry, fact);
      return;
    case 'reeve.started':
      startAnew(state, monoMs);
      return;
    default:
      foldRest(state, entry);
      return;
  }
}

function foldRest(state: GuardState, entry: JournalEntry): void {
  const { fact, monoMs, incident, channel } = entry;
  switch (fact.type) {
    case 'incident.opened': {
      const { id, scope, group, engine } = fact.incident;
      state.incidents[id] ??= { scope, group, engine, restarts: {}, fixed: [] };
      return;
    }
    case 'incident.closed':
      if (incident !== undefined) delete state.incidents[incident];
      return;
    case 'unknown.settled':
      if (channel !== undefined) delete state.subjects[keyOfScope({ kind: 'channel', id: channel })]?.unknown;
      return;
    case 'containment.raised': {
      const { scope, reason, detail, releaseByPerson } = fact;
      state.containments[containmentKey(scope, reason)] ??= {
        scope,
        reason,
        detail,
        releaseByPerson,
        raisedMs: monoMs,
      };
      return;
    }
    case 'containment.cleared':
      delete state.containments[containmentKey(fact.scope, fact.reason)];
      return;
    case 'control.reset':
      reset(state, fact.scope);
      return;
    case 'control.released':
      released(state, fact.scope, fact.who);
      return;
    case 'clock.jumped':
      state.clockJumpedMs = monoMs;
      return;
  }
}

/**
 * Everything the guard counts. `apply` changes the state it is given and returns it (see `GuardState`); the initial
 * state itself is never touched, so one projection serves any number of journals.
 */
export const guardProjection: Projection<GuardState> = {
  name: 'guard',
  initial: EMPTY,
  apply(state, entry) {
    const own = state === EMPTY ? newGuardState() : state;
    fold(own, entry);
    return own;
  },
};
