import type { GroundedContextEnvelope } from '../../src/core/envelope.ts';
import type { Rule, RuleStep } from '../../src/core/rule.ts';
import type { Attempt, ToolName } from '../../src/core/tool.ts';
import { createRulebook } from '../../src/rulebook/rulebook.ts';

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

/** The envelope of a process that ended with status 139 five seconds ago. */
export const aCrash = (extra: Partial<GroundedContextEnvelope> = {}): GroundedContextEnvelope => ({
  channelId: 'news',
  failureClassification: 'process_crashed',
  restartCount: 1,
  restartVelocity: 2,
  poolPressure: undefined,
  lastErrorType: 'process_crash',
  errorFrequency: 3,
  lastAction: undefined,
  cooldownRemaining: 0,
  confidence: 0.9,
  timestamp: 0,
  containmentMode: { active: false },
  channelHealthy: false,
  evidence: [{ id: 'e1', at: 0, origin: 'log', source: 'news.err', text: 'exit status 139 of pid 4711' }],
  takenMs: 0,
  scope: { kind: 'channel', id: 'news' },
  group: 'g',
  engine: 'local',
  signals: [{ origin: 'process', says: 'the process is exited', symptom: 'process_exit_nonzero', monoMs: 0 }],
  fingerprint: 'f',
  lastingMs: 5_000,
  channels: [],
  sharedCause: false,
  evidenceDropped: 0,
  ...extra,
});

/** What the rules plan; without `allowed`, every tool may be used. */
export const decide = (
  rules: readonly Rule[],
  about = aCrash(),
  attempts: readonly Attempt[] = [],
  allowed: (tool: ToolName) => boolean | string = () => true,
) => createRulebook(rules).decide(about, attempts, allowed);
