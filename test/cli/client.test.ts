import { once } from 'node:events';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createClient } from '../../src/cli/client.ts';
import type { Clock } from '../../src/core/clock.ts';
import { fakeClock } from '../support/fake_clock.ts';

const OWN = 'http://127.0.0.1:7433';
const TOKEN = 'the-admin-token-of-this-installation';

function aState(address = OWN): string {
  const state = mkdtempSync(join(tmpdir(), 'reeve-client-'));
  writeFileSync(join(state, 'address'), `${address}\n`);
  writeFileSync(join(state, 'token'), `${TOKEN}\n`);
  return state;
}

/** What was sent where, instead of the network. */
function aNetwork() {
  const sent: { readonly url: string; readonly authorization: string | null }[] = [];
  const fetcher = (async (url: URL, init: RequestInit) => {
    sent.push({ url: url.href, authorization: new Headers(init.headers).get('authorization') });
    return Response.json({ ok: true });
  }) as unknown as typeof fetch;
  return { sent, fetcher };
}

const clientWith = (url: string | undefined, token?: string) => {
  const network = aNetwork();
  return { ...network, client: createClient({ state: aState(), url, token }, network.fetcher) };
};

describe('where the command line sends a token', () => {
  it('sends the token of the state directory to the address beside it', async () => {
    for (const url of [undefined, OWN, `${OWN}/`]) {
      const { client, sent } = clientWith(url);
      await client.get('/api/v1/status');
      expect(sent).toEqual([{ url: `${OWN}/api/v1/status`, authorization: `Bearer ${TOKEN}` }]);
    }
  });

  it.each([
    'http://evil.example',
    'http://127.0.0.1:7434',
    'https://127.0.0.1:7433',
    'http://127.0.0.1:7433@evil.example',
    'http://localhost:7433',
  ])('sends nothing at all to %s without a token that was given for it', async (url) => {
    const { client, sent } = clientWith(url);
    await expect(client.get('/api/v1/status')).rejects.toMatchObject({
      code: 'USAGE',
      message: expect.stringContaining('is not sent to'),
      hint: expect.stringContaining('--token-file'),
    });
    expect(sent).toEqual([]);
  });

  it('says that no daemon has left its address where the state directory was moved, and how to name another', async () => {
    const state = mkdtempSync(join(tmpdir(), 'reeve-client-'));
    const client = createClient({ state, url: OWN, token: undefined }, aNetwork().fetcher);
    await expect(client.get('/api/v1/status')).rejects.toMatchObject({
      code: 'USAGE',
      message: `no daemon has left its address in ${state}, so there is no token for ${OWN}`,
      hint: expect.stringContaining('--state'),
    });
  });

  it.each(['', 'two words', 'a\nline', 'caf\u00e9', '\ufffd\u0000'])(
    'sends nothing, and does not call the daemon unreachable, where what was given is no token: %j',
    async (token) => {
      const { client, sent } = clientWith(OWN, token);
      await expect(client.get('/api/v1/status')).rejects.toMatchObject({
        code: 'USAGE',
        message: expect.stringMatching(/^a token was expected, got /),
        hint: expect.stringContaining('--token-file'),
      });
      expect(sent).toEqual([]);
    },
  );

  it('sends a token that was given to the address that was given', async () => {
    const { client, sent } = clientWith('http://reeve.example', 'given');
    await client.post('/api/v1/freeze', {});
    expect(sent).toEqual([{ url: 'http://reeve.example/api/v1/freeze', authorization: 'Bearer given' }]);
  });

  it.each(['reeve.example', 'ftp://reeve.example', ''])('refuses %j, which is no address', async (url) => {
    const { client, sent } = clientWith(url, 'given');
    await expect(client.get('/api/v1/status')).rejects.toMatchObject({ code: 'USAGE' });
    expect(sent).toEqual([]);
  });
});

describe('where no daemon answers', () => {
  const STEPS = [/Start it with: reeve run/, /Starting\? .*ask again/, /--config or --state/];
  const hintOf = async (state: string): Promise<unknown> => {
    const fetcher = () => Promise.reject(new Error('ECONNREFUSED'));
    const client = createClient({ state, url: undefined, token: undefined }, fetcher);
    return client.post('/api/v1/freeze', { because: 'x' }).catch((thrown: unknown) => thrown);
  };

  it.each([
    ['has left its address', mkdtempSync(join(tmpdir(), 'reeve-client-')), 'no daemon has left its address at'],
    ['has the address that it left', aState(), 'no answer from http://127.0.0.1:7433'],
  ])('it says, where none %s, each thing that a person can do', async (_, state, because) => {
    const refusal = await hintOf(state);
    expect(refusal).toMatchObject({ code: 'DAEMON_UNREACHABLE', message: expect.stringContaining(because) });
    for (const step of STEPS) expect(refusal).toMatchObject({ hint: expect.stringMatching(step) });
  });

  it('it says, where the state cannot be read, why, and no word of a daemon that does not run', async () => {
    const state = aState();
    rmSync(join(state, 'address'));
    // Refused whatever the rights, also to root.
    symlinkSync('address', join(state, 'address'));
    const refusal = await hintOf(state);
    expect(refusal).toMatchObject({
      code: 'DAEMON_UNREACHABLE',
      message: expect.stringMatching(/^cannot read .*\/address: ELOOP/),
      hint: expect.stringMatching(/A daemon may well run. Ask as the user that it runs as/),
    });
    for (const step of STEPS) expect(refusal).not.toMatchObject({ hint: expect.stringMatching(step) });
  });
});

describe('where a daemon takes the question and hangs', () => {
  const said = async (ask: (client: ReturnType<typeof createClient>) => Promise<unknown>, afterMs = 30_000) => {
    const { clock, advance } = fakeClock();
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const refusal = ask(createClient({ state: aState(url), url, token: undefined }, fetch, clock)).catch((e) => e);
    await once(server, 'connection');
    await advance(afterMs);
    server.close();
    return refusal;
  };

  it('the command ends after 30 s, and says that the daemon runs and what to look at', async () => {
    expect(await said((client) => client.get('/api/v1/status'))).toMatchObject({
      code: 'DAEMON_UNREACHABLE',
      exitCode: 69,
      message: expect.stringMatching(/^no answer from http:\/\/127\.0\.0\.1:\d+ in 30 s$/),
      hint: expect.stringContaining('state T in ps'),
    });
  });

  it('a command that takes the daemon longer may give it longer', async () => {
    const refusal = await said((client) => client.post('/api/v1/reflect', {}, 31_000), 31_000);
    expect(refusal).toMatchObject({ message: expect.stringContaining(' in 31 s;') });
  });

  it('an order is told to be possibly done later', async () => {
    const refusal = await said((client) => client.post('/api/v1/thaw', { because: 'x' }));
    expect(refusal).toMatchObject({ message: expect.stringContaining('may still be done, once it goes on') });
  });
});

describe('an answer that is none', () => {
  const answered = (status: number, body: object) => {
    const fetcher = (async () => Response.json(body, { status })) as unknown as typeof fetch;
    return createClient({ state: aState(), url: OWN, token: undefined }, fetcher);
  };

  it.each([
    [503, { error: 'journal_unwritable', message: 'the disk is full' }, 'JOURNAL_UNWRITABLE', 74],
    [500, { error: 'internal', message: 'its log says why' }, 'DAEMON_FAILED', 70],
    [502, {}, 'DAEMON_FAILED', 70],
    [503, { error: 'config_invalid', message: 'mine.md:2:1: describes: expected a list' }, 'CONFIG_INVALID', 78],
    [503, { error: 'derived_broken', message: 'hints.db: the disk is full' }, 'DERIVED_BROKEN', 74],
    [503, { error: 'unavailable', message: 'it is being read' }, 'USAGE', 64],
    [403, { error: 'scope', message: 'it needs operate' }, 'USAGE', 64],
    [404, { error: 'not_found', message: 'there is no such incident' }, 'NOT_FOUND', 64],
    [404, {}, 'USAGE', 64],
    [429, { error: 'busy', message: '600 a minute are taken' }, 'QUEUE_FULL', 75],
  ] as const)('of status %s with %j is %s, and ends the command with %s', async (status, body, code, exitCode) => {
    const client = answered(status, body);
    await expect(client.post('/api/v1/freeze', {})).rejects.toMatchObject({ code, exitCode });
    await expect(client.text('/api/v1/audit')).rejects.toMatchObject({ code, exitCode });
  });

  it('is no JSON, as of another program at that address', async () => {
    const page = (async () => new Response('<!doctype html>')) as unknown as typeof fetch;
    const client = createClient({ state: aState(), url: OWN, token: undefined }, page);
    await expect(client.get('/api/v1/status')).rejects.toMatchObject({
      code: 'USAGE',
      message: '/api/v1/status: what answers is no Reeve: JSON was expected, got "<!doctype html>"',
    });
  });

  it.each(['over TCP', 'over a socket'])('is one that breaks off, and one that stands still (%s)', async (way) => {
    const { clock, advance } = fakeClock();
    const sockets: Socket[] = [];
    const server = createServer((socket) => {
      sockets.push(socket.on('error', () => undefined));
      socket.write('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{"phase":');
    });
    const place = join(mkdtempSync(join(tmpdir(), 'reeve-client-')), 's');
    if (way === 'over TCP') server.listen(0, '127.0.0.1');
    else server.listen(place);
    await once(server, 'listening');
    const own = way === 'over TCP' ? `http://127.0.0.1:${(server.address() as AddressInfo).port}` : `unix:${place}`;
    let begun = 0;
    // The deadline of the first byte is lifted when that has come.
    const watched: Clock = {
      ...clock,
      after: (delayMs, task) => {
        const timer = clock.after(delayMs, task);
        const dispose = (): void => {
          timer[Symbol.dispose]();
          if (delayMs === 30_000) begun += 1;
        };
        return { [Symbol.dispose]: dispose };
      },
    };
    for (const ask of ['get', 'text'] as const) {
      for (const end of [() => sockets.at(-1)!.destroy(), () => advance(150_000)]) {
        const client = createClient({ state: aState(own), url: undefined, token: undefined }, fetch, watched);
        begun = 0;
        const refused = client[ask]('/api/v1/status').catch((thrown: unknown) => thrown);
        await expect.poll(() => begun).toBeGreaterThan(0);
        await end();
        expect(await refused).toMatchObject({
          code: 'DAEMON_UNREACHABLE',
          message: expect.stringMatching(/began and did not come to its end$/),
        });
      }
    }
    for (const socket of sockets) socket.destroy();
    server.close();
  });

  it('is told in the words of the daemon, and with the path that was asked where it has none', async () => {
    const said = 'there is no such channel as "nws"';
    const told = (status: number, body: object) => answered(status, body).get('/api/v1/why/nws');
    await expect(told(404, { error: 'not_found', message: said })).rejects.toThrow(new RegExp(`^${said}$`));
    await expect(told(404, {})).rejects.toThrow('/api/v1/why/nws: HTTP 404');
    await expect(told(500, { error: 'internal', message: 'its log' })).rejects.toThrow('/api/v1/why/nws: its log');
  });
});
