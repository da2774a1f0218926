import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/core/clock.ts';
import { resolvedFact, raisedFact } from '../support.ts';
import { until } from '../servers.ts';
import { type Mishap, ntfyServer, pagerdutyServer, ROUTING_KEY, slackServer } from './contract_servers.ts';
import { CALM, dispatching, noticeFor, receiverOf } from './support.ts';

type Server = Awaited<ReturnType<typeof slackServer>>;

interface Kind {
  readonly name: string;
  readonly server: (mishaps?: Mishap[]) => Promise<Server>;
  readonly receiver: (url: string) => ReturnType<typeof receiverOf>;
}

const pagerduty = (url: string, more = '') =>
  receiverOf(`{ id: pager, kind: pagerduty, routing_key_env: KEY, url: "${url}"${more} }`, { KEY: ROUTING_KEY });

const slack = (url: string, more = '') =>
  receiverOf(`{ id: chat, kind: slack, webhook_url_env: HOOK${more} }`, { HOOK: `${url}/services/T0/B0/secret` });

const ntfy = (url: string, more = '') => receiverOf(`{ id: phone, kind: ntfy, url: "${url}", topic: reeve${more} }`);

const KINDS: readonly Kind[] = [
  { name: 'pagerduty', server: pagerdutyServer, receiver: pagerduty },
  { name: 'slack', server: slackServer, receiver: slack },
  { name: 'ntfy', server: ntfyServer, receiver: ntfy },
];

const bodiesOf = ({ posts }: Server) => posts.map(({ body }) => JSON.parse(body));

describe.each(KINDS)('$name', ({ server: serve, receiver: make }) => {
  it('takes a trigger, a repeat and a resolve by the published contract', async () => {
    const server = await serve();
    const receiver = make(server.url);
    for (const what of ['trigger', 'repeat', 'resolve'] as const) await receiver.deliver(noticeFor(what), CALM);
    expect(server.refused).toEqual([]);
    expect(server.posts).toHaveLength(3);
  });

  it('stays within the bounds of the contract with the longest texts there can be', async () => {
    const server = await serve();
    const long = '𝔩ong & <odd>\n'.repeat(100_000);
    const key = 'k'.repeat(2_000);
    await make(server.url).deliver(noticeFor('trigger', { summary: long, details: long, key, because: long }), CALM);
    expect(server.refused).toEqual([]);
  });

  it('waits as long as a 429 asks with Retry-After, and then delivers the same message', async () => {
    const server = await serve([{ status: 429, retryAfter: 2 }]);
    const { append, facts } = dispatching(make(server.url));
    const startMs = systemClock.monotonicMs();
    append(raisedFact('esc-1'));
    await until(() => facts('delivery.done').length === 1);
    expect(systemClock.monotonicMs() - startMs).toBeGreaterThanOrEqual(2_000);
    expect(facts('delivery.failed')).toMatchObject([{ error: 'answered 429' }]);
    expect(bodiesOf(server)[0]).toEqual(bodiesOf(server)[1]);
  });

  it('is asked again where a web page of something before it answered 200', async () => {
    const server = await serve([{ status: 200, body: '\n<!DOCTYPE html><title>Sign in</title>' }]);
    const { append, facts } = dispatching(make(server.url));
    append(raisedFact('esc-1'));
    await until(() => facts('delivery.done').length === 1);
    expect(facts('delivery.failed')).toMatchObject([{ error: 'answered with a web page' }]);
    expect(bodiesOf(server)[0]).toEqual(bodiesOf(server)[1]);
  });

  it('is asked again where it said no with a status of 200', async () => {
    const server = await serve([{ status: 200, body: '{"ok":false,"error":"not_authed"}' }]);
    const { append, facts } = dispatching(make(server.url));
    append(raisedFact('esc-1'));
    await until(() => facts('delivery.done').length === 1);
    expect(facts('delivery.failed')).toMatchObject([{ error: 'answered that it did not take it' }]);
    expect(bodiesOf(server)[0]).toEqual(bodiesOf(server)[1]);
  });

  it('is asked again after 500, 502 and 503, and sent the end after the beginning', async () => {
    const server = await serve([{ status: 500 }, { status: 502 }, { status: 503 }]);
    const { append, facts } = dispatching(make(server.url));
    append(raisedFact('esc-1'));
    await until(() => facts('delivery.done').length === 1);
    append(resolvedFact());
    await until(() => facts('delivery.done').length === 2);
    expect(facts('delivery.done')).toMatchObject([{ what: 'trigger', attempts: 4 }, { what: 'resolve' }]);
    expect(server.refused).toEqual([]);
  });

  it('has taken what it answers with 2xx, however long the answer is', async () => {
    const server = await serve([{ status: 200, body: 'x'.repeat(2_000_000) }]);
    await make(server.url).deliver(noticeFor(), CALM);
    expect(server.posts).toHaveLength(1);
  });

  it.each([
    [404, 'RECEIVER_REFUSED'],
    [500, 'RECEIVER_UNREACHABLE'],
  ])('takes %i by its status, however long the answer is', async (status, code) => {
    const server = await serve([{ status, body: 'x'.repeat(2_000_000) }]);
    await expect(make(server.url).deliver(noticeFor(), CALM)).rejects.toMatchObject({ code, status });
  });

  it.each([400, 403, 404, 410])('takes %i as a refusal of this message, not as an outage', async (status) => {
    const server = await serve([{ status }]);
    await expect(make(server.url).deliver(noticeFor(), CALM)).rejects.toMatchObject({
      code: 'RECEIVER_REFUSED',
      status,
    });
  });
});
