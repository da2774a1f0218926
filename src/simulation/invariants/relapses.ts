/** Which incidents of a channel are relapses of which (law S5), for the oracle that counts restarts. */
import { MINUTE_MS } from '../../core/duration.ts';
import type { JournalFact } from '../../core/journal.ts';

/** An incident that begins this soon after a verified restart belongs to the old count. */
const RELAPSE_MS = 30 * MINUTE_MS;

interface Cure {
  readonly incident: string;
  readonly atMs: number;
}

/** Restated from the law's words, without the guard's own state. */
export class Relapses {
  readonly #cures = new Map<string, Cure>();
  /** By incident and channel: the incident before it. */
  readonly #before = new Map<string, string>();

  entry(fact: JournalFact, nowMs: number): void {
    if (fact.type === 'attempt.verified' && fact.verification.cured) {
      const { call, incident } = fact.permit;
      if (call.tool !== 'restart_channel' || call.target.kind !== 'channel') return;
      this.#cures.set(call.target.id, { incident, atMs: nowMs });
    }
    if (fact.type !== 'incident.opened') return;
    const { id, scope } = fact.incident;
    // A shared incident may start channels that it did not name when it was opened.
    for (const channel of scope.kind === 'channel' ? [scope.id] : this.#cures.keys()) {
      const cure = this.#cures.get(channel);
      if (cure !== undefined && nowMs - cure.atMs < RELAPSE_MS) this.#before.set(`${id} ${channel}`, cure.incident);
    }
  }

  /** Nothing is known of any cure any more. */
  forget(): void {
    this.#cures.clear();
  }

  /** The incident and all of which it is a relapse. */
  chainOf(channel: string, incident: string | undefined): ReadonlySet<string> {
    const chain = new Set<string>();
    for (let id = incident; id !== undefined && !chain.has(id); id = this.#before.get(`${id} ${channel}`))
      chain.add(id);
    return chain;
  }
}
