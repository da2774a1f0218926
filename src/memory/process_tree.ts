/** Which event led to which, from their order alone: a tree per island. Pure. */
import type { JournalEntry } from '../core/journal.ts';
import { contributionOf } from './fold.ts';
import type { Attributes, EventType, HubLink } from './node.ts';

export interface TracedNode {
  readonly id: string;
  readonly type: EventType;
  readonly seq: number;
  readonly at: number;
  readonly run: string | undefined;
  readonly label: string;
  readonly attributes: Attributes;
  /** What it is about: rules, patterns, channels, concepts. */
  readonly hubs: readonly HubLink[];
}

export interface TreeNode {
  readonly node: TracedNode;
  readonly children: readonly TreeNode[];
}

/** The types under whose last node of the same run a node hangs, best first; without any it hangs under the first. */
const PARENTS: Readonly<Partial<Record<EventType, readonly EventType[]>>> = {
  plan: ['envelope'],
  guard_decision: ['plan', 'envelope'],
  action: ['guard_decision', 'plan'],
  report: ['page', 'action', 'task'],
  verification: ['action'],
  outcome: ['plan', 'envelope'],
  page: ['outcome'],
  search_plan: ['task'],
  answer: ['question'],
};

/** The number of the event that led to each, by its own; the first has none. Nodes of one island, oldest first. */
export function parentsOf(nodes: readonly TracedNode[]): ReadonlyMap<number, number> {
  const parents = new Map<number, number>();
  const [root] = nodes;
  if (root === undefined) return parents;
  const last = new Map<string, TracedNode>();
  for (const node of nodes) {
    if (node !== root) parents.set(node.seq, (parentOf(node, last) ?? root).seq);
    last.set(node.type, node);
    last.set(`${node.type}|${node.run}`, node);
  }
  return parents;
}

function parentOf(node: TracedNode, last: ReadonlyMap<string, TracedNode>): TracedNode | undefined {
  if ('ending' in node.attributes) return undefined;
  if (node.type === 'question') return last.get('guard_decision');
  const isAnyRun = node.type === 'page' || node.type === 'report' || node.type === 'answer';
  const isDelivery = node.type === 'report' && 'receiver' in node.attributes;
  for (const type of PARENTS[node.type] ?? []) {
    if (node.type === 'report' && isDelivery !== (type === 'page')) continue;
    const found = last.get(`${type}|${node.run}`) ?? (isAnyRun ? last.get(type) : undefined);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Undefined for no nodes. Children stand in the order in which they happened. */
export function processTree(nodes: readonly TracedNode[]): TreeNode | undefined {
  const [root] = nodes;
  if (root === undefined) return undefined;
  const parents = parentsOf(nodes);
  const children = new Map<number, TracedNode[]>();
  for (const node of nodes) {
    const parent = parents.get(node.seq);
    if (parent !== undefined) children.set(parent, [...(children.get(parent) ?? []), node]);
  }
  const grown = (node: TracedNode): TreeNode => ({ node, children: (children.get(node.seq) ?? []).map(grown) });
  return grown(root);
}

/** The nodes of one incident from its journal entries, for those who have no memory at hand. */
export function tracedNodes(entries: readonly JournalEntry[]): readonly TracedNode[] {
  const nodes: TracedNode[] = [];
  const ofIsland: HubLink[] = [];
  for (const entry of entries) {
    const contribution = contributionOf(entry);
    if (contribution?.node === undefined) continue;
    const { id, type, seq, at, run, label, attributes } = contribution.node;
    const links = contribution.links.map(({ edge, hub, own }) => ({ edge, hub, own }));
    ofIsland.push(...links.filter(({ own }) => !own));
    const hubs = links.filter(({ own }) => own).map(({ edge, hub }) => ({ edge, hub }));
    nodes.push({ id, type, seq, at, run, label, attributes, hubs });
  }
  const [root, ...rest] = nodes;
  if (root === undefined) return [];
  const once = new Map(ofIsland.map(({ edge, hub }) => [hub, { edge, hub }]));
  return [{ ...root, hubs: [...root.hubs, ...once.values()] }, ...rest];
}
