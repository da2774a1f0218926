// Folds journal entries into the guard's state.
import { HOUR_MS } from '../../core/duration.ts';
import type { JournalEntry, JournalFact, Projection } from '../../core/journal.ts';
import { keyOfScope, sameScope, type Scope, type ScopeKey } from '../../core/scope.ts';
import type { PermitTerms } from '../../core/tool.ts';
import { resetBreaker, settleProbe } from './breaker.ts';
import { Edit } from './edit.ts';
import { giveBack } from './give_back.ts';
import { finish, grant, settle, start, unknown } from './lifecycle.ts';
import { containmentKey, type GuardState, newGuardState, type SubjectState, subjectsOf } from './state.ts';
import { judge, relapsed } from './verdicts.ts';
import { addStart } from './window.ts';

/** A start that we see this long after our own call ended is still that call's. */
const OWN_START_SEEN_WITHIN_MS = 120_000;
/** Engines round the ages of their processes: one that seems to be older than a call by no more may be its effect. */
export const AGE_ROUNDED_MS = 3_000;

type FactOf<T extends JournalFact['type']> = Extract<JournalFact, { readonly type: T }>;

/** Folds a start that was seen at an engine. Ours was counted when it was permitted; here it only moves in time. */
function observeStart(edit: Edit, entry: JournalEntry, fact: FactOf<'start.observed'>): void {
  const { channel, monoMs } = entry;
  if (channel === undefined) return;
  const subject = edit.subject(keyOfScope({ kind: 'channel', id: channel }));
  if (subject.life === fact.generation) return;
  subject.life = fact.generation;
  const atMs = monoMs - (fact.agoMs ?? 0);
  const isLater = subject.unproven !== undefined && atMs + AGE_ROUNDED_MS >= subject.unproven.sinceMs;
  // What the call stopped may be a life that the engine had begun by itself just before, and that nobody saw.
  if (isLater && fact.over !== true && fact.mayPrecede !== true) delete subject.unproven;
  subject.engine = fact.engine;
  const starts = edit.starts();
  const own = fact.origin === 'reeve' ? starts.findLast((mark) => mark.channel === channel) : undefined;
  const isThatOne = own?.permit !== undefined && own.life === undefined && own.atMs > monoMs - OWN_START_SEEN_WITHIN_MS;
  if (own !== undefined && isThatOne) {
    own.atMs = Math.max(own.atMs, atMs);
    own.life = fact.generation;
    // An engine may begin it long after the call has ended: the cooldown is counted from then (law S1).
    const use = subject.uses.restart_channel;
    if (use?.endedMs !== undefined && use.permit === own.permit) use.endedMs = Math.max(use.endedMs, atMs);
    return;
  }
  const planned = fact.planned === undefined ? {} : { planned: true as const };
  addStart(starts, { engine: fact.engine, channel, atMs, ...planned });
}

/** Sleeps are remembered until everything that a decision may rest on is younger. */
const SLEEPS_KEPT_MS = HOUR_MS;
const SLEEPS_KEPT_MAX = 32;

/** A corrected wall clock changes nothing: no decision reads it (law T1). */
function clockJumped(edit: Edit, { byMs, cause }: FactOf<'clock.jumped'>, monoMs: number): void {
  if (cause === 'corrected') return;
  edit.set({ clockJumpedMs: monoMs });
  if (cause !== 'suspended') return;
  const recent = (edit.state.sleeps ?? []).filter(({ atMs }) => monoMs - atMs < SLEEPS_KEPT_MS);
  edit.set({ sleeps: [...recent, { atMs: monoMs, forMs: byMs }].slice(-SLEEPS_KEPT_MAX) });
}

const isWithin = (key: ScopeKey, subject: SubjectState, scope: Scope): boolean => {
  if (scope.kind === 'fleet' || key === keyOfScope(scope)) return true;
  if (scope.kind === 'group') return subject.group === scope.id;
  return scope.kind === 'engine' && subject.engine === scope.id;
};

/**
 * Breaker, UNKNOWN and the memory of fixes begin anew. Caps, cooldowns and the window stay: they protect the viewers.
 */
function reset(edit: Edit, scope: Scope): void {
  for (const [key, known] of subjectsOf(edit.state)) {
    if (!isWithin(key, known, scope)) continue;
    const subject = edit.subject(key);
    subject.breaker = resetBreaker(subject.breaker);
    subject.tried = [];
    if (subject.unknown !== undefined) subject.unknownReset = subject.unknown.permit;
    delete subject.unknown;
  }
}

/**
 * What the last process of Reeve had under way is not judged any more. A probe has failed, so half-open becomes open
 * with the full time; a permit that never began is gone with the process, and its place is free again; staged plans
 * end here. What began and did not end comes as `tool.unknown` of its own.
 */
function startAnew(edit: Edit, nowMs: number): void {
  for (const [key, known] of subjectsOf(edit.state)) {
    if (known.open.length === 0 && known.breaker.probe === undefined) continue;
    const subject = edit.subject(key);
    for (const { terms, startedMs } of subject.open) if (startedMs === undefined) giveBack(edit, terms);
    settle(subject, nowMs);
    subject.open = subject.open.filter((attempt) => attempt.startedMs !== undefined);
    if (subject.breaker.probe === undefined) continue;
    subject.breaker.probe.deadlineMs = nowMs;
    settleProbe(subject.breaker, nowMs);
  }
  edit.set({ plans: {} });
}

function released(edit: Edit, scope: Scope, who: string): void {
  for (const [key, held] of Object.entries(edit.state.containments)) {
    if (sameScope(held.scope, scope)) edit.putContainment(key, { ...held, releasedBy: who });
  }
}

function settleUnknown(edit: Edit, fact: FactOf<'unknown.settled'>, channel: string | undefined): void {
  const scope = fact.scope ?? (channel === undefined ? undefined : { kind: 'channel', id: channel });
  if (scope !== undefined) delete edit.subject(keyOfScope(scope)).unknown;
}

function openIncident(edit: Edit, { incident }: FactOf<'incident.opened'>): void {
  const { id, scope, group, engine, openedMs } = incident;
  if (edit.state.incidents[id] !== undefined) return;
  edit.putIncident(id, { scope, group, engine, openedMs, restarts: {}, fixed: [] });
}

/** A restart that is verified has begun a new process, also where none was told from the one before. */
function provenBy(edit: Edit, { id, call }: PermitTerms): void {
  const subject = edit.subject(keyOfScope(call.target));
  const { unproven, open } = subject;
  const isJudged = !open.some(({ terms }) => terms.id === id);
  if (!isJudged && unproven?.permit === id && unproven.startsNothing !== true) delete subject.unproven;
}

/**
 * It was seen to be stopped after Reeve's own call had ended, or to play after a change that had to start nothing: that
 * call explains no stop any more.
 */
function incidentClosed(edit: Edit, { ending, unseen }: FactOf<'incident.closed'>, channel: string): void {
  const subject = edit.subject(keyOfScope({ kind: 'channel', id: channel }));
  const isByPerson = ending === 'by_person' && unseen !== true;
  const played = (ending === 'resolved' || ending === 'self_healed') && subject.unproven?.startsNothing === true;
  if (isByPerson || played) delete subject.unproven;
}

function contained(edit: Edit, fact: FactOf<'containment.raised'>, nowMs: number): void {
  const { scope, reason, detail, releaseByPerson } = fact;
  const key = containmentKey(scope, reason);
  if (edit.state.containments[key] !== undefined) return;
  edit.putContainment(key, { scope, reason, detail, releaseByPerson, raisedMs: nowMs });
}

/** Permits and what became of them. */
function foldAction(edit: Edit, { fact, monoMs }: JournalEntry): void {
  switch (fact.type) {
    case 'guard.decided':
      if (fact.decision.verdict === 'allow') grant(edit, fact.decision.permit);
      break;
    case 'tool.started':
      start(edit, fact.permit, monoMs);
      break;
    case 'tool.finished':
      finish(edit, fact.permit, monoMs);
      break;
    case 'tool.unknown':
      unknown(edit, fact.permit, monoMs);
      break;
    case 'attempt.verified': {
      const { permit, fingerprint, verification } = fact;
      if (verification.cured) provenBy(edit, permit);
      judge(edit, permit, { cured: verification.cured, fingerprint, atMs: monoMs });
      break;
    }
    case 'attempt.relapsed':
      relapsed(edit, fact.permit, { fingerprint: fact.fingerprint, atMs: monoMs });
      break;
  }
}

/** What the world and people did. */
function foldEnvironment(edit: Edit, entry: JournalEntry): void {
  const { fact, monoMs, incident, channel } = entry;
  switch (fact.type) {
    case 'reeve.started':
      startAnew(edit, monoMs);
      break;
    case 'start.observed':
      observeStart(edit, entry, fact);
      break;
    case 'incident.opened':
      openIncident(edit, fact);
      break;
    case 'incident.closed':
      if (incident !== undefined) edit.putIncident(incident, undefined);
      if (channel !== undefined) incidentClosed(edit, fact, channel);
      break;
    case 'unknown.settled':
      settleUnknown(edit, fact, channel);
      break;
    case 'containment.raised':
      contained(edit, fact, monoMs);
      break;
    case 'containment.cleared':
      edit.putContainment(containmentKey(fact.scope, fact.reason), undefined);
      break;
    case 'control.reset':
      reset(edit, fact.scope);
      break;
    case 'control.released':
      released(edit, fact.scope, fact.who);
      break;
    case 'clock.jumped':
      clockJumped(edit, fact, monoMs);
      break;
  }
}

/** Everything the guard counts. An entry that changes nothing gives back the very state it was given. */
export const guardProjection: Projection<GuardState> = {
  name: 'guard',
  initial: newGuardState(),
  apply(state, entry) {
    const edit = new Edit(state);
    foldAction(edit, entry);
    foldEnvironment(edit, entry);
    return edit.state;
  },
};
