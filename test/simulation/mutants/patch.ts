import { registerHooks } from 'node:module';
import { mutated } from './mutate.ts';

/** Loaded before anything else: sources are mutated as they are read, and nothing is written to the disk. */
registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    if (!url.includes('/src/') || loaded.source === undefined || loaded.source === null) return loaded;
    const text =
      typeof loaded.source === 'string' ? loaded.source : Buffer.from(loaded.source as Uint8Array).toString();
    return { ...loaded, source: mutated(url, text) };
  },
});
