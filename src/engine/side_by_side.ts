/** Asks for many channels of an engine at the same time. */

/**
 * Runs `count` lanes at the same time and waits for all. The first that fails ends the others: the look has failed with
 * it, and the deadline of a look that has ended holds nobody any more.
 */
export async function sideBySide(
  count: number,
  signal: AbortSignal,
  lane: (index: number, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const over = new AbortController();
  const both = AbortSignal.any([signal, over.signal]);
  try {
    await Promise.all(Array.from({ length: count }, (_, index) => lane(index, both)));
  } finally {
    over.abort();
  }
}
