/** The oracle of a page that is open and does not reach a receiver that would take it (law L1). */
import { SECOND_MS } from '../../core/duration.ts';
import type { JournalEntry } from '../../core/journal.ts';
import { FLOOD_MS } from '../../escalate/outbox.ts';
import type { Delivery } from '../effect_log.ts';
import type { InvariantContext, Oracle } from './context.ts';
import type { Surroundings } from './unwritten.ts';

/** The next try comes within 5 s, where copies would show within 30, after a refusal within 60; a try may take 10. */
const LATE_MS = 75 * SECOND_MS;

/** How a page stands at one receiver. */
interface Copy {
  state: 'open' | 'ended' | 'never';
  /** On Reeve's clock: since when it could have been delivered. */
  sinceMs: number | undefined;
  isReported: boolean;
}

/**
 * L1, in time: each receiver that is up has each open page soon, whatever else is sent to it. Where it has had a page
 * under the same key before, flood control may hold this one back for its window.
 */
export class LatePages implements Oracle {
  readonly #case: InvariantContext;
  readonly #world: Pick<Surroundings, 'reachable' | 'isWritable'>;
  readonly #open = new Set<string>();
  readonly #copies = new Map<string, Map<string, Copy>>();
  /** What the journal says of each page at each receiver. */
  readonly #written: { readonly receiver: string; readonly key: string; readonly state: Copy['state'] }[] = [];

  constructor(world: InvariantContext, surroundings: Pick<Surroundings, 'reachable' | 'isWritable'>) {
    this.#case = world;
    this.#world = surroundings;
  }

  entry({ fact }: JournalEntry): void {
    if (fact.type === 'escalation.raised') this.#open.add(fact.escalation.key);
    if (fact.type === 'escalation.resolved') this.#open.delete(fact.key);
    if (fact.type === 'reeve.started') this.#wait(() => true);
    if (fact.type !== 'delivery.done') return;
    const { receiver, key, what } = fact;
    this.#written.push({ receiver, key, state: what === 'resolve' ? 'ended' : 'open' });
  }

  /**
   * What an older journal has as delivered Reeve cannot know to have ended since. What it has as ended may have come
   * to the receiver again since, which then has nothing new to tell when it is sent it once more.
   */
  setBack(): void {
    const last = new Map(this.#written.map((copy) => [`${copy.receiver} ${copy.key}`, copy]));
    for (const { receiver, key, state } of last.values())
      if (state === 'open') this.#copyOf(receiver, key).state = state;
  }

  delivered({ receiver, key, what, taken }: Delivery): void {
    if (taken) this.#copyOf(receiver, key).state = what === 'resolve' ? 'ended' : 'open';
  }

  /** Once a second, while Reeve runs. */
  look(monoMs: number): void {
    const { reachable, isWritable } = this.#world;
    const receivers = isWritable() ? reachable() : [];
    this.#wait((receiver, key) => !receivers.includes(receiver) || !this.#open.has(key));
    for (const receiver of receivers) for (const key of this.#open) this.#judge(receiver, key, monoMs);
  }

  #judge(receiver: string, key: string, monoMs: number): void {
    const copy = this.#copyOf(receiver, key);
    copy.sinceMs = copy.state === 'open' ? undefined : (copy.sinceMs ?? monoMs);
    if (copy.sinceMs === undefined || copy.isReported) return;
    const waitedMs = monoMs - copy.sinceMs;
    if (waitedMs <= (copy.state === 'never' ? LATE_MS : FLOOD_MS + LATE_MS)) return;
    copy.isReported = true;
    this.#case.broke('L1', `${key} is open, ${receiver} is up, and has not been sent it for ${waitedMs} ms`);
  }

  /** These begin to wait anew. */
  #wait(whose: (receiver: string, key: string) => boolean): void {
    for (const [receiver, copies] of this.#copies) {
      for (const [key, copy] of copies) if (whose(receiver, key)) copy.sinceMs = undefined;
    }
  }

  #copyOf(receiver: string, key: string): Copy {
    const copies = this.#copies.get(receiver) ?? new Map<string, Copy>();
    this.#copies.set(receiver, copies);
    const copy = copies.get(key) ?? { state: 'never', sinceMs: undefined, isReported: false };
    copies.set(key, copy);
    return copy;
  }
}
