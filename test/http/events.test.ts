import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/core/clock.ts';
import type { JournalEntry } from '../../src/core/journal.ts';
import { sha256Of } from '../../src/http/auth/grants.ts';
import { type HttpServer, startServer } from '../../src/http/server.ts';
import { fakeClock } from '../support/fake_clock.ts';
import { aDaemon } from './support.ts';

const TOKEN = `reader-${'x'.repeat(40)}`;
const OTHER = `other-${'x'.repeat(40)}`;
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
  const tokens = [
    { name: 'reader', scopes: ['read'], sha256: sha256Of(TOKEN) },
    { name: 'other', scopes: ['read'], sha256: sha256Of(OTHER) },
  ] as const;
  const options = { host: '127.0.0.1', port: 0, allowedHosts: [], tokens, metrics: undefined };
  server = await startServer(options, { daemon, clock: systemClock, onError: () => undefined });
});
afterAll(() => server[Symbol.asyncDispose]());

async function* ids(path: string, signal: AbortSignal, at = server): AsyncGenerator<number> {
  const answer = await fetch(at.url + path, { headers: { authorization: `Bearer ${TOKEN}` }, signal });
  const decoder = new TextDecoder();
  let text = '';
  for await (const bytes of answer.body!) {
    text += decoder.decode(bytes, { stream: true });
    const events = text.split('\n\n');
    text = events.pop()!;
    for (const event of events) {
      const id = /^id: (\d+)$/m.exec(event)?.[1];
      if (id !== undefined) yield Number(id);
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

  it('brings back all of a long stretch that was missed, page after page', async () => {
    const all = Array.from({ length: 2_500 }, (_, index) => anEntry(index + 1));
    const long = aDaemon({
      journal: ({ since, limit }) => all.filter(({ seq }) => seq > since).slice(0, limit),
    });
    const tokens = [{ name: 'reader', scopes: ['read'], sha256: sha256Of(TOKEN) }] as const;
    const options = { host: '127.0.0.1', port: 0, allowedHosts: [], tokens, metrics: undefined };
    await using own = await startServer(options, { daemon: long.daemon, clock: systemClock, onError: () => undefined });
    const stop = new AbortController();
    const seen: number[] = [];
    for await (const id of ids('/api/v1/events?since=10', stop.signal, own)) {
      seen.push(id);
      if (seen.length === 2_490) for (const listener of long.listeners) listener(anEntry(2_501));
      if (seen.length === 2_491) break;
    }
    stop.abort();
    expect(seen).toEqual(Array.from({ length: 2_491 }, (_, index) => index + 11));
  });

  it('disconnects a reader that falls too far behind, instead of keeping everything for it', async () => {
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

  it('disconnects a reader that does not read at all, and keeps the one beside it that does', async () => {
    const stop = new AbortController();
    const { hostname, port, host } = new URL(server.url);
    const stalled = connect({ host: hostname, port: Number(port) });
    const closed = once(stalled, 'close');
    stalled.on('error', () => undefined).pause();
    stalled.write(`GET /api/v1/events HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${TOKEN}\r\n\r\n`);
    await expect.poll(() => listeners.size).toBe(1);
    let read = 0;
    const diligent = (async () => {
      for await (const id of ids('/api/v1/events', stop.signal)) read = id;
    })().catch(() => undefined);
    await expect.poll(() => listeners.size).toBe(2);

    let seq = 0;
    for (let batch = 0; batch < 400 && listeners.size === 2; batch += 1) {
      const last = seq + 100;
      for (seq += 1; seq <= last; seq += 1) for (const listener of listeners) listener(anEntry(seq));
      seq = last;
      await expect.poll(() => read, { interval: 1 }).toBe(last);
    }
    stalled.resume();
    await closed;
    expect(listeners.size).toBe(1);
    stop.abort();
    await diligent;
    await expect.poll(() => listeners.size).toBe(0);
  }, 60_000);

  it('disconnects a reader that takes nothing for two minutes, however little waits for it', async () => {
    const hand = fakeClock();
    const own = aDaemon();
    const tokens = [{ name: 'reader', scopes: ['read'], sha256: sha256Of(TOKEN) }] as const;
    const options = { host: '127.0.0.1', port: 0, allowedHosts: [], tokens, metrics: undefined };
    await using quiet = await startServer(options, {
      ...{ daemon: own.daemon, clock: hand.clock, onError: () => undefined },
    });
    const { hostname, port, host } = new URL(quiet.url);
    const stalled = connect({ host: hostname, port: Number(port) });
    stalled.on('error', () => undefined).pause();
    stalled.write(`GET /api/v1/events HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${TOKEN}\r\n\r\n`);
    await expect.poll(() => own.listeners.size).toBe(1);
    const large = { ...anEntry(1), channel: 'x'.repeat(16_000_000) };
    for (const listener of own.listeners) listener(large);
    await hand.advance(1_000);
    expect(own.listeners.size).toBe(1);
    // Two beats fit into buffers on the way before one waits for the reader.
    for (let second = 0; second < 120; second += 1) await hand.advance(1_000);
    await expect.poll(() => own.listeners.size).toBe(0);
    stalled.destroy();
  });

  it('leaves place for other tokens when one token holds many streams', async () => {
    const stop = new AbortController();
    const open = (token: string) =>
      fetch(`${server.url}/api/v1/events`, { headers: { authorization: `Bearer ${token}` }, signal: stop.signal });
    const answers = await Promise.all(Array.from({ length: 9 }, () => open(TOKEN)));
    expect(answers.map(({ status }) => status).filter((status) => status === 429)).toHaveLength(1);
    expect((await open(OTHER)).status).toBe(200);
    stop.abort();
    await expect.poll(() => listeners.size).toBe(0);
  });

  it('stops listening when the reader is gone', async () => {
    const stop = new AbortController();
    await fetch(`${server.url}/api/v1/events`, { headers: { authorization: `Bearer ${TOKEN}` }, signal: stop.signal });
    await expect.poll(() => listeners.size).toBe(1);
    stop.abort();
    await expect.poll(() => listeners.size).toBe(0);
  });
});
