import { gzipSync } from 'node:zlib';
import { SeverityNumber } from '@opentelemetry/api-logs';
import { OTLPLogExporter } from '@opentelemetry/exporter-logs-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchLogRecordProcessor, LoggerProvider } from '@opentelemetry/sdk-logs';
import SnappyJS from 'snappyjs';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createFeeds, type Feeds, type LineFeed } from '../../src/collect/feed/feed.ts';
import { createIntake } from '../../src/collect/intake/intake.ts';
import type { TokenScope } from '../../src/core/access.ts';
import { systemClock } from '../../src/core/clock.ts';
import type { Symptom } from '../../src/core/symptom.ts';
import { sha256Of } from '../../src/http/auth/grants.ts';
import type { Daemon } from '../../src/http/daemon.ts';
import { INTAKE_BODY_BYTES_MAX, INTAKE_PLAIN_BYTES_MAX, INTAKE_ROUTES } from '../../src/http/intake.ts';
import { type HttpServer, startServer } from '../../src/http/server.ts';
import { pushRequest } from '../collect/support/protobuf.ts';
import { countChunk } from '../collect/support/tailing.ts';
import { promptClock } from './support.ts';

const SCOPES: readonly TokenScope[] = ['ingest', 'read', 'ack', 'approve', 'metrics', 'operate', 'admin'];
const token = (scope: string) => `token-of-${scope}-${'x'.repeat(32)}`;
const QUEUE_BYTES = 8_000_000;

let server: HttpServer;
let feeds: Feeds;
let ndjson: LineFeed;
let isJammed = false;
const seen: { channel: string | undefined; text: string }[] = [];
const symptoms: Symptom[] = [];
const errors: string[] = [];

beforeAll(async () => {
  feeds = createFeeds({
    clock: systemClock,
    sink: (chunk) => {
      const { count, records } = countChunk(chunk);
      seen.push(...records.map((text) => ({ channel: chunk.channel, text: text.trimEnd() })));
      return count;
    },
  });
  const open = (id: string) => feeds.open(`intake:${id}`, { queueBytes: QUEUE_BYTES });
  ndjson = open('ndjson');
  const channelOf = (name: string) => (['news', 'sport'].includes(name) ? name : undefined);
  const real = createIntake({
    feeds: { loki: open('loki'), otlp: open('otlp'), ndjson },
    channelOf,
    channelLabels: ['channel'],
    bytesMax: INTAKE_PLAIN_BYTES_MAX,
    meanings: [{ alertname: 'Slow', means: 'encoder_overload', channelLabels: ['channel'] }],
    clean: (text) => text,
    clock: systemClock,
    onSymptom: (symptom) => symptoms.push(symptom),
  });
  server = await startServer(
    {
      host: '127.0.0.1',
      port: 0,
      allowedHosts: [],
      tokens: SCOPES.map((scope) => ({ name: scope, scopes: [scope], sha256: sha256Of(token(scope)) })),
      metrics: undefined,
    },
    {
      daemon: { status: () => ({}), channels: () => [] } as unknown as Daemon,
      clock: promptClock,
      onError: (text) => errors.push(text),
      intake: { take: (format, body) => (isJammed ? { kind: 'full' } : real.take(format, body)) },
    },
  );
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  feeds[Symbol.dispose]();
});
beforeEach(async () => {
  await feeds.idle();
  seen.length = 0;
  isJammed = false;
});

const push = (path: string, body: string | Buffer, headers: Record<string, string> = {}, scope = 'ingest') =>
  fetch(server.url + path, {
    method: 'POST',
    body: body as string,
    headers: { authorization: `Bearer ${token(scope)}`, 'content-type': 'application/json', ...headers },
  });

const lokiBody = (line: string) =>
  JSON.stringify({ streams: [{ stream: { channel: 'news' }, values: [[`${Date.now()}000000`, line]] }] });

describe('who may push', () => {
  it.each(INTAKE_ROUTES.map(({ path }) => path))(
    '%s wants a token with the scope ingest, operate or admin',
    async (path) => {
      expect((await fetch(server.url + path, { method: 'POST', body: '{}' })).status).toBe(401);
      for (const scope of ['read', 'ack', 'approve', 'metrics'])
        expect((await push(path, '{}', {}, scope)).status).toBe(403);
      for (const scope of ['ingest', 'operate', 'admin'])
        expect((await push(path, 'nonsense', {}, scope)).status).toBe(400);
    },
  );

  it('a client that may only push sees nothing and changes nothing', async () => {
    const headers = { authorization: `Bearer ${token('ingest')}` };
    for (const path of ['/api/v1/status', '/api/v1/channels', '/api/v1/events']) {
      expect((await fetch(server.url + path, { headers })).status).toBe(403);
    }
    const body = JSON.stringify({ because: 'x' });
    expect((await fetch(`${server.url}/api/v1/freeze`, { method: 'POST', headers, body })).status).toBe(403);
  });

  it('a foreign page cannot make a browser push', async () => {
    const answer = await push('/loki/api/v1/push', lokiBody('x'), { origin: 'http://evil.example' });
    expect(answer.status).toBe(403);
  });
});

describe('what is pushed', () => {
  it("arrives from OpenTelemetry's own exporter", async () => {
    const exporter = new OTLPLogExporter({
      url: `${server.url}/v1/logs`,
      headers: { authorization: `Bearer ${token('ingest')}` },
    });
    const provider = new LoggerProvider({
      resource: resourceFromAttributes({ channel: 'sport' }),
      processors: [new BatchLogRecordProcessor({ exporter })],
    });
    const logger = provider.getLogger('app');
    logger.emit({
      body: 'tuner lost',
      severityNumber: SeverityNumber.ERROR,
      severityText: 'ERROR',
      attributes: { channel: 'news' },
    });
    logger.emit({ body: 'fine', severityText: 'INFO' });
    await provider.forceFlush();
    await provider.shutdown();
    await feeds.idle();
    expect(seen).toEqual([
      { channel: 'news', text: '[ERROR] tuner lost' },
      { channel: 'sport', text: '[INFO] fine' },
    ]);
  });

  it('arrives as promtail sends it: snappy-compressed protobuf', async () => {
    const plain = pushRequest([{ labels: '{channel="news"}', entries: [{ at: Date.now(), line: 'ERR one' }] }]);
    const body = Buffer.from(SnappyJS.compress(plain));
    const answer = await push('/loki/api/v1/push', body, { 'content-type': 'application/x-protobuf' });
    expect([answer.status, await answer.text()]).toEqual([204, '']);
    await feeds.idle();
    expect(seen).toEqual([{ channel: 'news', text: 'ERR one' }]);
  });

  it('arrives compressed with gzip', async () => {
    const answer = await push('/loki/api/v1/push', gzipSync(lokiBody('packed')), { 'content-encoding': 'gzip' });
    expect(answer.status).toBe(204);
    await feeds.idle();
    expect(seen).toEqual([{ channel: 'news', text: 'packed' }]);
  });

  it('arrives as NDJSON, and the answer says how many lines it was', async () => {
    const answer = await push('/api/v1/logs', '{"line":"a\\nb","channel":"news"}\n{"line":"c"}', {
      'content-type': 'application/x-ndjson',
    });
    expect(await answer.json()).toEqual({ lines: 3 });
    await feeds.idle();
    expect(seen.map(({ channel, text }) => [channel, text])).toEqual([
      ['news', 'a'],
      ['news', 'b'],
      [undefined, 'c'],
    ]);
  });

  it('an alert arrives as a symptom', async () => {
    const alerts = [{ status: 'firing', labels: { alertname: 'Slow', channel: 'news' }, annotations: {} }];
    const answer = await push('/api/v1/alerts', JSON.stringify({ version: '4', alerts }));
    expect(await answer.json()).toEqual({ symptoms: 1, ignored: 0 });
    expect(symptoms).toMatchObject([{ kind: 'encoder_overload', origin: 'metric' }]);
  });
});

describe('what is refused', () => {
  it.each([
    ['/loki/api/v1/push', 'application/xml', 415],
    ['/v1/logs', 'application/x-protobuf', 415],
    ['/api/v1/logs', 'image/png', 415],
    ['/loki/api/v1/push', 'application/x-protobuf', 400],
    ['/api/v1/alerts', 'application/json', 400],
  ])('%s with nonsense of type %s is answered with %i and a reason', async (path, type, status) => {
    const answer = await push(path, 'nonsense', { 'content-type': type });
    expect(answer.status).toBe(status);
    expect(((await answer.json()) as { message: string }).message).toMatch(/expected/);
  });

  it('a channel that is not configured is reported to whoever names it in our own form', async () => {
    const answer = await push('/api/v1/logs', '{"line":"x","channel":"nope"}');
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ message: 'there is no channel "nope"' });
  });

  it('a body beyond the limit, declared or streamed, and a small one that unpacks to a large one', async () => {
    const counted = () => Object.fromEntries(server.refused().map(({ reason, count }) => [reason, count]));
    const before = counted();
    expect((await push('/api/v1/logs', 'x'.repeat(INTAKE_BODY_BYTES_MAX + 1))).status).toBe(413);
    let left = 40;
    const body = new ReadableStream({
      pull(controller) {
        left -= 1;
        if (left < 0) controller.close();
        else controller.enqueue(new Uint8Array(100_000));
      },
    });
    const headers = { authorization: `Bearer ${token('ingest')}`, 'content-type': 'application/json' };
    const init = { method: 'POST', body, headers, duplex: 'half' } as RequestInit;
    const streamed = await fetch(`${server.url}/api/v1/logs`, init).then(
      ({ status }) => status,
      () => 413,
    );
    expect(streamed).toBe(413);
    const bomb = gzipSync(Buffer.alloc(INTAKE_PLAIN_BYTES_MAX + 1, ' '));
    expect((await push('/api/v1/logs', bomb, { 'content-encoding': 'gzip' })).status).toBe(413);
    expect((await push('/api/v1/logs', 'nonsense')).status).toBe(400);
    const after = counted();
    expect(after.body_too_large! - before.body_too_large!).toBe(3);
    expect(after.body_invalid! - before.body_invalid!).toBe(1);
    expect((await push('/api/v1/logs', 'no gzip', { 'content-encoding': 'gzip' })).status).toBe(400);
    expect((await push('/api/v1/logs', 'x', { 'content-encoding': 'br' })).status).toBe(415);
  });

  it('a sender has to come again when there is no room, and nothing of its batch is taken', async () => {
    isJammed = true;
    const answer = await push('/loki/api/v1/push', lokiBody('later'));
    expect(answer.status).toBe(429);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    await feeds.idle();
    expect(seen).toEqual([]);
  });

  it('nothing that a sender did is an error of ours', () => {
    expect(errors).toEqual([]);
  });
});
