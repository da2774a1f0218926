import type { GroundedContextEnvelope } from '../core/envelope.ts';
import type { ToolResult, Verification } from '../core/tool.ts';

/**
 * How much one step helped, from two envelopes and the verification:
 * 1 the channel is healthy, or a restart is verified; 0.8 the tool's own effect is verified and the channel still fails
 * (credentials fixed, restart due); 0.6 a tool that only looks did its work; 0.3 not verified, but the trouble changed
 * or its errors halved; 0 no better.
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
  if (envelope.channelHealthy === true) return 1;
  if (verification?.cured) return result.call.tool === 'restart_channel' ? 1 : 0.8;
  if (verification === undefined) return result.ok ? 0.6 : 0;
  const changed = envelope.failureClassification !== before.failureClassification;
  const halved = before.errorFrequency > 0 && envelope.errorFrequency <= before.errorFrequency / 2;
  return changed || halved ? 0.3 : 0;
}
