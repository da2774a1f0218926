import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { detectorOf, policyTestFiles } from '../../src/app/policy_tests.ts';
import { jsonSchemaOf } from '../../src/config/schema.ts';
import { TOOL_SPECS } from '../../src/remediation/catalog.ts';
import { policyDocument } from '../../src/policy_tests/document.ts';
import { answerToWire } from '../../src/policy_tests/report.ts';
import { runPolicy } from '../../src/policy_tests/run.ts';

const ROOT = join(import.meta.dirname, '../..');
const SHIPPED = join(ROOT, 'test/policy');
const files = policyTestFiles({ tools: [...TOOL_SPECS.values()], cwd: '/', env: {} });
const createDetector = detectorOf(files);
const names = readdirSync(SHIPPED).sort();

/** Runs one text as a file of policy tests. */
async function tested(text: string) {
  const folder = mkdtempSync(join(tmpdir(), 'reeve-policy-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'test.yaml');
  writeFileSync(file, text);
  return runPolicy([file], files, createDetector);
}

const aCase = (given: string, expected: string) =>
  tested(`cases:\n  - name: a case\n    given: ${given}\n    expect: ${expected}\n`);

describe('the shipped personas', () => {
  it('have a file of policy tests each, with at least five cases', () => {
    expect(names).toEqual(files.personas.map(({ id }) => `${id}.yaml`).sort());
  });

  it.each(names)('decide as %s says', async (name) => {
    const { results, problems } = await runPolicy([join(SHIPPED, name)], files, createDetector);
    expect(problems).toEqual([]);
    expect(results.length).toBeGreaterThanOrEqual(5);
    expect(new Set(results.map(({ persona }) => persona))).toEqual(new Set([name.replace('.yaml', '')]));
    expect(results.filter(({ ok }) => !ok).map((result) => answerToWire(result))).toEqual([]);
  });

  it('decide as the example of reeve init says', async () => {
    const { results, problems } = await runPolicy([join(ROOT, 'config/examples/policy.yaml')], files, createDetector);
    expect(problems).toEqual([]);
    expect(results.every(({ ok }) => ok)).toBe(true);
  });
});

describe('a policy test', () => {
  it('fails with the guard trace when the answer is another', async () => {
    const { results } = await aCase(
      '{ history: [{ at: 20s ago, tool: restart_channel, result: cured }], envelope: { classification: process_crashed } }',
      '{ verdict: allow, outcome: resolved }',
    );
    const [result] = results;
    expect(result?.ok).toBe(false);
    expect(result?.differences).toEqual([
      { what: 'verdict', expected: 'allow', got: 'deny' },
      { what: 'outcome', expected: 'resolved', got: 'watching' },
    ]);
    const answer = answerToWire(result!).answer;
    expect(answer?.decision?.checks).toHaveLength(17);
    expect(answer?.decision).toMatchObject({ code: 'high_risk_spacing', retryAfterMs: 40_000 });
  });

  it('distinguishes the two sides of a boundary to the millisecond', async () => {
    const given = (ms: number) =>
      `{ history: [{ at: ${ms}ms ago, tool: restart_channel, result: cured }], envelope: { classification: process_crashed } }`;
    const before = await aCase(given(59_999), '{ verdict: deny, retry_after: 1ms }');
    const after = await aCase(given(60_000), '{ verdict: allow }');
    expect([before, after].map(({ results }) => results[0]?.ok)).toEqual([true, true]);
  });

  it('answers the same thing every time', async () => {
    const ask = () =>
      aCase(
        '{ logs: ["[hls @ 0x1] failed to open segment"], probes: { process: exited, exit_signal: 11, output: still } }',
        '{ plan: act }',
      );
    const [first, second] = [await ask(), await ask()];
    expect(first.results[0]?.ok).toBe(true);
    expect(JSON.stringify(first.results[0]?.answer)).toBe(JSON.stringify(second.results[0]?.answer));
  });

  it('pages and starts nothing when no change helps', async () => {
    const { results } = await aCase(
      '{ envelope: { classification: process_crashed }, effect: unchanged }',
      '{ tools: [restart_channel], outcome: escalated, reason: not_helping, page: true }',
    );
    expect(results[0]?.differences).toEqual([]);
  });

  it('starts a group that is down one channel after another, the canary first', async () => {
    const { results } = await aCase(
      '{ envelope: { classification: process_crashed, scope: group:encoders, channels: [news, sport] } }',
      '{ tool: restart_channel, verdict: allow, outcome: resolved }',
    );
    expect(results[0]?.differences).toEqual([]);
    expect(results[0]?.answer?.decisions.map(({ call }) => call)).toEqual([
      'restart_channel on group:encoders',
      'restart_channel on channel:news',
      'restart_channel on channel:sport',
    ]);
  });

  it.each([
    ['no situation', '{}', '{ verdict: allow }', 'given needs either an envelope, or logs and probes'],
    ['two situations', '{ envelope: {}, logs: [a] }', '{ verdict: allow }', 'given needs either an envelope'],
    ['nothing expected', '{ envelope: {} }', '{}', 'a case that expects nothing cannot fail'],
    ['a misspelt key', '{ envelop: {} }', '{ verdict: allow }', 'unknown key "envelop"'],
    ['a misspelt code', '{ envelope: {} }', '{ code: cooldwn }', 'expected one of'],
    ['a time without "ago"', '{ envelope: {}, history: [{ at: 20s, freeze: true }] }', '{ verdict: deny }', '20s ago'],
    ['an unknown persona', '{ persona: missing, envelope: {} }', '{ verdict: deny }', 'there is no persona missing'],
    ['an unknown tool', '{ ask: reboot, envelope: {} }', '{ verdict: deny }', 'expected the name of a tool'],
  ])('is refused with a place when it has %s', async (_, given, expected, message) => {
    const { results, problems } = await aCase(given, expected);
    expect(results).toEqual([]);
    expect(problems[0]?.line).toBeGreaterThanOrEqual(2);
    expect(problems.map((problem) => problem.message).join('\n')).toContain(message);
  });

  it('is refused when two cases of a file bear one name', async () => {
    const one = '  - { name: a, given: { envelope: {} }, expect: { verdict: deny } }\n';
    const { problems } = await tested(`cases:\n${one}${one}`);
    expect(problems[0]?.message).toContain('a second time');
  });
});

it('the schema for editors is what `reeve schema policy` prints', () => {
  const committed: unknown = JSON.parse(readFileSync(join(ROOT, 'config/schemas/policy.schema.json'), 'utf8'));
  expect(committed, 'out of date: reeve schema policy > config/schemas/policy.schema.json').toEqual(
    jsonSchemaOf('policy', { policy: policyDocument }),
  );
});
