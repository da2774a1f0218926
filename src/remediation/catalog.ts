/** All tools by name, and what is asked of their specs; nothing else lists tools. */
import type { FailureClass } from '../core/classification.ts';
import { type EngineId, keyOfScope, type ScopeKey } from '../core/scope.ts';
import type { ToolCall, ToolName, ToolSpec } from '../core/tool.ts';
import type { Tool } from './tool.ts';
import { fetchRecentLogs } from './tools/fetch_recent_logs.ts';
import { getChannelHealth } from './tools/get_channel_health.ts';
import { inspectPoolStatus } from './tools/inspect_pool_status.ts';
import { invalidateCache } from './tools/invalidate_cache.ts';
import { rebuildPlayout } from './tools/rebuild_playout.ts';
import { refreshCredentials } from './tools/refresh_credentials.ts';
import { restartChannel } from './tools/restart_channel.ts';

/** A name without a tool does not compile. */
export const TOOLS: Readonly<Record<ToolName, Tool>> = {
  restart_channel: restartChannel,
  refresh_credentials: refreshCredentials,
  fetch_recent_logs: fetchRecentLogs,
  inspect_pool_status: inspectPoolStatus,
  get_channel_health: getChannelHealth,
  rebuild_playout: rebuildPlayout,
  invalidate_cache: invalidateCache,
};

/** The tools' limits, in the order in which they are shown. */
export const TOOL_SPECS: ReadonlyMap<ToolName, ToolSpec> = new Map(
  Object.values(TOOLS).map(({ spec }) => [spec.name, spec]),
);

export const specOf = (tool: ToolName): ToolSpec => TOOLS[tool].spec;

/** The tools that cure a classification. */
export const curesOf = (found: FailureClass): readonly ToolName[] =>
  Object.values(TOOLS).flatMap(({ spec }) => (spec.cures.includes(found) ? [spec.name] : []));

/** A start of one channel: what laws S1 to S5 count. */
export const isStart = (call: ToolCall): boolean => specOf(call.tool).startsProcess && call.target.kind === 'channel';

/** A tool that, used on many channels, is used on each of them by itself. */
export const isOnEach = (tool: ToolName): boolean => specOf(tool).onMany === 'each_channel';

/** A start of several channels of one group as one plan (law S4). */
export const isStaged = (call: ToolCall): boolean => isOnEach(call.tool) && call.target.kind !== 'channel';

/** Whose cooldown and whose record a call belongs to: the engine's for what acts engine-wide, else the target's. */
export function subjectOf(call: ToolCall, engine: EngineId | undefined): ScopeKey {
  const isWide = specOf(call.tool).engineWide || (call.target.kind !== 'channel' && !isStaged(call));
  return isWide && engine !== undefined ? keyOfScope({ kind: 'engine', id: engine }) : keyOfScope(call.target);
}
