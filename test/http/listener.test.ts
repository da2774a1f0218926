import { chmodSync, copyFileSync, mkdtempSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { request, type RequestOptions } from 'node:http';
import { request as requestTls } from 'node:https';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/core/clock.ts';
import { sha256Of } from '../../src/http/auth/grants.ts';
import { close, listen } from '../../src/http/listener.ts';
import type { HttpEnv } from '../../src/http/request.ts';
import { type HttpOptions, type ServerDeps, startServer } from '../../src/http/server.ts';
import { fakeClock } from '../support/fake_clock.ts';
import { aDaemon } from './support.ts';

const FIXTURES = join(import.meta.dirname, 'fixtures');
const TOKEN = `operator-${'x'.repeat(40)}`;
const SCRAPER = `scraper-${'x'.repeat(40)}`;
const tokens = [
  { name: 'operator', scopes: ['admin'], sha256: sha256Of(TOKEN) },
  { name: 'metrics', scopes: ['metrics'], sha256: sha256Of(SCRAPER) },
] as const;
const LOOPBACK = { host: '127.0.0.1', port: 0 };

const open = (options: Partial<HttpOptions>, deps: Partial<ServerDeps> = {}) =>
  startServer(
    { allowedHosts: [], tokens, metrics: undefined, ...options },
    { daemon: aDaemon().daemon, clock: systemClock, onError: () => undefined, ...deps },
  );

interface Answer {
  readonly status: number;
  readonly body: string;
  readonly cookie: string;
  readonly fingerprint: string | undefined;
}

function ask(url: string, options: RequestOptions & { ca?: string } = {}): Promise<Answer> {
  const headers = { authorization: `Bearer ${TOKEN}`, connection: 'close', ...(options.headers as object) };
  return new Promise((resolve, reject) => {
    const send = url.startsWith('https:') ? requestTls : request;
    const asked = send(url, { agent: false, ...options, headers }, (answer) => {
      const fingerprint = (answer.socket as TLSSocket).getPeerX509Certificate?.()?.fingerprint256;
      let body = '';
      answer.on('data', (bytes) => (body += bytes));
      answer.on('end', () =>
        resolve({ status: answer.statusCode ?? 0, body, cookie: String(answer.headers['set-cookie']), fingerprint }),
      );
    });
    asked.on('error', reject);
    asked.end();
  });
}

function aPair(): { readonly certFile: string; readonly keyFile: string } {
  const folder = mkdtempSync(join(tmpdir(), 'reeve-tls-'));
  const pair = { certFile: join(folder, 'cert.pem'), keyFile: join(folder, 'key.pem') };
  put(pair, '');
  return pair;
}
function put({ certFile, keyFile }: { certFile: string; keyFile: string }, which: '' | 'next_'): void {
  copyFileSync(join(FIXTURES, `${which}cert.pem`), certFile);
  copyFileSync(join(FIXTURES, `${which}key.pem`), keyFile);
  chmodSync(keyFile, 0o600);
}
const ca = (which: '' | 'next_') => readFileSync(join(FIXTURES, `${which}cert.pem`), 'utf8');

describe('a listener with TLS', () => {
  it('answers over TLS and gives no byte to a client without TLS', async () => {
    await using server = await open({ ...LOOPBACK, tls: aPair() });
    expect(server.url).toMatch(/^https:\/\/127\.0\.0\.1:/);
    expect((await ask(`${server.url}/api/v1/status`, { ca: ca('') })).status).toBe(200);
    await expect(ask(`${server.url.replace('https', 'http')}/healthz`)).rejects.toThrow();
    await expect(ask(`${server.url}/healthz`)).rejects.toThrow(/self-signed|certificate/);
  });

  it('gives the console a cookie that goes back over TLS alone, to this host alone', async () => {
    await using server = await open({ ...LOOPBACK, tls: aPair() });
    const { cookie } = await ask(`${server.url}/api/v1/session`, { method: 'POST', ca: ca('') });
    expect(cookie).toMatch(/^__Host-reeve=[^;]+;/);
    for (const part of ['Secure', 'HttpOnly', 'SameSite=Strict', 'Path=/']) expect(cookie).toContain(part);
  });

  it('takes a new certificate without a restart, and keeps the old one when the new is not sound', async () => {
    const pair = aPair();
    const hand = fakeClock();
    const errors: string[] = [];
    const renewed: string[] = [];
    await using server = await open(
      { ...LOOPBACK, tls: pair },
      { clock: hand.clock, onError: (text) => errors.push(text), onCertificate: ({ cert }) => renewed.push(cert) },
    );
    const first = await ask(`${server.url}/healthz`, { ca: ca('') });
    writeFileSync(pair.certFile, 'no certificate');
    utimesSync(pair.certFile, 1, 1);
    await hand.advance(60_000);
    expect(errors.at(-1)).toContain('the new certificate is not used');
    expect((await ask(`${server.url}/healthz`, { ca: ca('') })).fingerprint).toBe(first.fingerprint);
    put(pair, 'next_');
    utimesSync(pair.certFile, 2, 2);
    await hand.advance(60_000);
    const next = await ask(`${server.url}/healthz`, { ca: ca('next_') });
    expect(next.fingerprint).not.toBe(first.fingerprint);
    expect(renewed).toEqual([ca(''), ca('next_')]);
  });

  it('does not start without a certificate and its key', async () => {
    const pair = aPair();
    copyFileSync(join(FIXTURES, 'next_key.pem'), pair.keyFile);
    await expect(open({ ...LOOPBACK, tls: pair })).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  });

  it('keeps answering under handshakes that never end', async () => {
    await using server = await open({ ...LOOPBACK, tls: aPair() });
    const port = Number(new URL(server.url).port);
    const sockets = await Promise.all(
      Array.from(
        { length: 600 },
        () =>
          new Promise<ReturnType<typeof connect>>((resolve) => {
            const socket = connect({ host: '127.0.0.1', port }, () => resolve(socket));
            socket.on('error', () => undefined);
          }),
      ),
    );
    expect((await ask(`${server.url}/healthz`, { ca: ca('') })).status).toBe(200);
    await expect.poll(() => server.refused().at(-1)?.count, { timeout: 10_000 }).toBeGreaterThan(300);
    for (const socket of sockets) socket.destroy();
  }, 30_000);
});

describe('a unix socket', () => {
  const aPath = () => join(mkdtempSync(join(tmpdir(), 'reeve-socket-')), 'reeve.sock');

  it('serves the same as a port, for its owner and its group, and opens no port', async () => {
    const socket = aPath();
    await using server = await open({ socket });
    expect(server.url).toBe(`unix:${socket}`);
    expect(statSync(socket).mode & 0o777).toBe(0o660);
    expect((await ask('http://localhost/api/v1/status', { socketPath: socket })).status).toBe(200);
    const anonymous = { socketPath: socket, headers: { authorization: '' } };
    expect((await ask('http://localhost/api/v1/status', anonymous)).status).toBe(401);
    const foreign = { socketPath: socket, headers: { host: 'evil.example' } };
    expect((await ask('http://localhost/healthz', foreign)).status).toBe(403);
  });

  it('takes the place of one that a dead daemon left, and of nothing else', async () => {
    const socket = aPath();
    const left = await open({ socket });
    const copy = `${socket}.copy`;
    writeFileSync(copy, 'a file');
    await expect(open({ socket: copy })).rejects.toMatchObject({ code: 'PORT_UNAVAILABLE' });
    expect(readFileSync(copy, 'utf8')).toBe('a file');
    await using _server = await open({ socket });
    expect((await ask('http://localhost/healthz', { socketPath: socket })).status).toBe(200);
    await left[Symbol.asyncDispose]();
  });

  it('stands beside a port where both are wanted', async () => {
    const socket = aPath();
    await using server = await open({ ...LOOPBACK, socket });
    expect((await ask(`${server.url}/healthz`)).status).toBe(200);
    expect((await ask('http://localhost/healthz', { socketPath: socket })).status).toBe(200);
  });
});

describe('a connection that cannot be accepted', () => {
  it('is reported once, and the listener goes on: the daemon does not end with it', async () => {
    const reports: string[] = [];
    const app = new Hono<HttpEnv>().get('/', (c) => c.text('here'));
    const { server, url } = await listen(app, LOOPBACK, (text) => reports.push(text));
    for (let count = 0; count < 3; count += 1) server.emit('error', new Error('accept EMFILE'));
    expect(reports).toEqual(['a connection was not accepted: accept EMFILE']);
    expect((await ask(url)).body).toBe('here');
    await close(server);
  });
});

describe('behind a proxy that is trusted', () => {
  it('names the sender that the proxy names, and believes no other peer', async () => {
    const lines: string[] = [];
    const onRefusal = (text: string) => lines.push(text);
    const headers = { authorization: 'Bearer guess', 'x-forwarded-for': '198.51.100.9, 192.0.2.7, 127.0.0.1' };
    await using behind = await open({ ...LOOPBACK, trustedProxies: ['127.0.0.1'] }, { onRefusal });
    await ask(`${behind.url}/api/v1/status`, { headers });
    await using alone = await open(LOOPBACK, { onRefusal });
    await ask(`${alone.url}/api/v1/status`, { headers });
    expect(lines).toEqual([
      'a request from 192.0.2.7 was refused (unknown_token)',
      'a request from 127.0.0.1 was refused (unknown_token)',
    ]);
  });

  it('gives a Secure cookie where the proxy says that TLS was spoken, and believes no other peer about it', async () => {
    const init = { method: 'POST', headers: { 'x-forwarded-proto': 'https' } };
    await using behind = await open({ ...LOOPBACK, trustedProxies: ['127.0.0.0/8'] });
    expect((await ask(`${behind.url}/api/v1/session`, init)).cookie).toMatch(/^__Host-reeve=.*Secure/);
    await using alone = await open(LOOPBACK);
    expect((await ask(`${alone.url}/api/v1/session`, init)).cookie).toMatch(/^reeve=(?!.*Secure)/);
  });
});

describe('/metrics', () => {
  const scrape = (url: string, authorization: string) => ask(url, { headers: { authorization } });

  it('wants a token where one is configured, and takes one that may do no more', async () => {
    await using server = await open({ ...LOOPBACK, metricsNeedToken: true, metrics: LOOPBACK });
    expect((await scrape(server.metricsUrl, '')).status).toBe(401);
    expect((await scrape(server.metricsUrl, 'Bearer guess')).status).toBe(401);
    expect((await scrape(server.metricsUrl, `Bearer ${SCRAPER}`)).status).toBe(200);
    expect((await scrape(`${server.url}/api/v1/status`, `Bearer ${SCRAPER}`)).status).toBe(403);
  });

  it('is open where none is', async () => {
    await using server = await open(LOOPBACK);
    expect((await scrape(server.metricsUrl, '')).status).toBe(200);
  });
});
