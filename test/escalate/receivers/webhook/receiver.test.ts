import { createHmac } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Clock, systemClock } from '../../../../src/core/clock.ts';
import { noticeOf } from '../../../../src/escalate/due.ts';
import { keyOf, signaturesOf, webhook } from '../../../../src/escalate/receivers/webhook/receiver.ts';
import { fold, opened, raisedFact, resolvedFact } from '../../support.ts';
import { type Posted, realPost, until, webServer } from '../../servers.ts';

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const OTHER = 'another secret, still in use';
const KEY = 'incident/inc-1';

const notice = (what: 'trigger' | 'resolve' = 'trigger') =>
  noticeOf(
    fold([[1, raisedFact('esc-1')], ...(what === 'resolve' ? [[2, resolvedFact()] as const] : [])]).pages[0]!,
    'hook',
    what,
  );

const receiver = (url: string, secrets = [SECRET, OTHER], clock: Clock = systemClock) =>
  webhook({ name: 'hook', url, post: realPost(), clock, secrets });

/** What a receiver does by the specification, written apart from ours. */
function isGenuine({ headers, body }: Posted, secret: string): boolean {
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
  const bytes = secret.startsWith('whsec_') ? Buffer.from(secret.slice(6), 'base64') : Buffer.from(secret);
  const expected = createHmac('sha256', bytes).update(signed).digest('base64');
  return String(headers['webhook-signature'])
    .split(' ')
    .some((signature) => signature === `v1,${expected}`);
}

describe('a signed webhook', () => {
  it('signs as the specification shows in its example', () => {
    const message = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', timestamp: '1614265330', body: '{"test": 2432232314}' };
    expect(signaturesOf([keyOf(SECRET, 'x')], message)).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
  });

  it('posts JSON that either key proves, with a fresh time and the id of the message', async () => {
    const server = await webServer((_, response) => response.end());
    await receiver(`${server.url}/hook`).deliver(notice(), AbortSignal.any([]));
    const [posted] = server.posts;
    expect(posted?.path).toBe('/hook');
    expect(posted?.headers).toMatchObject({ 'content-type': 'application/json', 'webhook-id': notice().id });
    expect(Math.abs(Number(posted?.headers['webhook-timestamp']) - systemClock.now() / 1_000)).toBeLessThan(60);
    expect([isGenuine(posted!, SECRET), isGenuine(posted!, OTHER), isGenuine(posted!, `${OTHER}!`)]).toEqual([
      true,
      true,
      false,
    ]);
    expect(isGenuine({ ...posted!, body: posted!.body.replace('news', 'olds') }, SECRET)).toBe(false);
  });

  it('says what happened in snake_case, and nothing that is not for outsiders', async () => {
    const server = await webServer((_, response) => response.end());
    await receiver(server.url).deliver(notice('resolve'), AbortSignal.any([]));
    expect(JSON.parse(server.posts[0]!.body)).toEqual({
      type: 'escalation.resolve',
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      data: {
        id: notice('resolve').id,
        what: 'resolve',
        key: KEY,
        severity: 'critical',
        reason: 'no_plan',
        classification: 'output_stalled',
        scope: 'channel:news',
        channel: 'news',
        incident: 'inc-1',
        summary: 'news: output_stalled',
        details: 'What was done: nothing.',
        opened_at: new Date(1_000_001).toISOString(),
        resolved_at: new Date(1_000_002).toISOString(),
        because: 'healthy for 30 s',
        raised: 1,
      },
    });
  });

  it('without a secret is sent unsigned', async () => {
    const server = await webServer((_, response) => response.end());
    await receiver(server.url, []).deliver(notice(), AbortSignal.any([]));
    expect(server.posts[0]?.headers['webhook-signature']).toBeUndefined();
  });

  it.each(['short', 'whsec_c2hvcnQ='])('refuses the weak secret %s, without showing it', (secret) => {
    const make = () => receiver('http://127.0.0.1:1', [secret]);
    expect(make).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID', hint: expect.stringMatching(/openssl/) }));
    expect(make).not.toThrow(secret);
  });

  it.each([
    [500, 'RECEIVER_UNREACHABLE'],
    [503, 'RECEIVER_UNREACHABLE'],
    [429, 'RECEIVER_UNREACHABLE'],
    [408, 'RECEIVER_UNREACHABLE'],
    [302, 'RECEIVER_REFUSED'],
    [401, 'RECEIVER_REFUSED'],
    [404, 'RECEIVER_REFUSED'],
  ])('takes an answer of %i as %s', async (status, code) => {
    const server = await webServer((_, response) => response.writeHead(status, { location: '/elsewhere' }).end());
    await expect(receiver(server.url).deliver(notice(), AbortSignal.any([]))).rejects.toMatchObject({ code });
    expect(server.posts).toHaveLength(1);
  });
});

describe('a web server that is in trouble', () => {
  it.each<[string, (posted: Posted, response: import('node:http').ServerResponse) => void]>([
    ['answers 503', (_, response) => void response.writeHead(503).end()],
    ['answers 429', (_, response) => void response.writeHead(429, { 'retry-after': '1' }).end()],
    ['resets the connection', (_, response) => void response.socket?.resetAndDestroy()],
    ['never answers', () => undefined],
    ['answers half and hangs up', (_, response) => void response.writeHead(200, { 'content-length': 9 }).end('x')],
  ])('and %s gets the page once it recovers, under one id', async (_, trouble) => {
    let broken = true;
    const accepted: Posted[] = [];
    const server = await webServer((posted, response) => {
      if (broken) return trouble(posted, response);
      accepted.push(posted);
      response.end();
    });
    const { dispatcher, append } = opened([receiver(server.url)], {
      time: { clock: systemClock, advance: () => Promise.resolve(0), jumpWall: () => undefined },
      attemptMs: 500,
    });
    onTestFinished(() => dispatcher[Symbol.asyncDispose]());
    dispatcher.start();
    append(raisedFact('esc-1'));
    await until(() => server.posts.length >= 2);
    broken = false;
    const backMs = systemClock.monotonicMs();
    await until(() => accepted.length > 0);
    expect(systemClock.monotonicMs() - backMs).toBeLessThan(5_000);
    expect(await dispatcher.settle(5_000)).toBe(true);
    append(resolvedFact());
    await until(() => accepted.length > 1);
    expect(accepted.map(({ body }) => JSON.parse(body).type)).toEqual(['escalation.trigger', 'escalation.resolve']);
    expect(new Set(server.posts.map(({ headers }) => headers['webhook-id'])).size).toBe(2);
    for (const posted of server.posts) expect(isGenuine(posted, SECRET)).toBe(true);
  });
});
