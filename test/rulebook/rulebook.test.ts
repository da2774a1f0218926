import { describe, expect, it } from 'vitest';
import { type FailureClass, FAILURE_CLASSES } from '../../src/core/classification.ts';
import type { GroundedContextEnvelope } from '../../src/core/envelope.ts';
import type { Rule, RuleFact, RuleStep } from '../../src/core/rule.ts';
import type { Attempt, ToolName } from '../../src/core/tool.ts';
import { FACT_NAMES } from '../../src/rulebook/facts.ts';
import { createRulebook } from '../../src/rulebook/rulebook.ts';

const envelope = (extra: Partial<GroundedContextEnvelope> = {}): GroundedContextEnvelope => ({
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

const call = (tool: ToolName): RuleStep => ({ kind: 'call', tool });
type RuleParts = Omit<Partial<Rule>, 'then'> & { readonly steps?: readonly RuleStep[] };
const rule = ({ steps = [call('restart_channel'), { kind: 'escalate' }], ...extra }: RuleParts = {}): Rule => ({
  id: 'r',
  description: 'because',
  classification: 'process_crashed',
  when: [],
  // biome-ignore lint/suspicious/noThenProperty: a rule says what it does then
  then: steps,
  priority: 100,
  origin: 'r.rule.yaml:1',
  ...extra,
});

const attempt = (tool: ToolName, cured?: boolean): Attempt => ({
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

const all = () => true;
const decide = (
  rules: readonly Rule[],
  about = envelope(),
  attempts: readonly Attempt[] = [],
  allowed: (tool: ToolName) => boolean | string = all,
) => createRulebook(rules).decide(about, attempts, allowed);

describe('which rule answers', () => {
  it('is the one of the classification; none, where none is for it', () => {
    expect(decide([rule()])).toMatchObject({ kind: 'act', by: { kind: 'rule', rule: 'r' } });
    expect(decide([rule({ classification: 'output_stalled' })])).toBeUndefined();
    expect(decide([rule()], envelope({ failureClassification: undefined }))).toBeUndefined();
  });

  it('is the highest priority that fits, and between equals the first by name, in whatever order they are read', () => {
    const rules = [
      rule({ id: 'low', priority: 1 }),
      rule({ id: 'b' }),
      rule({ id: 'a' }),
      rule({ id: 'high', priority: 200, when: [{ fact: 'restart_count', test: { kind: 'at_least', value: 5 } }] }),
    ];
    for (const order of [rules, [...rules].reverse()]) {
      expect(decide(order)).toMatchObject({ by: { rule: 'a' } });
      expect(decide(order, envelope({ restartCount: 5 }))).toMatchObject({ by: { rule: 'high' } });
    }
  });

  it('refuses two rules of one name, and patterns that are not linear-time', () => {
    expect(() => createRulebook([rule(), rule()])).toThrow('two rules are called r');
    const lookahead = rule({ when: [{ fact: 'evidence', test: { kind: 'regex', pattern: '(?=a)b' } }] });
    expect(() => createRulebook([lookahead])).toThrow('is no pattern');
  });
});

describe('a fact', () => {
  const holds = (fact: RuleFact, about = envelope()) => decide([rule({ when: [fact] })], about) !== undefined;

  it.each<[RuleFact['test'], string, boolean]>([
    [{ kind: 'equals', value: 'news' }, 'channel_id', true],
    [{ kind: 'equals', value: 'new' }, 'channel_id', false],
    [{ kind: 'equals', value: 1 }, 'restart_count', true],
    [{ kind: 'equals', value: '1' }, 'restart_count', false],
    [{ kind: 'equals', value: false }, 'channel_healthy', true],
    [{ kind: 'equals', value: false }, 'containment_mode', true],
    [{ kind: 'contains', text: '139' }, 'evidence', true],
    [{ kind: 'contains', text: '1' }, 'restart_count', false],
    [{ kind: 'at_least', value: 0.9 }, 'confidence', true],
    [{ kind: 'at_least', value: 0.91 }, 'confidence', false],
    [{ kind: 'below', value: 0.9 }, 'confidence', false],
    [{ kind: 'below', value: 0.91 }, 'confidence', true],
    [{ kind: 'at_least', value: 5_000 }, 'lasting_ms', true],
    [{ kind: 'equals', value: 'process_exit_nonzero' }, 'symptom', true],
    [{ kind: 'equals', value: 'process_crash' }, 'symptom', true],
    [{ kind: 'equals', value: 'disk_full' }, 'symptom', false],
    [{ kind: 'at_least', value: 0 }, 'pool_pressure', false],
    [{ kind: 'below', value: 1 }, 'pool_pressure', false],
    [{ kind: 'equals', value: 'x' }, 'no_such_fact', false],
    [{ kind: 'equals', value: 'x' }, 'toString', false],
  ])('%j of %s: %s', (test, fact, expected) => {
    expect(holds({ fact, test })).toBe(expected);
  });

  it('must hold together with all others of its rule', () => {
    const when: readonly RuleFact[] = [
      { fact: 'channel_id', test: { kind: 'equals', value: 'news' } },
      { fact: 'restart_count', test: { kind: 'at_least', value: 2 } },
    ];
    expect(decide([rule({ when })])).toBeUndefined();
    expect(decide([rule({ when })], envelope({ restartCount: 2 }))).toBeDefined();
  });

  it('catches named groups, which the plan quotes', () => {
    const pattern = 'status (?P<code>\\d+) of pid (?P<pid>\\d+)';
    const plan = decide([rule({ when: [{ fact: 'evidence', test: { kind: 'regex', pattern } }] })]);
    expect(plan?.because).toContain('code=139, pid=4711');
  });

  it('takes a pattern that would hang a backtracking engine', () => {
    const text = `${'a'.repeat(400)}!`;
    const evidence = [{ id: 'e1', at: 0, origin: 'log' as const, source: 's', text }];
    const evil: RuleFact = { fact: 'evidence', test: { kind: 'regex', pattern: '^(a+)+$' } };
    const startedMs = performance.now();
    expect(holds(evil, envelope({ evidence }))).toBe(false);
    expect(performance.now() - startedMs).toBeLessThan(1_000);
  });
});

describe('the step', () => {
  const ordered = rule({
    classification: 'upstream_url_expired',
    steps: [call('invalidate_cache'), call('refresh_credentials'), call('restart_channel'), { kind: 'escalate' }],
  });
  const about = envelope({ failureClassification: 'upstream_url_expired' });
  const toolOf = (attempts: readonly Attempt[], allowed: (tool: ToolName) => boolean | string = all) => {
    const plan = decide([ordered], about, attempts, allowed);
    return plan?.kind === 'act' ? plan.call.tool : plan?.kind;
  };

  it('follows the order, one at a time', () => {
    expect(toolOf([])).toBe('invalidate_cache');
    expect(toolOf([attempt('invalidate_cache', true)])).toBe('refresh_credentials');
    expect(toolOf([attempt('invalidate_cache', true), attempt('refresh_credentials', true)])).toBe('restart_channel');
    const spent = [
      attempt('invalidate_cache', true),
      attempt('refresh_credentials', true),
      attempt('restart_channel', false),
    ];
    expect(toolOf(spent)).toBe('escalate');
  });

  it('never restarts behind a change that was not verified', () => {
    expect(toolOf([attempt('invalidate_cache', false), attempt('refresh_credentials', false)])).toBe('escalate');
    expect(toolOf([attempt('invalidate_cache', false), attempt('refresh_credentials', true)])).toBe('restart_channel');
  });

  it('falls back where a tool is not available, but never to a restart that needs it', () => {
    expect(toolOf([], (tool) => tool !== 'invalidate_cache')).toBe('refresh_credentials');
    expect(toolOf([], (tool) => tool === 'restart_channel')).toBe('escalate');
    const plan = decide([ordered], about, [], (tool) => (tool === 'restart_channel' ? true : 'no_capability'));
    expect(plan?.because).toContain('invalidate_cache is not available (no_capability)');
    expect(plan?.because).toContain('restart_channel must wait for a verified');
  });

  it('does not count what another rule had done before', () => {
    expect(decide([rule()], envelope(), [attempt('fetch_recent_logs')])).toMatchObject({
      call: { tool: 'restart_channel' },
    });
  });

  it('escalates when none is left, with the reason', () => {
    const plan = decide([rule({ steps: [call('restart_channel')] })], envelope(), [attempt('restart_channel', false)]);
    expect(plan).toMatchObject({ kind: 'escalate' });
    expect(plan?.because).toContain('no step is left');
  });

  it('waits and stops as it says', () => {
    expect(decide([rule({ steps: [{ kind: 'wait', escalateAfterMs: 60_000 }] })])).toMatchObject({
      kind: 'wait',
      escalateAfterMs: 60_000,
    });
    expect(decide([rule({ steps: [{ kind: 'stop' }] })])?.kind).toBe('stop');
  });

  it('for a group names the channels, and asks for nothing where there is none', () => {
    const group = envelope({ channelId: undefined, scope: { kind: 'group', id: 'pull' }, channels: ['a', 'b'] });
    expect(decide([rule()], group)).toMatchObject({
      call: { tool: 'restart_channel', target: { kind: 'group', id: 'pull' }, channels: ['a', 'b'] },
    });
    expect(decide([rule()], { ...group, channels: [] })?.kind).toBe('escalate');
  });
});

describe('the trace', () => {
  it('lists for every rule of the class what each test met', () => {
    const rules = [
      rule({ id: 'one', when: [{ fact: 'restart_count', test: { kind: 'at_least', value: 5 } }] }),
      rule({ id: 'two' }),
      rule({ id: 'other', classification: 'unknown' }),
    ];
    const traces = createRulebook(rules).matchAll(envelope());
    expect(traces.map(({ rule: id, matched }) => [id, matched])).toEqual([
      ['one', false],
      ['two', true],
    ]);
    expect(traces[0]?.facts[1]).toMatchObject({ fact: 'restart_count', test: 'at_least 5', value: '1', held: false });
  });
});

it('knows every fact that a rule file may name', async () => {
  const { RULE_FACTS } = await import('../../src/config/rule_document.ts');
  expect(RULE_FACTS.map(({ name }) => name).filter((name) => !FACT_NAMES.includes(name))).toEqual([]);
});

it('decides the same for the same envelope, for every classification', () => {
  const rules = FAILURE_CLASSES.map((classification: FailureClass) => rule({ id: classification, classification }));
  for (const failureClassification of FAILURE_CLASSES) {
    const about = envelope({ failureClassification });
    expect(decide(rules, about)).toEqual(decide([...rules].reverse(), about));
  }
});
