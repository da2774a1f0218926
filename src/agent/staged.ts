import type { Clock } from '../core/clock.ts';
import type { GuardDecision } from '../core/plan.ts';
import type { Permit, ToolResult, Verification } from '../core/tool.ts';

/** What a staged start asks of the world, for one channel at a time. */
export interface StagedPorts {
  readonly clock: Clock;
  /** Asks the questions again for this channel, under the plan's permit (law S4). */
  child(plan: Permit, channel: string): GuardDecision;
  /** Until the deadline of the run. */
  leftMs(): number;
  /** The most that one start and its verification may take. */
  readonly startMsMax: number;
  /** It plays by itself by now: starting it would be needless. */
  healthy(channel: string): boolean;
  act(permit: Permit, signal: AbortSignal): Promise<ToolResult>;
  verify(permit: Permit, result: ToolResult, signal: AbortSignal): Promise<Verification>;
}

/** How often one channel may wait for room in the window before the stage is given up. */
const WAITS_MAX = 10;

/**
 * Starts what stayed dark after a shared cause: one channel as a canary, the others one by one, each only after the
 * one before is verified, stopping at the first that is not, or in time before the run ends. One high-risk action with
 * one child permit per start.
 */
export async function stagedStart(plan: Permit, ports: StagedPorts, signal: AbortSignal): Promise<ToolResult> {
  const startedMs = ports.clock.monotonicMs();
  const started: string[] = [];
  const skipped: string[] = [];
  let stopped: string | undefined;
  for (const channel of plan.terms.call.channels) {
    if (signal.aborted) stopped = 'the run ended';
    if (stopped !== undefined) break;
    if (ports.healthy(channel)) {
      skipped.push(channel);
      continue;
    }
    // Cut off in the middle of a start, the run would end with nothing told of those that were started.
    const isLate = started.length > 0 && ports.leftMs() < ports.startMsMax;
    stopped = isLate ? `${channel}: the time of one run is over` : await startOne(plan, channel, ports, signal);
    if (stopped === undefined) started.push(channel);
  }
  const rest = plan.terms.call.channels.length - started.length - skipped.length;
  return {
    permit: plan.terms.id,
    call: plan.terms.call,
    ok: stopped === undefined,
    code: stopped === undefined ? undefined : 'staged_stopped',
    summary: summaryOf({ started, skipped, stopped, rest }).slice(0, 400),
    durationMs: ports.clock.monotonicMs() - startedMs,
  };
}

/** Undefined when the channel was started and verified; else why the stage stops here. */
async function startOne(plan: Permit, channel: string, ports: StagedPorts, signal: AbortSignal) {
  const decision = await permitFor(plan, channel, ports, signal);
  if (decision === undefined) return ports.healthy(channel) ? undefined : `${channel}: no time left while waiting`;
  if (decision.verdict === 'deny') return `${channel}: ${decision.code}, ${decision.because}`;
  const result = await ports.act(decision.permit, signal);
  const verification = await ports.verify(decision.permit, result, signal);
  return verification.cured ? undefined : `${channel}: not verified, ${verification.because}`;
}

/** Waits for room in the window, a bounded number of times; every wait is followed by all the questions again. */
async function permitFor(plan: Permit, channel: string, ports: StagedPorts, signal: AbortSignal) {
  for (let waits = 0; ; waits += 1) {
    const decision = ports.child(plan, channel);
    if (decision.verdict === 'allow' || decision.code !== 'restart_storm') return decision;
    if (decision.retryAfterMs === undefined || waits >= WAITS_MAX) return decision;
    await ports.clock.sleep(decision.retryAfterMs, signal).catch(() => undefined);
    if (signal.aborted || ports.healthy(channel)) return undefined;
  }
}

function summaryOf(story: { started: string[]; skipped: string[]; stopped: string | undefined; rest: number }): string {
  const parts = [`started ${story.started.length}: ${story.started.join(', ') || 'none'}`];
  if (story.skipped.length > 0) parts.push(`already playing: ${story.skipped.join(', ')}`);
  if (story.stopped !== undefined) parts.push(`stopped at ${story.stopped}; ${story.rest} left`);
  return parts.join('; ');
}
