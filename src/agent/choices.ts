/** What a planner may choose: calls that the guard would allow now, and three ways to end the run. */
import type { GroundedContextEnvelope } from '../core/envelope.ts';
import type { DenialCode } from '../core/plan.ts';
import { keyOfScope } from '../core/scope.ts';
import { TOOL_NAMES, type ToolCall, type ToolName } from '../core/tool.ts';
import { callOf } from '../rulebook/steps.ts';

export const ENDS = ['wait', 'stop', 'escalate'] as const;
/** A way to end the run without a call. */
export type End = (typeof ENDS)[number];

/** One thing that a planner may choose, by its index. Nothing else that it says has any effect. */
export interface Choice {
  readonly index: number;
  readonly tool: ToolName | End;
  /** `channel:news`, or `-` where nothing is called. */
  readonly target: string;
  /** The guard would ask a person first. */
  readonly needsApproval: boolean;
}

/** What the guard would answer now, with nothing reserved. */
export type PreviewCall = (call: ToolCall) => {
  readonly verdict: 'allow' | 'deny';
  readonly code?: DenialCode | undefined;
};

type Offered = Pick<Choice, 'tool' | 'target' | 'needsApproval'>;

/**
 * The choices for an envelope: each tool on the envelope's own target for which the guard answers `allow` or
 * `approval_needed`, in the order of the tools, then `wait`, `stop` and `escalate`. Whatever a planner picks, it can
 * reach nothing that the guard would refuse (law S12), nor what would be in vain. `only`: a rule may offer fewer tools;
 * empty for all.
 */
export function choicesFor(
  envelope: GroundedContextEnvelope,
  preview: PreviewCall,
  only: readonly string[] = [],
): readonly Choice[] {
  const tools = only.length === 0 ? TOOL_NAMES : TOOL_NAMES.filter((tool) => only.includes(tool));
  const calls = tools.flatMap((tool): readonly Offered[] => {
    const call = callOf(tool, envelope);
    const { verdict, code } = preview(call);
    if (verdict === 'deny' && code !== 'approval_needed') return [];
    return [{ tool, target: keyOfScope(call.target), needsApproval: verdict === 'deny' }];
  });
  return numbered(calls);
}

/** The given calls and the three ends, numbered from 0. */
export function numbered(calls: readonly Offered[]): readonly Choice[] {
  const ends = ENDS.map((tool): Offered => ({ tool, target: '-', needsApproval: false }));
  return [...calls, ...ends].map((offered, index) => ({ index, ...offered }));
}

export const isEnd = (tool: Choice['tool']): tool is End => (ENDS as readonly string[]).includes(tool);
