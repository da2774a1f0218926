// A library over three rules, with the lines that it logged.
import { createReeve } from '../../src/library/reeve.ts';
import { aLibraryFolder, ruleText } from './support.ts';

const FILES = {
  'rules/a.rule.yaml': ruleText('first', { fact: 'quota' }),
  'rules/b.rule.yaml': ruleText('second', { fact: 'quota' }),
  'rules/c.rule.yaml': ruleText('third', { fact: 'certificate' }),
};

export function aReeve() {
  const lines: string[] = [];
  const directory = aLibraryFolder(FILES);
  const reeve = createReeve({ directory, log: (line) => void lines.push(line) });
  return { reeve, lines, directory };
}
