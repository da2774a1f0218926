import type { Rule, RuleStep } from '../../src/core/rule.ts';
import type { Attempt, ToolName } from '../../src/core/tool.ts';

type RuleParts = Omit<Partial<Rule>, 'then'> & { readonly steps?: readonly RuleStep[] };

export const call = (tool: ToolName): RuleStep => ({ kind: 'call', tool });

export const aRule = ({ steps = [call('restart_channel'), { kind: 'escalate' }], ...extra }: RuleParts = {}): Rule => ({
  id: 'r',
  description: 'because',
  classification: 'process_crashed',
  when: [],
  // biome-ignore lint/suspicious/noThenProperty: a key of rule files
  then: steps,
  priority: 100,
  origin: 'r.rule.yaml:1',
  ...extra,
});

export const anAttempt = (tool: ToolName, cured?: boolean): Attempt => ({
  result: {
    permit: 'p',
    call: { tool, target: { kind: 'channel', id: 'news' }, channels: [] },
    ok: true,
    summary: '',
    durationMs: 1,
    code: undefined,
  },
  verification: cured === undefined ? undefined : { permit: 'p', cured, because: '', waitedMs: 1 },
  score: cured ? 0.8 : 0,
});
