/** What people have ordered and still holds: the shape of it. */
import type { MonoMs } from '../core/clock.ts';
import type { Approval, Phase } from '../core/control.ts';
import type { GroupId, Scope } from '../core/scope.ts';

/** Who ordered it, and why. */
export interface OperatorStatement {
  readonly who: string;
  readonly because: string;
}

/** Hands off: a person works there, and Reeve changes nothing until `untilMs`. */
export interface Lease extends OperatorStatement {
  readonly scope: Scope;
  readonly fromMs: MonoMs;
  readonly untilMs: MonoMs;
}

/** A planned stretch in which nothing is changed: half-open, from `fromMs` up to but not including `untilMs`. */
export interface MaintenanceWindow extends OperatorStatement {
  readonly id: string;
  readonly scope: Scope;
  readonly fromMs: MonoMs;
  readonly untilMs: MonoMs;
  /** A person restarts what is in the scope, one after another (law S2). */
  readonly rolling?: true;
}

/** `expired` is not `no`: no person answered in time. */
export const APPROVAL_STATES = ['pending', 'yes', 'no', 'used', 'expired'] as const;
export type ApprovalState = (typeof APPROVAL_STATES)[number];

export interface KeptApproval {
  readonly approval: Approval;
  readonly state: ApprovalState;
  /** A yes serves until then; a question waits until then. */
  readonly expiresMs: MonoMs;
  readonly answer: OperatorStatement | undefined;
  /** Who said yes. Missing in what an earlier version wrote, where one yes was always enough. */
  readonly yesBy?: readonly string[];
}

export interface GroupPhase {
  readonly group: GroupId;
  readonly phase: Phase;
  /** A person set it before the journal was set back, so that a held phase bounds it. */
  readonly beforeHold?: true;
}

/** Everything people have ordered that still holds. Survives restarts, for it is folded from the journal. */
export interface ControlState {
  readonly frozen: (OperatorStatement & { readonly sinceMs: MonoMs }) | undefined;
  readonly leases: readonly Lease[];
  readonly windows: readonly MaintenanceWindow[];
  /** Undefined: the configured phase still holds. */
  readonly phase: Phase | undefined;
  /** The journal was empty or set back under a higher phase: no more than this holds until a person sets a phase. */
  readonly heldPhase: Phase | undefined;
  /** How it was seen that the journal was set back or damaged; undefined: it was empty. */
  readonly heldBecause?: string | undefined;
  /** Undefined: it was empty or set back. */
  readonly heldCause?: 'damaged' | undefined;
  readonly groupPhases: readonly GroupPhase[];
  readonly approvals: readonly KeptApproval[];
}
