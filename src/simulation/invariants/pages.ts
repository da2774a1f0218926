/** The oracle of law L1. */
import type { JournalEntry } from '../../core/journal.ts';
import { keyOfIncidentPage } from '../../core/incident.ts';
import type { Delivery } from '../effect_log.ts';
import { changes, type InvariantContext, type Oracle } from './context.ts';

interface PageSheet {
  open: boolean;
  /** Raises so far, and how many there were when it was last resolved. */
  raises: number;
  raisesAtResolve: number;
  /** Since when an episode waits to be heard by anybody. */
  unheardMs: number | undefined;
  /** Receivers for which it is open: they need no notification that it came back. */
  readonly knownTo: Set<string>;
}

/** L1: every person who must be notified is, in the transaction of the decision, at last, and in order. */
export class Pages implements Oracle {
  readonly #case: InvariantContext;
  readonly #pages = new Map<string, PageSheet>();
  /** Per receiver and key: how many raises there were when it heard the last resolve. */
  readonly #heardEnd = new Map<string, number>();
  /** Receivers and keys of pages that may be open in a form that a journal which was set back does not know. */
  readonly #lost = new Set<string>();

  constructor(world: InvariantContext) {
    this.#case = world;
  }

  entry({ fact, incident, monoMs }: JournalEntry, batch: readonly JournalEntry[]): void {
    if (fact.type === 'escalation.raised') this.#raised(fact.escalation.key, monoMs);
    if (fact.type === 'escalation.resolved') {
      const page = this.#page(fact.key);
      page.open = false;
      page.raisesAtResolve = page.raises;
    }
    if (fact.type === 'run.ended' && incident !== undefined) {
      const { outcome } = fact;
      const needs =
        outcome.kind === 'approval_needed' || (outcome.kind === 'escalated' && outcome.reason !== 'containment');
      if (needs) this.#mustTell(keyOfIncidentPage(incident), batch, outcome.because);
    }
    if (fact.type === 'delivery.done') this.#mustShow(fact.receiver, fact.key, fact.what);
    // The unknown end of a look is nothing to a person; where its run was cut off, that is told.
    if (fact.type === 'tool.unknown' && changes(fact.permit.call.tool))
      this.#mustTell(keyOfIncidentPage(fact.permit.incident), batch, 'UNKNOWN');
  }

  delivered({ receiver, key, what, taken, lapsed }: Delivery): void {
    if (!taken || key.startsWith('unjournaled/')) return;
    const page = this.#page(key);
    const id = `${receiver} ${key}`;
    const wasLost = this.#lost.has(id);
    if (what === 'resolve') this.#lost.delete(id);
    if (lapsed !== undefined) {
      page.knownTo.delete(receiver);
      if (lapsed === 'neglect' && page.open && !wasLost)
        this.#case.broke('L1', `${key} has lapsed at ${receiver}: it was left out`);
      return;
    }
    if (what === 'resolve') {
      page.knownTo.delete(receiver);
      this.#heardEnd.set(id, page.raisesAtResolve);
      return;
    }
    page.knownTo.add(receiver);
    if (what === 'trigger') page.unheardMs = undefined;
    const ended = this.#heardEnd.get(id);
    if (ended !== undefined && page.raises <= ended) {
      this.#case.broke('L1', `${receiver} heard a ${what} of ${key} after its resolve`);
    }
  }

  /** From now on Reeve knows an older journal: it ends a page as that one says it was. */
  setBack(): void {
    // What that journal does not know to be delivered is sent again, also after its end.
    this.#heardEnd.clear();
    for (const [key, { knownTo }] of this.#pages) for (const receiver of knownTo) this.#lost.add(`${receiver} ${key}`);
  }

  /** Some receiver has it, and has not heard of its end. */
  isHeard(key: string): boolean {
    return (this.#pages.get(key)?.knownTo.size ?? 0) > 0;
  }

  /** Keys of episodes of which no page was ever delivered. */
  unheard(): readonly string[] {
    return [...this.#pages].flatMap(([key, { unheardMs }]) => (unheardMs === undefined ? [] : [key]));
  }

  #page(key: string): PageSheet {
    const known = this.#pages.get(key);
    if (known !== undefined) return known;
    const page: PageSheet = { open: false, raises: 0, raisesAtResolve: 0, unheardMs: undefined, knownTo: new Set() };
    this.#pages.set(key, page);
    return page;
  }

  /** What a receiver is said to have taken is what its server makes of the messages. */
  #mustShow(receiver: string, key: string, what: Delivery['what']): void {
    const isOpen = this.#page(key).knownTo.has(receiver);
    if (isOpen === (what !== 'resolve') || (isOpen && this.#lost.has(`${receiver} ${key}`))) return;
    const shows = isOpen ? 'still open' : 'not there';
    this.#case.broke('L1', `${receiver} is said to have taken the ${what} of ${key}, and for it that page is ${shows}`);
  }

  #raised(key: string, nowMs: number): void {
    const page = this.#page(key);
    page.raises += 1;
    if (!page.open && page.knownTo.size === 0) page.unheardMs ??= nowMs;
    page.open = true;
  }

  #mustTell(key: string, batch: readonly JournalEntry[], because: string): void {
    if (this.#pages.get(key)?.open === true) return;
    const raised = batch.some(({ fact }) => fact.type === 'escalation.raised' && fact.escalation.key === key);
    if (!raised) this.#case.broke('L1', `a decision that needs a person (${because}) came without its page ${key}`);
  }
}
