/** All facts of the journal, and its entry and projection types. */
import type { EpochMs, MonoMs } from './clock.ts';
import type { ControlFact } from './control.ts';
import type { ContainmentReason, GroundedContextEnvelope } from './envelope.ts';
import type { Closing, Escalation, Incident, Outcome } from './incident.ts';
import type { FailureClass } from './classification.ts';
import type { ModelFailure, ModelPurpose } from './model.ts';
import type { HintFact } from './hints.ts';
import type { MemoryFact } from './memory.ts';
import type { Decider, GuardVerdict, Plan, PlanRejection } from './plan.ts';
import type { ChannelId, IncidentId, RunId, Scope } from './scope.ts';
import type { Symptom } from './symptom.ts';
import type { RuleState } from './rule.ts';
import type { PermitId, PermitTerms, ToolName, ToolResult, Verification } from './tool.ts';

/**
 * `proposed`: its file was written. `shadow`: it is tried without effect. `staging`: a person copied it into the
 * configuration; it is heard, and a change that rests on it alone needs a person's yes. `production`: it is heard.
 * `demoted`: its file is still there, and it is no longer heard. `retired`: neither tried nor heard. `promoted` is what
 * earlier versions wrote for `production`.
 */
export const PATTERN_STATES = [
  'proposed',
  'shadow',
  'staging',
  'production',
  'demoted',
  'retired',
  'promoted',
] as const;
export type PatternState = (typeof PATTERN_STATES)[number];

const START_ORIGINS = ['reeve', 'engine', 'operator', 'unknown'] as const;
export type StartOrigin = (typeof START_ORIGINS)[number];

/**
 * `suspended`: the machine slept. `stopped`: the process stood still, or the machine below it did. `corrected`:
 * somebody set the wall clock, which no decision reads (law T1).
 */
const CLOCK_ANOMALIES = ['suspended', 'stopped', 'corrected'] as const;
export type ClockAnomaly = (typeof CLOCK_ANOMALIES)[number];

/** What happened, in the past tense. State, metrics, console and memory all read this and nothing else. */
export type JournalFact =
  | {
      readonly type: 'reeve.started';
      readonly version: string;
      readonly configSha: string;
      /**
       * By how much the clock that goes on in suspend was ahead of the monotonic one. Within one boot it grows by what
       * the machine sleeps. Left out where no such clock is, and in a journal of an earlier version.
       */
      readonly bootAheadMs?: number;
    }
  | { readonly type: 'reeve.stopped'; readonly because: string }
  | {
      readonly type: 'config.loaded';
      readonly configSha: string;
      readonly because: string;
      /** What of it is in force at once, by its keys. Absent in an entry of an earlier version. */
      readonly applied?: readonly string[];
    }
  | { readonly type: 'config.rejected'; readonly problems: number; readonly first: string }
  /** Without a cause: an older journal. */
  | { readonly type: 'clock.jumped'; readonly byMs: number; readonly cause?: ClockAnomaly }
  | { readonly type: 'symptom.raised'; readonly symptom: Symptom }
  | {
      readonly type: 'start.observed';
      readonly origin: StartOrigin;
      readonly generation: string;
      readonly engine: string;
      /** It was seen so long after it had begun, by the engine's own account; absent: at once. */
      readonly agoMs?: number;
      /** The maintenance window in which a person had announced it: it counts in no window of starts (law S2). */
      readonly planned?: string;
      /** It was over when it was seen first: nobody saw it run. */
      readonly over?: true;
      /** The look that showed it had begun no later than a change under way: it may be older than that. */
      readonly mayPrecede?: true;
    }
  | { readonly type: 'incident.opened'; readonly incident: Incident }
  | {
      readonly type: 'incident.reclassified';
      readonly from: FailureClass;
      readonly to: FailureClass;
      readonly because: string;
    }
  | ({ readonly type: 'incident.closed'; readonly openMs: number } & Closing)
  | { readonly type: 'envelope.taken'; readonly envelope: GroundedContextEnvelope }
  | { readonly type: 'plan.made'; readonly plan: Plan }
  /** A planner chose one of the calls that it was offered. The plan itself follows as `plan.made`. */
  | {
      readonly type: 'plan.chosen';
      readonly model: string;
      readonly tool: ToolName | 'wait' | 'stop' | 'escalate';
      /** `channel:news`; `-` where nothing is called. */
      readonly target: string;
      readonly becauseCode: string;
      /** Of the envelope that it was shown, which is the one taken at `envelopeTakenMs`. */
      readonly evidenceIds: readonly string[];
      readonly envelopeTakenMs: MonoMs;
      readonly choices: number;
    }
  | { readonly type: 'plan.rejected'; readonly model: string; readonly reason: PlanRejection }
  /** What became of a pattern that a person or a model named; its file lies in the state directory. */
  | {
      readonly type: 'pattern.state_set';
      readonly pattern: string;
      /** Of the file's bytes. */
      readonly sha256: string;
      readonly to: PatternState;
      readonly who: string;
      readonly because: string;
    }
  /** A proposed pattern fits lines that nothing else recognises, and does nothing. */
  | {
      readonly type: 'pattern.shadowed';
      readonly pattern: string;
      readonly sha256: string;
      readonly lines: number;
    }
  /** One call of a model ended, whatever came of it. Money in millionths of the configured currency. */
  | {
      readonly type: 'model.called';
      readonly model: string;
      readonly purpose: ModelPurpose;
      readonly failure: ModelFailure | undefined;
      readonly promptTokens: number;
      readonly replyTokens: number;
      readonly costMicros: number;
      readonly tookMs: number;
    }
  | { readonly type: 'guard.decided'; readonly call: string; readonly decision: GuardVerdict; readonly tookMs: number }
  | { readonly type: 'tool.started'; readonly permit: PermitTerms }
  | { readonly type: 'tool.finished'; readonly permit: PermitTerms; readonly result: ToolResult }
  /** The call began and Reeve died: used, failed, and never run again. */
  | { readonly type: 'tool.unknown'; readonly permit: PermitTerms; readonly because: string }
  | {
      readonly type: 'attempt.verified';
      readonly permit: PermitTerms;
      readonly verification: Verification;
      readonly fingerprint: string;
    }
  /** It looked cured and failed again at once: the cure did not hold. */
  | {
      readonly type: 'attempt.relapsed';
      readonly permit: PermitTerms;
      readonly fingerprint: string;
      readonly because: string;
    }
  /** How much one call of a run helped, by the loop's own score: 1 the failure is gone, 0 no better. */
  | {
      readonly type: 'attempt.scored';
      readonly by: Decider;
      readonly permit: PermitId;
      readonly tool: ToolName;
      readonly score: number;
      /** Undefined for a call that only looks. */
      readonly cured: boolean | undefined;
      readonly fingerprint: string;
      /** The channel had output before the run and has none after it. */
      readonly harmed?: true;
    }
  /** A rule on trial fits, and does nothing: what follows shows how it would have gone without it. */
  | {
      readonly type: 'rule.shadowed';
      readonly rule: string;
      readonly sha256: string;
      readonly fingerprint: string;
      /** What it would have asked for: `restart_channel on channel:news`. */
      readonly would: string;
      /** It counts only if nothing was changed until then. */
      readonly deadlineMs: MonoMs;
    }
  | {
      readonly type: 'rule.state_set';
      readonly rule: string;
      /** Of the file's bytes. */
      readonly sha256: string;
      readonly to: RuleState;
      readonly who: string;
      readonly because: string;
    }
  /** What a call of unknown end was made on is seen healthy. `scope`: of a group or an engine; else the channel's. */
  | { readonly type: 'unknown.settled'; readonly because: string; readonly scope?: Scope }
  | { readonly type: 'run.started'; readonly attempt: number }
  | {
      readonly type: 'run.ended';
      readonly outcome: Outcome;
      readonly steps: number;
      readonly tookMs: number;
      /** It did not come to its own end: Reeve died, and the next process wrote this. */
      readonly cutOff?: true;
    }
  | {
      readonly type: 'containment.raised';
      readonly scope: Scope;
      readonly reason: ContainmentReason;
      readonly detail: string;
      readonly releaseByPerson: boolean;
    }
  | {
      readonly type: 'containment.cleared';
      readonly scope: Scope;
      readonly reason: ContainmentReason;
      readonly because: string;
    }
  | { readonly type: 'escalation.raised'; readonly escalation: Escalation }
  | { readonly type: 'escalation.resolved'; readonly key: string; readonly because: string }
  | { readonly type: 'escalation.acked'; readonly key: string; readonly who: string }
  | {
      readonly type: 'delivery.done';
      readonly key: string;
      readonly receiver: string;
      readonly what: 'trigger' | 'repeat' | 'resolve';
      readonly attempts: number;
      /** The id of the escalation whose content went out: by then a newer one may stand under the key. */
      readonly escalation?: string | undefined;
    }
  | {
      readonly type: 'delivery.failed';
      readonly key: string;
      readonly receiver: string;
      readonly what: 'trigger' | 'repeat' | 'resolve';
      readonly error: string;
    }
  /** States of all projections, so that older entries may go. `state` is JSON. */
  | { readonly type: 'snapshot.taken'; readonly states: readonly { readonly name: string; readonly state: string }[] }
  /** Its hash chain does not hold, or a record cannot be read. `firstBad`: absent where no record can be named. */
  | { readonly type: 'journal.broken'; readonly firstBad?: number | undefined; readonly because: string }
  | ControlFact
  | MemoryFact
  | HintFact;

export type FactType = JournalFact['type'];

/** What a fact is about. */
export interface About {
  readonly channel?: ChannelId | undefined;
  readonly incident?: IncidentId | undefined;
  readonly run?: RunId | undefined;
}

export type Draft = About & { readonly fact: JournalFact };

/** All conditions must hold. An empty query is the whole journal, oldest first. */
export interface JournalQuery {
  /** First seq wanted, inclusive. */
  readonly sinceSeq?: number;
  /** Last seq wanted, inclusive. */
  readonly throughSeq?: number;
  readonly types?: readonly string[];
  readonly channel?: ChannelId;
  readonly incident?: IncidentId;
  readonly limit?: number;
  readonly newestFirst?: boolean;
}

export interface JournalEntry extends About {
  /** Dense and increasing from 1. Assigned by the journal, never by the caller. */
  readonly seq: number;
  readonly at: EpochMs;
  readonly monoMs: MonoMs;
  /** The boot in which `monoMs` was read. */
  readonly boot: string;
  readonly fact: JournalFact;
}

/** The one side effect that every stage may have: all drafts become durable together, or none and it throws. */
export type Append = (drafts: readonly Draft[]) => readonly JournalEntry[];

/**
 * A state that is a fold over the journal: rebuilt at boot, advanced in the transaction's wake.
 * `apply` is pure; its state survives JSON.
 */
export interface Projection<State> {
  readonly name: string;
  readonly initial: State;
  apply(state: State, entry: JournalEntry): State;
}

/** Reads the present state of a projection. */
export type Read<State> = () => State;
