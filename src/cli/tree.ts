/** A process as a tree: what led to what, what each step was about, each thing that comes again linked to its first. */
import type { FactType, JournalEntry, JournalFact } from '../core/journal.ts';
import { fromWire } from '../core/wire.ts';
import { eventId, type EventType, type HubLink } from '../memory/node.ts';
import { processTree, type TreeNode, type TracedNode, tracedNodes } from '../memory/process_tree.ts';
import { typeText } from './memory_text.ts';
import { paint, plain, type Terminal } from './output.ts';
import { tellingOf } from '../journal/telling.ts';
import type { WireEntry } from './story.ts';

/** The incident of these entries as a tree; each step in the sentence of the story, with its time. */
export function treeOfStory(terminal: Terminal, entries: readonly WireEntry[]): string {
  const texts = new Map<number, string>();
  const journal = entries.map((entry): JournalEntry => {
    const fact = fromWire<JournalFact>(entry.fact);
    const text = tellingOf(fact);
    if (text !== undefined) texts.set(entry.seq, text);
    const moment = { at: entry.at, monoMs: entry.after_ms, boot: '' };
    return { seq: entry.seq, ...moment, incident: entry.incident ?? undefined, run: entry.run ?? undefined, fact };
  });
  const after = new Map(entries.map(({ seq, after_ms }) => [seq, after_ms]));
  const tree = processTree(withRemarks(tracedNodes(journal), journal));
  const timeOf = ({ seq }: TracedNode) => `+${((after.get(seq) ?? 0) / 1_000).toFixed(1)} s`;
  return tree === undefined ? 'nothing is known of it' : treeText(terminal, tree, { texts, timeOf });
}

/** What changes the course of an incident and is no event of the memory, with the type that it is shown as. */
const REMARKS: Readonly<Partial<Record<FactType, EventType>>> = {
  'incident.reclassified': 'incident',
  'plan.rejected': 'plan',
  'approval.expired': 'answer',
  'escalation.resolved': 'report',
};

/** A planner's answer that was not used, a question that ran out: without them the tree shows gaps, not reasons. */
function withRemarks(nodes: readonly TracedNode[], journal: readonly JournalEntry[]): readonly TracedNode[] {
  const remarks = journal.flatMap(({ seq, at, run, incident = '', fact }): TracedNode[] => {
    const type = REMARKS[fact.type];
    if (type === undefined) return [];
    const id = type === 'incident' ? incident : eventId(type, seq);
    // What is reported of a page hangs under it.
    const attributes = type === 'report' ? { receiver: 'all' } : {};
    return [{ id, type, seq, at, run, label: '', attributes, hubs: [] }];
  });
  return remarks.length === 0 ? nodes : [...nodes, ...remarks].sort((a, b) => a.seq - b.seq);
}

/** A tree as the memory gives it. */
export function treeOfMemory(terminal: Terminal, tree: TreeNode): string {
  const startMs = tree.node.at;
  const timeOf = ({ at }: TracedNode) => `+${((at - startMs) / 1_000).toFixed(1)} s`;
  return treeText(terminal, tree, { texts: new Map(), timeOf });
}

interface Telling {
  readonly texts: ReadonlyMap<number, string>;
  readonly timeOf: (node: TracedNode) => string;
}

function treeText(terminal: Terminal, tree: TreeNode, { texts, timeOf }: Telling): string {
  const gray = (text: string) => paint(terminal, 'gray', text);
  const shownAt = new Map<string, string>();
  const lines: string[] = [];
  const aboutText = (node: TracedNode): string | undefined => {
    const parts = node.hubs.map(({ edge, hub }) => linked(node, { edge, hub }, shownAt));
    return parts.length === 0 ? undefined : parts.join('  ');
  };
  const add = ({ node, children }: TreeNode, lead: { readonly first: string; readonly rest: string }): void => {
    const text = plain(texts.get(node.seq) ?? node.label);
    lines.push(`${lead.first}${typeText(terminal, node.type)} ${node.id} ${gray(timeOf(node))}  ${text}`);
    const about = aboutText(node);
    if (about !== undefined) lines.push(`${lead.rest}${children.length > 0 ? '│  ' : '   '}${gray(plain(about))}`);
    children.forEach((child, index) => {
      const isLast = index === children.length - 1;
      const [branch, below] = isLast ? ['└─ ', '   '] : ['├─ ', '│  '];
      add(child, { first: `${lead.rest}${branch}`, rest: `${lead.rest}${below}` });
    });
  };
  add(tree, { first: '', rest: '' });
  return lines.join('\n');
}

/** What was named before is linked to where. */
function linked(node: TracedNode, { edge, hub }: HubLink, shownAt: Map<string, string>): string {
  const before = shownAt.get(hub);
  if (before === undefined) shownAt.set(hub, node.id);
  return `${edge} ${hub}${before === undefined ? '' : ` (↑ ${before})`}`;
}
