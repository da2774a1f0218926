import type { Context } from 'hono';
import { streamSSE } from 'hono/streaming';
import type { JournalEntry } from '../core/journal.ts';
import { toWire } from '../core/wire.ts';
import type { Daemon } from './daemon.ts';

/** Entries that a missed stretch may bring back at once; more of them are read from the journal. */
const REPLAY_MAX = 1_000;
/** A reader this far behind is let go: it comes back with the id of the last entry that it had. */
const BEHIND_MAX = 1_000;
/** Readers at the same time. Each may hold `BEHIND_MAX` entries. */
const READERS_MAX = 32;

const reading = { count: 0 };

/**
 * Journal entries as they are written; `Last-Event-ID` or `?since=` replays what was missed (bounded). Listens before
 * it replays, so that nothing falls between the two.
 */
export function events(c: Context, daemon: Daemon): Response {
  if (reading.count >= READERS_MAX) {
    return c.json({ error: 'busy', message: `${READERS_MAX} readers are connected already` }, 429, {
      'Retry-After': '5',
    });
  }
  const since = Number(c.req.header('last-event-id') ?? c.req.query('since') ?? Number.NaN);
  reading.count += 1;
  return streamSSE(c, async (stream) => {
    const waiting: JournalEntry[] = [];
    let wake: () => void = () => undefined;
    using _ = daemon.subscribe((entry) => {
      waiting.push(entry);
      wake();
    });
    stream.onAbort(() => wake());
    try {
      let lastSeq = 0;
      const missed = Number.isFinite(since) ? daemon.journal({ since, limit: REPLAY_MAX }) : [];
      waiting.unshift(...missed.filter(({ seq }) => seq < (waiting[0]?.seq ?? Number.POSITIVE_INFINITY)));
      while (!stream.aborted && waiting.length <= BEHIND_MAX + missed.length) {
        const entry = waiting.shift();
        if (entry === undefined) {
          await new Promise<void>((resolve) => (wake = resolve));
        } else if (entry.seq > lastSeq) {
          lastSeq = entry.seq;
          await stream.writeSSE({ id: String(entry.seq), event: entry.fact.type, data: JSON.stringify(toWire(entry)) });
        }
      }
    } finally {
      reading.count -= 1;
    }
  });
}
