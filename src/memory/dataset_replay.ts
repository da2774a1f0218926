/** Whether the rows of the dataset reproduce the decisions that they record. */
import type { GroundedContextEnvelope } from '../core/envelope.ts';
import type { Plan } from '../core/plan.ts';
import type { Attempt, ToolName } from '../core/tool.ts';
import type { ChainRow, ChainStep } from './dataset.ts';

/** The rulebook's answer to an envelope; `allowed`: whether a tool could be asked for at the time. */
export type Decide = (
  envelope: GroundedContextEnvelope,
  attempts: readonly Attempt[],
  allowed: (tool: ToolName) => boolean,
) => Plan | undefined;

export interface Replayed {
  /** Decisions that came out as the row says. */
  readonly same: number;
  /** Plans of a model, an operator or a rule that is gone: they cannot be made again. */
  readonly notReplayable: number;
  readonly different: readonly { readonly id: string; readonly step: number; readonly because: string }[];
}

/** `knows`: whether the rulebook at hand has the rule. */
export function replayed(rows: readonly ChainRow[], decide: Decide, knows: (rule: string) => boolean): Replayed {
  let same = 0;
  let notReplayable = 0;
  const different: { id: string; step: number; because: string }[] = [];
  for (const { id, steps } of rows) {
    steps.forEach((step, index) => {
      const guard = guardDifference(step);
      const isRule = step.plan.by.kind === 'rule' && knows(step.plan.by.rule);
      const plan = isRule ? planDifference(step, attemptsBefore(steps, index), decide) : undefined;
      const because = guard ?? plan;
      if (because !== undefined) different.push({ id, step: index, because });
      else if (isRule) same += 1;
      else notReplayable += 1;
    });
  }
  return { same, notReplayable, different };
}

/** The first refusal in the guard's trace is its answer; without one it allows. */
function guardDifference({ guard }: ChainStep): string | undefined {
  if (guard === null || guard.trace.length === 0) return undefined;
  const refusal = guard.trace.find(({ verdict }) => verdict === 'refuse');
  const verdict = refusal === undefined ? 'allow' : 'deny';
  if (verdict !== guard.verdict) return `the guard's questions say ${verdict}, the row says ${guard.verdict}`;
  if (refusal?.code !== undefined && refusal.code !== guard.code)
    return `refused for ${refusal.code}, not ${guard.code}`;
  return undefined;
}

function planDifference(step: ChainStep, attempts: readonly Attempt[], decide: Decide): string | undefined {
  const { plan, envelope } = step;
  const wasAway = (tool: ToolName) => plan.because.includes(`${tool} is not available`);
  const again = decide(envelope, attempts, (tool) => !wasAway(tool));
  const recorded = textOf(plan);
  const now = again === undefined ? 'nothing' : textOf(again);
  return recorded === now ? undefined : `the rulebook says ${now}, the row says ${recorded}`;
}

const textOf = (plan: Plan): string => (plan.kind === 'act' ? `act ${plan.call.tool}` : plan.kind);

/** What had been tried before in this run. */
function attemptsBefore(steps: readonly ChainStep[], index: number): readonly Attempt[] {
  const { run: own } = steps[index]!;
  return steps.slice(0, index).flatMap(({ run, plan, action, cured }): Attempt[] => {
    if (run !== own || plan.kind !== 'act' || action === null) return [];
    const { call } = plan;
    const result = { permit: '', call, ok: action.ok, summary: '', durationMs: 0, code: action.code ?? undefined };
    const verification = cured === null ? undefined : { permit: '', cured, because: '', waitedMs: 0 };
    return [{ result, verification, score: cured === true ? 1 : 0 }];
  });
}
