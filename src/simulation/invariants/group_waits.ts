/** Why channels of a group still wait for the incident of the group, for the oracle of law L5. */
import { MINUTE_MS } from '../../core/duration.ts';
import type { JournalEntry } from '../../core/journal.ts';
import type { Outcome } from '../../core/incident.ts';
import type { Scope } from '../../core/scope.ts';
import { covers, type InvariantContext, planOf } from './context.ts';
import type { Proofs } from './proofs.ts';

interface Group {
  readonly scope: Scope;
  readonly openedMs: number;
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
 * is a person's); the distance to its next run; and the budget of the fleet, which no channel of it has either. A
 * person is asked one question at a time about an engine, so who was contained when it was put waits for its end, too.
 *
 * A plan that did not help speaks against the others, whatever they were refused for: where no source of the group is
 * probed, for the canary that failed was the witness; and else until it is proven that the cause is over (S8).
 */
export class GroupWaits {
  readonly #case: InvariantContext;
  readonly #proofs: Pick<Proofs, 'missing'> | undefined;
  readonly #groups = new Map<string, Group>();

  constructor(world: InvariantContext, proofs?: Pick<Proofs, 'missing'>) {
    this.#case = world;
    this.#proofs = proofs;
  }

  entry({ fact, incident = '', monoMs }: JournalEntry): void {
    if (fact.type === 'incident.opened' && fact.incident.scope.kind !== 'channel')
      this.#groups.set(fact.incident.id, { scope: fact.incident.scope, openedMs: monoMs });
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
  holds(channel: string, monoMs: number, code: string): boolean {
    const isSharedWait = (group: Group): boolean =>
      (code === 'shared_cause' && (group.question !== undefined || isAskedSoon(group, monoMs))) ||
      (code === 'containment' && group.question !== undefined && group.scope.kind === 'engine');
    return [...this.#groups.values()].some(
      (group) =>
        covers(group.scope, channel, this.#case) && (isSharedWait(group) || this.#hasFailed(group, channel, monoMs)),
    );
  }

  /** Of an engine's plan each group is judged by itself. */
  #hasFailed({ openedMs, last }: Group, channel: string, monoMs: number): boolean {
    const isFailed = last?.kind === 'escalated' && (last.reason === 'not_helping' || last.denial === 'already_tried');
    const group = planOf(this.#case, channel)?.group;
    if (!isFailed || group === undefined) return false;
    if (!this.#case.script.channels.some((plan) => plan.hasSource && plan.group === group)) return true;
    const sinceMs = openedMs - this.#case.limits.sharedCauseWindowMs;
    return this.#proofs?.missing(group, { nowMs: monoMs, sinceMs }) !== undefined;
  }
}
