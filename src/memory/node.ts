/** The vocabulary of the graph: what a node is, what an edge says, and how both are named. */
import type { EpochMs } from '../core/clock.ts';

/** Something that happened: one journal entry gives at most one. */
export const EVENT_TYPES = [
  'incident',
  'symptom',
  'envelope',
  'plan',
  'guard_decision',
  'action',
  'verification',
  'outcome',
  'page',
  'question',
  'dialogue_turn',
  'task',
  'search_plan',
  'report',
  'answer',
] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/** Something that events are about. It has no time of its own and goes with its last edge. */
export const HUB_TYPES = ['channel', 'group', 'engine', 'rule', 'pattern', 'hint', 'person', 'concept'] as const;
export type HubType = (typeof HUB_TYPES)[number];

export type NodeType = EventType | HubType | 'insight';
export const NODE_TYPES: readonly NodeType[] = [...EVENT_TYPES, ...HUB_TYPES, 'insight'];

/** Edges from an event to a hub are stored; the others follow from the order of the events and from the insights. */
const HUB_EDGES = ['concerns', 'decided_by', 'recognised_by', 'advised_by', 'said_by', 'about'] as const;
export type HubEdge = (typeof HUB_EDGES)[number];
const PROCESS_EDGES = ['led_to', 'part_of', 'cites'] as const;
const INSIGHT_EDGES = ['crystallised_from', 'about', 'merged_into', 'contradicts'] as const;
const TIME_EDGES = ['before', 'after'] as const;
export type EdgeType =
  | HubEdge
  | (typeof PROCESS_EDGES)[number]
  | (typeof INSIGHT_EDGES)[number]
  | (typeof TIME_EDGES)[number]
  | 'similar_to';

/** Short values only, none of them text from a log. */
export type Attributes = Readonly<Record<string, string | number | boolean | readonly string[]>>;

/** What one journal entry adds to the graph. */
export interface EventNode {
  /** The entry's number: the node's place on the one timeline. */
  readonly seq: number;
  readonly at: EpochMs;
  readonly type: EventType;
  /** `inc-…`, `esc-…` where the journal gives it a name; else its type and number. */
  readonly id: string;
  /** The incident, question or reflection that it belongs to; undefined: it stands alone. */
  readonly island: string | undefined;
  /** It is the first of its island, and the island is called by its id. */
  readonly opensIsland: boolean;
  readonly run: string | undefined;
  /** One line for people, at most 200 characters. */
  readonly label: string;
  readonly attributes: Attributes;
}

export interface HubLink {
  readonly edge: HubEdge;
  /** `channel:news`, `concept:error:http_403`. */
  readonly hub: string;
}

export interface Contribution {
  readonly node: EventNode | undefined;
  /** From the island's first node, or from this one where `own`. */
  readonly links: readonly (HubLink & { readonly own: boolean })[];
  /** The island that ended with this entry. */
  readonly closes: string | undefined;
}

const PREFIXES: Readonly<Record<EventType, string>> = {
  incident: 'inc',
  symptom: 'sym',
  envelope: 'env',
  plan: 'pln',
  guard_decision: 'grd',
  action: 'act',
  verification: 'ver',
  outcome: 'out',
  page: 'pag',
  question: 'que',
  dialogue_turn: 'dlg',
  task: 'tsk',
  search_plan: 'spl',
  report: 'rep',
  answer: 'ans',
};

/** `pln-42`: of an event that the journal gave no name. */
export const eventId = (type: EventType, seq: number): string => `${PREFIXES[type]}-${seq}`;

const TYPE_OF_PREFIX = new Map(Object.entries(PREFIXES).map(([type, prefix]) => [prefix, type as EventType]));

/** The number in an id that `eventId` made; undefined for any other. */
export function seqOfId(id: string): number | undefined {
  const [, prefix = '', digits = ''] = /^([a-z]{3})-(\d{1,15})$/.exec(id) ?? [];
  return TYPE_OF_PREFIX.has(prefix) ? Number(digits) : undefined;
}

export const hubType = (hub: string): HubType | undefined => HUB_TYPES.find((type) => hub.startsWith(`${type}:`));

export const LABEL_CHARS_MAX = 200;
export const conceptHub = (concept: string): string => `concept:${concept}`;
