/** When an attempt that was not judged counts as failed. */
import type { MonoMs } from '../core/clock.ts';
import type { PermitTerms, ToolName } from '../core/tool.ts';
import { specOf } from '../remediation/catalog.ts';

/** Beyond the declared time to verify: a slow loop must not make a failure of a cure. */
const VERDICT_GRACE_MS = 10_000;

/** When an attempt whose call ended then has failed, if it is not judged: settling, verifying, and a grace. */
export function verdictDueAfterMs(tool: ToolName, endMs: MonoMs): MonoMs {
  const spec = specOf(tool);
  return endMs + spec.settleMs + spec.verifyWithinMs + VERDICT_GRACE_MS;
}

/** The same at the moment of the permit, which may be redeemed late and whose call may take all its time. */
export function verdictDueMs(terms: PermitTerms): MonoMs {
  const { timeoutMs, attemptsMax } = specOf(terms.call.tool);
  return verdictDueAfterMs(terms.call.tool, terms.expiresMs + timeoutMs * attemptsMax);
}
