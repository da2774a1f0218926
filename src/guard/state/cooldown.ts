// Computes the time until a tool may be used again on a target (law S1).
import type { MonoMs } from '../../core/clock.ts';
import type { PermitId } from '../../core/tool.ts';

/** The last use of a tool: from its permit to the end of its call. */
export interface ToolUse {
  permit: PermitId;
  expiresMs: MonoMs;
  startedMs?: MonoMs;
  endedMs?: MonoMs;
  /** The use before it, should this one prove never to have begun. */
  before?: ToolUse;
}

/** When it ended; undefined while it may still begin or is under way. An unused permit ended when it expired. */
export function endOf(use: ToolUse, nowMs: MonoMs): MonoMs | undefined {
  if (use.endedMs !== undefined) return use.endedMs;
  if (use.startedMs !== undefined || nowMs < use.expiresMs) return undefined;
  return use.expiresMs;
}

export interface Cooldown {
  /** 0 when the tool may run again: at exactly `cooldownMs` after the end it may. */
  readonly leftMs: number;
  readonly inFlight: boolean;
}

/** Law S1: counted from the end of the last use. While a call is in flight its cooldown has not even begun. */
export function cooldownOf(use: ToolUse | undefined, cooldownMs: number, nowMs: MonoMs): Cooldown {
  if (use === undefined) return { leftMs: 0, inFlight: false };
  const endMs = endOf(use, nowMs);
  if (endMs !== undefined) return { leftMs: Math.max(0, endMs + cooldownMs - nowMs), inFlight: false };
  const beginsMs = use.startedMs === undefined ? use.expiresMs : nowMs;
  return { leftMs: Math.max(1, beginsMs + cooldownMs - nowMs), inFlight: true };
}
