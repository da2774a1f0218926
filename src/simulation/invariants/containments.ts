/** The oracle of law S8 and of containment in S2. */
import type { JournalEntry } from '../../core/journal.ts';
import { keyOfScope } from '../../core/scope.ts';
import type { PermitTerms } from '../../core/tool.ts';
import { type InvariantContext, type FactOf, type Oracle, scopesOver } from './context.ts';
import type { Proofs } from './proofs.ts';
import type { Starts } from './starts.ts';

interface Held {
  readonly fact: FactOf<'containment.raised'>;
  readonly raisedMs: number;
  /** The permit that was granted in the same moment: the start that filled the window. */
  readonly by: string | undefined;
  paged: boolean;
  released: boolean;
}

/** A person made a freeze, and a shared cause has an incident that pages. */
const UNPAGED: ReadonlySet<string> = new Set(['operator_freeze', 'shared_cause']);
const UPKEEP_MS = 5_000;

/** S8, and the half of S2 that contains: what was raised and cleared, read from the journal as it came. */
export class Containments implements Oracle {
  readonly #case: InvariantContext;
  readonly #starts: Starts;
  readonly #proofs: Proofs;
  readonly #held = new Map<string, Held>();
  /** The engines whose plans these permits are. */
  readonly #enginePlans = new Map<string, string>();
  /** The scope of each open page, by its key. */
  readonly #openPages = new Map<string, string>();
  #thawedMs: number | undefined;
  #frozen = false;
  #frozenMs = 0;
  #aliveMs = 0;

  constructor(world: InvariantContext, starts: Starts, proofs: Proofs) {
    this.#case = world;
    this.#starts = starts;
    this.#proofs = proofs;
  }

  get held(): readonly { readonly key: string; readonly raisedMs: number }[] {
    return [...this.#held].map(([key, { raisedMs }]) => ({ key, raisedMs }));
  }

  entry(entry: JournalEntry, batch: readonly JournalEntry[]): void {
    const { fact, monoMs } = entry;
    switch (fact.type) {
      case 'reeve.started':
        this.#aliveMs = monoMs;
        return;
      case 'control.frozen':
        this.#frozen = true;
        this.#frozenMs = monoMs;
        return;
      case 'control.thawed':
        this.#frozen = false;
        this.#thawedMs = monoMs;
        return;
      case 'control.released':
        for (const held of this.#held.values())
          held.released ||= keyOfScope(held.fact.scope) === keyOfScope(fact.scope);
        return;
      case 'containment.raised':
        return this.#raise(fact, monoMs, batch);
      case 'containment.cleared':
        return this.#clear(fact, monoMs);
      case 'escalation.raised':
        return this.#page(fact.escalation.key, keyOfScope(fact.escalation.scope));
      case 'escalation.resolved':
        this.#openPages.delete(fact.key);
        return;
      case 'guard.decided':
        if (fact.decision.verdict === 'allow') this.#storm(fact.decision.permit, batch);
        return;
      case 'tool.started':
        return this.#start(fact.permit, monoMs);
      default:
        // What a recovery writes comes before its own start: no process could notify a person until then.
        return batch.some((one) => one.fact.type === 'reeve.started') ? undefined : this.#remind(monoMs);
    }
  }

  #raise(fact: FactOf<'containment.raised'>, raisedMs: number, batch: readonly JournalEntry[]): void {
    const key = `${keyOfScope(fact.scope)}|${fact.reason}`;
    if (this.#held.has(key)) return;
    const paged = [...this.#openPages].some(([page, scope]) => speaksFor(fact, page, scope));
    this.#held.set(key, { fact, raisedMs, by: grantedIn(batch), paged, released: false });
  }

  #page(key: string, scope: string): void {
    this.#openPages.set(key, scope);
    for (const held of this.#held.values()) held.paged ||= speaksFor(held.fact, key, scope);
  }

  #clear({ scope, reason }: FactOf<'containment.cleared'>, monoMs: number): void {
    const key = `${keyOfScope(scope)}|${reason}`;
    const held = this.#held.get(key);
    this.#held.delete(key);
    if (held === undefined || held.released) return;
    const { broke, limits } = this.#case;
    // A thaw is the decision of a person.
    if (held.fact.releaseByPerson && reason !== 'operator_freeze')
      broke('S8', `${key} ended without the person who alone may end it`);
    const quietMs = limits.containmentQuietMs;
    if (monoMs - held.raisedMs < quietMs) broke('S8', `${key} ended ${monoMs - held.raisedMs} ms after it was raised`);
    if (reason === 'operator_freeze' && (this.#frozen || monoMs - (this.#thawedMs ?? 0) < quietMs)) {
      broke('S8', `${key} ended while frozen, or less than ${quietMs} ms after the thaw`);
    }
    const stormMs = this.#starts.lastStormMs();
    const sinceMs = this.#case.nowMs() - stormMs;
    if (reason === 'restart_storm' && sinceMs < quietMs)
      broke('S8', `${key} ended ${sinceMs} ms after the window was full`);
  }

  /** The Nth start brings its containment with it. */
  #storm({ call, id }: PermitTerms, batch: readonly JournalEntry[]): void {
    if (call.tool !== 'restart_channel' || call.target.kind !== 'channel') return;
    const count = this.#starts.inWindow(this.#case.nowMs()) + 1;
    if (count < this.#case.limits.windowStartsMax || this.#held.has('fleet|restart_storm')) return;
    const raised = batch.some(({ fact }) => fact.type === 'containment.raised' && fact.reason === 'restart_storm');
    if (!raised) this.#case.broke('S2', `start ${count} of the window (${id}) came without containment`);
  }

  #start(permit: PermitTerms, nowMs: number): void {
    const { call, risk, engine, id } = permit;
    const { persona, broke } = this.#case;
    if (call.target.kind === 'engine') this.#enginePlans.set(id, call.target.id);
    if (risk === 'low' || (risk === 'medium' && !persona.containment_bias)) return;
    const over = scopesOver(call.target, this.#case, engine);
    const pool = engine === undefined ? 'unasked' : this.#case.poolOf(engine);
    const full = pool === undefined || (pool !== 'unasked' && pool >= this.#case.limits.poolPressureMax);
    if (full) broke('S8', `${call.tool} (${id}) began with the pool of ${engine} ${pool ?? 'not known'}`);
    for (const [key, held] of this.#held) {
      if (!over.has(keyOfScope(held.fact.scope))) continue;
      const because = this.#unproven(held, permit, nowMs);
      if (because !== undefined) broke('S8', `${call.tool} (${id}) began under ${key}${because}`);
    }
  }

  /** Why a start under a containment is unlawful; undefined where it is not. */
  #unproven({ fact, by, raisedMs }: Held, { id, call, parent }: PermitTerms, nowMs: number): string | undefined {
    // The Nth start is allowed, and raises the containment itself.
    if (fact.reason === 'restart_storm' && by === id) return undefined;
    const isStaged = call.channels.length > 0 || parent !== undefined;
    const isByProof = fact.reason === 'shared_cause' && fact.scope.kind === 'group' && !fact.releaseByPerson;
    if (!isByProof || !isStaged || fact.scope.kind !== 'group') return '';
    const sinceMs = raisedMs - this.#case.limits.sharedCauseWindowMs;
    const own = call.target.kind === 'channel' ? { starts: call.target.id } : {};
    const engine = parent === undefined ? undefined : this.#enginePlans.get(parent);
    const wider = engine === undefined ? {} : { engine };
    const missing = this.#proofs.missing(fact.scope.id, { nowMs, sinceMs, ...own, ...wider });
    return missing === undefined ? undefined : ` without proof: ${missing}`;
  }

  /** A containment that lasts was notified, and a freeze has contained. */
  #remind(monoMs: number): void {
    const { broke, limits } = this.#case;
    if (monoMs - this.#aliveMs < UPKEEP_MS) return;
    const lateMs = limits.containmentCooldownMs + UPKEEP_MS;
    for (const [key, held] of this.#held) {
      if (held.paged || UNPAGED.has(held.fact.reason)) continue;
      if (monoMs - held.raisedMs >= lateMs && monoMs - this.#aliveMs >= lateMs) {
        held.paged = true;
        broke('L1', `no person was notified of ${key} for ${monoMs - held.raisedMs} ms`);
      }
    }
    const late = this.#frozen && monoMs - this.#frozenMs > UPKEEP_MS;
    if (late && !this.#held.has('fleet|operator_freeze')) {
      this.#frozen = false;
      broke('S8', 'a freeze did not contain the fleet');
    }
  }
}

/** Of one channel any page about it will do, unless a person must end its containment. */
function speaksFor(fact: FactOf<'containment.raised'>, page: string, scope: string): boolean {
  const own = keyOfScope(fact.scope);
  return page === `containment/${own}` || (fact.scope.kind === 'channel' && !fact.releaseByPerson && scope === own);
}

function grantedIn(batch: readonly JournalEntry[]): string | undefined {
  for (const { fact } of batch) {
    if (fact.type === 'guard.decided' && fact.decision.verdict === 'allow') return fact.decision.permit.id;
  }
  return undefined;
}
