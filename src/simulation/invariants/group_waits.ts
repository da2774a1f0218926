/** Why channels of a group still wait for the incident of the group, for the oracle of law L5. */
import { MINUTE_MS } from '../../core/duration.ts';
import type { JournalEntry } from '../../core/journal.ts';
import type { Outcome } from '../../core/incident.ts';
import type { Scope } from '../../core/scope.ts';
import { covers, type InvariantContext } from './context.ts';

interface Group {
  readonly scope: Scope;
  last?: Outcome;
  endedMs?: number;
  /** The question about its plan that is open, or that a person has answered with no. */
  question?: string | undefined;
}

/** Patience after another name of the trouble, and the distance between runs. */
const NEXT_RUN_MS = MINUTE_MS;

const isAskedSoon = ({ last, endedMs = 0 }: Group, monoMs: number): boolean =>
  last?.kind === 'watching'
    ? monoMs - endedMs <= NEXT_RUN_MS
    : last?.kind === 'escalated' && last.denial === 'fleet_daily_cap';

/**
 * What is refused with `shared_cause` waits for the incident of its group, which handles the cause. These waits of that
 * incident hold for all of the group: the question about its plan, until that has expired or was used (after a no it
 * is a person's); the distance to its next run; the budget of the fleet, which no channel of it has either; and a plan
 * that did not help where no source of the group is probed, for then the canary that failed speaks against the others.
 */
export class GroupWaits {
  readonly #case: InvariantContext;
  readonly #groups = new Map<string, Group>();

  constructor(world: InvariantContext) {
    this.#case = world;
  }

  entry({ fact, incident = '', monoMs }: JournalEntry): void {
    if (fact.type === 'incident.opened' && fact.incident.scope.kind !== 'channel')
      this.#groups.set(fact.incident.id, { scope: fact.incident.scope });
    const group = this.#groups.get(incident);
    if (fact.type === 'incident.closed') this.#groups.delete(incident);
    else if (fact.type === 'run.ended' && group !== undefined)
      Object.assign(group, { last: fact.outcome, endedMs: monoMs });
    else if (fact.type === 'approval.asked' && group !== undefined) group.question = fact.approval.id;
    else if (fact.type === 'approval.expired' || fact.type === 'approval.used') {
      for (const one of this.#groups.values()) if (one.question === fact.id) one.question = undefined;
    }
  }

  /** Of the channel's group, while its incident waits for something that concerns all of it. */
  holds(channel: string, monoMs: number): boolean {
    return [...this.#groups.values()].some(
      (group) =>
        covers(group.scope, channel, this.#case) &&
        (group.question !== undefined || isAskedSoon(group, monoMs) || this.#speaksCanary(group)),
    );
  }

  #speaksCanary({ scope, last }: Group): boolean {
    const isFailed = last?.kind === 'escalated' && (last.reason === 'not_helping' || last.denial === 'already_tried');
    return (
      isFailed && !this.#case.script.channels.some(({ id, hasSource }) => hasSource && covers(scope, id, this.#case))
    );
  }
}
