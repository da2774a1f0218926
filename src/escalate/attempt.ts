/** One bounded attempt to deliver a message. */
import { type Clock, deadline } from '../core/clock.ts';
import { ReeveError } from '../core/errors.ts';

export interface AttemptBound {
  readonly clock: Clock;
  readonly attemptMs: number;
  readonly signal: AbortSignal;
}

/** One attempt to send. The deadline holds even where `send` ignores its signal. Throws TIMED_OUT. */
export async function attempt(
  { clock, attemptMs, signal }: AttemptBound,
  send: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  using limit = deadline(clock, attemptMs, () => new ReeveError('TIMED_OUT', `no answer in ${attemptMs} ms`), signal);
  limit.signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  limit.signal.addEventListener('abort', () => aborted.reject(limit.signal.reason), { once: true });
  await Promise.race([send(limit.signal), aborted.promise]);
}
