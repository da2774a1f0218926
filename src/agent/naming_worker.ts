/** After an incident that nothing explained: a model is asked, in the background, what its unrecognised lines say. */
import { nameLines } from './naming.ts';
import { type FailureClass, hasTrait } from '../core/classification.ts';
import type { JournalEntry } from '../core/journal.ts';
import type { Model } from '../core/model.ts';
import type { Log } from '../core/log.ts';
import type { Teaching } from '../rulebook/patterns/teaching.ts';

export interface NamingDeps {
  readonly model: Model;
  readonly teaching: Pick<Teaching, 'linesOf' | 'propose' | 'isTried'>;
  /** Whether it is wanted now: a reload may change it. */
  readonly wanted: () => boolean;
  readonly log: Log;
}

const REMEMBERED_MAX = 500;
const ASKED_MAX = 3;

/** Reads the journal as it grows. About the same lines it asks three times, and again after a pattern fell. */
export class NamingWorker implements Disposable {
  readonly #deps: NamingDeps;
  /** How often each line's text, without times and numbers, was asked about. */
  readonly #asked = new Map<string, number>();
  readonly #classes = new Map<string, FailureClass>();
  readonly #stop = new AbortController();
  #last: Promise<void> = Promise.resolve();

  constructor(deps: NamingDeps) {
    this.#deps = deps;
  }

  /** Resolves when everything that was begun has ended; for tests. */
  get idle(): Promise<void> {
    return this.#last;
  }

  onEntry({ incident, fact }: JournalEntry): void {
    if (fact.type === 'pattern.state_set' && fact.who === 'reeve') this.#asked.clear();
    if (fact.type === 'incident.opened') this.#classes.set(fact.incident.id, fact.incident.classification);
    if (incident === undefined) return;
    if (fact.type === 'incident.reclassified') this.#classes.set(incident, fact.to);
    if (fact.type !== 'incident.closed') return;
    const classification = this.#classes.get(incident);
    this.#classes.delete(incident);
    if (classification === undefined || !hasTrait(classification, 'unexplained') || !this.#deps.wanted()) return;
    this.#last = this.#last
      .then(() => this.#name(incident, classification))
      .catch((thrown: unknown) => {
        this.#deps.log.warn({ incident }, `naming its lines failed: ${String(thrown)}`);
      });
  }

  [Symbol.dispose](): void {
    this.#stop.abort(new Error('Reeve stops'));
  }

  async #name(incident: string, classification: FailureClass): Promise<void> {
    const { model, teaching, log } = this.#deps;
    const lines = teaching.linesOf(incident) ?? [];
    if (this.#stop.signal.aborted || lines.length === 0) return;
    // What a proposal on trial fits already needs no other name before that one is judged.
    if (teaching.isTried(lines[0]!.text) || this.#wasAsked(lines[0]!.text)) return;
    const texts = lines.map(({ text }) => text);
    const named = await nameLines(model, { incident, classification, lines: texts, signal: this.#stop.signal });
    if (!named.ok) return log.info({ incident, reason: named.reason }, 'a model named nothing');
    const chosen = named.lines.map((number) => texts[number - 1]!);
    const order = { incident, symptom: named.symptom, write: true, who: `model ${model.name}` };
    const answer = teaching.propose({ ...order, texts: chosen, shown: lines });
    log.info({ incident, symptom: named.symptom }, answer.ok ? answer.said : `not proposed: ${answer.because}`);
  }

  /** By a line's text without its variable parts, so that times and numbers make no new question. */
  #wasAsked(text: string): boolean {
    const key = text.replaceAll(/\d+/g, '0');
    const times = this.#asked.get(key) ?? 0;
    if (times >= ASKED_MAX) return true;
    if (this.#asked.size >= REMEMBERED_MAX) this.#asked.clear();
    this.#asked.set(key, times + 1);
    return false;
  }
}
