/** The fast loop: impulse, instinct, enrichment plan, recall and synthesis, each a node that one can walk to. */
import type { Clock } from '../core/clock.ts';
import type { Ids } from '../core/id.ts';
import type { Draft } from '../core/journal.ts';
import type { TurnStep } from '../core/memory.ts';
import { TOOL_NAMES, type ToolName } from '../core/tool.ts';
import type { Reads } from './reads.ts';
import { type Recalled, recallFor, type SearchPlan, searchPlanOf } from './recall.ts';

/** The first, model-free understanding of a question. */
export interface Instinct {
  readonly kind: 'why' | 'status' | 'history' | 'action' | 'open';
  readonly channels: readonly string[];
  readonly tools: readonly ToolName[];
}

export interface TurnDeps {
  /** Undefined where the memory is off: then nothing is recalled. */
  readonly reads: Reads | undefined;
  /** Appends to the journal, or does nothing where there is none to write. */
  readonly record: (drafts: readonly Draft[]) => void;
  /** Cuts secrets out, before anything is written down. */
  readonly redact: (text: string) => string;
  readonly channels: readonly string[];
  readonly clock: Pick<Clock, 'monotonicMs'>;
  readonly ids: Ids;
}

export interface Impulse {
  readonly text: string;
  readonly who: string;
  readonly session: string | undefined;
}

/** A question that was understood and enriched; what is left is the one call of a model, or an answer without one. */
export interface Turn {
  readonly id: string;
  readonly instinct: Instinct;
  readonly plan: SearchPlan;
  readonly recalled: readonly Recalled[];
  /** To be called once, with the answer at the end. */
  answered(answer: Answered): void;
}

export interface Answered {
  readonly text: string;
  readonly cites: readonly string[];
  readonly model: string | undefined;
  readonly ok: boolean;
}

const TEXT_CHARS_MAX = 2_000;
const NAMED_MAX = 8;

/** Runs the three steps that need no model, and writes each down as it ends. */
export function beginTurn(deps: TurnDeps, impulse: Impulse): Turn {
  const { record, redact, ids, reads } = deps;
  const id = ids.next('trn');
  const text = redact(impulse.text).slice(0, TEXT_CHARS_MAX);
  record([{ fact: { type: 'question.asked', turn: id, who: impulse.who, text, session: impulse.session } }]);
  const steps = new Steps(deps, id);
  const instinct = steps.take('instinct', () => {
    const found = instinctOf(text, deps.channels);
    return { value: found, summary: [found.kind, ...found.channels, ...found.tools].join(' '), cites: [] };
  });
  const plan = steps.take('enrichment_plan', (task) => {
    const found = searchPlanOf(text);
    const { terms, concepts } = found;
    record([{ fact: { type: 'search_plan.made', turn: id, task, terms, concepts } }]);
    return { value: found, summary: `${terms.length} words, ${concepts.length} concepts`, cites: found.ids };
  });
  const recalled = steps.take('recall', () => {
    const found = reads === undefined ? [] : recallFor(reads, plan);
    const cites = found.map(({ id: each }) => each);
    return { value: found, summary: `${found.length} recalled`, cites };
  });
  const synthesis = steps.begin('synthesis');
  return {
    ...{ id, instinct, plan, recalled },
    answered({ text: reply, cites, model, ok }) {
      const answer = redact(reply).slice(0, TEXT_CHARS_MAX);
      synthesis({ ok, summary: ok ? `${cites.length} cited` : 'no answer', cites });
      record([{ fact: { type: 'question.answered', turn: id, text: answer, cites: [...cites], model } }]);
    },
  };
}

interface Report {
  readonly ok: boolean;
  readonly summary: string;
  readonly cites: readonly string[];
}

/** Writes a task down when it begins and a report when it ends. */
class Steps {
  readonly #deps: TurnDeps;
  readonly #turn: string;

  constructor(deps: TurnDeps, turn: string) {
    this.#deps = deps;
    this.#turn = turn;
  }

  begin(step: TurnStep, task = this.#deps.ids.next('tsk')): (report: Report) => void {
    const { record, clock } = this.#deps;
    const turn = this.#turn;
    const startMs = clock.monotonicMs();
    record([{ fact: { type: 'task.started', turn, task, step } }]);
    return ({ ok, summary, cites }) => {
      const tookMs = clock.monotonicMs() - startMs;
      const report = { turn, task, step, ok, summary, cites: [...cites], tookMs };
      record([{ fact: { type: 'task.reported', ...report } }]);
    };
  }

  take<T>(step: TurnStep, work: (task: string) => { value: T; summary: string; cites: readonly string[] }): T {
    const task = this.#deps.ids.next('tsk');
    const report = this.begin(step, task);
    const { value, summary, cites } = work(task);
    report({ ok: true, summary, cites });
    return value;
  }
}

const KINDS: readonly (readonly [Instinct['kind'], RegExp])[] = [
  [
    'action',
    /^(?:please\s+)?(?:restart|refresh|rebuild|invalidate|kick|clear)\b|\bcan you (?:restart|refresh|rebuild)/i,
  ],
  ['why', /\bwhy\b|\bwhat caused\b|\breason\b/i],
  ['history', /\b(?:last|yesterday|before|ever|often|history|again|similar|night|week)\b/i],
  ['status', /\b(?:status|how (?:is|are)|healthy|playing|open|now)\b/i],
];

/** Which of the configured channels and tools a question names, and what kind of question it is. */
export function instinctOf(text: string, channels: readonly string[]): Instinct {
  const words = new Set(text.toLowerCase().match(/[a-z0-9][a-z0-9_.-]*[a-z0-9_]|[a-z0-9]/g) ?? []);
  return {
    kind: KINDS.find(([, pattern]) => pattern.test(text))?.[0] ?? 'open',
    channels: channels.filter((channel) => words.has(channel.toLowerCase())).slice(0, NAMED_MAX),
    tools: TOOL_NAMES.filter((tool) => words.has(tool)),
  };
}
