import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/core/clock.ts';
import { engineDocument } from '../../src/engine/documents.ts';
import { createEngines, type EngineDeps } from '../../src/engine/factory.ts';
import { aContext } from '../support/engine_parts.ts';
import { closeServersAfterAll, serve } from '../support/servers.ts';

closeServersAfterAll();

const never = new AbortController().signal;

const deps: EngineDeps = { clock: systemClock, secret: ({ clear, env }) => clear ?? `secret of ${env}` };

const parse = (document: object) => engineDocument.parse(document);

const list = { path: '/l', fields: { name: '/n' } };

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
    let looks = 0;
    const url = await serve((request, response) => {
      if (request.method === 'GET') looks += 1;
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
    const asked = looks;
    expect((await ill.observe(never)).engine).toMatchObject({ ok: false });
    expect(looks).toBe(asked);
    expect(await ill.restart!('news', aContext())).toContain('answered 200');
    expect((await fine.observe(never)).engine.ok).toBe(true);
  });
});
