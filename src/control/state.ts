/** The state that follows from people's commands. */
import type { MonoMs } from '../core/clock.ts';
import type { Phase } from '../core/control.ts';
import type { JournalEntry, Projection } from '../core/journal.ts';
import { type GroupId, sameScope, type Scope } from '../core/scope.ts';
import { applyApproval, olderBy } from './approvals.ts';
import type { ControlState, Lease, MaintenanceWindow } from './control_state.ts';

export { APPROVAL_STATES } from './control_state.ts';
export type {
  OperatorStatement,
  Lease,
  MaintenanceWindow,
  ApprovalState,
  KeptApproval,
  ControlState,
} from './control_state.ts';

const INITIAL: ControlState = {
  frozen: undefined,
  leases: [],
  windows: [],
  phase: undefined,
  heldPhase: undefined,
  groupPhases: [],
  approvals: [],
};

const NOT_HELD = { heldPhase: undefined, heldBecause: undefined, heldCause: undefined } as const;

function applyPhase(state: ControlState, phase: Phase, group: GroupId | undefined): ControlState {
  if (group === undefined) return { ...state, phase, ...NOT_HELD };
  const others = state.groupPhases.filter((set) => set.group !== group);
  return { ...state, groupPhases: [...others, { group, phase }] };
}

/** Leases and windows that are over go whenever a new one comes, so the lists stay as short as what holds. */
function apply(state: ControlState, entry: JournalEntry): ControlState {
  const { fact, monoMs } = entry;
  switch (fact.type) {
    case 'control.frozen':
      if (state.frozen !== undefined) return state;
      return { ...state, frozen: { who: fact.who, because: fact.because, sinceMs: monoMs } };
    case 'control.thawed':
      return { ...state, frozen: undefined };
    case 'control.leased': {
      const { scope, who, because } = fact;
      const others = state.leases.filter((lease) => lease.untilMs > monoMs && !sameScope(lease.scope, scope));
      return { ...state, leases: [...others, { scope, fromMs: monoMs, untilMs: monoMs + fact.forMs, who, because }] };
    }
    case 'control.lease_ended':
      return { ...state, leases: state.leases.filter((lease) => !sameScope(lease.scope, fact.scope)) };
    case 'control.window_added': {
      const { window: id, scope, who, because } = fact;
      const fromMs = monoMs + fact.startsInMs;
      const others = state.windows.filter((window) => window.untilMs > monoMs && window.id !== id);
      const rolling = fact.rolling === true ? { rolling: true as const } : {};
      const window = { id, scope, fromMs, untilMs: fromMs + fact.forMs, ...rolling, who, because };
      return { ...state, windows: [...others, window] };
    }
    case 'control.window_ended':
      return { ...state, windows: state.windows.filter((window) => window.id !== fact.window) };
    case 'control.phase_set':
      return applyPhase(state, fact.phase, fact.group);
    case 'control.phase_held': {
      const groupPhases = state.groupPhases.map((set) => ({ ...set, beforeHold: true as const }));
      return { ...state, heldPhase: fact.phase, heldBecause: fact.because, heldCause: fact.cause, groupPhases };
    }
    case 'clock.jumped':
      if (fact.cause !== 'suspended') return state;
      return { ...state, approvals: olderBy(state.approvals, fact.byMs) };
    case 'approval.asked':
    case 'approval.answered':
    case 'approval.expired':
    case 'approval.used':
      return { ...state, approvals: applyApproval(state.approvals, fact, monoMs) };
    default:
      return state;
  }
}

/** What people have ordered, as a fold over `control.*` and `approval.*` facts. */
export const controlProjection: Projection<ControlState> = { name: 'control', initial: INITIAL, apply };

/** The kill switch: who pulled it and why; undefined when changes are not stopped. */
export const frozenNow = (state: ControlState): ControlState['frozen'] => state.frozen;

const covers = (scopes: readonly Scope[], scope: Scope): boolean => scopes.some((one) => sameScope(one, scope));

/** The lease that covers any of the scopes now, the one that lasts longest; undefined when there is none. */
export function leaseOf(state: ControlState, scopes: readonly Scope[], nowMs: MonoMs): Lease | undefined {
  return longest(state.leases.filter((lease) => nowMs < lease.untilMs && covers(scopes, lease.scope)));
}

/** The maintenance window that covers any of the scopes now, the one that lasts longest. */
export function windowOf(state: ControlState, scopes: readonly Scope[], nowMs: MonoMs): MaintenanceWindow | undefined {
  const open = state.windows.filter((window) => window.fromMs <= nowMs && nowMs < window.untilMs);
  return longest(open.filter((window) => covers(scopes, window.scope)));
}

/** The window in which a person announced that the start at this moment would come; undefined: it was not announced. */
export function rollingOf(state: ControlState, scopes: readonly Scope[], atMs: MonoMs): MaintenanceWindow | undefined {
  const rolling = state.windows.filter((window) => window.rolling === true);
  return windowOf({ ...state, windows: rolling }, scopes, atMs);
}

const longest = <T extends { readonly untilMs: MonoMs }>(all: readonly T[]): T | undefined =>
  all.reduce<T | undefined>((best, one) => (best === undefined || one.untilMs > best.untilMs ? one : best), undefined);

/** What the configuration says until a person says otherwise. */
export interface InitialPhase {
  readonly fleet: Phase;
  readonly group: Phase | undefined;
  /** No receiver could call a person: nothing is changed, whatever phase a person once set (law L1). */
  readonly unheard?: true;
}

/** The last phase in which nothing is changed. */
const WATCHING_PHASE: Phase = 1;

/** A bare number is the phase of all. */
const initialOf = (initial: Phase | InitialPhase): InitialPhase =>
  typeof initial === 'number' ? { fleet: initial, group: undefined } : initial;

/** Why a phase is held, and what that is below: what a person set for the fleet, or else what is configured. */
export interface HeldPhase {
  readonly held: Phase;
  readonly configured: Phase;
  readonly cause: 'empty' | 'set_back' | 'damaged';
  /** One clause, for a sentence. */
  readonly because: string;
}

/** The phase that holds until a person sets one; undefined where none is held below another. */
export function heldBelow(state: ControlState, initial: Phase | InitialPhase): HeldPhase | undefined {
  const { heldPhase: held } = state;
  const configured = state.phase ?? initialOf(initial).fleet;
  if (held === undefined || configured <= held) return undefined;
  const cause = state.heldCause ?? (state.heldBecause === undefined ? 'empty' : 'set_back');
  return { held, configured, cause, because: whyHeld(state) };
}

/** As one clause. */
export const whyHeld = ({ heldBecause, heldCause }: ControlState): string =>
  heldBecause === undefined
    ? 'the journal was empty'
    : `the journal was ${heldCause === 'damaged' ? 'damaged' : 'set back'}: ${heldBecause}`;

const lower = (a: Phase, b: Phase): Phase => (a < b ? a : b);

/** The phase of all, which no group goes beyond; a held one bounds it. */
export function phaseOfAll(state: ControlState, initial: Phase | InitialPhase): Phase {
  const phase = state.phase ?? initialOf(initial).fleet;
  return heard(initial, lower(state.heldPhase ?? phase, phase));
}

const heard = (initial: Phase | InitialPhase, phase: Phase): Phase =>
  initialOf(initial).unheard === true ? lower(phase, WATCHING_PHASE) : phase;

/**
 * The phase for what concerns several groups: the lowest of theirs, or the highest where each channel is asked about by
 * itself, in the phase of its own group.
 */
export const phaseOver = (phases: readonly Phase[], isOnEach: boolean): Phase =>
  phases.reduce((one, other) => (one < other === isOnEach ? other : one));

/**
 * The lower of the phase of all and the phase of the group. A held phase bounds what is only configured, and what was
 * set before it: what a person has set for the group since then counts.
 */
export function phaseOf(state: ControlState, group: GroupId, initial: Phase | InitialPhase): Phase {
  const configured = initialOf(initial);
  const ofAll = state.phase ?? configured.fleet;
  const ofGroup = state.groupPhases.find((set) => set.group === group);
  const phase = ofGroup?.phase ?? configured.group ?? ofAll;
  const isBound = ofGroup === undefined || ofGroup.beforeHold === true;
  return heard(initial, lower(isBound ? lower(phase, state.heldPhase ?? ofAll) : phase, ofAll));
}
