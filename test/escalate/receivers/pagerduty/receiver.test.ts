import { describe, expect, it } from 'vitest';
import { pagerdutyServer, ROUTING_KEY, type slackServer } from '../contract_servers.ts';
import { CALM, noticeFor, receiverOf } from '../support.ts';

type Server = Awaited<ReturnType<typeof slackServer>>;

const pagerduty = (url: string, more = '') =>
  receiverOf(`{ id: pager, kind: pagerduty, routing_key_env: KEY, url: "${url}"${more} }`, { KEY: ROUTING_KEY });

const bodiesOf = ({ posts }: Server) => posts.map(({ body }) => JSON.parse(body));

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
