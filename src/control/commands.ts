/** Checks commands of people and makes facts of them. */
import type { MonoMs } from '../core/clock.ts';
import { isJournals, JOURNAL_ENDS } from '../core/contained.ts';
import { type Approval, PHASES, type Phase } from '../core/control.ts';
import { DAY_MS } from '../core/duration.ts';
import type { Draft } from '../core/journal.ts';
import { type ChannelId, type EngineId, type GroupId, keyOfScope, sameScope, type Scope } from '../core/scope.ts';
import { describeCall } from '../core/tool.ts';
import { isEnough, approvedBy, pendingApprovals } from './approvals.ts';
import type { KeptApproval } from './control_state.ts';
import type { ControlState } from './state.ts';

/** What exists, so that a command about nothing is refused instead of kept. */
export interface Known {
  readonly channels: ReadonlySet<ChannelId>;
  readonly groups: ReadonlySet<GroupId>;
  readonly engines: ReadonlySet<EngineId>;
}

/** Of containments elsewhere so many are named in an answer. */
const NAMED_MAX = 5;

/** Who commands, and why. Both are written down. */
export interface OperatorContext {
  readonly who: string;
  readonly because: string;
}

export type RefusalCode =
  | 'reason_missing'
  | 'who_missing'
  | 'target_unknown'
  | 'duration_invalid'
  | 'phase_invalid'
  | 'nothing_to_do'
  | 'approval_unknown'
  | 'approval_over'
  | 'approval_second_person'
  | 'token_invalid';

/** The drafts to append, or why not. A refusal is an answer, not an error. */
export type CommandResult =
  | { readonly ok: true; readonly drafts: readonly Draft[]; readonly message?: string }
  | { readonly ok: false; readonly code: RefusalCode; readonly because: string };

/** A lease ends by itself, because people forget. */
const LEASE_MS_MAX = DAY_MS;
/** A maintenance window lasts at most a week and begins at most thirty days from now. */
const WINDOW_MS_MAX = 7 * DAY_MS;
const WINDOW_AHEAD_MS_MAX = 30 * DAY_MS;
/** Characters of a name or a reason that are kept. */
const REASON_LENGTH_MAX = 400;

export const no = (code: RefusalCode, because: string): CommandResult => ({ ok: false, code, because });
export const yes = (...drafts: Draft[]): CommandResult => ({ ok: true, drafts });

const clean = (text: string): string =>
  text
    .replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]+/g, ' ')
    .trim()
    .slice(0, REASON_LENGTH_MAX);

/** Who and why are not optional: a change of rule without a reason cannot be audited. */
export function checked(context: OperatorContext, build: (context: OperatorContext) => CommandResult): CommandResult {
  const who = clean(context.who);
  const because = clean(context.because);
  if (who === '') return no('who_missing', 'the name of the person who says this is missing');
  if (because === '') return no('reason_missing', 'a reason is needed (--because "…")');
  return build({ who, because });
}

function isKnown(scope: Scope, known: Known): boolean {
  switch (scope.kind) {
    case 'fleet':
      return true;
    case 'channel':
      return known.channels.has(scope.id);
    case 'group':
      return known.groups.has(scope.id);
    case 'engine':
      return known.engines.has(scope.id);
  }
}

const unknownTarget = (scope: Scope): CommandResult =>
  no('target_unknown', `there is no ${keyOfScope(scope)} (see: reeve status)`);

const aboutOf = (scope: Scope): { readonly channel?: ChannelId } =>
  scope.kind === 'channel' ? { channel: scope.id } : {};

export const isDuration = (ms: number, min: number, max: number): boolean =>
  Number.isSafeInteger(ms) && ms >= min && ms <= max;

/** Stops all changes until `thaw`, over restarts too. */
export const freeze = (state: ControlState, context: OperatorContext): CommandResult =>
  checked(context, (signed) => {
    if (state.frozen !== undefined) return no('nothing_to_do', `already frozen by ${state.frozen.who}`);
    return yes({ fact: { type: 'control.frozen', ...signed } });
  });

/** Ends a freeze. */
export const thaw = (state: ControlState, context: OperatorContext): CommandResult =>
  checked(context, (signed) => {
    if (state.frozen === undefined) return no('nothing_to_do', 'Reeve is not frozen');
    return yes({ fact: { type: 'control.thawed', ...signed } });
  });

/** Hands off the scope for `forMs` (1 s to 24 h). A later lease of the same scope replaces an earlier one. */
export const lease = (
  known: Known,
  order: { readonly scope: Scope; readonly forMs: number },
  context: OperatorContext,
): CommandResult =>
  checked(context, (signed) => {
    if (!isKnown(order.scope, known)) return unknownTarget(order.scope);
    if (!isDuration(order.forMs, 1_000, LEASE_MS_MAX)) {
      return no('duration_invalid', 'a lease lasts between 1 s and 24 h');
    }
    const { scope, forMs } = order;
    return yes({ ...aboutOf(scope), fact: { type: 'control.leased', scope, forMs, ...signed } });
  });

/** Ends the lease of exactly this scope. */
export const endLease = (state: ControlState, scope: Scope, context: OperatorContext): CommandResult =>
  checked(context, (signed) => {
    const held = state.leases.some((one) => sameScope(one.scope, scope));
    if (!held) return no('nothing_to_do', `there is no lease on ${keyOfScope(scope)}`);
    const ended = yes({ ...aboutOf(scope), fact: { type: 'control.lease_ended', scope, ...signed } });
    return { ...ended, message: `the lease on ${keyOfScope(scope)} has ended` };
  });

/** Clears the breaker, an UNKNOWN and the memory of fixes that did not work. Caps and windows stay as they are. */
export const reset = (known: Known, scope: Scope, context: OperatorContext): CommandResult =>
  checked(context, (signed) => {
    if (!isKnown(scope, known)) return unknownTarget(scope);
    return yes({ ...aboutOf(scope), fact: { type: 'control.reset', scope, ...signed } });
  });

/** A containment that holds; of one scope there may be several, each for its own reason. */
export interface Contained {
  readonly scope: Scope;
  readonly reason: string;
  readonly releasedBy?: string;
}

/** A person's permission that containment of the scope may end. A trigger that still holds keeps it contained. */
export const release = (known: Known, scope: Scope, context: OperatorContext): CommandResult =>
  checked(context, (signed) => {
    if (!isKnown(scope, known)) return unknownTarget(scope);
    return yes({ ...aboutOf(scope), fact: { type: 'control.released', scope, ...signed } });
  });

/** What is known when a person releases a scope. */
interface Releasing {
  readonly known: Known;
  readonly held: readonly Contained[];
  /** Now. Where a person has to end its containment, it may be whole again. */
  readonly isJournalBroken: boolean;
}

/**
 * The same where exactly this scope is contained and was not released yet. Who named another scope than the one that is
 * contained must not believe that it is done.
 */
export const releaseHeld = (
  { known, held, isJournalBroken }: Releasing,
  scope: Scope,
  context: OperatorContext,
): CommandResult => {
  const result = release(known, scope, context);
  const own = held.filter((one) => sameScope(one.scope, scope));
  if (result.ok && isJournalBroken && own.length > 0 && own.every(isJournals))
    return no('nothing_to_do', `${keyOfScope(scope)} is contained (journal_error): ${JOURNAL_ENDS}`);
  if (!result.ok || own.some(({ releasedBy }) => releasedBy === undefined)) return result;
  const [released] = own;
  if (released === undefined) return no('nothing_to_do', notContained(scope, held));
  const because = `${keyOfScope(scope)} was released by ${released.releasedBy}: it ends when its cause is gone`;
  return no('nothing_to_do', because);
};

function notContained(scope: Scope, held: readonly Contained[]): string {
  const contained = held.map((one) => `${keyOfScope(one.scope)} (${one.reason})`).slice(0, NAMED_MAX);
  const instead = contained.length === 0 ? 'nothing is' : `contained: ${contained.join(', ')}`;
  return `${keyOfScope(scope)} itself is not contained; ${instead}`;
}

/** Sets how far Reeve may go, for all or for one group. The lower of both holds. */
export const setPhase = (
  known: Known,
  order: { readonly phase: number; readonly group: GroupId | undefined },
  context: OperatorContext,
): CommandResult =>
  checked(context, (signed) => {
    const phase = PHASES.find((one): one is Phase => one === order.phase);
    if (phase === undefined) return no('phase_invalid', `a phase is one of ${PHASES.join(', ')}`);
    const { group } = order;
    if (group !== undefined && !known.groups.has(group)) return unknownTarget({ kind: 'group', id: group });
    return yes({ fact: { type: 'control.phase_set', phase, group, ...signed } });
  });

/** Adds a maintenance window: begins in `startsInMs` (0 to 30 days) and lasts `forMs` (1 s to 7 days). */
export const addWindow = (
  known: Known,
  order: {
    readonly id: string;
    readonly scope: Scope;
    readonly startsInMs: number;
    readonly forMs: number;
    readonly rolling?: boolean;
  },
  context: OperatorContext,
): CommandResult =>
  checked(context, (signed) => {
    const { id, scope, startsInMs, forMs } = order;
    if (!isKnown(scope, known)) return unknownTarget(scope);
    if (!isDuration(startsInMs, 0, WINDOW_AHEAD_MS_MAX)) {
      return no('duration_invalid', 'a maintenance window begins between now and 30 days from now');
    }
    if (!isDuration(forMs, 1_000, WINDOW_MS_MAX)) {
      return no('duration_invalid', 'a maintenance window lasts between 1 s and 7 days');
    }
    const rolling = order.rolling === true ? { rolling: true as const } : {};
    const fact = { type: 'control.window_added', window: id, scope, forMs, startsInMs, ...rolling, ...signed } as const;
    const end = `reeve maintenance end ${id} ${WHY}`;
    const message = `window ${id} on ${keyOfScope(scope)}; to end it before its time: ${end}`;
    return { ...yes({ ...aboutOf(scope), fact }), message };
  });

/** Ends a maintenance window early. */
export const endWindow = (state: ControlState, id: string, context: OperatorContext): CommandResult =>
  checked(context, (signed) => {
    const window = state.windows.find((one) => one.id === id);
    if (window === undefined) return no('target_unknown', `there is no maintenance window ${clean(id)}`);
    const ended = yes({ ...aboutOf(window.scope), fact: { type: 'control.window_ended', window: id, ...signed } });
    return { ...ended, message: `window ${id} on ${keyOfScope(window.scope)} has ended` };
  });

/** Answers a pending question. What has expired cannot be answered any more: it will be asked again if it matters. */
export const answerApproval = (
  state: ControlState,
  order: { readonly id: string; readonly yes: boolean; readonly nowMs: MonoMs },
  context: OperatorContext,
): CommandResult =>
  checked(context, (signed) => {
    const kept = state.approvals.find((one) => one.approval.id === order.id);
    if (kept === undefined) return no('approval_unknown', unknownQuestion(state, order));
    if (kept.state !== 'pending')
      return no('approval_over', `this question is over: ${kept.state}${askedAgain(state, kept, order)}`);
    if (order.nowMs >= kept.expiresMs) return no('approval_over', 'this question has expired');
    const { incident, run, call } = kept.approval;
    const fact = { type: 'approval.answered', id: order.id, yes: order.yes, ...signed } as const;
    const answered = yes({ ...aboutOf(call.target), incident, run, fact });
    const message = saidTo(kept.approval, order.yes);
    if (!order.yes) return { ...answered, message };
    if (isEnough(kept, signed.who)) {
      const { proposed } = kept.approval;
      const whole = proposed ? yes({ ...aboutOf(call.target), incident, run, fact: { ...fact, proposed } }) : answered;
      return { ...whole, message };
    }
    if (approvedBy(kept).includes(signed.who)) {
      return no('approval_second_person', `it needs two people, and ${signed.who} is one of them already`);
    }
    return { ...answered, message: 'noted: it needs the yes of a second person before anything is done' };
  });

/** Who reads it at night must see which of the two it was. */
function saidTo({ call, proposed }: Approval, isYes: boolean): string {
  if (isYes) return `yes to ${describeCall(call)}`;
  const again = ` It is not asked again while this trouble lasts, or until: ${askAnew(call.target)}`;
  return `no to ${describeCall(call)}.${proposed ? '' : again}`;
}

const WHY = '--because "…"';

/** What lets Reeve ask once more what a person said no to. */
export const askAnew = (target: Scope): string => `reeve reset ${keyOfScope(target)} ${WHY}`;

/** The question that waits about the same thing now. */
function askedAgain(state: ControlState, { approval }: KeptApproval, { nowMs }: { readonly nowMs: number }): string {
  const isSame = ({ call }: Approval): boolean =>
    call.tool === approval.call.tool && sameScope(call.target, approval.call.target);
  const again = pendingApprovals(state, nowMs).find(isSame);
  return again === undefined ? '' : `; it was asked again, as ${again.id}`;
}

/** Names what could have been meant: who answers at night types from a page that shows no id. */
function unknownQuestion(state: ControlState, { id, nowMs }: { readonly id: string; readonly nowMs: number }): string {
  const open = pendingApprovals(state, nowMs);
  const named = open.slice(0, 5).map((one) => `${one.id} (${describeCall(one.call)})`);
  const others = open.length > named.length ? ', …' : '';
  const waiting = named.length === 0 ? 'none waits for an answer' : `these wait: ${named.join(', ')}${others}`;
  return `there is no question ${clean(id)}; ${waiting}`;
}
