/** What a function writes while it runs: kept for an exploration, and written all the same. */
import { AsyncLocalStorage } from 'node:async_hooks';
import process from 'node:process';

const CHARS_MAX = 20_000;
const scope = new AsyncLocalStorage<{ text: string }>();
let users = 0;
let restore: (() => void) | undefined;

/** Watches both streams for as long as anything is captured. */
function watch(): void {
  users += 1;
  if (restore !== undefined) return;
  const undo = [process.stdout, process.stderr].map((stream) => {
    const write = stream.write;
    stream.write = function (this: typeof stream, ...args: Parameters<typeof write>) {
      const kept = scope.getStore();
      const [piece] = args;
      if (kept !== undefined) kept.text = `${kept.text}${String(piece)}`.slice(-CHARS_MAX);
      return write.apply(stream, args);
    } as typeof write;
    return () => {
      stream.write = write;
    };
  });
  restore = () => {
    for (const back of undo) back();
  };
}

function unwatch(): void {
  users -= 1;
  if (users > 0) return;
  restore?.();
  restore = undefined;
}

/** How a function ended, with what it (and what it started) wrote to standard output and standard error. */
export type Captured<T> =
  | { readonly ok: true; readonly value: T; readonly output: string }
  | { readonly ok: false; readonly thrown: unknown; readonly output: string };

/** Runs it to its end; never rejects. Functions that run at the same time do not see each other's output. */
export async function captured<T>(run: () => T | Promise<T>): Promise<Captured<T>> {
  const kept = { text: '' };
  watch();
  try {
    const value = await scope.run(kept, async () => run());
    return { ok: true, value, output: kept.text };
  } catch (thrown) {
    return { ok: false, thrown, output: kept.text };
  } finally {
    unwatch();
  }
}

/** What went wrong, for a model and for people: message and stack, the last 8,000 characters. */
export const traceOf = (thrown: unknown): string =>
  (thrown instanceof Error ? (thrown.stack ?? `${thrown.name}: ${thrown.message}`) : String(thrown)).slice(0, 8_000);
