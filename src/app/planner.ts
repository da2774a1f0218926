/** Makes the planner of the configured model, where the configuration wants one. */
import type { PlannerSettings } from '../agent/decide.ts';
import { modelPlanner } from '../agent/planner.ts';
import { createPlannerText } from '../classifier/planner_text.ts';
import type { PlannerConfig } from '../config/config.ts';
import type { Configuration } from '../config/load.ts';
import type { GroundedContextEnvelope } from '../core/envelope.ts';
import type { HintFor } from './hints.ts';
import type { Model } from '../core/model.ts';
import { compiledOf } from '../config/patterns.ts';

/** What was learned from earlier incidents, for a planner. */
export type Recall = (envelope: GroundedContextEnvelope) => readonly string[];

/** Undefined where no model may choose: the mode is off, or no model was there when Reeve started. */
export function plannerOf(
  { patterns, config }: Pick<Configuration, 'patterns'> & { readonly config: { readonly planner: PlannerConfig } },
  model: Model | undefined,
  { recall, hintFor }: { readonly recall?: Recall | undefined; readonly hintFor?: HintFor | undefined } = {},
): PlannerSettings | undefined {
  const { mode, deadlineMs, replyTokensMax } = config.planner;
  if (mode === 'off' || model === undefined) return undefined;
  const { templateOf } = createPlannerText(compiledOf(patterns).catalogue);
  return { planner: modelPlanner({ model, templateOf, recall, hint: hintFor }), mode, deadlineMs, replyTokensMax };
}
