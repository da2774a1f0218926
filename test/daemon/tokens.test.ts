import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Daemon, Rig, until } from '../support/rig.ts';

interface Token {
  readonly name: string;
  readonly scopes: readonly string[];
  readonly last_used_at: string | null;
}

describe('reeve tokens', () => {
  let rig: Rig;
  let daemon: Daemon;
  beforeAll(async () => {
    rig = await Rig.open();
    daemon = await rig.run();
  });
  afterAll(() => rig[Symbol.asyncDispose]());

  const add = async (name: string, scope: string, ...more: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await rig.reeve(
      ...['tokens', 'add', name, '--scope', scope, '--because', 'a test', ...more],
    );
    expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining(name) });
    return stdout.trim();
  };
  const ask = (path: string, token: string, init: RequestInit = {}) =>
    fetch(daemon.url + path, {
      ...init,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    });
  const post = (path: string, token: string, body: object) =>
    ask(path, token, { method: 'POST', body: JSON.stringify(body) });
  const list = async (): Promise<readonly Token[]> =>
    JSON.parse((await rig.reeve('tokens', 'list', '--json')).stdout).tokens;

  it('hands one out that works at once, for what it is for and nothing else, and writes its name into the journal', async () => {
    const ann = await add('ann', 'operate');
    expect(ann).toMatch(/^reeve_[\w-]{43}$/);
    expect((await post('/api/v1/freeze', ann, { because: 'ann looks' })).status).toBe(200);
    expect((await post('/api/v1/thaw', ann, { because: 'ann is done' })).status).toBe(200);
    expect((await post('/api/v1/phase', ann, { phase: 4, because: 'more' })).status).toBe(403);
    expect((await post('/api/v1/approvals/apr-1', ann, { yes: true })).status).toBe(403);
    expect((await post('/api/v1/tokens', ann, { name: 'x', scopes: ['admin'], because: 'more' })).status).toBe(403);
    expect((await ask('/api/v1/tokens', ann)).status).toBe(403);
    const facts = (await rig.journal()).map(({ fact }) => fact as { type: string; who?: string });
    expect(facts).toContainEqual(expect.objectContaining({ type: 'control.frozen', who: 'ann' }));
    expect(facts).toContainEqual(expect.objectContaining({ type: 'token.added', who: 'operator', name: 'ann' }));
  });

  it('lets one answer questions that may not operate', async () => {
    const bob = await add('bob', 'approve');
    expect((await post('/api/v1/approvals/apr-none', bob, { yes: true })).status).toBe(409);
    expect((await post('/api/v1/freeze', bob, { because: 'x' })).status).toBe(403);
  });

  it('lists them with their last use, and shows no secret and no hash', async () => {
    const tokens = await list();
    expect(tokens).toMatchObject([
      { name: 'ann', scopes: ['operate'], last_used_at: expect.stringMatching(/^\d{4}-/) },
      { name: 'bob', scopes: ['approve'] },
    ]);
    expect(JSON.stringify(tokens)).not.toMatch(/reeve_|[0-9a-f]{64}/);
  });

  it('revokes one with the stream that it holds open, without a restart', async () => {
    const eve = await add('eve', 'read');
    const stream = await ask('/api/v1/events', eve);
    expect(stream.status).toBe(200);
    const ended = (async () => {
      for await (const _ of stream.body!);
    })().catch(() => undefined);
    expect((await rig.reeve('tokens', 'revoke', 'eve', '--because', 'left')).code).toBe(0);
    expect((await ask('/api/v1/status', eve)).status).toBe(401);
    await ended;
    expect((await list()).map(({ name }) => name)).not.toContain('eve');
  });

  it('keeps them over a kill of the daemon, and their hashes alone: no token stands in any file', async () => {
    const dora = await add('dora', 'read,ingest');
    await daemon.kill('SIGKILL');
    daemon = await rig.run();
    expect((await ask('/api/v1/status', dora)).status).toBe(200);
    expect(JSON.stringify(await rig.journal())).not.toContain(dora);
    expect(rig.log()).not.toContain(dora);
  });

  it('ends with 64 for a scope that does not exist, and with 1 for a name that is taken', async () => {
    const wrong = await rig.reeve('tokens', 'add', 'x', '--scope', 'root', '--because', 'x');
    expect(wrong).toMatchObject({ code: 64, stderr: expect.stringContaining('--scope') });
    const taken = await rig.reeve('tokens', 'add', 'ann', '--scope', 'read', '--because', 'x');
    expect(taken).toMatchObject({ code: 1, stderr: expect.stringContaining('in use') });
  });

  it('counts what was refused, and logs it once with the address', async () => {
    for (let count = 0; count < 5; count += 1) expect((await ask('/api/v1/status', 'guess')).status).toBe(401);
    const metrics = await (await fetch(`${daemon.url}/metrics`)).text();
    expect(Number(/reeve_http_refused_total\{reason="unknown_token"\} (\d+)/.exec(metrics)?.[1])).toBe(5);
    await until('it is logged', () => rig.log().includes('a request from 127.0.0.1 was refused (unknown_token)'));
    expect(rig.log().split('was refused (unknown_token)')).toHaveLength(2);
  });
});
