import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkAll, formatProblem } from '../../src/config/check.ts';
import { policyKind } from '../../src/policy_tests/kind.ts';
import { CONFIG, SOUND } from '../config/sound.ts';
import { aFolder, TOOLS } from '../config/support.ts';

const cases = (persona: string): string =>
  `persona: ${persona}\ncases:\n  - name: a case\n    given: { envelope: { classification: process_crashed } }\n` +
  '    expect: { tool: restart_channel }\n';
const check = (cwd: string, files: readonly string[] = []) =>
  checkAll({ files, cwd, env: {}, tools: TOOLS, kinds: [policyKind] }).map(formatProblem);
const MISSING = 'test/policy/a.yaml:1:10: persona: there is no persona mien (did you mean mine?)';

describe('a check of policy tests', () => {
  it('finds a persona that the configuration does not have, as reeve test does', () => {
    const folder = aFolder({ ...SOUND, 'test/policy/a.yaml': cases('mien') });
    expect(check(folder, ['test/policy'])).toEqual([MISSING]);
    expect(check(folder, [join(folder, 'test/policy/a.yaml')])).toEqual([MISSING]);
    expect(check(aFolder({ ...SOUND, 'test/policy/a.yaml': cases('mine') }), ['test/policy'])).toEqual([]);
  });

  it('finds it once, however many cases name none of their own', () => {
    const [head, one = ''] = cases('mien').split('  - ');
    const folder = aFolder({ ...SOUND, 'test/policy/a.yaml': `${head}  - ${one}  - ${one.replace('a case', 'b')}` });
    expect([check(folder), check(folder, ['test/policy'])]).toEqual([[MISSING], [MISSING]]);
  });

  it('takes the shipped personas where there is no configuration', () => {
    const lines = (persona: string) => check(aFolder({ 'a.yaml': cases(persona) }), ['a.yaml']);
    expect(lines('cautious')).toEqual([]);
    expect(lines('mine')).toEqual([expect.stringContaining('there is no persona mine')]);
  });

  it('says nothing of personas while the configuration is not sound: which there will be is not known', () => {
    const folder = aFolder({
      ...SOUND,
      'config/reeve.yaml': `${CONFIG}nonsense: 1\n`,
      'test/policy/a.yaml': cases('x'),
    });
    expect(check(folder, ['test/policy'])).toEqual([]);
  });

  it('is part of the check of the whole configuration, where reeve init puts them', () => {
    expect(check(aFolder({ ...SOUND, 'test/policy/a.yaml': cases('mine') }))).toEqual([]);
    expect(check(aFolder({ ...SOUND, 'test/policy/a.yaml': cases('mien') }))).toEqual([MISSING]);
    const [broken] = check(aFolder({ ...SOUND, 'test/policy/deep/b.yaml': 'cases: [{}]\n' }));
    expect(broken).toMatch(/^test\/policy\/deep\/b\.yaml:1:\d+: cases\.0\./);
  });
});
