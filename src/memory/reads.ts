/** Reading the graph: find, list, look around, count. Every answer is bounded and paged. */
import type { EpochMs } from '../core/clock.ts';
import type { DerivedStore, Row } from '../journal/derived.ts';
import type { InsightTable } from './insight_table.ts';
import { type Neighbour, Neighbours } from './neighbours.ts';
import { EVENT_TYPES, type EventType, type NodeType } from './node.ts';
import { hubView, insightView, NodeTable, type NodeView, nodeOf, viewOf } from './node_table.ts';
import type { TracedNode } from './process_tree.ts';
import { Search } from './search.ts';

export type { Neighbour } from './neighbours.ts';
export type { NodeView } from './node_table.ts';

export interface ListQuery {
  readonly type?: NodeType | undefined;
  readonly since?: EpochMs | undefined;
  readonly until?: EpochMs | undefined;
  /** Only nodes before this number: the next page. */
  readonly before?: number | undefined;
  readonly limit: number;
}

const isEventType = (type: NodeType | undefined): type is EventType => EVENT_TYPES.some((each) => each === type);

export class Reads {
  readonly nodes: NodeTable;
  readonly search: Search;
  readonly #store: DerivedStore;
  readonly #around: Neighbours;

  constructor(store: DerivedStore) {
    this.#store = store;
    this.nodes = new NodeTable(store);
    this.search = new Search(store);
    this.#around = new Neighbours(store, this.nodes, this.search);
  }

  get insights(): InsightTable {
    return this.nodes.insights;
  }

  /** How far the journal was read. */
  throughSeq(): number {
    return this.#store.cursor();
  }

  /** The ids that begin with this text: one for an id in full. At most `limit`. */
  resolve(prefix: string, limit = 10): readonly string[] {
    return this.nodes.resolve(prefix, limit);
  }

  /** Undefined when there is none of this id. */
  get(id: string): NodeView | undefined {
    return this.nodes.get(id);
  }

  /** Every step from this node: its process, what it is about, insights, its neighbours in time, what is like it. */
  neighbours(id: string, page: { readonly limit: number; readonly offset?: number }): readonly Neighbour[] {
    return this.#around.of(id, page);
  }

  /** Newest first; hubs and insights by their own order, without a time. */
  list({ type, since, until, before, limit }: ListQuery): readonly NodeView[] {
    if (type === 'insight') return this.insights.list({ limit, offset: before ?? 0 }).map(insightView);
    if (type !== undefined && !isEventType(type)) {
      const rows = this.#store.all(
        'SELECT id FROM hub WHERE type = ? ORDER BY id LIMIT ? OFFSET ?',
        type,
        limit,
        before ?? 0,
      );
      return rows.map(({ id }) => hubView(String(id)));
    }
    const { sinceSeq, untilSeq } = this.#range(since, until);
    const through = Math.min(untilSeq, (before ?? Number.MAX_SAFE_INTEGER) - 1);
    const rows =
      type === undefined
        ? this.#store.all(
            'SELECT * FROM node WHERE seq BETWEEN ? AND ? ORDER BY seq DESC LIMIT ?',
            sinceSeq,
            through,
            limit,
          )
        : this.#store.all(
            'SELECT * FROM node WHERE type = ? AND seq BETWEEN ? AND ? ORDER BY seq DESC LIMIT ?',
            ...[type, sinceSeq, through, limit],
          );
    return rows.map(nodeOf).map(viewOf);
  }

  /** The island's nodes, oldest first, with what they are about; at most 2,000. */
  island(id: string): readonly TracedNode[] {
    const event = this.nodes.event(id);
    return event === undefined ? [] : this.nodes.islandOf(event.root);
  }

  /** The newest incidents that concern the one hub and are about this concept. */
  incidentsOf(hub: string, concept: string, limit: number): readonly NodeView[] {
    const sql = `SELECT node.* FROM edge AS place JOIN edge AS topic ON topic.src = place.src
      JOIN node ON node.seq = place.src
      WHERE place.hub = ? AND topic.hub = ? AND topic.edge = 'about' AND node.type = 'incident'
      ORDER BY place.src DESC LIMIT ?`;
    return this.#store.all(sql, hub, `concept:${concept}`, limit).map(nodeOf).map(viewOf);
  }

  /** How many there are of each type of node, edge and state of insight. */
  stat() {
    const count = (sql: string) =>
      this.#store.all(sql).map(({ name, count: n }) => ({ name: String(name), count: Number(n) }));
    const [span] = this.#store.all('SELECT min(seq) AS first, max(seq) AS last FROM node');
    return {
      throughSeq: this.throughSeq(),
      firstSeq: Number(span?.first ?? 0),
      lastSeq: Number(span?.last ?? 0),
      nodes: [
        ...count('SELECT type AS name, count(*) AS count FROM node GROUP BY type'),
        ...count('SELECT type AS name, count(*) AS count FROM hub GROUP BY type'),
      ],
      edges: count('SELECT edge AS name, count(*) AS count FROM edge GROUP BY edge'),
      insights: count(
        "SELECT iif(state = 1, 'active', 'archived') AS name, count(*) AS count FROM insight GROUP BY state",
      ),
      bytes: Number(
        this.#store.get('SELECT page_count * page_size AS bytes FROM pragma_page_count(), pragma_page_size()')?.bytes,
      ),
    };
  }

  #range(since: EpochMs | undefined, until: EpochMs | undefined) {
    const first = 'SELECT seq FROM node WHERE at >= ? ORDER BY at, seq LIMIT 1';
    const last = 'SELECT seq FROM node WHERE at < ? ORDER BY at DESC, seq DESC LIMIT 1';
    const seqOf = (row: Row | undefined, none: number) => (row === undefined ? none : Number(row.seq));
    return {
      sinceSeq: since === undefined ? 0 : seqOf(this.#store.get(first, since), Number.MAX_SAFE_INTEGER),
      untilSeq: until === undefined ? Number.MAX_SAFE_INTEGER : seqOf(this.#store.get(last, until), -1),
    };
  }
}
