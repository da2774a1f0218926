/** What can be reached from a node in one step: its process, its concepts, its insights, time, likeness. */
import type { DerivedStore } from '../journal/derived.ts';
import type { Insight } from './insight.ts';
import type { EdgeType } from './node.ts';
import { hubView, insightView, type NodeTable, type NodeView, nodeOf, type StoredNode, viewOf } from './node_table.ts';
import { parentsOf } from './process_tree.ts';
import type { Search } from './search.ts';

/** One step that can be taken from a node. */
export interface Neighbour extends NodeView {
  readonly edge: EdgeType;
  /** `in`: the edge points at the node that one stands on. */
  readonly direction: 'in' | 'out';
}

/** Of what is only like it, or only about the same. */
const RELATED_MAX = 5;

export class Neighbours {
  readonly #store: DerivedStore;
  readonly #nodes: NodeTable;
  readonly #search: Search;

  constructor(store: DerivedStore, nodes: NodeTable, search: Search) {
    this.#store = store;
    this.#nodes = nodes;
    this.#search = search;
  }

  /** Every step from this node: its process, what it is about, insights, its neighbours in time, what is like it. */
  of(id: string, { limit, offset = 0 }: { limit: number; offset?: number }): readonly Neighbour[] {
    const event = this.#nodes.event(id);
    if (event !== undefined) return this.#ofEvent(event).slice(offset, offset + limit);
    const insight = this.#nodes.insights.get(id);
    if (insight !== undefined) return this.#ofInsight(insight, limit + offset).slice(offset, offset + limit);
    return this.#ofHub(id, limit, offset);
  }

  #ofEvent(event: StoredNode): readonly Neighbour[] {
    const island = this.#nodes.islandOf(event.root);
    const bySeq = new Map(island.map((node) => [node.seq, node]));
    const parents = parentsOf(island);
    const parent = bySeq.get(parents.get(event.seq) ?? -1);
    const children = island.filter(({ seq }) => parents.get(seq) === event.seq);
    const cites = Array.isArray(event.attributes.cites) ? (event.attributes.cites as readonly string[]) : [];
    const cited = cites.flatMap((id) => this.#nodes.get(id) ?? []);
    const own = bySeq.get(event.seq)?.hubs ?? [];
    const insight = event.type === 'incident' ? this.#nodes.insights.ofOrigin(event.id) : undefined;
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
    const text = this.#search.textOf(event.seq);
    if (text === undefined) return [];
    return this.#search
      .find(text, RELATED_MAX + 1)
      .filter(({ row }) => row !== event.seq)
      .slice(0, RELATED_MAX)
      .flatMap(({ row }) => this.#nodes.ofDocument(row) ?? [])
      .map((view) => step('similar_to', 'out', view));
  }

  #ofInsight(insight: Insight, limit: number): readonly Neighbour[] {
    const origin = insight.origin === undefined ? undefined : this.#nodes.get(insight.origin);
    const heir = insight.mergedInto === undefined ? undefined : this.#nodes.insights.get(insight.mergedInto);
    return [
      ...insight.pair.map((concept) => step('about', 'out', hubView(`concept:${concept}`))),
      ...(origin === undefined ? [] : [step('crystallised_from', 'out', origin)]),
      ...(heir === undefined ? [] : [step('merged_into', 'out', insightView(heir))]),
      ...this.#nodes.insights.against(insight).map((other) => step('contradicts', 'out', insightView(other))),
      ...this.#nodes.insights
        .parents(insight.id, limit)
        .map((parent) => step('merged_into', 'in', insightView(parent))),
    ];
  }

  #ofHub(hub: string, limit: number, offset: number): readonly Neighbour[] {
    const insights = hub.startsWith('concept:')
      ? this.#nodes.insights.ofConcept(hub.slice('concept:'.length), RELATED_MAX)
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

const step = (edge: EdgeType, direction: 'in' | 'out', view: NodeView): Neighbour => ({ edge, direction, ...view });
