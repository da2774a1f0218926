// The journal as a stream of server-sent events, for readers that keep up.
import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import { type SSEStreamingApi, streamSSE } from 'hono/streaming';
import type { Clock } from '../core/clock.ts';
import type { JournalEntry } from '../core/journal.ts';
import { toWire } from '../core/wire.ts';
import type { Daemon } from './daemon.ts';

/** Entries of a missed stretch that are read at once; the next are read when the reader has taken these. */
const REPLAY_MAX = 1_000;
/** A reader this far behind is let go: it comes back with the id of the last entry that it had. */
const BEHIND_MAX = 1_000;
/** Readers at the same time, in all and with one token. Each may hold `BEHIND_MAX` entries. */
const READERS_MAX = 32;
const READERS_PER_TOKEN_MAX = 8;
/** A comment this often shows a proxy that the stream is open, and Reeve that its reader is there. */
const BEAT_MS = 15_000;
/** A reader that takes nothing for this long is let go, however little waits for it. */
const STALLED_MS = 30_000;

export interface EventDeps {
  readonly daemon: Pick<Daemon, 'subscribe' | 'journal'>;
  readonly clock: Clock;
}

/** Who reads: the name of the token, and whether it is still good. */
export interface Reader {
  readonly name: string;
  readonly isGood: () => boolean;
}

/**
 * Answers with journal entries as they are written, after those that `Last-Event-ID` or `?since=` says were missed.
 * 429 when too many readers are connected, in all or with this token.
 */
export function createEvents(deps: EventDeps): (c: Context, reader: Reader) => Response {
  const reading = new Map<string, number>();
  return (c, { name, isGood }) => {
    const own = reading.get(name) ?? 0;
    const all = [...reading.values()].reduce((sum, count) => sum + count, 0);
    if (all >= READERS_MAX || own >= READERS_PER_TOKEN_MAX) {
      const message = `${all} readers are connected already, ${own} of them with this token`;
      return c.json({ error: 'busy', message }, 429, { 'Retry-After': '5' });
    }
    reading.set(name, own + 1);
    const since = Number(c.req.header('last-event-id') ?? c.req.query('since') ?? Number.NaN);
    // A socket whose buffers are full takes no orderly end: it is cut.
    const cut = () => (c.env as Partial<HttpBindings> | undefined)?.outgoing?.destroy();
    return streamSSE(c, async (stream) => {
      try {
        await follow(stream, { ...deps, since, cut, isGood });
      } finally {
        const left = (reading.get(name) ?? 1) - 1;
        if (left > 0) reading.set(name, left);
        else reading.delete(name);
      }
    });
  };
}

interface Following extends EventDeps, Pick<Reader, 'isGood'> {
  /** The last entry that the reader had; NaN: it begins with the next one. */
  readonly since: number;
  readonly cut: () => void;
}

/** Listens before it replays, so that nothing falls between the two. Resolves when the reader is gone or let go. */
async function follow(stream: SSEStreamingApi, { daemon, clock, since, cut, isGood }: Following): Promise<void> {
  const waiting: JournalEntry[] = [];
  let wake: () => void = () => undefined;
  const letGo = (): void => {
    stream.abort();
    cut();
  };
  stream.onAbort(() => wake());
  using _ = daemon.subscribe((entry) => {
    if (stream.aborted) return;
    waiting.push(entry);
    // Asked here and not where entries go out: what stands before a reader that does not read goes out never.
    if (waiting.length > BEHIND_MAX) letGo();
    wake();
  });
  const read = (from: number) => [...daemon.journal({ since: from, limit: REPLAY_MAX })];
  let missed = Number.isFinite(since) ? read(since) : [];
  let isMore = missed.length === REPLAY_MAX;
  let lastSeq = 0;
  const next = (): JournalEntry | undefined => {
    if (missed.length === 0 && isMore) {
      missed = read(lastSeq);
      isMore = missed.length === REPLAY_MAX;
    }
    return missed.shift() ?? waiting.shift();
  };

  const send = async (write: () => Promise<unknown>): Promise<void> => {
    using _stalled = clock.after(STALLED_MS, letGo);
    await write();
  };
  while (!stream.aborted && isGood()) {
    const entry = next();
    if (entry === undefined) {
      using _beat = clock.after(BEAT_MS, () => wake());
      await new Promise<void>((resolve) => (wake = resolve));
      if (waiting.length === 0 && !stream.aborted && isGood()) await send(() => stream.write(': \n\n'));
    } else if (entry.seq > lastSeq) {
      lastSeq = entry.seq;
      const message = { id: String(entry.seq), event: entry.fact.type, data: JSON.stringify(toWire(entry)) };
      await send(() => stream.writeSSE(message));
    }
  }
}
