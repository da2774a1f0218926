import { registerHooks } from 'node:module';
import { MUTANTS } from './mutants.ts';

/**
 * Loaded before anything else: replaces the pieces of the mutant's files as they are read. Nothing is written to the
 * disk. Exit 3: a piece was not found exactly once, so the mutant no longer means anything.
 */
const name = process.env.MUTANT ?? '';
const mutant = MUTANTS.find((one) => one.name === name);
if (name !== '' && mutant === undefined) fail(`there is no mutant ${name}`);

function fail(because: string): never {
  process.stderr.write(`${because}\n`);
  process.exit(3);
}

export function mutated(path: string, text: string): string {
  let changed = text;
  for (const [file, find, replace] of mutant?.edits ?? []) {
    if (!path.endsWith(file)) continue;
    if (changed.split(find).length !== 2)
      fail(`${name}: its piece of ${file} is there ${changed.split(find).length - 1} times`);
    changed = changed.replace(find, () => replace);
  }
  return changed;
}

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    if (!url.includes('/src/') || loaded.source === undefined || loaded.source === null) return loaded;
    const text =
      typeof loaded.source === 'string' ? loaded.source : Buffer.from(loaded.source as Uint8Array).toString();
    return { ...loaded, source: mutated(url, text) };
  },
});
