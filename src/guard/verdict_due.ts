import type { MonoMs } from '../core/clock.ts';
import { type EngineId, keyOfScope, type Scope, type ScopeKey } from '../core/scope.ts';
import type { PermitTerms, ToolCall, ToolName, ToolSpec } from '../core/tool.ts';

const SECOND_MS = 1_000;

const looks = { effect: 'observe', risk: 'low', idempotent: true, cures: [], settleMs: 0, verifyWithinMs: 0 } as const;

const SPECS: readonly ToolSpec[] = [
  {
    name: 'restart_channel',
    summary: 'Ends the channel and begins a new life of it.',
    effect: 'change',
    risk: 'high',
    idempotent: false,
    cooldownMs: 30 * SECOND_MS,
    attemptsMax: 1,
    timeoutMs: 20 * SECOND_MS,
    capability: 'restart',
    cures: ['process_crashed', 'output_stalled', 'hls_window_slip', 'publisher_lost'],
    settleMs: 500,
    verifyWithinMs: 30 * SECOND_MS,
  },
  {
    name: 'refresh_credentials',
    summary: 'Has the engine fetch new credentials for its sources.',
    effect: 'change',
    risk: 'low',
    idempotent: true,
    cooldownMs: 60 * SECOND_MS,
    attemptsMax: 2,
    timeoutMs: 15 * SECOND_MS,
    capability: 'credentials',
    cures: ['upstream_auth_expired', 'upstream_url_expired'],
    settleMs: 500,
    verifyWithinMs: 30 * SECOND_MS,
  },
  {
    ...looks,
    name: 'fetch_recent_logs',
    summary: 'Reads the newest log lines of the channel.',
    cooldownMs: 5 * SECOND_MS,
    attemptsMax: 3,
    timeoutMs: 5 * SECOND_MS,
    capability: 'logs',
  },
  {
    ...looks,
    name: 'inspect_pool_status',
    summary: "Reads how full the engine's worker pool is.",
    cooldownMs: 10 * SECOND_MS,
    attemptsMax: 3,
    timeoutMs: 5 * SECOND_MS,
    capability: 'pool',
  },
  {
    ...looks,
    name: 'get_channel_health',
    summary: 'Reads the process state and output of the channel.',
    cooldownMs: 5 * SECOND_MS,
    attemptsMax: 3,
    timeoutMs: 5 * SECOND_MS,
    capability: 'observe',
  },
  {
    name: 'rebuild_playout',
    summary: 'Has the engine plan again what the channel plays.',
    effect: 'change',
    risk: 'medium',
    idempotent: false,
    cooldownMs: 120 * SECOND_MS,
    attemptsMax: 1,
    timeoutMs: 60 * SECOND_MS,
    capability: 'rebuild',
    cures: ['playout_empty', 'media_unplayable'],
    settleMs: 1 * SECOND_MS,
    verifyWithinMs: 60 * SECOND_MS,
  },
  {
    name: 'invalidate_cache',
    summary: "Drops the engine's cached addresses and guide, for the channel or for all.",
    effect: 'change',
    risk: 'low',
    idempotent: true,
    cooldownMs: 30 * SECOND_MS,
    attemptsMax: 2,
    timeoutMs: 15 * SECOND_MS,
    capability: 'cache',
    cures: ['upstream_url_expired', 'guide_stale'],
    settleMs: 500,
    verifyWithinMs: 30 * SECOND_MS,
  },
];

/** The seven tools and their limits. */
export const TOOL_SPECS: ReadonlyMap<ToolName, ToolSpec> = new Map(SPECS.map((spec) => [spec.name, spec]));

/** The spec of a tool that is known to exist. */
export const specOf = (tool: ToolName): ToolSpec => TOOL_SPECS.get(tool)!;

/**
 * What each tool may be pointed at. `restart_channel` at a group or engine is a staged start and names its channels.
 */
export const TARGET_KINDS: Readonly<Record<ToolName, readonly Scope['kind'][]>> = {
  restart_channel: ['channel', 'group', 'engine'],
  refresh_credentials: ['channel', 'group', 'engine'],
  fetch_recent_logs: ['channel', 'group', 'engine'],
  inspect_pool_status: ['channel', 'group', 'engine'],
  get_channel_health: ['channel'],
  rebuild_playout: ['channel'],
  invalidate_cache: ['channel', 'group', 'engine'],
};

/** A restart of several channels of one group as one plan (law S4). */
export const isStaged = (call: ToolCall): boolean => call.tool === 'restart_channel' && call.target.kind !== 'channel';

/** These act on the engine as a whole, whichever channel they were asked for: their cooldown is the engine's. */
const ENGINE_WIDE: ReadonlySet<ToolName> = new Set(['refresh_credentials', 'inspect_pool_status']);

/** Whose cooldown and whose record a call belongs to: the engine's for what acts engine-wide, else the target's. */
export function subjectOf(call: ToolCall, engine: EngineId | undefined): ScopeKey {
  const isWide = ENGINE_WIDE.has(call.tool) || (call.target.kind !== 'channel' && !isStaged(call));
  return isWide && engine !== undefined ? keyOfScope({ kind: 'engine', id: engine }) : keyOfScope(call.target);
}

/** Beyond the declared time to verify: a slow loop must not turn a cure into a failure. */
const VERDICT_GRACE_MS = 10 * SECOND_MS;

/** When an attempt whose call ended then has failed, should nobody judge it: settling, verifying, and a grace. */
export function verdictDueAfterMs(tool: ToolName, endMs: MonoMs): MonoMs {
  const spec = specOf(tool);
  return endMs + spec.settleMs + spec.verifyWithinMs + VERDICT_GRACE_MS;
}

/** The same at the moment of the permit, which may be redeemed late and whose call may take all its time. */
export function verdictDueMs(terms: PermitTerms): MonoMs {
  const { timeoutMs, attemptsMax } = specOf(terms.call.tool);
  return verdictDueAfterMs(terms.call.tool, terms.expiresMs + timeoutMs * attemptsMax);
}
