/** What the memory shows to people and programs: the same answers over HTTP and on the command line. */
import type { Insight } from './insight.ts';
import type { InsightQuery } from './insight_table.ts';
import { NODE_TYPES, type NodeType } from './node.ts';
import { processTree, type TreeNode } from './process_tree.ts';
import type { Neighbour, NodeView, Reads } from './reads.ts';
import { type Recalled, recallFor, type SearchPlan, searchPlanOf } from './recall.ts';

export type InsightShown = Insight & { readonly contradicts: readonly string[] };

export interface NodesQuery {
  readonly type: string | undefined;
  readonly since: number | undefined;
  readonly until: number | undefined;
  /** The last number (or, of hubs, how many) of the page before. */
  readonly before: number | undefined;
  readonly limit: number;
}

const isNodeType = (type: string): type is NodeType => NODE_TYPES.some((each) => each === type);

export interface MemoryReads {
  /** Insights by state, strength and time, each with the ids of the active ones that say the opposite. */
  insights(query: InsightQuery): readonly InsightShown[];
  /** Undefined when there is no such type. */
  nodes(query: NodesQuery): readonly NodeView[] | undefined;
  /** A node, by its id or the beginning of it, with one page of the steps from it; undefined when there is none. */
  node(
    id: string,
    page: { readonly limit: number; readonly offset?: number },
  ): (NodeView & { readonly steps: readonly Neighbour[] }) | undefined;
  /** The whole process that the node belongs to; undefined when there is none. */
  tree(id: string): { readonly tree: TreeNode } | undefined;
  stat(): ReturnType<Reads['stat']>;
  /** What would be looked for and what would be recalled for a question. */
  probe(question: string): { readonly plan: SearchPlan; readonly recalled: readonly Recalled[] };
}

export function createMemoryApi(reads: Reads): MemoryReads {
  /** The only id that begins so; else the text itself. */
  const only = (prefix: string): string => {
    const [first, second] = reads.resolve(prefix, 2);
    return first !== undefined && second === undefined ? first : prefix;
  };
  const opposites = (insight: Insight) => (insight.state === 1 ? reads.insights.against(insight) : []);
  return {
    insights: (query) =>
      reads.insights.list(query).map((one) => ({ ...one, contradicts: opposites(one).map(({ id }) => id) })),
    nodes({ type, ...range }) {
      if (type === undefined) return reads.list(range);
      return isNodeType(type) ? reads.list({ ...range, type }) : undefined;
    },
    node(prefix, page) {
      const node = reads.get(only(prefix));
      return node === undefined ? undefined : { ...node, steps: reads.neighbours(node.id, page) };
    },
    tree(prefix) {
      const tree = processTree(reads.island(only(prefix)));
      return tree === undefined ? undefined : { tree };
    },
    stat: () => reads.stat(),
    probe(question) {
      const plan = searchPlanOf(question);
      return { plan, recalled: recallFor(reads, plan) };
    },
  };
}
