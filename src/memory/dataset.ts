/** The golden dataset: whole chains of decisions, dialogues and insights as rows. Pure; the caller reads and writes. */
import type { GroundedContextEnvelope } from '../core/envelope.ts';
import type { JournalEntry } from '../core/journal.ts';
import type { GuardCheck, Plan } from '../core/plan.ts';
import { TOOL_SPECS } from '../remediation/catalog.ts';
import type { Insight } from './insight.ts';

export const SPLITS = ['train', 'validation', 'test'] as const;
export type Split = (typeof SPLITS)[number];

/** One turn of the loop: what was seen, what could be chosen, what was, and what came of it. */
export interface ChainStep {
  /** The run that it belongs to: what was tried counts within one. */
  readonly run: string | null;
  readonly envelope: GroundedContextEnvelope;
  readonly choices: readonly string[];
  readonly plan: Plan;
  readonly guard: {
    readonly verdict: 'allow' | 'deny';
    readonly code: string | null;
    readonly trace: readonly GuardCheck[];
  } | null;
  readonly action: { readonly ok: boolean; readonly code: string | null } | null;
  /** Null where nothing was verified; false, too, for a cure that did not hold. */
  readonly cured: boolean | null;
}

export interface ChainRow {
  readonly kind: 'chain';
  readonly role: 'planner';
  readonly id: string;
  readonly at: number;
  readonly steps: readonly ChainStep[];
  readonly ending: string;
}

export interface DialogueRow {
  readonly kind: 'dialogue';
  readonly role: 'synthesizer';
  readonly id: string;
  readonly at: number;
  readonly question: string;
  readonly terms: readonly string[];
  readonly recalled: readonly string[];
  readonly answer: string;
  readonly cites: readonly string[];
}

export interface InsightRow extends Omit<Insight, 'state' | 'bornSeq' | 'mergedInto' | 'wordedBy'> {
  readonly kind: 'insight';
  readonly role: 'crystallizer';
}

export type Row = ChainRow | DialogueRow | InsightRow;

/** What could have been chosen for an envelope, always with `wait`, `stop` and `escalate`. */
export type ChoicesOf = (envelope: GroundedContextEnvelope) => readonly string[];

/** The chain of one closed incident, oldest entry first; undefined where it is not complete. */
export function chainOf(entries: readonly JournalEntry[], choicesOf: ChoicesOf): ChainRow | undefined {
  const opened = entries[0];
  const closed = entries.findLast(({ fact }) => fact.type === 'incident.closed')?.fact;
  if (opened?.fact.type !== 'incident.opened' || closed?.type !== 'incident.closed') return undefined;
  const steps = stepsOf(entries, choicesOf);
  if (steps.length === 0) return undefined;
  const { id } = opened.fact.incident;
  return { kind: 'chain', role: 'planner', id, at: opened.at, steps, ending: closed.ending };
}

function stepsOf(entries: readonly JournalEntry[], choicesOf: ChoicesOf): readonly ChainStep[] {
  const steps: ChainStep[] = [];
  /** The steps that were verified, by their permits. */
  const verified = new Map<string, number>();
  let envelope: GroundedContextEnvelope | undefined;
  const change = (with_: Partial<ChainStep>): void => {
    const last = steps.pop();
    if (last !== undefined) steps.push({ ...last, ...with_ });
  };
  for (const { fact, run = null } of entries) {
    if (fact.type === 'envelope.taken') envelope = fact.envelope;
    if (fact.type === 'plan.made' && envelope !== undefined) {
      const nothing = { guard: null, action: null, cured: null };
      steps.push({ run, envelope, choices: choicesOf(envelope), plan: fact.plan, ...nothing });
    }
    if (fact.type === 'guard.decided') {
      const { verdict, trace } = fact.decision;
      change({ guard: { verdict, code: fact.decision.verdict === 'deny' ? fact.decision.code : null, trace } });
    }
    if (fact.type === 'tool.finished') change({ action: { ok: fact.result.ok, code: fact.result.code ?? null } });
    if (fact.type === 'tool.unknown') change({ action: { ok: false, code: 'unknown' } });
    if (fact.type === 'attempt.verified') {
      change({ cured: fact.verification.cured });
      verified.set(fact.permit.id, steps.length - 1);
    }
    if (fact.type === 'attempt.relapsed') {
      const at = verified.get(fact.permit.id);
      if (at !== undefined) steps.splice(at, 1, { ...steps[at]!, cured: false });
    }
  }
  return steps;
}

/** The dialogues of these entries: questions that were answered, in the order in which they were asked. */
export function dialoguesOf(entries: Iterable<JournalEntry>): readonly DialogueRow[] {
  const open = new Map<string, DialogueRow>();
  const done: DialogueRow[] = [];
  for (const { fact, at } of entries) {
    if (fact.type === 'question.asked') {
      const { turn: id, text: question } = fact;
      const empty = { terms: [], recalled: [], answer: '', cites: [] };
      open.set(id, { kind: 'dialogue', role: 'synthesizer', id, at, question, ...empty });
    }
    if (!('turn' in fact)) continue;
    const row = open.get(fact.turn);
    if (row === undefined) continue;
    if (fact.type === 'search_plan.made') open.set(fact.turn, { ...row, terms: fact.terms });
    if (fact.type === 'task.reported' && fact.step === 'recall') open.set(fact.turn, { ...row, recalled: fact.cites });
    if (fact.type !== 'question.answered') continue;
    done.push({ ...row, answer: fact.text, cites: fact.cites });
    open.delete(fact.turn);
  }
  return done;
}

export const insightRow = (insight: Insight): InsightRow => {
  const { id, at, pair, subject, verdict, text, strength, origin } = insight;
  return { kind: 'insight', role: 'crystallizer', id, at, pair, subject, verdict, text, strength, origin };
};

/** The bounds of the splits: the oldest eight tenths train, the next tenth validates, the newest tests. */
export function splitBounds(times: readonly number[]): { readonly validationFrom: number; readonly testFrom: number } {
  const sorted = [...times].sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.floor(share * sorted.length)] ?? Number.POSITIVE_INFINITY;
  return { validationFrom: at(0.8), testFrom: at(0.9) };
}

/** By time alone: what a model is tested on happened after everything that it learned from. */
export const splitOf = (at: number, bounds: ReturnType<typeof splitBounds>): Split =>
  at >= bounds.testFrom ? 'test' : at >= bounds.validationFrom ? 'validation' : 'train';

/** Every text in the row through `redact`; keys and numbers stay. */
export function redacted<T>(value: T, redact: (text: string) => string): T {
  if (typeof value === 'string') return redact(value) as T;
  if (Array.isArray(value)) return value.map((item) => redacted(item, redact)) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, redacted(member, redact)])) as T;
}

/** Tools that can cure the classification, tools that only look, and the ways to do nothing. */
export function choicesOf({ failureClassification }: GroundedContextEnvelope): readonly string[] {
  const useful = [...TOOL_SPECS.values()].filter(
    ({ effect, cures }) =>
      effect === 'observe' || (failureClassification !== undefined && cures.includes(failureClassification)),
  );
  return [...useful.map(({ name }) => name), 'wait', 'stop', 'escalate'];
}
