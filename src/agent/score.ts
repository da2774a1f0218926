/** How much one step of a run helped. */
import type { GroundedContextEnvelope } from '../core/envelope.ts';
import type { ToolResult, Verification } from '../core/tool.ts';
import { specOf } from '../remediation/catalog.ts';

/** Nothing is wrong any more. A channel may be healthy and still have a trouble beside its picture, a stale guide. */
export const isWell = ({ failureClassification, channelHealthy }: GroundedContextEnvelope): boolean =>
  channelHealthy === true && failureClassification === undefined;

/**
 * How much one step helped, from two envelopes and the verification:
 * 1 a restart is verified, or another effect and the channel is healthy, or all is well after a mere look; 0.8 the
 * tool's own effect is verified and the channel still fails (credentials fixed, restart due); 0.6 a tool that only
 * looks did its work; 0.3 not verified, but the trouble is gone or another one, or its errors halved; 0 no better.
 * What is not verified is no cure, whatever happened meanwhile (docs/guard.md): it is never worth 1.
 */
export function scoreOf(
  before: GroundedContextEnvelope,
  after: {
    readonly envelope: GroundedContextEnvelope;
    readonly result: ToolResult;
    readonly verification: Verification | undefined;
  },
): number {
  const { envelope, result, verification } = after;
  if (verification?.cured) return envelope.channelHealthy || specOf(result.call.tool).startsProcess ? 1 : 0.8;
  if (verification === undefined) return isWell(envelope) ? 1 : result.ok ? 0.6 : 0;
  const changed = envelope.failureClassification !== before.failureClassification;
  const halved = before.errorFrequency > 0 && envelope.errorFrequency <= before.errorFrequency / 2;
  return changed || halved ? 0.3 : 0;
}
