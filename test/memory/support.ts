/** A journal and the memory of it, in a test. */
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Clock } from '../../src/core/clock.ts';
import type { Draft, JournalEntry } from '../../src/core/journal.ts';
import { DerivedFile } from '../../src/journal/derived.ts';
import { Ledger } from '../../src/journal/ledger.ts';
import { MemoryStore } from '../../src/journal/memory.ts';
import { Graph } from '../../src/memory/graph.ts';
import { Reads } from '../../src/memory/reads.ts';
import { MEMORY_SCHEMA } from '../../src/memory/schema.ts';
import { temporaryDirectory } from '../journal/support.ts';
import { fakeClock } from '../support/fake_clock.ts';

export { incidentDrafts } from '../support/incident_story.ts';

export interface Bench {
  readonly clock: Clock;
  /** Lets time pass; timers do not run before it is awaited. */
  readonly advance: (ms: number) => Promise<unknown>;
  readonly ledger: Ledger;
  readonly rows: MemoryStore;
  readonly graph: Graph;
  readonly reads: Reads;
  /** Appends these and brings the graph up to date. */
  live(drafts: readonly Draft[]): readonly JournalEntry[];
  /** A graph in a new file. */
  another(): Graph;
}

/** An open ledger in memory and a graph in a file of its own. */
export function aMemory(): Bench {
  const { clock, advance } = fakeClock();
  const rows = new MemoryStore();
  const ledger = new Ledger(rows, clock, { snapshotEntries: 20 });
  ledger.open();
  const another = (): Graph => {
    const file = DerivedFile.open(join(temporaryDirectory(), 'memory.db'), MEMORY_SCHEMA);
    onTestFinished(() => file[Symbol.dispose]());
    return new Graph(file);
  };
  const graph = another();
  return {
    ...{ clock, advance, ledger, rows, graph, another, reads: new Reads(graph.store) },
    live: (drafts) => {
      const entries = ledger.append(drafts);
      const fresh = [...ledger.read({ sinceSeq: graph.store.cursor() + 1 })];
      graph.take(fresh, fresh.at(-1)?.seq ?? graph.store.cursor());
      return entries;
    },
  };
}
