import { MUTANTS } from './mutants.ts';

/** Exit 3: a piece was not found exactly once, so the mutant no longer means anything. */
const STALE_EXIT = 3;

const name = process.env.MUTANT ?? '';
const mutant = MUTANTS.find((one) => one.name === name);
if (name !== '' && mutant === undefined) fail(`there is no mutant ${name}`);

function fail(because: string): never {
  process.stderr.write(`${because}\n`);
  process.exit(STALE_EXIT);
}

/** The text of a source file as the mutant that MUTANT names has it. */
export function mutated(path: string, text: string): string {
  let changed = text;
  for (const [file, find, replace] of mutant?.edits ?? []) {
    if (!path.endsWith(file)) continue;
    const times = changed.split(find).length - 1;
    if (times !== 1) fail(`${name}: its piece of ${file} is there ${times} times`);
    changed = changed.replace(find, () => replace);
  }
  return changed;
}
