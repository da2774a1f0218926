import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { policyTestFiles, policyTests } from '../../src/app/policy_tests.ts';
import { DEFAULT_LIMITS } from '../../src/core/limits.ts';
import { TOOL_SPECS } from '../../src/remediation/catalog.ts';
import { aFolder } from '../config/support.ts';

const tools = [...TOOL_SPECS.values()];
const optionsIn = (cwd: string) => ({ tools, cwd, env: {} });
const run = (place: string | undefined) => policyTests(() => optionsIn('/'))(place);
const CASES =
  'cases:\n  - { name: a case, given: { envelope: { classification: process_crashed } }, expect: { tool: restart_channel } }\n';

describe('the files of policy tests', () => {
  it('are the shipped ones where there is no configuration', () => {
    const { configuration, personas, rules, limits } = policyTestFiles(optionsIn('/'));
    expect([configuration, limits]).toEqual([undefined, DEFAULT_LIMITS]);
    expect(Math.min(personas.length, rules.length)).toBeGreaterThan(0);
  });

  it('hold the actions that rules may call by one name: the configured ones, or the shipped', () => {
    const names = (flags: { config?: string }, cwd = '/') =>
      policyTestFiles({ ...optionsIn(cwd), flags }).composites?.map(({ name }) => name);
    expect(names({})).toContain('renew_then_start');
    const own = 'name: mine\ndescription: d\ncalls: [restart_channel]\n';
    const cwd = aFolder({ 'reeve.yaml': 'version: 1\n', 'actions/mine.yaml': own });
    expect(names({ config: join(cwd, 'reeve.yaml') }, cwd)).toEqual(['mine']);
  });

  it('are those of the configuration that is found, with its limits', () => {
    const cwd = aFolder({ 'reeve.yaml': 'version: 1\nlimits: { window_starts_max: 7 }\n' });
    const files = policyTestFiles({ ...optionsIn(cwd), flags: { config: join(cwd, 'reeve.yaml') } });
    expect(files.limits.windowStartsMax).toBe(7);
  });

  it('are refused with every problem of the configuration', () => {
    const cwd = aFolder({ 'reeve.yaml': 'version: 1\nphase: 9\nlimitz: {}\n' });
    const load = () => policyTestFiles({ ...optionsIn(cwd), flags: { config: join(cwd, 'reeve.yaml') } });
    expect(load).toThrow(/^2 problems:/);
  });
});

describe('the place of policy tests', () => {
  it('may be one file, or a folder with files of YAML in it at any depth', async () => {
    const folder = aFolder({ 'deep/a.yaml': CASES, 'b.yml': CASES.replace('a case', 'another'), 'notes.txt': 'x' });
    expect((await run(folder)).cases).toHaveLength(2);
    expect((await run(join(folder, 'b.yml'))).cases).toHaveLength(1);
  });

  it('is test/policy of where one stands, else beside the folder config of the configuration', async () => {
    const home = aFolder({ 'config/reeve.yaml': 'version: 1\n', 'test/policy/a.yaml': CASES });
    const own = aFolder({ 'test/policy/a.yaml': CASES, 'test/policy/b.yaml': CASES });
    const at = (cwd: string) =>
      policyTests(() => ({ ...optionsIn(cwd), flags: { config: join(home, 'config/reeve.yaml') } }))(undefined);
    expect((await at(aFolder({ 'notes.txt': 'x' }))).cases).toHaveLength(1);
    expect((await at(own)).cases).toHaveLength(2);
  });

  it('is told with all the places that were looked at, and how to name another, where there is none', async () => {
    const home = aFolder({ 'config/reeve.yaml': 'version: 1\n' });
    const cwd = aFolder({ 'notes.txt': 'x' });
    const load = { ...optionsIn(cwd), flags: { config: join(home, 'config/reeve.yaml') } };
    await expect(policyTests(() => load)(undefined)).rejects.toMatchObject({
      code: 'USAGE',
      message: `a folder of policy tests was expected at ${cwd}/test/policy or ${home}/test/policy`,
      hint: 'reeve init writes an example; reeve test DIR names another place',
    });
    await expect(policyTests(() => optionsIn(cwd))(undefined)).rejects.toThrow(`expected at ${cwd}/test/policy`);
    await expect(policyTests(() => load)('mine')).rejects.toThrow(`expected at ${cwd}/mine`);
  });

  it('is refused where it does not exist or holds none', async () => {
    await expect(run('/nowhere/at/all')).rejects.toThrow(/a folder of policy tests was expected at/);
    await expect(run(aFolder({ 'notes.txt': 'x' }))).rejects.toThrow(/no policy tests/);
  });

  it('is refused with the problems of its files, and nothing is run', async () => {
    await expect(run(aFolder({ 'a.yaml': 'cases: [{}]\n' }))).rejects.toThrow(/problems:\n.*a\.yaml/);
  });
});
