/** The simulated engine's own restarts. */
import type { SymptomKind } from '../core/symptom.ts';
import type { ServiceChannel } from './service_channel.ts';

const RETRIES_MAX = 3;
const RETRY_MS = 1_000;
/** How often an engine tries that never gives up. */
const PERSISTENT_RETRY_MS = 2_000;

export interface EngineRetriesDeps {
  readonly nowMs: () => number;
  readonly at: (atMs: number, run: () => void) => void;
  readonly onSymptom: (channel: string, kind: SymptomKind) => void;
  readonly restart: (channel: string) => void;
  readonly settle: (channel: ServiceChannel) => void;
}

/** The engine's own supervisor: a few tries, then it gives up; one that is persistent never does. */
export class EngineRetries {
  readonly #deps: EngineRetriesDeps;
  readonly #persistentUntilMs = new Map<string, number>();

  constructor(deps: EngineRetriesDeps) {
    this.#deps = deps;
  }

  /** For so long the engine starts whatever ends on it, for ever. */
  keep(engine: string, forMs: number): void {
    this.#persistentUntilMs.set(engine, this.#deps.nowMs() + forMs);
  }

  /** Ends every engine's keenness. */
  heal(): void {
    this.#persistentUntilMs.clear();
  }

  /** A process has ended. `short`: it never really ran. True when the engine sees to it. */
  ended(channel: ServiceChannel, short: boolean): boolean {
    const { nowMs, at, onSymptom, restart, settle } = this.#deps;
    const { process, plan } = channel;
    const persistent = nowMs() < (this.#persistentUntilMs.get(plan.engine) ?? 0);
    const unfit = nowMs() < channel.unfitUntilMs;
    if (!persistent && !unfit) return false;
    if (unfit) onSymptom(plan.id, channel.unfitUptimeMs < 2_000 ? 'config_error' : 'process_crash');
    channel.retries = short && !persistent ? channel.retries + 1 : 0;
    if (channel.retries > RETRIES_MAX) {
      channel.state = 'fatal';
      settle(channel);
      return true;
    }
    at(nowMs() + (persistent ? PERSISTENT_RETRY_MS : RETRY_MS), () => {
      if (channel.process === process && channel.state === 'exited') restart(plan.id);
    });
    return true;
  }
}
