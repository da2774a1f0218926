/** Proposes what was learned: a verified cure that a model or a person chose becomes the text of a proposed rule. */
import { createHash } from 'node:crypto';
import { yamlText } from '../config/yaml_text.ts';
import type { GroundedContextEnvelope } from '../core/envelope.ts';
import type { JournalEntry } from '../core/journal.ts';
import { type Decider, describeDecider } from '../core/plan.ts';
import type { ToolName } from '../core/tool.ts';
import { specOf } from '../remediation/catalog.ts';

/** A rule as it would be proposed. */
export interface ReportedRule {
  readonly id: string;
  /** One rule file. */
  readonly text: string;
}

interface RunSoFar {
  /** The one that the newest plan rests on. */
  envelope: GroundedContextEnvelope | undefined;
  /** Of the run's first plan: what the rule would be about. */
  first: GroundedContextEnvelope | undefined;
  by: Decider | undefined;
  /** Changes that were verified, in their order. */
  readonly verified: ToolName[];
}

const RUNS_MAX = 1_000;
const CALLS_MAX = 3;
const ID_CHARS_MAX = 64;
const DIGEST_CHARS = 8;

/** Reads the journal as it grows. Bounded: runs that never end make room for newer ones. */
export class CureReporter {
  readonly #runs = new Map<string, RunSoFar>();

  /** The rule that follows from a run which has ended with a verified cure of somebody's choice; else undefined. */
  onEntry({ run, fact }: JournalEntry): ReportedRule | undefined {
    if (run === undefined) return undefined;
    const soFar = this.#runs.get(run) ?? { envelope: undefined, first: undefined, by: undefined, verified: [] };
    switch (fact.type) {
      case 'run.started':
        this.#remember(run, soFar);
        return undefined;
      case 'envelope.taken':
        soFar.envelope = fact.envelope;
        return undefined;
      case 'plan.made':
        soFar.first ??= soFar.envelope;
        if (fact.plan.kind === 'act' && isChosen(fact.plan.by)) soFar.by = fact.plan.by;
        return undefined;
      case 'attempt.verified':
        if (fact.verification.cured) soFar.verified.push(fact.permit.call.tool);
        return undefined;
      case 'run.ended':
        this.#runs.delete(run);
        return fact.outcome.kind === 'resolved' ? reportOf(soFar) : undefined;
      default:
        return undefined;
    }
  }

  #remember(run: string, soFar: RunSoFar): void {
    const oldest = this.#runs.size >= RUNS_MAX ? this.#runs.keys().next().value : undefined;
    if (oldest !== undefined) this.#runs.delete(oldest);
    this.#runs.set(run, soFar);
  }
}

/** Rules propose nothing new about themselves. */
const isChosen = ({ kind }: Decider): boolean => kind === 'model' || kind === 'operator';

function reportOf({ first, by, verified }: RunSoFar): ReportedRule | undefined {
  const classification = first?.failureClassification;
  const calls = verified.filter((tool) => specOf(tool).effect === 'change').slice(0, CALLS_MAX);
  if (first === undefined || by === undefined || classification === undefined || calls.length === 0) return undefined;
  const symptom = first.lastErrorType;
  const id = nameOf(['told', classification, ...(symptom === undefined ? [] : [symptom]), ...calls]);
  const text = yamlText({
    id,
    description: `${calls.join(', then ')} cured ${classification} (verified); chosen by ${describeDecider(by)}.`,
    classification,
    ...(symptom === undefined ? {} : { when: [{ fact: 'last_error_type', equals: symptom }] }),
    // biome-ignore lint/suspicious/noThenProperty: the word that rule files use
    then: [...calls.map((call) => ({ call })), { escalate: true }],
  });
  return { id, text };
}

/** Two long names that begin alike stay two: what does not fit is told by its digest. */
function nameOf(parts: readonly string[]): string {
  const whole = parts.join('_');
  if (whole.length <= ID_CHARS_MAX) return whole;
  const digest = createHash('sha256').update(whole).digest('hex').slice(0, DIGEST_CHARS);
  return `${whole.slice(0, ID_CHARS_MAX - DIGEST_CHARS - 1)}_${digest}`;
}
