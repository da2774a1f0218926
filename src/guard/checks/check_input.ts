/** What the questions of the guard look at, and how they answer. */
import type { MonoMs } from '../../core/clock.ts';
import type { Phase } from '../../core/control.ts';
import type { GroundedContextEnvelope } from '../../core/envelope.ts';
import type { Incident } from '../../core/incident.ts';
import type { Limits } from '../../core/limits.ts';
import type { Persona } from '../../core/persona.ts';
import type { Decider, DenialCode } from '../../core/plan.ts';
import type { ChannelRef, EngineId, GroupId, IncidentId, RunId, Scope } from '../../core/scope.ts';
import type { Capability, ToolCall, ToolSpec } from '../../core/tool.ts';
import type { ControlState } from '../../control/state.ts';
import type { GuardState, SubjectState } from '../state/state.ts';

/** One requested call, with everything it rests on. */
export interface GuardRequest {
  readonly call: ToolCall;
  readonly envelope: GroundedContextEnvelope;
  readonly persona: Persona;
  readonly incident: Incident;
  readonly run: RunId;
  readonly decider: Decider;
  /** A step of this run has already used its one high-risk action (law S4). */
  readonly stepHighRiskUsed: boolean;
  /** The question that a person answered with yes. */
  readonly approval?: string | undefined;
}

/** Whether what a group's channels died of is proven to be over, and by whom. */
export interface CauseProof {
  readonly isProven: boolean;
  /** For people: who claims it, and what of it is missing. */
  readonly says: string;
  /** When it may be proven, if nothing else happens. */
  readonly atMs: MonoMs | undefined;
}

/** What is only known now. Undefined means unknown, never fine. */
export interface LiveFacts {
  /** 0 to 1. */
  readonly poolPressure: number | undefined;
  /** The engine is supposed to report its pool, so silence is a reason to stop. */
  readonly reportsPool: boolean;
  /** Viewers of the target now. */
  readonly viewers: number | undefined;
  /** The witness of the group's shared cause has been well for long enough: its own staged start may begin (law S8). */
  readonly causeProof?: CauseProof | undefined;
  /** Open incidents of groups and engines for whose sake the target is not refused (question 7). */
  readonly nonBlocking?: ReadonlySet<IncidentId>;
  /** How long a restart keeps viewers waiting, as measured; `EXPECTED_GAP_MS` where it never was. */
  readonly restartGapMs?: number | undefined;
}

/** A request at one moment: all that the questions look at. Nothing is read later than this. */
export interface CheckInput {
  readonly nowMs: MonoMs;
  readonly call: ToolCall;
  readonly spec: ToolSpec;
  readonly persona: Persona;
  readonly incident: Incident;
  readonly run: RunId;
  /** Undefined for a start of a staged plan, whose plan was weighed with its envelope. */
  readonly envelope: GroundedContextEnvelope | undefined;
  readonly stepHighRiskUsed: boolean;
  readonly approval: string | undefined;
  readonly limits: Limits;
  readonly state: GuardState;
  readonly control: ControlState;
  readonly channelOf: (id: string) => ChannelRef | undefined;
  readonly group: GroupId;
  readonly engine: EngineId;
  /** Every scope that covers the target, narrowest first. */
  readonly scopes: readonly Scope[];
  readonly capabilitiesOf: (engine: EngineId) => ReadonlySet<Capability>;
  readonly live: LiveFacts;
  readonly phase: Phase;
  /** Whose own phase that is, where that of all is higher. */
  readonly phaseOfGroup?: GroupId | undefined;
  /** How many channels the fleet has: what its daily budget is where none is configured. */
  readonly channelCount: number;
  /** The journal failed earlier in this process: nothing is trusted until the journal is verified. */
  readonly journalError: string | undefined;
  /** What is remembered of the target, and of whom the tool's cooldown belongs to. */
  readonly target: SubjectState;
  readonly subject: SubjectState;
  /** A start within a staged plan: the permit of the plan. */
  readonly parent: string | undefined;
  /** The persona of now of the group or engine that the plan is for. */
  readonly wholePersona?: Persona | undefined;
}

/** One question's answer. `value` is what was found, `threshold` what would be needed. */
export type Answer =
  | { readonly verdict: 'pass' | 'not_asked'; readonly value: string; readonly threshold: string }
  | {
      readonly verdict: 'refuse';
      readonly value: string;
      readonly threshold: string;
      readonly code: DenialCode;
      readonly because: string;
      readonly retryAfterMs: number | undefined;
      /** See `Refused`. */
      readonly scopes: readonly Scope[];
    };

export const pass = (value: string, threshold: string): Answer => ({ verdict: 'pass', value, threshold });

interface Found {
  readonly value: string;
  readonly threshold: string;
  /** When the same request may be answered otherwise, by time alone. */
  readonly freeInMs?: number;
  /** See `Refused`. Absent: none. */
  readonly scopes?: readonly Scope[];
}

export const refuse = (
  code: DenialCode,
  { value, threshold, freeInMs, scopes = [] }: Found,
  because: string,
): Answer => ({
  verdict: 'refuse',
  code,
  because,
  threshold,
  value: freeInMs === undefined ? value : `${value}; free in ${freeInMs} ms`,
  retryAfterMs: freeInMs,
  scopes,
});

/** Not a matter of this call. */
export const notAsked = (why: string): Answer => ({ verdict: 'not_asked', value: why, threshold: '' });
