/** The steps of a rule, from what an operator writes to what the machine takes. */
import type { Composite, RuleStep } from '../core/rule.ts';
import { type ToolName, type ToolSpec, toolNamed } from '../core/tool.ts';
import { type OneRuleDocument, STEP_KINDS, type StepDocument } from './rule_document.ts';
import type { Say } from './rule_facts.ts';
import { listed, nearest } from './suggestions.ts';
import type { Path } from './yaml.ts';

/** What a rule must know of a tool. The guard's table of tools fits. */
export type RuleTool = Pick<ToolSpec, 'name' | 'effect' | 'cures'>;

const CALLS_MAX = 3;

export interface Steps {
  readonly note: (path: Path, message: string, hint?: string) => void;
  readonly tools: readonly RuleTool[];
  readonly composites: readonly Composite[];
}

/** A step with its place in the file: a composite gives several steps of one place. */
interface Placed {
  readonly step: RuleStep;
  readonly index: number;
}

/** The steps of a rule with its composites expanded; what is wrong is noted at its place. */
export function stepsOf(document: OneRuleDocument, { note, tools, composites }: Steps): readonly RuleStep[] {
  const written = document.then ?? [];
  const placed: readonly Placed[] = written.flatMap((step, index) =>
    expanded(step, composites, (...problem) => note(['then', index], ...problem)).map((one) => ({ step: one, index })),
  );
  const calls: ToolName[] = [];
  for (const { step, index } of placed) {
    if (step.kind === 'plan') continue;
    if (step.kind !== 'call') {
      if (index < written.length - 1)
        note(['then', index + 1], `nothing comes after ${step.kind}`, 'make it the last step');
      break;
    }
    const why = misfit(step.tool, { document, before: calls, tools });
    if (why !== undefined) note(['then', index], ...why);
    calls.push(step.tool);
  }
  const all = placed.filter(({ step }) => step.kind === 'call');
  const over = all[CALLS_MAX];
  if (over)
    note(['then', over.index], `expected at most ${CALLS_MAX} calls, got ${all.length}`, 'a run has three steps');
  return placed.map(({ step }) => step);
}

function expanded(document: StepDocument, composites: readonly Composite[], say: Say): readonly RuleStep[] {
  const step = stepOf(document, say);
  if (document.action === undefined) return [step];
  const composite = composites.find(({ name }) => name === document.action);
  if (composite) return composite.calls.map((tool) => ({ kind: 'call', tool }));
  const names = composites.map(({ name }) => name);
  const meant = nearest(document.action, names);
  const known = names.length === 0 ? 'there is none in config/actions' : `there are ${listed(names, 'and')}`;
  say(`there is no action ${document.action}`, meant === undefined ? known : `did you mean ${meant}?`);
  return [];
}

function stepOf(document: StepDocument, say: Say): RuleStep {
  const kinds = STEP_KINDS.filter((kind) => document[kind] !== undefined);
  if (kinds.length !== 1) {
    say(
      `expected one of ${listed(STEP_KINDS)}, got ${kinds.length === 0 ? 'none' : listed(kinds, 'and')}`,
      'one thing to a step',
    );
  }
  const tool = document.call === undefined ? undefined : toolNamed(document.call);
  if (tool !== undefined) return { kind: 'call', tool };
  if (document.wait) return { kind: 'wait', escalateAfterMs: document.wait.escalate_after };
  if (document.plan) return { kind: 'plan' };
  return document.stop ? { kind: 'stop' } : { kind: 'escalate' };
}

/**
 * A change must cure what the rule is about. One exception: a restart may follow a tool that does, for channels that
 * stay down after their credentials or their cache are right again.
 */
function misfit(
  tool: ToolName,
  rule: {
    readonly document: OneRuleDocument;
    readonly before: readonly ToolName[];
    readonly tools: readonly RuleTool[];
  },
): readonly [message: string, hint: string] | undefined {
  const { classification } = rule.document;
  const cures = (name: ToolName): boolean =>
    rule.tools.some((spec) => spec.name === name && spec.cures.includes(classification));
  const spec = rule.tools.find(({ name }) => name === tool);
  if (!spec || spec.effect === 'observe' || cures(tool)) return undefined;
  if (tool === 'restart_channel' && rule.before.some(cures)) return undefined;
  const able = rule.tools.filter(({ name }) => cures(name)).map(({ name }) => name);
  const hint = able.length === 0 ? 'nothing does: wait or escalate' : `${listed(able)} can`;
  return [`${tool} does not cure ${classification}`, hint];
}
