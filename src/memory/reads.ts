/** Reading the graph: find, list, look around, walk. Every answer is bounded and paged. */
import type { EpochMs } from '../core/clock.ts';
import type { DerivedStore, Row } from '../journal/derived.ts';
import type { Insight } from './insight.ts';
import { InsightTable } from './insight_table.ts';
import {
  type Attributes,
  EVENT_TYPES,
  type EdgeType,
  type EventType,
  eventId,
  HUB_TYPES,
  hubType,
  type NodeType,
  seqOfId,
} from './node.ts';
import { parentsOf, type TracedNode } from './process_tree.ts';
import { Search } from './search.ts';

/** A node as people see it. */
export interface NodeView {
  readonly id: string;
  readonly type: NodeType;
  readonly label: string;
  readonly at: EpochMs | undefined;
  readonly seq: number | undefined;
  readonly attributes: Attributes;
}

/** One step that can be taken from a node. */
export interface Neighbour extends NodeView {
  readonly edge: EdgeType;
  /** `in`: the edge points at the node that one stands on. */
  readonly direction: 'in' | 'out';
}

export interface ListQuery {
  readonly type?: NodeType | undefined;
  readonly since?: EpochMs | undefined;
  readonly until?: EpochMs | undefined;
  /** Only nodes before this number: the next page. */
  readonly before?: number | undefined;
  readonly limit: number;
}

/** Nodes of an island that are read at most. */
const ISLAND_MAX = 2_000;
const RELATED_MAX = 5;

const isEventType = (type: NodeType | undefined): type is EventType => EVENT_TYPES.some((each) => each === type);

export class Reads {
  readonly insights: InsightTable;
  readonly search: Search;
  readonly #store: DerivedStore;

  constructor(store: DerivedStore) {
    this.#store = store;
    this.insights = new InsightTable(store);
    this.search = new Search(store);
  }

  /** How far the journal was read. */
  throughSeq(): number {
    return this.#store.cursor();
  }

  /** The ids that begin with this text: one for an id in full. At most `limit`. */
  resolve(prefix: string, limit = 10): readonly string[] {
    if (this.get(prefix) !== undefined) return [prefix];
    const end = `${prefix}\uffff`;
    const names = this.#store.all(
      'SELECT name AS id FROM node WHERE name >= ? AND name < ? ORDER BY name LIMIT ?',
      ...[prefix, end, limit],
    );
    const others = [
      ...this.#store.all('SELECT id FROM insight WHERE id >= ? AND id < ? ORDER BY id LIMIT ?', prefix, end, limit),
      ...this.#store.all('SELECT id FROM hub WHERE id >= ? AND id < ? ORDER BY id LIMIT ?', prefix, end, limit),
    ];
    return [...names, ...others].map(({ id }) => String(id)).slice(0, limit);
  }

  /** Undefined when there is none of this id. */
  get(id: string): NodeView | undefined {
    const event = this.#event(id);
    if (event !== undefined) return viewOf(event);
    const insight = this.insights.get(id);
    if (insight !== undefined) return insightView(insight);
    const hub = this.#store.get('SELECT id FROM hub WHERE id = ?', id);
    return hub === undefined ? undefined : hubView(id);
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
    const event = this.#event(id);
    return event === undefined ? [] : this.#islandOf(event.root);
  }

  /** Every step from this node: its process, what it is about, insights, its neighbours in time, what is like it. */
  neighbours(id: string, { limit, offset = 0 }: { limit: number; offset?: number }): readonly Neighbour[] {
    const event = this.#event(id);
    if (event !== undefined) return this.#ofEvent(event).slice(offset, offset + limit);
    const insight = this.insights.get(id);
    if (insight !== undefined) return this.#ofInsight(insight, limit + offset).slice(offset, offset + limit);
    return this.#ofHub(id, limit, offset);
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

  #event(id: string): StoredNode | undefined {
    const seq = seqOfId(id);
    const row =
      seq === undefined
        ? this.#store.get('SELECT * FROM node WHERE name = ? ORDER BY seq LIMIT 1', id)
        : (this.#store.get('SELECT * FROM node WHERE seq = ?', seq) ??
          this.#store.get('SELECT * FROM node WHERE name = ? ORDER BY seq LIMIT 1', id));
    if (row === undefined) return undefined;
    const node = nodeOf(row);
    return node.id === id ? node : undefined;
  }

  #islandOf(root: number): readonly TracedNode[] {
    const rows = this.#store.all('SELECT * FROM node WHERE root = ? ORDER BY seq LIMIT ?', root, ISLAND_MAX);
    const edges = this.#store.all('SELECT src, edge, hub FROM edge WHERE root = ? ORDER BY src, edge, hub', root);
    const hubs = Map.groupBy(edges, ({ src }) => Number(src));
    return rows.map(nodeOf).map((node) => ({
      ...node,
      hubs: (hubs.get(node.seq) ?? []).map(({ edge, hub }) => ({
        edge: edge as TracedNode['hubs'][number]['edge'],
        hub: String(hub),
      })),
    }));
  }

  #ofEvent(event: StoredNode): readonly Neighbour[] {
    const island = this.#islandOf(event.root);
    const bySeq = new Map(island.map((node) => [node.seq, node]));
    const parents = parentsOf(island);
    const parent = bySeq.get(parents.get(event.seq) ?? -1);
    const children = island.filter(({ seq }) => parents.get(seq) === event.seq);
    const cites = Array.isArray(event.attributes.cites) ? (event.attributes.cites as readonly string[]) : [];
    const cited = cites.flatMap((id) => this.get(id) ?? []);
    const own = bySeq.get(event.seq)?.hubs ?? [];
    const insight = event.type === 'incident' ? this.insights.ofOrigin(event.id) : undefined;
    return [
      ...(parent === undefined ? [] : [step('part_of', 'out', viewOf(parent))]),
      ...children.map((child) => step('led_to', 'out', viewOf(child))),
      ...cited.map((view) => step('cites', 'out', view)),
      ...own.map(({ edge, hub }) => step(edge, 'out', hubView(hub))),
      ...(insight === undefined ? [] : [step('crystallised_from', 'in', insightView(insight))]),
      ...this.#inTime(event, own),
      ...(event.seq === event.root ? this.#like(event) : []),
    ];
  }

  /** The one before and the one after of the same kind on the same channel. */
  #inTime(event: StoredNode, own: readonly { hub: string }[]): readonly Neighbour[] {
    const place = own.find(({ hub }) => hub.startsWith('channel:'))?.hub;
    if (event.seq !== event.root || place === undefined) return [];
    const at = (comparison: '<' | '>', direction: 'DESC' | 'ASC') =>
      this.#store.get(
        `SELECT node.* FROM edge JOIN node ON node.seq = edge.src
         WHERE hub = ? AND src ${comparison} ? AND node.type = ? ORDER BY src ${direction} LIMIT 1`,
        ...[place, event.seq, event.type],
      );
    const before = at('<', 'DESC');
    const after = at('>', 'ASC');
    return [
      ...(before === undefined ? [] : [step('after', 'out', viewOf(nodeOf(before)))]),
      ...(after === undefined ? [] : [step('before', 'out', viewOf(nodeOf(after)))]),
    ];
  }

  #like(event: StoredNode): readonly Neighbour[] {
    const text = this.search.textOf(event.seq);
    if (text === undefined) return [];
    return this.search
      .find(text, RELATED_MAX + 1)
      .filter(({ row }) => row !== event.seq)
      .slice(0, RELATED_MAX)
      .flatMap(({ row }) => this.ofDocument(row) ?? [])
      .map((view) => step('similar_to', 'out', view));
  }

  /** What a row of the searchable texts stands for. */
  ofDocument(row: number): NodeView | undefined {
    if (row < 0) {
      const insight = this.insights.ofNumber(-row);
      return insight === undefined ? undefined : insightView(insight);
    }
    const found = this.#store.get('SELECT * FROM node WHERE seq = ?', row);
    return found === undefined ? undefined : viewOf(nodeOf(found));
  }

  #ofInsight(insight: Insight, limit: number): readonly Neighbour[] {
    const origin = insight.origin === undefined ? undefined : this.get(insight.origin);
    const heir = insight.mergedInto === undefined ? undefined : this.insights.get(insight.mergedInto);
    return [
      ...insight.pair.map((concept) => step('about', 'out', hubView(`concept:${concept}`))),
      ...(origin === undefined ? [] : [step('crystallised_from', 'out', origin)]),
      ...(heir === undefined ? [] : [step('merged_into', 'out', insightView(heir))]),
      ...this.insights.against(insight).map((other) => step('contradicts', 'out', insightView(other))),
      ...this.insights.parents(insight.id, limit).map((parent) => step('merged_into', 'in', insightView(parent))),
    ];
  }

  #ofHub(hub: string, limit: number, offset: number): readonly Neighbour[] {
    const insights = hub.startsWith('concept:')
      ? this.insights.list({ state: 1, concept: hub.slice('concept:'.length), limit: RELATED_MAX })
      : [];
    const first = insights.map((insight) => step('about', 'in', insightView(insight)));
    const rows = this.#store.all(
      `SELECT edge.edge, node.* FROM edge JOIN node ON node.seq = edge.src WHERE hub = ?
       ORDER BY src DESC LIMIT ? OFFSET ?`,
      ...[hub, limit, Math.max(0, offset - first.length)],
    );
    const events = rows.map((row) => step(row.edge as EdgeType, 'in', viewOf(nodeOf(row))));
    return [...first.slice(offset), ...events].slice(0, limit);
  }
}

type StoredNode = TracedNode & { readonly root: number };

const step = (edge: EdgeType, direction: 'in' | 'out', view: NodeView): Neighbour => ({ edge, direction, ...view });

const viewOf = ({ id, type, label, at, seq, attributes }: TracedNode): NodeView => ({
  id,
  type,
  label,
  at,
  seq,
  attributes,
});

const hubView = (id: string): NodeView => {
  const type = hubType(id) ?? HUB_TYPES[0];
  return { id, type, label: id.slice(type.length + 1), at: undefined, seq: undefined, attributes: {} };
};

export const insightView = ({ id, text, at, bornSeq, strength, state, verdict }: Insight): NodeView => ({
  ...{ id, type: 'insight', label: text, at, seq: bornSeq },
  attributes: { strength, state, verdict },
});

function nodeOf(row: Row): StoredNode {
  const type = row.type as EventType;
  const seq = Number(row.seq);
  return {
    ...{ seq, type, hubs: [], at: Number(row.at), root: Number(row.root), label: String(row.label) },
    id: row.name === null ? eventId(type, seq) : String(row.name),
    run: row.run === null ? undefined : String(row.run),
    attributes: JSON.parse(String(row.attributes)) as Attributes,
  };
}
