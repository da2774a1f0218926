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

  it.each([400, 403, 404, 410])('takes %i as a refusal of this message, not as an outage', async (status) => {
    const server = await serve([{ status }]);
    await expect(make(server.url).deliver(noticeFor(), CALM)).rejects.toMatchObject({
      code: 'RECEIVER_REFUSED',
      status,
    });
  });
});

describe('pagerduty', () => {
  it('joins everything about one page under one dedup key, whatever its length', async () => {
    const server = await pagerdutyServer();
    const receiver = pagerduty(server.url);
    for (const key of ['incident/inc-1', `${'k'.repeat(400)}a`, `${'k'.repeat(400)}b`]) {
      for (const what of ['trigger', 'trigger', 'resolve'] as const)
        await receiver.deliver(noticeFor(what, { key }), CALM);
    }
    expect([...server.alerts.values()]).toEqual(Array(3).fill(['trigger', 'trigger', 'resolve']));
    expect(server.alerts.has('incident/inc-1')).toBe(true);
  });

  it('says severity, source, component and class, and links to the console', async () => {
    const server = await pagerdutyServer();
    await pagerduty(server.url, ', source: east, console: "http://reeve/"').deliver(noticeFor(), CALM);
    expect(bodiesOf(server)[0]).toMatchObject({
      event_action: 'trigger',
      dedup_key: 'incident/inc-1',
      client_url: 'http://reeve/',
      payload: { severity: 'critical', source: 'east', component: 'channel:news', class: 'output_stalled' },
    });
  });
});

describe('slack', () => {
  it('shows what a log says as plain text, so that it mentions no user and links nowhere', async () => {
    const server = await slackServer();
    const hostile = '<!channel> <http://evil|click> *bold* &amp;';
    await slack(server.url).deliver(noticeFor('trigger', { summary: hostile, details: hostile }), CALM);
    const [{ text, blocks }] = bodiesOf(server);
    expect(text).toBe('CRITICAL &lt;!channel&gt; &lt;http://evil|click&gt; *bold* &amp;amp;');
    expect(JSON.stringify(blocks)).not.toContain('mrkdwn');
  });

  it.each([
    ['trigger', 'critical', true],
    ['repeat', 'critical', true],
    ['trigger', 'warning', false],
    ['resolve', 'critical', false],
  ] as const)('a %s that is %s mentions people where configured: %s', async (what, severity, mentions) => {
    const server = await slackServer();
    await slack(server.url, ', mention: here').deliver(noticeFor(what, { severity }), CALM);
    expect(server.posts[0]!.body.includes('<!here>')).toBe(mentions);
  });
});

describe('ntfy', () => {
  it.each([
    ['trigger', 'critical', 5, 'rotating_light'],
    ['trigger', 'warning', 4, 'warning'],
    ['trigger', 'info', 3, 'information_source'],
    ['resolve', 'critical', 2, 'white_check_mark'],
  ] as const)('a %s that is %s has priority %i', async (what, severity, priority, tag) => {
    const server = await ntfyServer();
    await ntfy(server.url).deliver(noticeFor(what, { severity }), CALM);
    expect(bodiesOf(server)[0]).toMatchObject({ topic: 'reeve', priority, tags: [tag] });
  });

  it('opens the console by a tap and by a button', async () => {
    const server = await ntfyServer();
    await ntfy(server.url, ', console: "http://reeve/"').deliver(noticeFor(), CALM);
    const actions = [{ action: 'view', label: 'Open Reeve', url: 'http://reeve/' }];
    expect(bodiesOf(server)[0]).toMatchObject({ click: 'http://reeve/', actions });
  });

  it('sends the token where the server asks for one, and is refused with another', async () => {
    const server = await ntfyServer([], 'tk_good');
    const make = (TOKEN: string) =>
      receiverOf(`{ id: phone, kind: ntfy, url: "${server.url}", topic: reeve, token_env: TOKEN }`, { TOKEN });
    await make('tk_good').deliver(noticeFor(), CALM);
    await expect(make('tk_bad').deliver(noticeFor(), CALM)).rejects.toMatchObject({ status: 403 });
  });
});
