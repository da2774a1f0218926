import { once } from 'node:events';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { fetchOwn, parseOwnDaemon } from '../../src/cli/own_daemon.ts';
import { temporaryDirectory } from '../journal/support.ts';

const noFetch: typeof fetch = () => Promise.reject(new Error('the plain way was taken'));

describe('the address of a daemon', () => {
  it('is a socket, or a host with what it presents where it speaks TLS', () => {
    expect(parseOwnDaemon('unix:/run/reeve.sock', 'PEM')).toMatchObject({
      ...{ socketPath: '/run/reeve.sock', certificate: undefined },
    });
    expect(parseOwnDaemon('https://127.0.0.1:1', 'PEM')).toMatchObject({ socketPath: undefined, certificate: 'PEM' });
    expect(parseOwnDaemon('http://127.0.0.1:1', 'PEM')).toMatchObject({ certificate: undefined });
  });

  it.each(['unix:run/reeve.sock', 'ftp://host/', 'reeve.example', ''])('is not %j', (address) => {
    expect(parseOwnDaemon(address, undefined)).toBeUndefined();
  });
});

describe('a request to the daemon of this machine', () => {
  it('takes the plain way where there is neither a socket nor a certificate', () => {
    expect(fetchOwn(parseOwnDaemon('http://127.0.0.1:1', 'PEM')!, noFetch)).toBe(noFetch);
  });

  it('goes over its socket with path, method, headers and body', async () => {
    const socketPath = join(temporaryDirectory(), 'reeve.sock');
    const asked: string[] = [];
    const server = createServer(async (request, response) => {
      let body = '';
      for await (const piece of request) body += piece;
      asked.push(`${request.method} ${request.url} ${request.headers.authorization} ${request.headers.host} ${body}`);
      if (request.url === '/none') return response.writeHead(204).end();
      return response.writeHead(200, { 'content-type': 'application/json' }).end('{"ok":true}');
    }).listen(socketPath);
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const ask = fetchOwn(parseOwnDaemon(`unix:${socketPath}`, undefined)!, noFetch);
    const headers = { authorization: 'Bearer t' };
    const answer = await ask('http://localhost/api?a=1', { method: 'POST', headers, body: 'x' });
    expect([answer.status, await answer.json()]).toEqual([200, { ok: true }]);
    expect((await ask('http://localhost/none', { headers })).status).toBe(204);
    expect(asked).toEqual(['POST /api?a=1 Bearer t localhost x', 'GET /none Bearer t localhost ']);
  });
});
