import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/core/clock.ts';
import { engineDocument } from '../../src/engine/documents.ts';
import type { ReeveError } from '../../src/core/errors.ts';
import { createChangeGateway } from '../../src/engine/change_gateway.ts';
import { createEngines, type EngineDeps } from '../../src/engine/factory.ts';
import { createTransport } from '../../src/resilience/transport.ts';
import { aContext } from '../support/engine_parts.ts';
import { closeServersAfterAll, serve } from '../support/servers.ts';

closeServersAfterAll();
const never = new AbortController().signal;
const deps: EngineDeps = { clock: systemClock, secret: ({ clear, env }) => clear ?? `secret of ${env}` };
const parse = (document: object) => engineDocument.parse(document);
const list = { path: '/l', fields: { name: '/n' } };
const outcome = (call: Promise<unknown>) => call.catch((error: unknown) => error as ReeveError);

describe('createEngines', () => {
  it('builds an adapter of each kind, with two ways to each', async () => {
    await using engines = createEngines(
      [
        { document: parse({ id: 'a', kind: 'supervisor', socket: '/nowhere' }), channels: [] },
        { document: parse({ id: 'b', kind: 'http', url: 'http://127.0.0.1:1', list }), channels: [] },
        { document: parse({ id: 'c', kind: 'command', status: { argv: ['/bin/true'] } }), channels: [] },
        { document: parse({ id: 'd', kind: 'exstreamtv', url: 'http://127.0.0.1:1' }), channels: [] },
      ],
      deps,
    );
    expect([...engines.byId.values()].map(({ id, kind }) => `${id} ${kind}`)).toEqual([
      'a supervisor',
      'b http',
      'c command',
      'd exstreamtv',
    ]);
    expect(engines.transports.map(({ name, state }) => `${name} ${state}`).slice(0, 2)).toEqual([
      'a/look closed',
      'a/change closed',
    ]);
  });

  it('refuses two engines of one name and channels that an engine cannot be asked for', () => {
    const document = parse({ id: 'a', kind: 'supervisor', socket: '/nowhere' });
    const twice = [
      { document, channels: [] },
      { document, channels: [] },
    ];
    expect(() => createEngines(twice, deps)).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
    const tv = parse({ id: 'd', kind: 'exstreamtv', url: 'http://127.0.0.1:1' });
    const channels = [{ id: 'news', name: 'news' }];
    expect(() => createEngines([{ document: tv, channels }], deps)).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID' }),
    );
  });

  it('asks for secrets by their reference', async () => {
    let authorization: string | undefined;
    const url = await serve((request, response) => {
      authorization = request.headers.authorization;
      response.end('[]');
    });
    const document = parse({ id: 'b', kind: 'http', url, list, token_env: 'B_TOKEN' });
    await using engines = createEngines([{ document, channels: [] }], deps);
    await engines.byId.get('b')!.observe(never);
    expect(authorization).toBe('Bearer secret of B_TOKEN');
  });

  it("keeps one engine's trouble from the others, and looks from changes", async () => {
    const url = await serve((request, response) => {
      response.writeHead(request.method === 'GET' ? 500 : 200).end('{}');
    });
    const well = await serve((_, response) => response.end('[]'));
    const restart = { path: '/restart/{channel}' };
    const channels = [{ id: 'news', name: 'news' }];
    await using engines = createEngines(
      [
        { document: parse({ id: 'ill', kind: 'http', url, list, restart }), channels },
        { document: parse({ id: 'well', kind: 'http', url: well, list }), channels: [] },
      ],
      deps,
    );
    const [ill, fine] = [engines.byId.get('ill')!, engines.byId.get('well')!];
    for (let look = 0; look < 10; look += 1) await ill.observe(never);
    expect(engines.transports.map(({ name, state }) => `${name} ${state}`)).toEqual([
      'ill/look open',
      'ill/change closed',
      'well/look closed',
      'well/change closed',
    ]);
    expect(await ill.restart!('news', aContext())).toContain('answered 200');
    expect((await fine.observe(never)).engine.ok).toBe(true);
  });
});

describe('the change gateway', () => {
  const setUp = () => {
    const door = createChangeGateway(createTransport('e/change', { timeoutMs: 5_000 }, systemClock));
    const ran: string[] = [];
    const pass = (target: string, permit: string, fence: number, once = true) =>
      outcome(door.run({ target, context: aContext({ permit, fence }), once }, async () => ran.push(permit)));
    return { pass, ran };
  };

  it('lets no older fence through, target by target', async () => {
    const { pass, ran } = setUp();
    await pass('a', 'p1', 7);
    await pass('a', 'p2', 6);
    await pass('b', 'p3', 6);
    await pass('a', 'p4', 7);
    await pass('a', 'p5', Number.NaN);
    expect(ran).toEqual(['p1', 'p3', 'p4']);
  });

  it('lets a permit through once where twice does harm', async () => {
    const { pass, ran } = setUp();
    for (const permit of ['p1', 'p1', 'p2']) await pass('a', permit, 1);
    for (const permit of ['p3', 'p3']) await pass('a', permit, 1, false);
    expect(ran).toEqual(['p1', 'p2', 'p3', 'p3']);
  });
});

describe('engine documents', () => {
  const problems = (document: object) =>
    engineDocument.safeParse(document).error?.issues.map(({ message }) => message) ?? [];
  const sup = { id: 'a', kind: 'supervisor', url: 'http://127.0.0.1:9001/RPC2' };

  it('convert durations to milliseconds and fill in what is left out', () => {
    expect(parse({ ...sup, poll: '250ms', timeout: '2m' })).toMatchObject({
      poll: 250,
      timeout: 120_000,
      change_timeout: 60_000,
      local: 'auto',
      autorestart_grace: 1_000,
      logs: [],
    });
  });

  it('accept a secret in clear for this machine only', () => {
    expect(problems({ ...sup, password: 'x' })).toEqual([]);
    expect(problems({ ...sup, url: 'http://[::1]:9001', password: 'x' })).toEqual([]);
    expect(problems({ ...sup, url: undefined, socket: '/s', password: 'x' })).toEqual([]);
    for (const url of ['http://10.0.0.1/RPC2', 'http://localhost.example.org/', 'http://127.0.0.1.example.org/']) {
      expect(problems({ ...sup, url, password: 'x' })).toHaveLength(1);
      expect(problems({ ...sup, url, password_env: 'X' })).toEqual([]);
    }
    expect(problems({ ...sup, url: 'http://a:b@127.0.0.1/' })).toHaveLength(1);
  });

  it('refuse what is misspelt, missing, twice or in the wrong place', () => {
    for (const wrong of [
      { ...sup, pol: '1s' },
      { ...sup, socket: '/s' },
      { ...sup, url: undefined },
      { ...sup, url: 'ftp://127.0.0.1/' },
      { ...sup, poll: '0s' },
      { ...sup, poll: 5 },
      { ...sup, id: '' },
      { ...sup, kind: 'systemd' },
      { id: 'c', kind: 'command', status: { argv: ['systemctl', 'is-active'] } },
      { id: 'c', kind: 'command', status: { argv: ['/bin/sh', '-c', 'x {channel}'] } },
      { id: 'c', kind: 'command' },
    ]) {
      expect(problems(wrong)).not.toEqual([]);
    }
  });
});
