/** Nodes in the memory's file, by their ids. */
import type { EpochMs } from '../core/clock.ts';
import type { DerivedStore, Row } from '../journal/derived.ts';
import type { Insight } from './insight.ts';
import { InsightTable } from './insight_table.ts';
import { type Attributes, type EventType, eventId, HUB_TYPES, hubType, type NodeType, seqOfId } from './node.ts';
import type { TracedNode } from './process_tree.ts';

/** A node as people see it. */
export interface NodeView {
  readonly id: string;
  readonly type: NodeType;
  readonly label: string;
  readonly at: EpochMs | undefined;
  readonly seq: number | undefined;
  readonly attributes: Attributes;
}

/** An event with the number of its island's first entry. */
export type StoredNode = TracedNode & { readonly root: number };

/** Nodes of an island that are read at most. */
const ISLAND_MAX = 2_000;

export class NodeTable {
  readonly insights: InsightTable;
  readonly #store: DerivedStore;

  constructor(store: DerivedStore) {
    this.#store = store;
    this.insights = new InsightTable(store);
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
    const event = this.event(id);
    if (event !== undefined) return viewOf(event);
    const insight = this.insights.get(id);
    if (insight !== undefined) return insightView(insight);
    const hub = this.#store.get('SELECT id FROM hub WHERE id = ?', id);
    return hub === undefined ? undefined : hubView(id);
  }

  event(id: string): StoredNode | undefined {
    const seq = seqOfId(id);
    const row =
      this.#store.get('SELECT * FROM node WHERE name = ? ORDER BY seq LIMIT 1', id) ??
      (seq === undefined ? undefined : this.#store.get('SELECT * FROM node WHERE seq = ?', seq));
    if (row === undefined) return undefined;
    const node = nodeOf(row);
    return node.id === id ? node : undefined;
  }

  /** The nodes of the island that begins with this entry, oldest first; at most 2,000. */
  islandOf(root: number): readonly TracedNode[] {
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

  /** What a row of the searchable texts stands for. */
  ofDocument(row: number): NodeView | undefined {
    if (row < 0) {
      const insight = this.insights.ofNumber(-row);
      return insight === undefined ? undefined : insightView(insight);
    }
    const found = this.#store.get('SELECT * FROM node WHERE seq = ?', row);
    return found === undefined ? undefined : viewOf(nodeOf(found));
  }
}

export const viewOf = ({ id, type, label, at, seq, attributes }: TracedNode): NodeView => ({
  id,
  type,
  label,
  at,
  seq,
  attributes,
});

export const hubView = (id: string): NodeView => {
  const type = hubType(id) ?? HUB_TYPES[0];
  return { id, type, label: id.slice(type.length + 1), at: undefined, seq: undefined, attributes: {} };
};

export const insightView = ({ id, text, at, bornSeq, strength, state, verdict }: Insight): NodeView => ({
  ...{ id, type: 'insight', label: text, at, seq: bornSeq },
  attributes: { strength, state, verdict },
});

export function nodeOf(row: Row): StoredNode {
  const type = row.type as EventType;
  const seq = Number(row.seq);
  return {
    ...{ seq, type, hubs: [], at: Number(row.at), root: Number(row.root), label: String(row.label) },
    id: row.name === null ? eventId(type, seq) : String(row.name),
    run: row.run === null ? undefined : String(row.run),
    attributes: JSON.parse(String(row.attributes)) as Attributes,
  };
}
