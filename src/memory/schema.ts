/** The tables of the memory's own file. */
import type { DerivedSchema } from '../journal/derived.ts';

/**
 * `node`: events, by the number of their journal entry; `root` is the first entry of their island. `edge`: from an
 * event to what it is about. `insight` alone outlives the journal. `doc`: the searchable texts; rows below zero are
 * insights.
 */
export const MEMORY_SCHEMA: DerivedSchema = {
  name: 'memory',
  version: 1,
  tables: `
    CREATE TABLE node (
      seq INTEGER PRIMARY KEY,
      at INTEGER NOT NULL,
      type TEXT NOT NULL,
      name TEXT,
      root INTEGER NOT NULL,
      run TEXT,
      label TEXT NOT NULL,
      attributes TEXT NOT NULL
    ) STRICT;
    CREATE INDEX node_by_root ON node (root, seq);
    CREATE INDEX node_by_name ON node (name) WHERE name IS NOT NULL;
    CREATE TABLE edge (
      hub TEXT NOT NULL,
      src INTEGER NOT NULL,
      edge TEXT NOT NULL,
      root INTEGER NOT NULL,
      PRIMARY KEY (hub, src, edge)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX edge_by_root ON edge (root, src);
    CREATE TABLE hub (id TEXT PRIMARY KEY, type TEXT NOT NULL) STRICT, WITHOUT ROWID;
    CREATE TABLE insight (
      number INTEGER PRIMARY KEY,
      id TEXT NOT NULL UNIQUE,
      a TEXT NOT NULL,
      b TEXT NOT NULL,
      subject TEXT NOT NULL,
      verdict TEXT NOT NULL,
      text TEXT NOT NULL,
      strength INTEGER NOT NULL,
      state INTEGER NOT NULL,
      born INTEGER NOT NULL,
      at INTEGER NOT NULL,
      origin TEXT,
      merged_into TEXT,
      worded_by TEXT
    ) STRICT;
    CREATE INDEX insight_by_claim ON insight (state, a, b, subject, verdict, born, id);
    CREATE VIRTUAL TABLE doc USING fts5(body)`,
  readIndexes: `
    CREATE INDEX node_by_type ON node (type, seq);
    CREATE INDEX node_by_at ON node (at);
    CREATE INDEX hub_by_type ON hub (type, id);
    CREATE INDEX insight_by_strength ON insight (state DESC, strength DESC, born DESC);
    CREATE INDEX insight_by_pair ON insight (state, a, b, strength DESC, id);
    CREATE INDEX insight_by_second ON insight (state, b, strength DESC, id);
    CREATE INDEX insight_by_heir ON insight (merged_into) WHERE merged_into IS NOT NULL;
    CREATE INDEX insight_by_origin ON insight (origin) WHERE origin IS NOT NULL`,
};
