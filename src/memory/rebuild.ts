/** Builds the graph from the journal, from the beginning or from where it stands. */
import { entryOf } from '../journal/entry.ts';
import type { JournalQuery } from '../core/journal.ts';
import type { StoredEntry } from '../journal/store.ts';
import { FOLDED_TYPES } from './fold.ts';
import type { Graph } from './graph.ts';
import type { Insight } from './insight.ts';
import type { InsightTable } from './insight_table.ts';

/** Facts that change insights only. */
const INSIGHT_TYPES: ReadonlySet<string> = new Set(['insight.merged', 'insight.worded']);
const BATCH = 2_000;

export interface JournalRows {
  read(query: JournalQuery): Iterable<StoredEntry>;
}

/** Reads everything after the graph's cursor; the number of entries that it took. What adds nothing is not parsed. */
export function catchUp(graph: Graph, journal: JournalRows): number {
  let taken = 0;
  let batch: StoredEntry[] = [];
  const flush = () => {
    const last = batch.at(-1);
    if (last === undefined) return;
    const folded = batch.filter(({ type }) => FOLDED_TYPES.has(type) || INSIGHT_TYPES.has(type));
    graph.take(folded.map(entryOf), last.seq);
    taken += batch.length;
    batch = [];
  };
  for (const row of journal.read({ sinceSeq: graph.store.cursor() + 1 })) {
    batch.push(row);
    if (batch.length === BATCH) flush();
  }
  flush();
  return taken;
}

/** Copies every insight of an older file: they outlive the entries that they came from. */
export function adoptInsights(graph: Graph, older: Pick<InsightTable, 'list'>): number {
  let offset = 0;
  for (;;) {
    const page: readonly Insight[] = older.list({ limit: BATCH, offset });
    if (page.length === 0) return offset;
    graph.store.advance(graph.store.cursor(), () => graph.insights.adopt(page));
    offset += page.length;
  }
}
