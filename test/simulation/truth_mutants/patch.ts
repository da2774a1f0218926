/** Loaded before anything else: one source file is mutated as it is read, and nothing is written to the disk. */
import { registerHooks } from 'node:module';
import { TRUTH_MUTANTS } from './mutants.ts';

const edit = TRUTH_MUTANTS.find(({ name }) => name === process.env.TRUTH_MUTANT)?.edit;

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    if (edit === undefined || !url.endsWith(edit[0]) || !loaded.source) return loaded;
    const text =
      typeof loaded.source === 'string' ? loaded.source : Buffer.from(loaded.source as Uint8Array).toString();
    const times = text.split(edit[1]).length - 1;
    if (times !== 1) throw new Error(`stale: its piece of ${edit[0]} is there ${times} times`);
    return { ...loaded, source: text.replace(edit[1], () => edit[2]) };
  },
});
