import { readFileSync, writeFileSync } from 'node:fs';

/**
 * Sums up a mutation run: reads reports/mutation/incremental.json (`npm run mutation` writes it) and writes docs/mutation.md.
 * The table tells only of files that were mutated in that run or, by the incremental record, in one before it.
 */
interface Mutant {
  readonly mutatorName: string;
  readonly status: string;
  readonly replacement?: string;
  readonly location: { readonly start: { readonly line: number } };
}
interface Report {
  readonly files: Readonly<Record<string, { readonly mutants: readonly Mutant[] }>>;
}

const CAUGHT: ReadonlySet<string> = new Set(['Killed', 'Timeout', 'RuntimeError', 'CompileError']);
const MISSED: ReadonlySet<string> = new Set(['Survived', 'NoCoverage']);
const CHARACTERS_MAX = 90;

const count = (mutants: readonly Mutant[], statuses: ReadonlySet<string>): number =>
  mutants.filter(({ status }) => statuses.has(status)).length;

function rowOf(file: string, mutants: readonly Mutant[]): string {
  const caught = count(mutants, CAUGHT);
  const missed = count(mutants, MISSED);
  const score = caught + missed === 0 ? '-' : `${((100 * caught) / (caught + missed)).toFixed(1)} %`;
  return `| \`${file}\` | ${caught + missed} | ${caught} | ${missed} | ${score} |`;
}

function survivorsOf(file: string, mutants: readonly Mutant[]): readonly string[] {
  return mutants
    .filter(({ status }) => MISSED.has(status))
    .map(({ mutatorName, replacement = '', location, status }) => {
      const text = replacement.replace(/\s+/g, ' ').replaceAll('`', "'").slice(0, CHARACTERS_MAX);
      const note = status === 'NoCoverage' ? ' (no test reaches it)' : '';
      return `- \`${file}:${location.start.line}\` ${mutatorName} to \`${text}\`${note}`;
    });
}

const { files } = JSON.parse(readFileSync('reports/mutation/incremental.json', 'utf8')) as Report;
const mutated = Object.entries(files)
  .filter(([, { mutants }]) => mutants.some(({ status }) => CAUGHT.has(status) || MISSED.has(status)))
  .sort(([a], [b]) => (a < b ? -1 : 1));
const survivors = mutated.flatMap(([file, { mutants }]) => survivorsOf(file, mutants));
const text = `# Mutation tests

Stryker changes the code in small ways and runs the fast tests of the guard, the agent and the grounding on each change.
A change that no test notices is a survivor: code that could be wrong without anybody hearing of it.

Run \`npm run mutation\` for everything (hours on two cores), or for some files:
\`npm run mutation -- --mutate src/guard/window.ts,src/guard/cooldown.ts\`. This page is written by that command.
Only these files have been mutated so far:

| file | mutants | caught | survived | score |
|---|---|---|---|---|
${mutated.map(([file, { mutants }]) => rowOf(file, mutants)).join('\n')}

## Survivors

${survivors.length === 0 ? 'None.' : survivors.join('\n')}
`;
writeFileSync('docs/mutation.md', text);
process.stdout.write(`docs/mutation.md: ${mutated.length} files, ${survivors.length} survivors\n`);
