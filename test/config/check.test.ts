import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkAll, checkReport, type FileKind, formatProblem, unsound } from '../../src/config/check.ts';
import { aFolder, TOOLS } from './support.ts';
import { CONFIG, PERSONA, RULE, SOUND as sound } from './sound.ts';

const patternKind: FileKind = {
  name: 'pattern',
  recognises: ({ file }) => file.includes('/patterns/'),
  check: () => [],
};

const check = (folder: string, files: string[] = []) =>
  checkAll({ files, cwd: folder, env: {}, tools: TOOLS, kinds: [patternKind] }).map(formatProblem);

describe('checkAll', () => {
  it('reports nothing for a sound configuration, a folder of it, and each file alone', () => {
    const folder = aFolder(sound);
    expect(check(folder)).toEqual([]);
    expect(check(folder, ['config'])).toEqual([]);
    for (const file of Object.keys(sound)) expect(check(folder, [file])).toEqual([]);
  });

  it('reports every problem of every file, as file:line:col, from where the command was typed', () => {
    const folder = aFolder({
      'config/reeve.yaml': `${CONFIG}limits: { window: 1 }\nlog: { level: loud }\n`,
      'config/personas/mine.yaml': PERSONA.replace('low', 'lo'),
      'config/rules/r.rule.yaml': RULE.replace('unknown', 'unknwon'),
      'config/patterns/p.yaml': 'patterns: [\n',
    });
    const lines = check(folder);
    expect(lines).toEqual([
      expect.stringMatching(/^config\/patterns\/p\.yaml:2:1: the indentation does not fit/),
      'config/personas/mine.yaml:2:17: risk_tolerance: expected low, medium or high, got "lo" (did you mean low?)',
      expect.stringMatching(/^config\/reeve\.yaml:6:19: limits\.window: expected a duration such as 30s/),
      expect.stringMatching(
        /^config\/reeve\.yaml:7:15: log\.level: expected fatal, error, warn, info, debug or trace, got "loud"/,
      ),
      expect.stringMatching(/^config\/rules\/r\.rule\.yaml:3:17: classification: .*\(did you mean unknown\?\)$/),
    ]);
  });

  it('checks one file alone, whatever the others are like', () => {
    const folder = aFolder({ ...sound, 'config/reeve.yaml': 'nonsense: 1\n' });
    expect(check(folder, ['config/personas/mine.yaml'])).toEqual([]);
    expect(check(folder, ['config/reeve.yaml'])[0]).toMatch(/^config\/reeve\.yaml:1:1: /);
  });

  it('finds what stands twice within a folder', () => {
    const folder = aFolder({ 'personas/a.yaml': PERSONA, 'personas/b.yaml': PERSONA });
    expect(check(folder, ['personas'])).toEqual([
      `personas/b.yaml:1:5: id: the persona mine stands in ${join(folder, 'personas/a.yaml')} already (give it another id)`,
    ]);
  });

  it('knows a persona and a configuration by their keys, wherever they lie', () => {
    const folder = aFolder({
      'x.yaml': PERSONA.replace('risk_tolerance', 'risk_tolerence'),
      'y.yaml': 'version: 1\nengine: []\nphase: 0\n',
    });
    expect(check(folder, ['x.yaml']).join()).toContain('did you mean risk_tolerance?');
    expect(check(folder, ['y.yaml']).join()).toContain('did you mean engines?');
  });

  it('reports a file that has no recognisable purpose, is empty, or does not exist', () => {
    const folder = aFolder({ 'a.yaml': 'x: 1\n', 'b.yaml': '' });
    expect(check(folder, ['a.yaml', 'b.yaml', 'c.yaml'])).toEqual([
      'a.yaml:1:1: cannot see what this file is for (expected a rule, action, persona, config or pattern file, in the folder of its kind)',
      expect.stringContaining('b.yaml:1:1: the file is empty'),
      expect.stringContaining('c.yaml:1:1: expected a readable file or folder'),
    ]);
  });

  it('reports a folder with nothing to check in it, and one with more than it checks', () => {
    const folder = aFolder({ ...sound, 'docs/a.md': '# nothing\n' });
    expect(check(folder, ['docs', 'config'])).toEqual([
      'docs:1:1: expected a folder with .yaml files, found none in it (check the path)',
    ]);
    const many = aFolder(Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`many/${at}.yaml`, ''])));
    const counted = (found: readonly string[]) => found.filter((one) => one.includes('fewer than 5000 files')).length;
    expect(counted(check(many, ['many']))).toBe(1);
    rmSync(join(many, 'many/0.yaml'));
    expect(counted(check(many, ['many']))).toBe(0);
  });

  it('reports as the JSON of the contract', () => {
    const folder = aFolder({ ...sound, 'config/reeve.yaml': `${CONFIG}phase: 9\n` });
    const report = checkReport(checkAll({ files: [], cwd: folder, env: {}, tools: TOOLS }));
    expect(JSON.parse(JSON.stringify(report))).toEqual({
      ok: false,
      problems: [
        {
          file: 'config/reeve.yaml',
          line: 6,
          column: 8,
          path: 'phase',
          message: 'expected at most 4, got the number 9',
          hint: 'the nearest allowed value is 4',
        },
      ],
      warnings: [],
    });
    expect(checkReport([])).toEqual({ ok: true, problems: [], warnings: [] });
  });

  it('counts the problems of an error as a person would', () => {
    const problem = { file: 'a.yaml', line: 1, column: 2, path: '', message: 'no' };
    expect(unsound([problem], 'look there')).toMatchObject({
      ...{ code: 'CONFIG_INVALID', message: '1 problem:\na.yaml:1:2: no', hint: 'look there' },
    });
    expect(unsound([problem, problem], '').message).toMatch(/^2 problems:\n/);
  });
});
