// Waits for files that lie elsewhere: a file server that is away answers no call, and does not even refuse it.
import { type Clock, deadline } from '../core/clock.ts';

/** A disk that spins up takes this long; what takes longer is away. */
export const ELSEWHERE_MS = 3_000;

/** What `work` comes to, or an error when the file system says nothing for so long. The work itself may never end. */
export async function answeredInTime<T>(work: Promise<T>, clock: Clock): Promise<T> {
  const late = () => new Error(`its file system did not answer in ${ELSEWHERE_MS} ms`);
  using limit = deadline(clock, ELSEWHERE_MS, late);
  const { promise, reject } = Promise.withResolvers<never>();
  limit.signal.addEventListener('abort', () => reject(limit.signal.reason), { once: true });
  return await Promise.race([work, promise]);
}
