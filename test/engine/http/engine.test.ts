import type http from 'node:http';
import { describe, expect, it } from 'vitest';
import { httpEngineDocument } from '../../../src/engine/http/schema.ts';
import type { ReeveError } from '../../../src/core/errors.ts';
import { HttpEngine } from '../../../src/engine/http/engine.ts';
import { FactStore } from '../../../src/ground/facts/facts.ts';
import { setupOf } from '../../ground/scene.ts';
import { aContext, deadlinesFor, engineParts } from '../../support/engine_parts.ts';
import { fakeClock } from '../../support/fake_clock.ts';
import { closeServersAfterAll, HOSTILE, serve } from '../../support/servers.ts';

closeServersAfterAll();
const never = new AbortController().signal;

interface Seen {
  readonly method: string;
  readonly url: string;
  readonly body: string;
  readonly headers: http.IncomingHttpHeaders;
}

type Answers = Record<string, unknown>;

/** A small streaming service: `METHOD /path` → JSON, or a status. */
async function service(answers: Answers) {
  const seen: Seen[] = [];
  const url = await serve(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString();
    seen.push({ method: request.method!, url: request.url!, body, headers: request.headers });
    const answer = answers[`${request.method} ${request.url}`] ?? 404;
    if (typeof answer === 'number') response.writeHead(answer).end();
    else response.end(typeof answer === 'string' ? answer : JSON.stringify(answer));
  });
  return { url, seen, answers };
}

const list = { path: '/api/streams', items: '/streams', fields: { name: '/id', state: '/state', viewers: '/viewers' } };
const running = { 'GET /api/streams': { streams: [{ id: 'news', state: 'running', viewers: 3 }] } };

const CHANNELS = ['news'];
function engineAt(url: string, options: object = {}, channels = CHANNELS, parts = engineParts()) {
  const document = httpEngineDocument.parse({ id: 'web', kind: 'http', url, list, local: false, ...options });
  return new HttpEngine({
    document,
    channels: channels.map((name) => ({ id: `ch-${name}`, name })),
    parts,
  });
}
const outcome = (call: Promise<unknown>) => call.catch((error: unknown) => error as ReeveError);

describe('a look', () => {
  it('reads the list, the health and the pool', async () => {
    const { url } = await service({
      ...running,
      'GET /health': { status: 'ok' },
      'GET /pool': { active: '9', max: 12 },
    });
    const engine = engineAt(url, {
      health: { path: '/health', proof: { at: '/status', equals: 'ok' } },
      pool: { path: '/pool', active: '/active', max: '/max' },
    });
    expect(await engine.observe(never)).toMatchObject({
      engine: { ok: true, poolPressure: 0.75, reportsPool: true },
      processes: [{ channel: 'ch-news', state: 'running' }],
      viewers: [{ channel: 'ch-news', viewers: 3 }],
    });
  });

  describe('at one channel alone', () => {
    const fields = { name: '/id', state: '/state', viewers: '/viewers', pid: '/pid' };
    const options = {
      list: { path: '/api/streams', items: '/streams', fields },
      channel: { path: '/api/streams/{channel}', item: '/stream' },
    };

    it('reads the same facts from the place that is described', async () => {
      const answer = { stream: { id: 'a/b', state: 'exited', viewers: 2 } };
      const { url, seen } = await service({ 'GET /api/streams/a%2Fb': answer });
      const samples = await engineAt(url, options, ['a/b']).observeChannel!('ch-a/b', never);
      expect(samples).toMatchObject([
        { kind: 'process', channel: 'ch-a/b', state: 'exited', source: 'http /api/streams/{channel}' },
        { kind: 'viewers', channel: 'ch-a/b', viewers: 2 },
      ]);
      expect(seen).toHaveLength(1);
    });

    it('takes the name that its mapping has as a key from the question', async () => {
      const { url } = await service({ 'GET /api/streams/news': { says: 'running' } });
      const keyed = { ...options.list, fields: { name: '/key', state: '/value/says' } };
      const engine = engineAt(url, { list: keyed, channel: { path: '/api/streams/{channel}' } });
      expect(await engine.observeChannel!('ch-news', never)).toMatchObject([{ channel: 'ch-news', state: 'running' }]);
    });

    it('is refused where no route is described', async () => {
      const { url } = await service(running);
      expect(engineAt(url).observeChannel).toBeUndefined();
      expect(() => engineAt(url, { channel: { path: '/api/streams' } })).toThrow(/expected a path with \{channel\}/);
    });

    it.each([
      ['about another channel', { stream: { id: 'sport', state: 'running' } }, 'ENGINE_ANSWER_INVALID'],
      ['about none', { error: 'no such stream' }, 'ENGINE_ANSWER_INVALID'],
      ['that is no JSON', 'oops', 'ENGINE_ANSWER_INVALID'],
      ['that there is none', 404, 'ENGINE_REFUSED'],
    ])('fails with an answer %s, and keeps its place in the next list', async (_, answer, code) => {
      const { url } = await service({ ...running, 'GET /api/streams/news': answer });
      const engine = engineAt(url, options);
      expect(await outcome(engine.observeChannel!('ch-news', never) as Promise<unknown>)).toMatchObject({ code });
      expect((await engine.observe(never)).processes).toHaveLength(1);
    });

    it('takes a process that a slow list called older for the same, and a younger one for another', async () => {
      const { clock, advance } = fakeClock();
      let bornMs = clock.monotonicMs() - 100_000;
      const url = await serve(async (request, response) => {
        const isList = request.url === '/api/streams';
        if (isList) await advance(6_000);
        const item = { id: 'news', state: 'running', up: Math.floor((clock.monotonicMs() - bornMs) / 1_000) };
        response.end(JSON.stringify(isList ? { streams: [item] } : { stream: item }));
      });
      const timed = { ...options.list, fields: { ...fields, uptime_seconds: '/up' } };
      const engine = engineAt(url, { ...options, list: timed }, CHANNELS, engineParts({ clock }));
      const started: unknown[] = [];
      const setup = setupOf('ch-news', { engine: 'web' });
      const facts = new FactStore({ channels: [setup], engines: [] }, (_channel, generation, _engine, agoMs) => {
        if (agoMs === undefined) started.push(generation);
      });
      for (const sample of (await engine.observe(never)).processes) facts.observe(sample);
      for (let looks = 0; looks < 3; looks += 1) {
        await advance(1_000);
        for (const sample of await engine.observeChannel!('ch-news', never)) facts.observe(sample);
        for (const sample of (await engine.observe(never)).processes) facts.observe(sample);
      }
      expect(started).toEqual([]);
      bornMs = clock.monotonicMs();
      await advance(1_000);
      for (const sample of await engine.observeChannel!('ch-news', never)) facts.observe(sample);
      expect(started).toHaveLength(1);
    });

    it('says nothing when a list was asked for later and came first', async () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      const url = await serve(async (request, response) => {
        if (request.url !== '/api/streams') await promise;
        const item = { id: 'news', state: request.url === '/api/streams' ? 'running' : 'exited' };
        response.end(JSON.stringify(request.url === '/api/streams' ? { streams: [item] } : { stream: item }));
      });
      const { clock, advance } = fakeClock();
      const engine = engineAt(url, options, CHANNELS, engineParts({ clock }));
      const alone = engine.observeChannel!('ch-news', never);
      await advance(1);
      expect((await engine.observe(never)).processes).toMatchObject([{ state: 'running' }]);
      resolve();
      expect(await alone).toEqual([]);
    });
  });

  it('does not call an engine well whose health says otherwise with status 200', async () => {
    const { url } = await service({ ...running, 'GET /health': { status: 'error' } });
    const engine = engineAt(url, { health: { path: '/health', proof: { at: '/status', equals: 'ok' } } });
    expect(await engine.observe(never)).toMatchObject({
      engine: { ok: false, failure: 'invalid_answer' },
      processes: [],
    });
  });

  it('does not guess a pool that is not reported', async () => {
    const { url } = await service({ ...running, 'GET /pool': { active: 1, max: 0 } });
    const engine = engineAt(url, { pool: { path: '/pool', active: '/active', max: '/max' } });
    expect((await engine.observe(never)).engine).toMatchObject({
      ok: true,
      poolPressure: undefined,
      reportsPool: true,
    });
  });

  it.each(Object.entries(HOSTILE))('at a service that %s is a typed failure', async (_, { start, failure }) => {
    const parts = engineParts(deadlinesFor(failure));
    const report = await engineAt(await start(), {}, CHANNELS, parts).observe(never);
    expect(report).toMatchObject({ engine: { ok: false, failure }, processes: [] });
  });

  it('sends the token, or name and password, and the headers of the operator', async () => {
    const { url, seen } = await service(running);
    await engineAt(url, { token: 't0ken', headers: [{ name: 'X-Site', value: 'a' }] }).observe(never);
    expect(seen[0]!.headers).toMatchObject({ authorization: 'Bearer t0ken', 'x-site': 'a' });
    await engineAt(url, { username: 'u', password: 'p' }).observe(never);
    expect(seen[1]!.headers.authorization).toBe(`Basic ${btoa('u:p')}`);
  });

  it('brings the verdict on the credentials with one of the next looks, at most once per interval', async () => {
    const { url, seen } = await service({ ...running, 'GET /auth': 401 });
    const engine = engineAt(url, { credentials: { path: '/auth' }, credentials_every: '60m' });
    await expect
      .poll(async () => (await engine.observe(never)).credential)
      .toMatchObject({ kind: 'credential', ok: false });
    for (let look = 0; look < 5; look += 1) expect((await engine.observe(never)).credential).toBeUndefined();
    expect(seen.filter((request) => request.url === '/auth')).toHaveLength(1);
  });
});

describe('a change', () => {
  const restart = {
    path: '/api/streams/{channel}/restart',
    body: '{"id":"{channel}"}',
    proof: { at: '/success', equals: true },
  };

  it('is asked for once, with the channel put safely into path and body', async () => {
    const { url, seen } = await service({ 'POST /api/streams/a%2F%22b%20%26/restart': { success: true } });
    const engine = engineAt(url, { restart }, ['a/"b &']);
    expect(await engine.restart('ch-a/"b &', aContext())).toBe('POST /api/streams/{channel}/restart answered 200');
    expect(seen).toHaveLength(1);
    expect(JSON.parse(seen[0]!.body)).toEqual({ id: 'a/"b &' });
    expect(seen[0]!.headers['content-type']).toBe('application/json');
  });

  it('is not done when the service only pretends: status 200 without the proof', async () => {
    for (const answer of [{ success: false }, { success: 'true' }, {}, 'OK', '']) {
      const { url } = await service({ 'POST /api/streams/news/restart': answer });
      const { code } = (await outcome(engineAt(url, { restart }).restart('ch-news', aContext()))) as ReeveError;
      expect(['ENGINE_REFUSED', 'ENGINE_ANSWER_INVALID']).toContain(code);
    }
  });

  it('is not repeated when the service fails', async () => {
    const { url, seen } = await service({ 'POST /api/streams/news/restart': 503 });
    const engine = engineAt(url, { restart });
    expect(await outcome(engine.restart('ch-news', aContext()))).toMatchObject({ code: 'ENGINE_UNREACHABLE' });
    expect(seen).toHaveLength(1);
  });

  it('counts the items that a rebuild added, and nothing where the service does not say', async () => {
    const { url, answers } = await service({ 'POST /rebuild/news': { added: 12 } });
    const rebuild = { path: '/rebuild/{channel}', items_added: '/added' };
    const engine = engineAt(url, { rebuild, playout: { path: '/playing/{channel}' } });
    expect(await engine.rebuildPlayout('ch-news', aContext())).toMatchObject({ itemsAdded: 12 });
    answers['POST /rebuild/news'] = { ok: true };
    expect(await engine.rebuildPlayout('ch-news', aContext())).toMatchObject({ itemsAdded: 0 });
    expect(await engine.probePlayout('ch-news', never)).toBe(false);
    answers['GET /playing/news'] = {};
    expect(await engine.probePlayout('ch-news', never)).toBe(true);
  });

  it('of cache and credentials may be repeated within its permit, and is proved by a look', async () => {
    const { url, answers } = await service({
      'POST /cache/clear': {},
      'POST /refresh': {},
      'GET /auth': {},
      'GET /cache': { entries: 4 },
    });
    const engine = engineAt(url, {
      cache: { path: '/cache/clear' },
      cache_entries: { path: '/cache', at: '/entries' },
      refresh: { path: '/refresh' },
      credentials: { path: '/auth' },
    });
    const context = aContext();
    for (let attempt = 0; attempt < 2; attempt += 1) {
      expect(await engine.refreshCredentials(context)).toContain('200');
      expect(await engine.invalidateCache(undefined, context)).toContain('200');
    }
    expect(await engine.probeCache(never)).toBe(4);
    expect(await engine.probeCredentials(never)).toBe(true);
    answers['GET /auth'] = 403;
    expect(await engine.probeCredentials(never)).toBe(false);
    answers['GET /auth'] = 500;
    expect(await outcome(engine.probeCredentials(never))).toMatchObject({ code: 'ENGINE_UNREACHABLE' });
    answers['GET /cache'] = {};
    expect(await outcome(engine.probeCache(never))).toMatchObject({ code: 'ENGINE_ANSWER_INVALID' });
  });
});

describe('fences', () => {
  it('of an engine and of a channel that has the same name are two (S16)', async () => {
    const { url } = await service({ 'POST /refresh': {}, 'POST /restart/news': {} });
    const routes = { refresh: { path: '/refresh' }, restart: { path: '/restart/{channel}' } };
    const engine = engineAt(url, { id: 'ch-news', ...routes, credentials: { path: '/auth' } });
    await engine.restart('ch-news', { ...aContext(), fence: 9 });
    expect(await engine.refreshCredentials({ ...aContext(), fence: 1 })).toContain('200');
  });
});

describe('an engine described by its operator', () => {
  it('can do exactly what is described', async () => {
    const { url } = await service(running);
    expect([...engineAt(url, { list: { path: '/l', fields: { name: '/id' } } }).capabilities]).toEqual(['observe']);
    const all = engineAt(url, {
      restart: { path: '/r' },
      refresh: { path: '/f' },
      credentials: { path: '/c' },
      recent_logs: { path: '/l' },
      rebuild: { path: '/b', items_added: '/n' },
      playout: { path: '/p' },
      cache: { path: '/x' },
      cache_entries: { path: '/x', at: '/n' },
      pool: { path: '/o', active: '/a', max: '/m' },
    });
    expect([...all.capabilities].sort()).toEqual([
      'cache',
      'credentials',
      'logs',
      'observe',
      'pool',
      'rebuild',
      'restart',
      'viewers',
    ]);
    const bare = engineAt(url);
    for (const call of [
      bare.restart('ch-news', aContext()),
      bare.refreshCredentials(aContext()),
      bare.probeCache(never),
    ]) {
      expect(await outcome(call)).toMatchObject({ code: 'ENGINE_REFUSED' });
    }
    expect(await outcome(all.restart('ch-other', aContext()))).toMatchObject({ code: 'ENGINE_REFUSED' });
  });

  it('may not describe a change whose effect no check can observe', () => {
    const parse = (options: object) =>
      httpEngineDocument.safeParse({ id: 'w', kind: 'http', url: 'http://h', list, ...options });
    expect(parse({ refresh: { path: '/f' } }).success).toBe(false);
    expect(parse({ refresh: { path: '/f' }, credentials: { path: '/c' } }).success).toBe(true);
    expect(parse({ cache: { path: '/f' } }).success).toBe(false);
    expect(parse({ rebuild: { path: '/f', items_added: '/n' } }).success).toBe(false);
  });

  it('refuses channel names that would lead elsewhere in a path', async () => {
    for (const name of ['', '.', '..']) {
      expect(() => engineAt('http://h', {}, [name])).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
    }
  });

  it('reads recent logs from a list, a text or the whole answer', async () => {
    const { url, answers } = await service({ 'GET /logs/news': { lines: ['one', 'two', 'three'] } });
    const engine = engineAt(url, { recent_logs: { path: '/logs/{channel}', at: '/lines' } });
    expect(await engine.recentLogs('ch-news', 100, never)).toBe('one\ntwo\nthree');
    expect(await engine.recentLogs('ch-news', 9, never)).toBe('two\nthree');
    answers['GET /logs/news'] = 'plain\ntext';
    expect(await engineAt(url, { recent_logs: { path: '/logs/{channel}' } }).recentLogs('ch-news', 100, never)).toBe(
      'plain\ntext',
    );
  });
});
