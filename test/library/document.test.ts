import { describe, expect, it } from 'vitest';
import { parseLibraryRule, soundRule } from '../../src/library/document.ts';

const RULE = `name: lint
description: Fix the path.
when:
  - { fact: stderr, contains: quota }
then:
  - action: fix
`;
const problemsOf = (text: string) =>
  parseLibraryRule('a.rule.yaml', text).problems.map(({ line, message }) => `${line} ${message}`);

describe('the document of a rule', () => {
  it('is sound with facts and actions, with a model, or with facts for other rules', () => {
    expect(problemsOf(RULE)).toEqual([]);
    expect(problemsOf(RULE.replace('then:\n  - action: fix', 'llm_config: { prompt_template: Look }'))).toEqual([]);
    expect(problemsOf(RULE.replace('then:\n  - action: fix', 'sets: { leak: true }'))).toEqual([]);
    expect(problemsOf(RULE.replace('then:\n  - action: fix', 'retracts: [leak]'))).toEqual([]);
  });

  it.each([
    ['then:\n  - action: fix\n', '', 'got none of them'],
    ['then:', 'llm_config: { prompt_template: Look }\nthen:', 'expected then or llm_config, got both'],
    ['then:', 'sets: {}\nthen:', 'expected at least one fact, got none'],
    [', contains: quota', '', '4 expected one of equals, contains or regex, got 0'],
    ['contains: quota', 'contains: quota, equals: x', '4 expected one of equals, contains or regex, got 2'],
    ['contains: quota', "regex: '(a)\\1'", '4 back-references are not supported'],
    ['description:', 'descripton:', 'unknown key "descripton"'],
    ['when:', '- when:', '3 '],
  ])('with %j as %j has the problem %j', (from, to, problem) => {
    expect(problemsOf(RULE.replace(from, to)).join('\n')).toContain(problem);
  });

  it('that is not sound is thrown with file, line and column of each problem', () => {
    expect(soundRule(parseLibraryRule('a.rule.yaml', RULE)).name).toBe('lint');
    expect(() => soundRule(parseLibraryRule('a.rule.yaml', RULE.replace('name: lint', 'name: 7up')))).toThrow(
      /^not a rule:\na\.rule\.yaml:1:7: /,
    );
  });
});
