/** The way to one receiver: HTTP with bounds on everything, behind a deadline and a breaker of its own. */
import type { Clock } from '../../core/clock.ts';
import { type BoundedFetch, retryAfterMs } from '../../resilience/http.ts';
import { createTransport } from '../../resilience/transport.ts';
import type { ReceiverDeps } from './factory.ts';

const POST_MS = 10_000;
/** So much of an answer is read. The status says whether the page was taken: the rest is cut off, and is no failure. */
const ANSWER_BYTES_MAX = 64 * 1024;
/** A page waits for nothing longer than it must: a receiver that is back is tried within this time. */
const OPEN_MS = 2_000;

export interface Reach extends Pick<ReceiverDeps, 'post' | 'guarded'>, Disposable {}

/** By what it begins with: the content type says nothing, as Slack's "ok" is sent as text/html. */
const isWebPage = (body: Buffer): boolean =>
  /^\uFEFF?\s*<(?:!doctype\s+html|html)\b/i.test(body.toString('utf8', 0, 256));

/** `{"ok":false}`, `{"success":false}` or `{"status":"error"}`, as chat servers answer with a status of 200. */
function saysNo(body: Buffer): boolean {
  try {
    const said: unknown = JSON.parse(body.toString());
    if (typeof said !== 'object' || said === null) return false;
    const { ok, success, status } = said as Readonly<Record<string, unknown>>;
    return ok === false || success === false || status === 'error';
  } catch {
    return false;
  }
}

/** A receiver that hangs must not hold the others, so each has a breaker of its own. Any status is an answer here. */
export function reachReceiver(
  name: string,
  { ask, clock }: { readonly ask: BoundedFetch; readonly clock: Clock },
): Reach {
  const transport = createTransport(`receiver/${name}`, { timeoutMs: POST_MS, openMs: OPEN_MS }, clock);
  const bounds = { timeoutMs: POST_MS, bytesMax: ANSWER_BYTES_MAX, cut: true, accept: () => true };
  return {
    post: async (url, { body, headers, signal }) => {
      const answer = await transport.call(
        (limit) => ask({ url, method: 'POST', headers, body, signal: limit, ...bounds }),
        { signal },
      );
      const { status, headers: said, body: page } = answer;
      return { status, retryAfterMs: retryAfterMs(said), isWebPage: isWebPage(page), saysNo: saysNo(page) };
    },
    guarded: (action, signal) => transport.call(action, { signal }),
    [Symbol.dispose]: () => transport[Symbol.dispose](),
  };
}
