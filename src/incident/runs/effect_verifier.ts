// Checks with fresh samples whether a tool had its effect, as the tool itself defines it.
import type { Clock, MonoMs } from '../../core/clock.ts';
import type { Engine } from '../../core/engine.ts';
import { InvariantError, messageOf } from '../../core/errors.ts';
import type { EngineId } from '../../core/scope.ts';
import type { PermitTerms } from '../../core/tool.ts';
import type { FactStore } from '../../ground/facts/facts.ts';
import { verifyFresh } from '../../ground/verify.ts';
import { TOOLS } from '../../remediation/catalog.ts';
import { notYet } from '../../remediation/tool.ts';
import type { Verdict } from '../../remediation/tool.ts';

export interface EffectVerifierDeps {
  readonly factStore: FactStore;
  readonly clock: Clock;
  readonly engineOf: (id: EngineId) => Engine | undefined;
}

/** What was there before an action, to distinguish its effect from what was so already. */
interface Before {
  readonly generation: string | undefined;
  readonly cacheEntries: number | undefined;
}

const KEPT_MAX = 256;
/** A probe of an engine is a call to it: not ten of them a second. */
const PROBE_EVERY_MS = 1_000;

/** Says from fresh samples whether an action worked; each tool by its own proof (docs/guard.md, the seven tools). */
export class EffectVerifier {
  readonly #deps: EffectVerifierDeps;
  readonly #before = new Map<string, Before>();
  readonly #probedMs = new Map<string, MonoMs>();

  constructor(deps: EffectVerifierDeps) {
    this.#deps = deps;
  }

  /** Before the engine is asked: remembers what an effect will be compared with. Waits only for a cache's count. */
  note(terms: PermitTerms, signal: AbortSignal): Promise<void> | undefined {
    const { call } = terms;
    const process = call.target.kind === 'channel' ? this.#deps.factStore.view(call.target.id)?.process : undefined;
    this.#keep(terms.id, { generation: process?.generation, cacheEntries: undefined });
    const engine = this.#deps.engineOf(terms.engine ?? '');
    if (TOOLS[call.tool].effect?.comparesCache !== true || engine?.probeCache === undefined) return undefined;
    return engine.probeCache(signal).then(
      (cacheEntries) => this.#keep(terms.id, { generation: undefined, cacheEntries }),
      () => undefined,
    );
  }

  async judge(terms: PermitTerms, sinceMs: MonoMs, signal: AbortSignal): Promise<Verdict> {
    const { effect } = TOOLS[terms.call.tool];
    if (effect === undefined) return notYet(`${terms.call.tool} changes nothing`);
    if (effect.by === 'probe' && this.#isTooSoon(terms)) return notYet('the probe was asked a moment ago');
    const engine = this.#deps.engineOf(terms.engine ?? '');
    if (effect.by === 'probe' && engine === undefined) return notYet('its engine is no longer configured');
    const before = this.#before.get(terms.id);
    const input = {
      ...{ terms, sinceMs, signal },
      previousGeneration: before?.generation,
      cacheEntriesBefore: before?.cacheEntries,
    };
    try {
      return await effect.check({ engine, freshOutput: (...args) => this.#freshOutput(...args) }, input);
    } catch (thrown) {
      if (thrown instanceof InvariantError) throw thrown;
      return notYet(messageOf(thrown));
    }
  }

  #isTooSoon(terms: PermitTerms): boolean {
    const nowMs = this.#deps.clock.monotonicMs();
    if (nowMs - (this.#probedMs.get(terms.id) ?? 0) < PROBE_EVERY_MS) return true;
    this.#probedMs.set(terms.id, nowMs);
    if (this.#probedMs.size > KEPT_MAX) this.#probedMs.delete(this.#probedMs.keys().next().value ?? '');
    return false;
  }

  #freshOutput(channel: string, sinceMs: MonoMs, previousGeneration: string | undefined): Verdict {
    const facts = this.#deps.factStore.view(channel);
    if (facts === undefined) return { state: 'failed', because: 'it is no longer configured' };
    return verifyFresh(facts, { sinceMs, previousGeneration }, this.#deps.clock.monotonicMs());
  }

  #keep(permit: string, before: Before): void {
    this.#before.set(permit, before);
    if (this.#before.size > KEPT_MAX) this.#before.delete(this.#before.keys().next().value ?? '');
  }
}
