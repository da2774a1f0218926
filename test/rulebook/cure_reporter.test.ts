import { describe, expect, it } from 'vitest';
import { rulesFrom } from '../../src/config/rules.ts';
import { parseYaml } from '../../src/config/yaml.ts';
import type { JournalFact } from '../../src/core/journal.ts';
import type { Decider } from '../../src/core/plan.ts';
import type { ToolName } from '../../src/core/tool.ts';
import { TOOL_SPECS } from '../../src/remediation/catalog.ts';
import { CureReporter } from '../../src/rulebook/cure_reporter.ts';
import { aCall, anEnvelope, aVerification, permitTerms } from '../support/a.ts';

const MODEL: Decider = { kind: 'model', model: 'local/qwen3:8b' };
const RESOLVED = { kind: 'resolved', score: 1, because: 'healthy' } as const;

const step = (tool: ToolName, by: Decider, cured = true): readonly JournalFact[] => [
  { type: 'envelope.taken', envelope: anEnvelope() },
  { type: 'plan.made', plan: { kind: 'act', call: aCall({ tool }), because: 'x', by } },
  {
    type: 'attempt.verified',
    permit: permitTerms({ call: aCall({ tool }) }),
    verification: aVerification({ cured }),
    fingerprint: 'f',
  },
];

function reportOf(
  facts: readonly JournalFact[],
  outcome: Extract<JournalFact, { type: 'run.ended' }>['outcome'] = RESOLVED,
) {
  const reporter = new CureReporter();
  const all: readonly JournalFact[] = [
    { type: 'run.started', attempt: 1 },
    ...facts,
    { type: 'run.ended', outcome, steps: 1, tookMs: 1 },
  ];
  const rules = all.map((fact, at) =>
    reporter.onEntry({ seq: at + 1, at: 0, monoMs: 0, boot: 'b', run: 'run-1', fact }),
  );
  return rules.find((rule) => rule !== undefined);
}

describe('a verified cure', () => {
  it('that a model chose becomes one sound rule', () => {
    const rule = reportOf(step('restart_channel', MODEL));
    const { rules, problems } = rulesFrom([parseYaml('/x/a.rule.yaml', rule!.text)], [...TOOL_SPECS.values()]);
    expect(problems).toEqual([]);
    expect(rules).toMatchObject([
      {
        id: 'told_process_crashed_process_crash_restart_channel',
        classification: 'process_crashed',
        when: [{ fact: 'last_error_type', test: { kind: 'equals', value: 'process_crash' } }],
        // biome-ignore lint/suspicious/noThenProperty: a key of rule files
        then: [{ kind: 'call', tool: 'restart_channel' }, { kind: 'escalate' }],
      },
    ]);
    expect(rule!.text).toContain('model local/qwen3:8b');
  });

  it('that a person chose does, too', () => {
    expect(reportOf(step('restart_channel', { kind: 'operator', who: 'ann' }))?.text).toContain('operator ann');
  });

  it('is the same text each time, so that it is proposed once', () => {
    expect(reportOf(step('restart_channel', MODEL))).toEqual(reportOf(step('restart_channel', MODEL)));
  });

  it('has a name of its own, the same each time, where what it is made of is too long for one', () => {
    const of = (last: ToolName) => {
      const envelope = anEnvelope({
        failureClassification: 'upstream_unavailable',
        lastErrorType: 'upstream_unreachable',
      });
      const steps = [...step('refresh_credentials', MODEL), ...step(last, MODEL)];
      return reportOf(steps.map((fact) => (fact.type === 'envelope.taken' ? { ...fact, envelope } : fact)))!;
    };
    const [one, other] = [of('restart_channel'), of('invalidate_cache')];
    expect(one.id).not.toBe(other.id);
    expect(one).toEqual(of('restart_channel'));
    expect([one, other].map(({ id }) => /^told_upstream_unavailable_[a-z0-9_]{1,38}$/.test(id))).toEqual([true, true]);
    expect(one.text).toContain(`id: ${one.id}\n`);
  });

  it('of a rule reports nothing new', () => {
    expect(reportOf(step('restart_channel', { kind: 'rule', rule: 'r' }))).toBeUndefined();
  });

  it('has looked and then changed something: only the change is reported', () => {
    const looked = step('get_channel_health', MODEL).slice(0, 2);
    expect(reportOf([...looked, ...step('restart_channel', MODEL)])?.text).not.toContain('get_channel_health');
  });
});

describe('nothing is reported of a cure', () => {
  it('that was not verified', () => expect(reportOf(step('restart_channel', MODEL, false))).toBeUndefined());

  it('after which a person had to be called', () => {
    const escalated = { kind: 'escalated', reason: 'not_helping', because: 'x', denial: undefined } as const;
    expect(reportOf(step('restart_channel', MODEL), escalated)).toBeUndefined();
  });
});
