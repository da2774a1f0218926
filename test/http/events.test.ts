import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/core/clock.ts';
import type { JournalEntry } from '../../src/core/journal.ts';
import { sha256Of } from '../../src/http/auth.ts';
import { type HttpServer, startServer } from '../../src/http/server.ts';
import { aDaemon } from './support.ts';

const TOKEN = `reader-${'x'.repeat(40)}`;
const anEntry = (seq: number): JournalEntry => ({
  seq,
  at: 0,
  monoMs: seq,
  boot: 'b',
  fact: { type: 'control.thawed', who: 'ann', because: 'x'.repeat(1_000) },
});

const { daemon, listeners } = aDaemon({
  // While the journal is read for the one who comes back, the next entry is written.
  journal: ({ since }) => {
    const missed = [anEntry(since + 1), anEntry(since + 2)];
    for (const listener of listeners) listener(anEntry(since + 3));
    return missed;
  },
});
let server: HttpServer;
beforeAll(async () => {
  const tokens = [{ name: 'reader', scope: 'read', sha256: sha256Of(TOKEN) }] as const;
  const options = { host: '127.0.0.1', port: 0, allowedHosts: [], tokens, metrics: undefined };
  server = await startServer(options, { daemon, clock: systemClock, onError: () => undefined });
});
afterAll(() => server[Symbol.asyncDispose]());

async function* ids(path: string, signal: AbortSignal): AsyncGenerator<number> {
  const answer = await fetch(server.url + path, { headers: { authorization: `Bearer ${TOKEN}` }, signal });
  const decoder = new TextDecoder();
  let text = '';
  for await (const bytes of answer.body!) {
    text += decoder.decode(bytes, { stream: true });
    for (const [all, id] of text.matchAll(/id: (\d+)\n(?:.*\n)*?\n/g)) {
      text = text.replace(all, '');
      yield Number(id);
    }
  }
}

describe('the stream of events', () => {
  it('loses nothing between what was missed and what comes next', async () => {
    const stop = new AbortController();
    const seen: number[] = [];
    for await (const id of ids('/api/v1/events?since=40', stop.signal)) {
      seen.push(id);
      if (seen.length === 3) for (const listener of listeners) listener(anEntry(44));
      if (seen.length === 4) break;
    }
    stop.abort();
    expect(seen).toEqual([41, 42, 43, 44]);
  });

  it('lets a reader go that falls too far behind, instead of keeping everything for it', async () => {
    const stop = new AbortController();
    const answer = await fetch(`${server.url}/api/v1/events`, {
      headers: { authorization: `Bearer ${TOKEN}` },
      signal: stop.signal,
    });
    await expect.poll(() => listeners.size).toBeGreaterThan(0);
    for (let seq = 1; seq <= 20_000; seq += 1) for (const listener of listeners) listener(anEntry(seq));
    await expect.poll(() => listeners.size, { timeout: 30_000 }).toBe(0);
    stop.abort();
    expect(answer.status).toBe(200);
  });

  it('stops listening when the reader is gone', async () => {
    const stop = new AbortController();
    await fetch(`${server.url}/api/v1/events`, { headers: { authorization: `Bearer ${TOKEN}` }, signal: stop.signal });
    await expect.poll(() => listeners.size).toBe(1);
    stop.abort();
    await expect.poll(() => listeners.size).toBe(0);
  });
});
