import type { Clock, MonoMs } from '../../core/clock.ts';
import type { Engine } from '../../core/engine.ts';
import { messageOf } from '../../core/errors.ts';
import type { EngineId } from '../../core/scope.ts';
import type { PermitTerms } from '../../core/tool.ts';
import type { FactStore } from '../../ground/facts/facts.ts';
import { verifyFresh } from '../../ground/verify.ts';
import type { Verdict } from '../../remediation/verify.ts';

export interface EffectVerifierDeps {
  readonly factStore: FactStore;
  readonly clock: Clock;
  readonly engineOf: (id: EngineId) => Engine | undefined;
}

/** What was there before an action, to tell its effect from what was so already. */
interface Before {
  readonly generation: string | undefined;
  readonly cacheEntries: number | undefined;
}

const KEPT_MAX = 256;
/** A probe of an engine is a call to it: not ten of them a second. */
const PROBE_EVERY_MS = 1_000;

const notYet = (because: string): Verdict => ({ state: 'not_yet', because });
const cured = (because: string): Verdict => ({ state: 'cured', because });

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
    if (call.tool !== 'invalidate_cache' || engine?.probeCache === undefined) return undefined;
    return engine.probeCache(signal).then(
      (cacheEntries) => this.#keep(terms.id, { generation: undefined, cacheEntries }),
      () => undefined,
    );
  }

  async judge(terms: PermitTerms, sinceMs: MonoMs, signal: AbortSignal): Promise<Verdict> {
    const { tool, target } = terms.call;
    if (tool !== 'restart_channel') return this.#byProbe(terms, signal);
    const facts = target.kind === 'channel' ? this.#deps.factStore.view(target.id) : undefined;
    if (facts === undefined) return { state: 'failed', because: 'it is no longer configured' };
    const previousGeneration = this.#before.get(terms.id)?.generation;
    return verifyFresh(facts, { sinceMs, previousGeneration }, this.#deps.clock.monotonicMs());
  }

  async #byProbe(terms: PermitTerms, signal: AbortSignal): Promise<Verdict> {
    const nowMs = this.#deps.clock.monotonicMs();
    if (nowMs - (this.#probedMs.get(terms.id) ?? 0) < PROBE_EVERY_MS) return notYet('the probe was asked a moment ago');
    this.#probedMs.set(terms.id, nowMs);
    if (this.#probedMs.size > KEPT_MAX) this.#probedMs.delete(this.#probedMs.keys().next().value ?? '');
    const engine = this.#deps.engineOf(terms.engine ?? '');
    if (engine === undefined) return notYet('its engine is no longer configured');
    return this.#probe(engine, terms, signal).catch((thrown: unknown) => notYet(messageOf(thrown)));
  }

  async #probe(engine: Engine, terms: PermitTerms, signal: AbortSignal): Promise<Verdict> {
    const { tool, target } = terms.call;
    if (tool === 'refresh_credentials' && engine.probeCredentials !== undefined) {
      return (await engine.probeCredentials(signal)) ? cured('the credentials work') : notYet('the credentials fail');
    }
    if (tool === 'rebuild_playout' && engine.probePlayout !== undefined && target.kind === 'channel') {
      const plays = await engine.probePlayout(target.id, signal);
      return plays ? cured('it has something to play now') : notYet('nothing to play yet');
    }
    if (tool === 'invalidate_cache' && engine.probeCache !== undefined) {
      const before = this.#before.get(terms.id)?.cacheEntries;
      const entries = await engine.probeCache(signal);
      const emptier = entries === 0 || (before !== undefined && entries < before);
      return emptier ? cured(`${entries} entries left, ${before ?? '?'} before`) : notYet(`still ${entries} entries`);
    }
    return notYet(`the engine has no probe for ${tool}`);
  }

  #keep(permit: string, before: Before): void {
    this.#before.set(permit, before);
    if (this.#before.size > KEPT_MAX) this.#before.delete(this.#before.keys().next().value ?? '');
  }
}
