/** Waits for fresh samples after an action and says whether it helped. */
import type { Clock, MonoMs } from '../core/clock.ts';
import type { Append } from '../core/journal.ts';
import type { PermitTerms, ToolResult, ToolSpec, Verification } from '../core/tool.ts';
import { aboutOf } from './runner.ts';
import type { Verdict } from './tool.ts';

export interface VerifyDeps {
  readonly append: Append;
  readonly clock: Clock;
  /** Judges only on samples taken after `sinceMs`. No samples is `not_yet`, and in the end not a cure. */
  judge(permit: PermitTerms, sinceMs: MonoMs, signal: AbortSignal): Verdict | Promise<Verdict>;
  /** Reeve was asked to stop. Absent: never. */
  readonly stopping?: () => boolean;
  /** Asks the probes of the target to look often for a while. */
  lookCloser(permit: PermitTerms, forMs: number): void;
}

const JUDGE_EVERY_MS = 100;

/**
 * Returned success is not success: waits for fresh samples and says whether the action helped, by the tool's deadline.
 * A call that never left (open transport breaker, invalid permit) has failed at once.
 */
export async function verify(
  deps: VerifyDeps,
  action: {
    readonly terms: PermitTerms;
    readonly spec: ToolSpec;
    readonly result: ToolResult;
    readonly fingerprint: string;
  },
  signal: AbortSignal,
): Promise<Verification> {
  const { terms, spec, result, fingerprint } = action;
  const startedMs = deps.clock.monotonicMs();
  const verdict = neverLeft(result) ? failed(result.summary) : await wait(deps, { terms, spec, startedMs }, signal);
  const verification: Verification = {
    permit: terms.id,
    cured: verdict.state === 'cured',
    because: verdict.because,
    waitedMs: deps.clock.monotonicMs() - startedMs,
    ...(verdict.state === 'not_yet' ? { cutOff: true } : {}),
  };
  deps.append([{ ...aboutOf(terms), fact: { type: 'attempt.verified', permit: terms, verification, fingerprint } }]);
  return verification;
}

/** The engine was not asked: nothing that is seen afterwards came of it. */
export const neverLeft = (result: ToolResult): boolean =>
  !result.ok && (result.code === 'BREAKER_OPEN' || result.code === 'permit_invalid' || result.code === 'tool_unknown');

const failed = (because: string): Verdict => ({ state: 'failed', because });

async function wait(
  deps: VerifyDeps,
  action: { readonly terms: PermitTerms; readonly spec: ToolSpec; readonly startedMs: MonoMs },
  signal: AbortSignal,
): Promise<Verdict> {
  const { terms, spec, startedMs } = action;
  deps.lookCloser(terms, spec.settleMs + spec.verifyWithinMs);
  if (spec.settleMs > 0) await deps.clock.sleep(spec.settleMs, signal).catch(() => undefined);
  let verdict: Verdict = { state: 'not_yet', because: 'no fresh samples' };
  while (!signal.aborted && deps.clock.monotonicMs() - startedMs < spec.settleMs + spec.verifyWithinMs) {
    verdict = await deps.judge(terms, terms.grantedMs, signal);
    if (verdict.state !== 'not_yet') return verdict;
    await deps.clock.sleep(JUDGE_EVERY_MS, signal).catch(() => undefined);
  }
  if (signal.aborted && deps.stopping?.() === true) {
    return { state: 'not_yet', because: `Reeve was stopped before it was seen whether it helps: ${verdict.because}` };
  }
  return failed(`not verified within ${spec.verifyWithinMs} ms: ${verdict.because}`);
}
