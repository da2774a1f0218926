import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { TailLimits, TailNotice, TailSource } from '../../../src/collect/tail/types.ts';
import { createTail } from '../../../src/collect/tail/tail.ts';
import { memoryCheckpoints } from '../../../src/journal/checkpoints.ts';
import type { Checkpoint, CheckpointStore } from '../../../src/core/chunk.ts';
import { fakeClock } from '../../support/fake_clock.ts';
import { countChunk } from './counting.ts';

export { countChunk };

export interface Seen {
  readonly source: string;
  readonly text: string;
  readonly backlog: boolean;
}

/** An empty directory that goes away with the test. */
export function aDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'reeve-tail-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/**
 * The durable half of the world: what a store has committed. What a tail handed over since its last save belongs to
 * nobody yet, as in a process that dies there.
 */
export function aWorld() {
  const store = memoryCheckpoints();
  const committed: Seen[] = [];
  const notices: TailNotice[] = [];
  return { store, committed, notices };
}

export type World = ReturnType<typeof aWorld>;

export interface Following {
  readonly seen: readonly Seen[];
  readonly texts: () => string[];
  readonly tail: ReturnType<typeof createTail>;
  readonly advance: (ms: number) => Promise<unknown>;
  /** The process dies: nothing that happens after this reaches the store. */
  readonly crash: () => Promise<void>;
  readonly stop: () => Promise<void>;
}

/** Starts a tail on a clock that stands still; `world` carries over to the next one. */
export function follow(sources: readonly TailSource[], world: World, limits: Partial<TailLimits> = {}): Following {
  const { clock, advance } = fakeClock();
  const seen: Seen[] = [];
  let pending: Seen[] = [];
  let isDead = false;
  const checkpoints: CheckpointStore = {
    load: (source) => world.store.load(source),
    save: (rows: readonly Checkpoint[]) => {
      if (isDead) return;
      world.store.save(rows);
      world.committed.push(...pending);
      pending = [];
    },
    forget: (source, files) => (isDead ? undefined : world.store.forget(source, files)),
  };
  const tail = createTail({
    ...{ sources, clock, checkpoints, limits },
    report: (notice) => world.notices.push(notice),
    sink: (chunk) => {
      const { count, records } = countChunk(chunk);
      const taken = records.map((text) => ({ source: chunk.source, text, backlog: chunk.backlog }));
      seen.push(...taken);
      pending.push(...taken);
      return count;
    },
  });
  const stop = async (): Promise<void> => tail[Symbol.asyncDispose]();
  onTestFinished(stop);
  tail.start();
  const crash = async (): Promise<void> => {
    isDead = true;
    await stop();
  };
  return { seen, texts: () => seen.map(({ text }) => text), tail, advance, crash, stop };
}
