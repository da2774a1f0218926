import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { COMMAND_ROUTES } from '../../src/http/commands.ts';
import { type Daemon, Rig, until } from '../support/rig.ts';

interface Status {
  readonly frozen: boolean;
  readonly channels: readonly { readonly healthy: boolean | null }[];
}

describe('a freeze', () => {
  let rig: Rig;
  let daemon: Daemon;
  beforeAll(async () => {
    rig = await Rig.open();
    daemon = await rig.run();
    const { code } = await rig.reeve('freeze', '--because', 'origin migration');
    expect(code).toBe(0);
    await daemon.kill('SIGKILL');
    daemon = await rig.run();
  });
  afterAll(() => rig[Symbol.asyncDispose]());

  const status = () => daemon.get<Status>('/api/v1/status');

  it('survives a kill of the daemon', async () => {
    expect((await status()).frozen).toBe(true);
    expect((await rig.reeve('status')).stdout).toContain('FROZEN');
  });

  it('stops every change while it lasts, and says so when asked why', async () => {
    await until('news plays', async () => (await status()).channels[0]?.healthy === true);
    rig.die('news');
    await until('an incident is open', async () => (await status()).channels[0]?.healthy === false);
    await until('the guard refused', async () => (await rig.reeve('why', 'news')).stdout.includes('frozen'));
    expect(rig.invocations('news')).toBe(0);
  });

  it('ends with thaw, after which the channel is started', async () => {
    expect((await rig.reeve('thaw', '--because', 'done')).code).toBe(0);
    expect((await status()).frozen).toBe(false);
    const { checks } = await daemon.get<{ checks: { id: number; verdict: string }[] }>(
      '/api/v1/why-not/news/restart_channel',
    );
    expect(checks.find(({ id }) => id === 2)).toMatchObject({ verdict: 'pass' });
  });
});

const PATHS = [...COMMAND_ROUTES.map(({ path }) => path), '/api/v1/approvals/apr-1'];
const READS = ['status', 'channels', 'incidents', 'approvals', 'personas', 'rules', 'journal', 'stats', 'events'];

describe('the access check', () => {
  let rig: Rig;
  let daemon: Daemon;
  beforeAll(async () => {
    rig = await Rig.open();
    daemon = await rig.run();
  });
  afterAll(() => rig[Symbol.asyncDispose]());

  const body = JSON.stringify({
    because: 'because',
    scope: 'news',
    phase: 0,
    for_ms: 1_000,
    id: 'x',
    key: 'x',
    yes: true,
  });
  const post = (path: string, headers: Record<string, string>) =>
    fetch(daemon.url + path, { method: 'POST', body, headers: { 'content-type': 'application/json', ...headers } });
  const facts = async () => (await daemon.get<{ entries: unknown[] }>('/api/v1/journal')).entries.length;

  it.each(PATHS)('takes no POST %s without the token, nor with a wrong one, nor with one in the URL', async (path) => {
    const before = await facts();
    const wrong = `${daemon.token.slice(0, -1)}${daemon.token.endsWith('A') ? 'B' : 'A'}`;
    const answers = await Promise.all([
      post(path, {}),
      post(path, { authorization: `Bearer ${wrong}` }),
      post(path, { authorization: `Basic ${btoa(`operator:${daemon.token}`)}` }),
      post(`${path}?token=${daemon.token}`, {}),
      post(path, { cookie: `token=${daemon.token}` }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 401, 401]);
    expect(await facts()).toBe(before);
  });

  it.each(READS)('discloses nothing at /api/v1/%s without the token', async (name) => {
    const answer = await fetch(`${daemon.url}/api/v1/${name}`);
    expect(answer.status).toBe(401);
    expect(await answer.text()).not.toContain('news');
  });

  it('answers no request that was meant for another host, token or not', async () => {
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const headers = { host: 'evil.example', authorization: `Bearer ${daemon.token}` };
      request(`${daemon.url}/api/v1/status`, { headers }, ({ statusCode }) => resolve(statusCode))
        .on('error', reject)
        .end();
    });
    expect(status).toBe(403);
  });

  it('answers no page of another origin, token or not', async () => {
    const answer = await post('/api/v1/freeze', {
      authorization: `Bearer ${daemon.token}`,
      origin: 'http://evil.example',
    });
    expect(answer.status).toBe(403);
  });

  it('is open for liveness, readiness and metrics, which name no secret', async () => {
    for (const path of ['/healthz', '/readyz', '/metrics', '/']) {
      const answer = await fetch(daemon.url + path);
      expect(answer.status).toBe(200);
      expect(await answer.text()).not.toContain(daemon.token);
    }
  });

  it('lets the command line in with a token file, and refuses it with a wrong one', async () => {
    const right = await rig.reeve('status', '--json', '--token-file', `${rig.state}/token`);
    expect(right.code).toBe(0);
    const wrong = await rig.reeve('status', '--json', '--token-file', rig.configPath);
    expect(wrong).toMatchObject({ stdout: '', stderr: expect.stringContaining('token') });
    expect(wrong.code).not.toBe(0);
  });
});
