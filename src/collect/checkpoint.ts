import type { Checkpoint, CheckpointStore } from '../core/chunk.ts';

/** Checkpoints that end with the process: for commands that look once, and for tests. */
export function memoryCheckpoints(): CheckpointStore {
  const rows = new Map<string, Checkpoint>();
  const keyOf = (source: string, path: string): string => JSON.stringify([source, path]);
  return {
    load: (source) => [...rows.values()].filter((row) => row.source === source),
    save: (checkpoints) => {
      for (const row of checkpoints) rows.set(keyOf(row.source, row.path), row);
    },
    forget: (source, paths) => {
      for (const path of paths) rows.delete(keyOf(source, path));
    },
  };
}
