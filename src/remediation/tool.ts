/** The shape of one tool: its limits, what it does on an engine and how its effect is verified. */
import type { ActionContext, Engine } from '../core/engine.ts';
import { ReeveError } from '../core/errors.ts';
import { type ChannelRef, type EngineId, keyOfScope, type Scope } from '../core/scope.ts';
import type { PermitTerms, ToolName, ToolSpec } from '../core/tool.ts';

/** What fresh samples say of an action so far. */
export interface Verdict {
  readonly state: 'cured' | 'not_yet' | 'failed';
  readonly because: string;
}

/** What a tool's body may touch. No runner, no guard, no other tool: a tool cannot start a tool (law S7). */
export interface ToolPorts {
  channelOf(id: string): ChannelRef | undefined;
  engineOf(id: EngineId): Engine | undefined;
  /** One line about the channel's health, from samples that were taken already. */
  healthLine(channel: string): string;
  /** Log text made safe: secrets and control characters gone, at most 400 characters. */
  clean(text: string): string;
}

/**
 * Does one thing and says in one line what came of it; throws a `ReeveError` when it did not work.
 * `engine` is the permit's: a group does not name its engine.
 */
export type ToolBody = (
  ports: ToolPorts,
  target: Scope,
  context: ActionContext,
  engine?: EngineId | undefined,
) => Promise<string>;

/** What is known when an effect is verified. */
export interface EffectInput {
  readonly terms: PermitTerms;
  /** Only samples taken after this moment count. */
  readonly sinceMs: number;
  /** The process generation before the action; undefined where none was known. */
  readonly previousGeneration: string | undefined;
  /** Cache entries before the action; undefined where the engine did not report it. */
  readonly cacheEntriesBefore: number | undefined;
  readonly signal: AbortSignal;
}

/** How a person asks for a change: regular expressions of what is done, and to what of a channel. */
export interface Phrase {
  readonly verb: string;
  readonly thing: string;
}

/** Where an effect can be seen: the channel's own samples, or a probe of the engine. */
export interface EffectPorts {
  freshOutput(channel: string, sinceMs: number, previousGeneration: string | undefined): Verdict;
  /** Undefined when the engine is no longer configured. */
  readonly engine: Engine | undefined;
}

/** How a change is verified. `samples` costs nothing and may be asked at any time; `probe` is a call to the engine. */
export interface EffectCheck {
  readonly by: 'samples' | 'probe';
  check(ports: EffectPorts, input: EffectInput): Verdict | Promise<Verdict>;
  /** Counts the engine's cache entries before the call, where the effect is compared with them. */
  readonly comparesCache?: boolean;
}

/** One tool: everything that has to be written to add one, beside its name in `core/tool.ts`. */
export interface Tool {
  readonly spec: ToolSpec;
  readonly run: ToolBody;
  /** Undefined for tools that only look. */
  readonly effect: EffectCheck | undefined;
  /** Undefined for tools that only look: they are asked by their names. */
  readonly phrase?: Phrase;
}

/** Defaults of a tool that only looks. */
export const OBSERVES = {
  effect: 'observe',
  risk: 'low',
  idempotent: true,
  cures: [],
  settleMs: 0,
  verifyWithinMs: 0,
  engineWide: false,
  startsProcess: false,
  curesOutput: false,
  mayFollowCureOf: [],
} as const satisfies Partial<ToolSpec>;

/** Defaults of a tool that changes something at the engine, and is no start. */
export const CHANGES = {
  effect: 'change',
  engineWide: false,
  startsProcess: false,
  curesOutput: false,
  mayFollowCureOf: [],
} as const satisfies Partial<ToolSpec>;

export const notYet = (because: string): Verdict => ({ state: 'not_yet', because });
export const cured = (because: string): Verdict => ({ state: 'cured', because });

/** The engine that a call goes to; throws ENGINE_REFUSED when none is configured. */
export function engineAt(ports: ToolPorts, target: Scope, ofPermit: EngineId | undefined): Engine {
  const own = target.kind === 'channel' ? ports.channelOf(target.id)?.engine : undefined;
  const engine = ports.engineOf(own ?? (target.kind === 'engine' ? target.id : ofPermit) ?? '');
  if (engine) return engine;
  throw new ReeveError('ENGINE_REFUSED', `no engine is configured for ${keyOfScope(target)}`);
}

/** The channel that a call is about; throws ENGINE_REFUSED for anything else. */
export function channelAt(target: Scope): string {
  if (target.kind === 'channel') return target.id;
  throw new ReeveError('ENGINE_REFUSED', `a channel was expected, got ${keyOfScope(target)}`);
}

type Verb = 'restart' | 'refreshCredentials' | 'recentLogs' | 'rebuildPlayout' | 'invalidateCache';

/** The engine's verb, bound. The guard has asked for the capability before; a gap here is the adapter's bug. */
export function able<V extends Verb>(engine: Engine, verb: V): NonNullable<Engine[V]> {
  const found = engine[verb];
  if (!found) throw new ReeveError('ENGINE_REFUSED', `engine ${engine.id} (${engine.kind}) cannot ${verb}`);
  return found.bind(engine) as NonNullable<Engine[V]>;
}

/** What is answered where the engine offers no proof of a tool's effect. */
export const noProbe = (tool: ToolName): Verdict => notYet(`the engine has no probe for ${tool}`);
