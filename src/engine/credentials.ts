/** Probes an engine's credentials. */
import type { Clock, MonoMs } from '../core/clock.ts';
import type { CredentialSample } from '../core/sample.ts';
import type { EngineId } from '../core/scope.ts';
import { readingTimeOf } from './parts.ts';

export interface CredentialWatch {
  readonly engine: EngineId;
  readonly clock: Clock;
  readonly everyMs: number;
  /** True when the credentials work, false when they are refused; throws when it is not known. */
  readonly probe: (signal: AbortSignal) => Promise<boolean>;
}

/**
 * Tries the credentials at most once per interval, beside the looks: a probe may take long and must not hold them up.
 * Each call gives the verdict that has come in since the last one, if any.
 */
export function credentialWatch(watch: CredentialWatch): (signal: AbortSignal) => CredentialSample | undefined {
  let dueMs: MonoMs = Number.NEGATIVE_INFINITY;
  let fresh: CredentialSample | undefined;
  const probe = async (signal: AbortSignal): Promise<void> => {
    const moment = readingTimeOf(watch.clock);
    try {
      const ok = await watch.probe(signal);
      fresh = { kind: 'credential', engine: watch.engine, source: 'credential probe', ...moment, ok };
    } catch {
      // Unknown is not refused: the engine's own sample says what is wrong with the engine.
    }
    dueMs = watch.clock.monotonicMs() + watch.everyMs;
  };
  return (signal) => {
    if (watch.clock.monotonicMs() >= dueMs) {
      dueMs = Number.POSITIVE_INFINITY;
      void probe(signal);
    }
    const verdict = fresh;
    fresh = undefined;
    return verdict;
  };
}
