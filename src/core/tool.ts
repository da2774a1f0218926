/** Types of tools, capabilities, calls and results. */
import type { FailureClass } from './classification.ts';
import type { MonoMs } from './clock.ts';
import type { EngineId, GroupId, IncidentId, RunId, Scope } from './scope.ts';

/** Every tool by name, in the order in which they are offered, and whether it looks or changes something. */
const EFFECTS = {
  restart_channel: 'change',
  refresh_credentials: 'change',
  fetch_recent_logs: 'observe',
  inspect_pool_status: 'observe',
  get_channel_health: 'observe',
  rebuild_playout: 'change',
  invalidate_cache: 'change',
} as const;
export type ToolName = keyof typeof EFFECTS;
export const TOOL_NAMES: readonly ToolName[] = Object.keys(EFFECTS) as ToolName[];

/** The tools that change something: what a pattern may call for, and what people may ask for. */
export type ChangingTool = { [T in ToolName]: (typeof EFFECTS)[T] extends 'change' ? T : never }[ToolName];
export const CHANGING_TOOLS = TOOL_NAMES.filter((name): name is ChangingTool => EFFECTS[name] === 'change');

/** Older names that operators may write; they mean the tool on the right. */
export const TOOL_ALIASES: Readonly<Record<string, ToolName>> = { refresh_plex_token: 'refresh_credentials' };

export const toolNamed = (name: string): ToolName | undefined =>
  TOOL_NAMES.find((tool) => tool === name) ?? TOOL_ALIASES[name];

const RISKS = ['low', 'medium', 'high'] as const;
export type Risk = (typeof RISKS)[number];

/** What an engine must be able to do for a tool to run at all. */
export const CAPABILITIES = [
  'observe',
  'restart',
  'logs',
  'credentials',
  'rebuild',
  'cache',
  'pool',
  'viewers',
  'kick',
  'bytes',
] as const;
export type Capability = (typeof CAPABILITIES)[number];

/** A declared tool with its own limits: the guard needs no table beside it. */
export interface ToolSpec {
  readonly name: ToolName;
  /** One line: shown to the model, in the console and in help. */
  readonly summary: string;
  readonly effect: 'observe' | 'change';
  readonly risk: Risk;
  readonly idempotent: boolean;
  readonly cooldownMs: number;
  /** How often a retryable failure of the call may be tried within one permit. 1 where it is not idempotent. */
  readonly attemptsMax: number;
  readonly timeoutMs: number;
  readonly capability: Capability;
  /** The classifications that it can cure. Empty for tools that only look. */
  readonly cures: readonly FailureClass[];
  /** Quiet time after the call before a sample counts. */
  readonly settleMs: number;
  /** Not verified this long after the call: the attempt failed. 0 for tools that only look. */
  readonly verifyWithinMs: number;
  /** What the tool may be pointed at. */
  readonly targets: readonly Scope['kind'][];
  /** How it acts on a group or engine: on it as a whole, on each of its channels, or on the first one for all. */
  readonly onMany: 'whole' | 'each_channel' | 'first_channel';
  /** Its cooldown and record are the engine's, whichever channel it was asked for. */
  readonly engineWide: boolean;
  /** It begins a new process generation of the channel: a start, counted by laws S2 and S5. */
  readonly startsProcess: boolean;
  /** Its cure shows in the channel's own output, so it can relapse. */
  readonly curesOutput: boolean;
  /** After one of these classifications' own cure was verified, this tool may follow (law S10). */
  readonly mayFollowCureOf: readonly FailureClass[];
}

/** One tool asked for on one target. */
export interface ToolCall {
  readonly tool: ToolName;
  readonly target: Scope;
  /** For a staged start of a group: the channels, canary first. Empty otherwise. */
  readonly channels: readonly string[];
}

/** `restart_channel on channel:news`. */
export const describeCall = (call: ToolCall): string =>
  `${call.tool} on ${call.target.kind === 'fleet' ? 'fleet' : `${call.target.kind}:${call.target.id}`}`;

export type PermitId = string;

/** What the journal keeps of a permit. */
export interface PermitTerms {
  readonly id: PermitId;
  readonly call: ToolCall;
  readonly incident: IncidentId;
  readonly run: RunId;
  readonly risk: Risk;
  /** The breaker generation that admitted it: a result counts only for this one. */
  readonly generation: number;
  /** An executor refuses a token older than the highest it has seen for the channel. */
  readonly fence: number;
  readonly grantedMs: MonoMs;
  readonly expiresMs: MonoMs;
  /** Of a staged start: the permit of the whole plan. */
  readonly parent: PermitId | undefined;
  /** Where the target belonged when it was granted: the guard's counters must not depend on a later look-up. */
  readonly engine?: EngineId | undefined;
  readonly group?: GroupId | undefined;
  /** The envelope's fingerprint: a start that was not judged in time still counts as a fix that did not work. */
  readonly fingerprint?: string | undefined;
  /** The question whose yes it rests on. */
  readonly approval?: string | undefined;
  /** Expected cost of the action, where viewers are known: viewers times the expected gap in seconds. */
  readonly viewerSeconds?: number | undefined;
}

/**
 * Leave to make one call, once, before it expires.
 * Only the guard grants one; tools cannot run without one. The private field keeps a look-alike object out.
 */
export class Permit {
  readonly terms: PermitTerms;
  readonly #whyNot: WhyNot;
  #used = false;
  #refusal: string | undefined;

  private constructor(terms: PermitTerms, whyNot: WhyNot) {
    this.terms = terms;
    this.#whyNot = whyNot;
  }

  /** `whyNot`: asked when it is redeemed, and before each further try of its call, for what may have come up since. */
  static grant(terms: PermitTerms, whyNot: WhyNot = () => undefined): Permit {
    return new Permit(terms, whyNot);
  }

  /** True the first time, while it is fresh and nothing has come up against it; false ever after. */
  redeem(nowMs: MonoMs): boolean {
    this.#refusal = this.#used ? 'the permit is used' : 'the permit has expired';
    const valid = !this.#used && nowMs < this.terms.expiresMs && this.#mayBegin();
    this.#used = true;
    return valid;
  }

  /** Why it could not be redeemed, for people. */
  get refusal(): string {
    return this.#refusal ?? '';
  }

  /** Why its call, which has failed, may not be tried once more; undefined: it may. */
  whyNotAgain(): string | undefined {
    return this.#whyNot('again');
  }

  #mayBegin(): boolean {
    this.#refusal = this.#whyNot('begin');
    return this.#refusal === undefined;
  }
}

/** What stands in the way of a permitted call by now, for people; undefined: nothing. `again`: it is under way. */
export type WhyNot = (stage: 'begin' | 'again') => string | undefined;

/** The code of a call that was permitted and did not begin. */
export const PERMIT_INVALID = 'permit_invalid';

/** What the hands report. Whether it helped is judged later, from fresh samples. */
export interface ToolResult {
  readonly permit: PermitId;
  readonly call: ToolCall;
  readonly ok: boolean;
  /** At most 400 characters, redacted. */
  readonly summary: string;
  readonly durationMs: number;
  /** The error code when `ok` is false. */
  readonly code: string | undefined;
  /** The call left, and it is not known what it did (law S6). */
  readonly unknown?: true;
  /** The same of a call that may be repeated: it blocks nothing, and may still have an effect when all is over. */
  readonly mayActLate?: true;
}

/** Fresh samples, taken after the action, from another source than the call's own reply. */
export interface Verification {
  readonly permit: PermitId;
  readonly cured: boolean;
  readonly because: string;
  readonly waitedMs: number;
  /** Reeve was stopped before its time was over: it counts as failed, and nobody has seen that it did not help. */
  readonly cutOff?: true;
}

/** One permitted call and how much it helped: 1 = the failure is gone, 0 = no better. */
export interface Attempt {
  readonly result: ToolResult;
  readonly verification: Verification | undefined;
  readonly score: number;
}
