/** What the HTTP server asks of the daemon. */
import type { Telling } from '../ask/tool_lines.ts';
import type { CommandAnswer } from '../core/command_answer.ts';
import type { Problem } from '../core/errors.ts';
import type { JournalEntry } from '../core/journal.ts';
import type { Model } from '../core/model.ts';
import type { Hints } from '../hints/hints.ts';

/** What a person asks for, by name. Every one carries who asked; most need a reason. */
export interface Command {
  readonly name: CommandName;
  readonly who: string;
  readonly because: string;
  /** `channel`, `scope`, `for_ms`, `phase`, `group`, `id`, `yes` … as the command needs. */
  readonly fields: Readonly<Record<string, unknown>>;
}

const COMMANDS = [
  'freeze',
  'thaw',
  'lease',
  'unlease',
  'reset',
  'release',
  'phase',
  'approve',
  'window_add',
  'window_end',
  'rule_state',
  'teach',
  'pattern_state',
  'reload',
  'page_test',
  'ack',
  'token_add',
  'token_revoke',
  'reflect',
  'propose',
  'ask_begin',
  'ask_end',
] as const;
export type CommandName = (typeof COMMANDS)[number];

/** What the memory shows; each answer is bounded by the query's limit. */
export interface MemoryApi {
  insights(query: {
    readonly state: 0 | 1 | undefined;
    readonly concept: string | undefined;
    readonly limit: number;
    readonly offset: number;
  }): readonly unknown[];
  /** Undefined when there is no such type. */
  nodes(query: {
    readonly type: string | undefined;
    readonly since: number | undefined;
    readonly until: number | undefined;
    readonly before: number | undefined;
    readonly limit: number;
  }): readonly unknown[] | undefined;
  node(id: string, page: { readonly limit: number; readonly offset: number }): unknown;
  tree(id: string): unknown;
  stat(): unknown;
  probe(question: string): unknown;
}

/** What the hints are asked; each call is of memory and the hints' own file, without a model. */
export type HintsApi = Pick<
  Hints,
  'build' | 'feedback' | 'statistics' | 'blindSpots' | 'outcomes' | 'reload' | 'promote' | 'clusters' | 'health'
>;

/** What a question in words is answered with, besides the API's own reads. */
export interface Asking {
  /** Undefined: none is configured, and answers are made from data alone. */
  readonly model: Model | undefined;
  readonly tell: Telling;
  readonly uuid: () => string;
}

/**
 * What the faces (HTTP, command line) may ask of the running daemon. Answers are plain camelCase values;
 * the server converts them to wire form. Undefined means that there is no such thing.
 */
export interface Daemon {
  status(): unknown;
  channels(): readonly { readonly id: string }[];
  incidents(filter: { readonly channel: string | undefined; readonly limit: number }): readonly unknown[];
  incident(id: string): unknown;
  /** The incident and all that its decisions rested on, as one document that replays elsewhere. */
  exportIncident(id: string): unknown;
  approvals(): readonly unknown[];
  /** Pages that are open: loudest first, then oldest first. */
  pages(): readonly unknown[];
  /** Named tokens, without what would let anybody use them. */
  tokens(): readonly unknown[];
  personas(): readonly unknown[];
  rules(): readonly unknown[];
  /** What is wrong with files of proposed rules: they have no trial. */
  ruleProblems?(): readonly Problem[];
  stats(): unknown;
  /** Undefined while the memory is off. */
  readonly memory?: MemoryApi | undefined;
  /** Loads the hints where they are not. Throws CONFIG_INVALID or DERIVED_BROKEN. */
  hints?(): Promise<HintsApi>;
  /** Undefined: no question in words is answered. */
  readonly asking?: Asking | undefined;
  blindSpots(): readonly unknown[];
  /** Proposed patterns, each with its file and state. */
  patterns(): readonly unknown[];
  why(channel: string): unknown;
  /** The exact text and choices that a model would be sent about the channel's open incident. */
  prompt(channel: string): unknown;
  whyNot(channel: string, tool: string): unknown;
  journal(filter: { readonly since: number; readonly limit: number }): readonly JournalEntry[];
  command(command: Command): Promise<CommandAnswer>;
  metrics(openMetrics: boolean): Promise<{ readonly contentType: string; readonly text: string }>;
  readiness(): { readonly ready: boolean; readonly because: readonly string[] };
  subscribe(listener: (entry: JournalEntry) => void): Disposable;
}
