/** Types of what people command. */
import type { TokenScope } from './access.ts';
import type { EpochMs, MonoMs } from './clock.ts';
import type { GroupId, IncidentId, RunId, Scope } from './scope.ts';
import type { ToolCall } from './tool.ts';
import type { FailureClass } from './classification.ts';

/**
 * 0 envelope and metrics only; 1 tools that look; 2 low risk; 3 medium and high risk through the guard, one step;
 * 4 the full loop, three steps.
 */
export type Phase = 0 | 1 | 2 | 3 | 4;
export const PHASES: readonly Phase[] = [0, 1, 2, 3, 4];
/** From this phase on Reeve changes things: then a receiver must be there. */
export const ACTING_PHASE: Phase = 2;
export const FULL_LOOP: Phase = 4;

/** A question that waits for a person, bound to exactly what was asked. */
export interface Approval {
  readonly id: string;
  readonly call: ToolCall;
  readonly incident: IncidentId;
  readonly run: RunId;
  readonly classification: FailureClass | undefined;
  /** Over tool, target, parameters and classification: a yes to this is a yes to nothing else. */
  readonly hash: string;
  /** The person who asked for the call, where it was a person. */
  readonly askedBy?: string | undefined;
  /** 2: it needs the yes of two people with different names, of whom the one who asked is one. Else 1. */
  readonly eyes?: 2 | undefined;
  /** A person asked for it (`reeve ask`): a yes to it supplies the plan of the next run. */
  readonly proposed?: true | undefined;
  readonly askedAt: EpochMs;
  readonly askedMs: MonoMs;
  readonly expiresMs: MonoMs;
}

/** What people have ordered. Each change is a fact with who and why. */
export type ControlFact =
  | { readonly type: 'control.frozen'; readonly who: string; readonly because: string }
  | { readonly type: 'control.thawed'; readonly who: string; readonly because: string }
  | {
      readonly type: 'control.leased';
      readonly scope: Scope;
      readonly forMs: number;
      readonly who: string;
      readonly because: string;
    }
  | { readonly type: 'control.lease_ended'; readonly scope: Scope; readonly who: string; readonly because: string }
  | {
      readonly type: 'control.phase_set';
      readonly phase: Phase;
      readonly group: GroupId | undefined;
      readonly who: string;
      readonly because: string;
    }
  /**
   * The journal was empty under a higher phase, which is a first installation or lost state; or it was set back or
   * damaged, and `because` says how that was seen. Without a cause and with a reason: set back.
   */
  | {
      readonly type: 'control.phase_held';
      readonly phase: Phase;
      readonly configured: Phase;
      readonly because?: string;
      readonly cause?: 'damaged';
    }
  | {
      readonly type: 'control.window_added';
      readonly window: string;
      readonly scope: Scope;
      readonly forMs: number;
      readonly startsInMs: number;
      /** Starts that others make there meanwhile are announced: they are recorded, and contain nothing (law S2). */
      readonly rolling?: true;
      readonly who: string;
      readonly because: string;
    }
  | { readonly type: 'control.window_ended'; readonly window: string; readonly who: string; readonly because: string }
  | { readonly type: 'control.reset'; readonly scope: Scope; readonly who: string; readonly because: string }
  | { readonly type: 'control.released'; readonly scope: Scope; readonly who: string; readonly because: string }
  | { readonly type: 'approval.asked'; readonly approval: Approval }
  | {
      readonly type: 'approval.answered';
      readonly id: string;
      readonly yes: boolean;
      readonly who: string;
      readonly because: string;
      /** The last yes that a proposal needed: the incident is worth another run. */
      readonly proposed?: true;
    }
  | { readonly type: 'approval.expired'; readonly id: string }
  | {
      readonly type: 'token.added';
      readonly name: string;
      readonly scopes: readonly TokenScope[];
      readonly sha256: string;
      readonly forMs: number;
      readonly who: string;
      readonly because: string;
    }
  | { readonly type: 'token.revoked'; readonly name: string; readonly who: string; readonly because: string }
  /** The yes was used by a new run: it serves once. */
  | { readonly type: 'approval.used'; readonly id: string };
