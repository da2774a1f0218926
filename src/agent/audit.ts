/** Holds what planners claimed against the journal: every piece of evidence, and that no model planned unasked. */
import type { GroundedContextEnvelope } from '../core/envelope.ts';
import type { JournalEntry, JournalFact } from '../core/journal.ts';
import { keyOfScope } from '../core/scope.ts';

/** One claim that the journal does not bear out. */
export interface FalseClaim {
  readonly seq: number;
  readonly run: string;
  readonly because: string;
}

export interface PlanAudit {
  readonly ok: boolean;
  /** Choices of planners that were found. */
  readonly plans: number;
  /** Evidence ids that they cited. */
  readonly claims: number;
  readonly rejected: number;
  /** Choices in runs whose beginning retention has deleted: nothing is known of what they rest on. */
  readonly unjudged: number;
  readonly bad: readonly FalseClaim[];
}

interface RunSoFar {
  readonly envelopes: GroundedContextEnvelope[];
  /** The newest choice, until a plan was made of it. */
  chosen: Chosen | undefined;
  /** The journal does not hold how it began. */
  readonly isCut: boolean;
}

type Chosen = Extract<JournalFact, { type: 'plan.chosen' }>;

const RUNS_MAX = 10_000;

/** Reads entries in their order. Every run is judged by itself. */
export function auditPlans(entries: Iterable<JournalEntry>): PlanAudit {
  const runs = new Map<string, RunSoFar>();
  const bad: FalseClaim[] = [];
  let [plans, claims, rejected, unjudged] = [0, 0, 0, 0];
  let firstSeq: number | undefined;
  for (const { seq, run = '-', fact } of entries) {
    firstSeq ??= seq;
    if (fact.type === 'run.started') runOf(runs, run, false);
    if (fact.type === 'run.ended') runs.delete(run);
    if (fact.type === 'plan.rejected') rejected += 1;
    if (fact.type !== 'envelope.taken' && fact.type !== 'plan.chosen' && fact.type !== 'plan.made') continue;
    const soFar = runOf(runs, run, firstSeq > 1);
    if (soFar.isCut) {
      if (fact.type === 'plan.chosen') unjudged += 1;
      continue;
    }
    const note = (because: string): void => void bad.push({ seq, run, because });
    if (fact.type === 'envelope.taken') soFar.envelopes.push(fact.envelope);
    if (fact.type === 'plan.chosen') {
      plans += 1;
      claims += fact.evidenceIds.length;
      for (const because of falseIn(fact, soFar.envelopes)) note(because);
      soFar.chosen = fact;
    }
    if (fact.type === 'plan.made') {
      const because = unasked(fact.plan, soFar.chosen);
      if (because !== undefined) note(because);
      soFar.chosen = undefined;
    }
  }
  return { ok: bad.length === 0, plans, claims, rejected, unjudged, bad };
}

function runOf(runs: Map<string, RunSoFar>, run: string, isCut: boolean): RunSoFar {
  const known = runs.get(run);
  if (known !== undefined) return known;
  const oldest = runs.size >= RUNS_MAX ? runs.keys().next().value : undefined;
  if (oldest !== undefined) runs.delete(oldest);
  const fresh: RunSoFar = { envelopes: [], chosen: undefined, isCut };
  runs.set(run, fresh);
  return fresh;
}

function falseIn({ evidenceIds, envelopeTakenMs }: Chosen, envelopes: readonly GroundedContextEnvelope[]): string[] {
  const shown = envelopes.findLast(({ takenMs }) => takenMs === envelopeTakenMs);
  if (shown === undefined) return [`no envelope was taken at ${envelopeTakenMs}`];
  const known = new Set([...shown.signals.map((_, at) => `s${at + 1}`), ...shown.evidence.map(({ id }) => id)]);
  return evidenceIds.filter((id) => !known.has(id)).map((id) => `there was no evidence ${id}`);
}

/** A plan in a model's name must be the choice that was written just before it. */
function unasked(plan: Extract<JournalFact, { type: 'plan.made' }>['plan'], chosen: Chosen | undefined) {
  if (plan.by.kind !== 'model') return undefined;
  if (chosen === undefined) return 'a plan in the name of a model, and no choice of a model before it';
  if (plan.kind !== 'act') return undefined;
  const isTheChoice = plan.call.tool === chosen.tool && keyOfScope(plan.call.target) === chosen.target;
  return isTheChoice ? undefined : `the plan is ${plan.call.tool}, and ${chosen.tool} was chosen`;
}
