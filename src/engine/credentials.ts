import type { Clock, MonoMs } from '../core/clock.ts';
import type { CredentialSample } from '../core/sample.ts';
import type { EngineId } from '../core/scope.ts';
import { momentOf } from './parts.ts';

export interface CredentialWatch {
  readonly engine: EngineId;
  readonly clock: Clock;
  readonly everyMs: number;
  /** True when the credentials work, false when they are refused; throws when nobody can tell. */
  readonly probe: (signal: AbortSignal) => Promise<boolean>;
}

/** Tries the credentials with the first look and then at most once per interval; undefined in between. */
export function credentialWatch(
  watch: CredentialWatch,
): (signal: AbortSignal) => Promise<CredentialSample | undefined> {
  let dueMs: MonoMs = Number.NEGATIVE_INFINITY;
  return async (signal) => {
    const moment = momentOf(watch.clock);
    if (moment.monoMs < dueMs) return undefined;
    dueMs = moment.monoMs + watch.everyMs;
    try {
      const ok = await watch.probe(signal);
      return { kind: 'credential', engine: watch.engine, source: 'credential probe', ...moment, ok };
    } catch {
      // Unknown is not refused: the engine's own sample says what is wrong with the engine.
      signal.throwIfAborted();
      return undefined;
    }
  };
}
