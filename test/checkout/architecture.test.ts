import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { HalfChange } from '../../scripts/change_asked.ts';
import { costs, naming } from '../../scripts/change_cost.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const page = readFileSync(join(ROOT, 'docs/architecture.md'), 'utf8');
const paths = [...page.matchAll(/`((?:src|config|scripts|test)\/[\w./*-]+)`/g)].map(([, path]) => path!);

describe('docs/architecture.md', () => {
  it('names files and folders that exist', () => {
    const plain = paths.filter((path) => !/[*]|KIND|NAME/.test(path));
    expect(plain.length).toBeGreaterThan(40);
    expect(plain.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });

  it('answers at least ten questions, each with a path', () => {
    const [, questions = ''] = page.split('## Ten questions');
    const rows = [...questions.split('\n## ')[0]!.matchAll(/^\| (.+\?) \| (.+) \|$/gm)];
    expect(rows.length).toBeGreaterThanOrEqual(10);
    expect(
      rows.filter(([, , answer]) => !/`src\/[\w/]+(?:\.ts|\/)`/.test(answer!)).map(([, question]) => question),
    ).toEqual([]);
  });

  it('names functions and tables that stand where it says', () => {
    const pairs = [...page.matchAll(/`([\w.]+)(?:\(\))?`[^`|]{0,12} in `(src\/[\w/]+\.ts)`/g)];
    expect(pairs.length).toBeGreaterThanOrEqual(4);
    const missing = pairs.filter(([, name, path]) => {
      const text = readFileSync(join(ROOT, path!), 'utf8');
      return !new RegExp(`\\b${name!.split('.').at(-1)}\\b`).test(text);
    });
    expect(missing.map(([pair]) => pair)).toEqual([]);
  });
});

describe('what a change costs', () => {
  let output = '';
  beforeAll(() => {
    output = execFileSync(process.execPath, [join(ROOT, 'scripts/change_cost.ts')], { cwd: ROOT }).toString();
  }, 120_000);
  const least = new Map(costs().map(({ change, least: count }) => [change, count]));
  const most = new Map(costs().map(({ change, most: count }) => [change, count]));

  it.each(['tool that looks', 'engine', 'receiver', 'planner'])(
    'is at most three files outside its own for a %s',
    (change) => {
      expect(most.get(change)).toBeLessThanOrEqual(3);
    },
  );

  it.each(['collector', 'classification', 'tool that changes'])(
    'is at most three for a %s that nothing else mentions',
    (change) => {
      expect(least.get(change)).toBeLessThanOrEqual(3);
    },
  );

  it.each(['classification', 'envelope field'])('is at most three files beside its own list for any %s', (change) => {
    expect(most.get(change)).toBeLessThanOrEqual(4);
  });

  it.each<[HalfChange, readonly string[]]>([
    ['tool', ['remediation/catalog.ts']],
    ['classification', ['ground/rules/classify.ts']],
    ['envelope field', ['ground/envelope.ts', 'policy_tests/given_facts.ts']],
    ['counted envelope field', ['incident/pipeline/snapshots.ts', 'policy_tests/given_facts.ts']],
  ])('is asked for by the compiler: a new %s in its list alone does not compile', (change, files) => {
    expect(output).toContain(`asked for by the compiler: ${change}: ${files.join(' ')}\n`);
  });

  it('is counted by name: an unknown name is found in no file, a known one is found', () => {
    expect(naming('no_such_tool_anywhere')).toEqual([]);
    expect(naming('inspect_pool_status')).toContain('core/tool.ts');
  });

  it('of a log line is what the runtime says ran: it reaches the incident, and not yet the guard’s questions', () => {
    const [, line = ''] = /^line: \d+ files: (.+)$/m.exec(output) ?? [];
    const [, run = ''] = /^run: \d+ files: (.+)$/m.exec(output) ?? [];
    expect(line.split(' ')).toEqual(
      expect.arrayContaining(['detect/detector.ts', 'ground/rules/classify.ts', 'incident/lifecycle/transitions.ts']),
    );
    expect(line).not.toContain('guard/checks/checks.ts');
    expect(run.split(' ')).toEqual(expect.arrayContaining(['guard/checks/checks.ts', 'remediation/runner.ts']));
  });
});
