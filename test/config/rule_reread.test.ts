import { describe, expect, it } from 'vitest';
import { rulesFrom } from '../../src/config/rules.ts';
import { type Locate, parseYaml } from '../../src/config/yaml.ts';
import { TOOLS, problemLines } from './support.ts';

const text = (id: string) => `id: ${id}
description: It passes.
classification: item_churn
then:
  - wait: { escalate_after: 60s }
`;

/** A file whose places are counted: each may cost a parse of the whole file, when it was read long ago. */
function aFile(name: string, id: string) {
  const parsed = parseYaml(name, text(id));
  let asked = 0;
  const at: Locate = (...where) => {
    asked += 1;
    return parsed.at(...where);
  };
  return { file: { ...parsed, at }, asked: () => asked };
}

describe('rules of files that were read before', () => {
  it('are taken over without a look at where anything stands', () => {
    const [first, second] = [aFile('reread_a.rule.yaml', 'one'), aFile('reread_b.rule.yaml', 'two')];
    const files = [first.file, second.file];
    const before = rulesFrom(files, TOOLS);
    expect(before.problems).toEqual([]);
    const asked = [first.asked(), second.asked()];
    const after = rulesFrom(files, TOOLS);
    expect(after.rules.map((rule, at) => rule === before.rules[at])).toEqual([true, true]);
    expect([first.asked(), second.asked()]).toEqual(asked);
  });

  it('are looked up again where another file now holds the same id', () => {
    const [first, second] = [aFile('reread_c.rule.yaml', 'one'), aFile('reread_d.rule.yaml', 'one')];
    expect(rulesFrom([first.file], TOOLS).problems).toEqual([]);
    expect(problemLines(rulesFrom([first.file, second.file], TOOLS).problems)).toEqual([
      '1:5 id: the rule one stands at reread_c.rule.yaml:1 already (give it another id)',
    ]);
  });
});
