import { describe, expect, it } from 'vitest';
import { addPolicyTests, type PolicyCaseAnswer } from '../../../src/cli/commands/policy.ts';
import { ran } from '../running.ts';

const good: PolicyCaseAnswer = {
  ...{ file: 'a.yaml', line: 3, name: 'a case', persona: 'system_admin', ok: true, differences: [] },
  answer: undefined,
};
const bad: PolicyCaseAnswer = {
  ...good,
  ok: false,
  name: 'issue #4',
  differences: [{ what: 'verdict', expected: 'allow', got: 'deny' }],
  answer: {
    classification: undefined,
    plan: 'restart_channel',
    decision: {
      ...{ call: 'restart_channel on channel:news', verdict: 'deny', code: 'cooldown', because: 'too soon' },
      checks: [
        { id: 1, question: 'tool', value: 'known', threshold: '', verdict: 'pass' },
        { id: 11, question: 'cooldown', value: '5 s', threshold: '30 s', verdict: 'refuse' },
        { id: 12, question: 'order', value: '-', threshold: '', verdict: 'not_asked' },
      ],
    },
    tools: [],
    outcome: undefined,
    pages: ['critical: news'],
  },
};
const run = (cases: readonly PolicyCaseAnswer[], json = false) =>
  ran((program, cli) => addPolicyTests(program, cli, async () => ({ cases })), ['test'], { json });

describe('policy tests that all hold', () => {
  it('are TAP that a harness reads, and end with 0', async () => {
    const { out, code } = await run([good]);
    expect(out).toBe('TAP version 14\n1..1\nok 1 - system_admin: a case\n# 1 passed, 0 failed\n');
    expect(code).toBe(0);
  });
});

describe('a policy test that fails', () => {
  it('ends with 1, and shows what differs and each question of the guard', async () => {
    const { out, code } = await run([good, bad]);
    const lines = out.split('\n');
    expect(code).toBe(1);
    expect(lines).toContain('not ok 2 - system_admin: issue \\#4');
    expect(lines).toContain('    - "verdict: expected allow, got deny"');
    expect(lines).toContain('       1 yes tool: known');
    expect(lines).toContain('      11 NO  cooldown: 5 s (30 s)');
    expect(lines).toContain('      12  -  order: -');
    expect(lines.at(-2)).toBe('# 1 passed, 1 failed');
  });

  it('says so where no run began and the guard was not asked', async () => {
    const answer = { ...bad.answer!, plan: undefined, decision: undefined };
    const { out } = await run([{ ...bad, answer }]);
    expect(out).toContain('none: no run began');
    expect(out).toContain('guard: "was not asked"');
  });

  it('is counted in the one document of --json', async () => {
    const { out, code } = await run([good, bad], true);
    expect(JSON.parse(out)).toMatchObject({ ok: false, passed: 1, failed: 1 });
    expect(code).toBe(1);
  });
});
