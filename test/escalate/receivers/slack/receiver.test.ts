import { describe, expect, it } from 'vitest';
import { slackServer } from '../contract_servers.ts';
import { CALM, noticeFor, receiverOf } from '../support.ts';

type Server = Awaited<ReturnType<typeof slackServer>>;

const slack = (url: string, more = '') =>
  receiverOf(`{ id: chat, kind: slack, webhook_url_env: HOOK${more} }`, { HOOK: `${url}/services/T0/B0/secret` });

const bodiesOf = ({ posts }: Server) => posts.map(({ body }) => JSON.parse(body));

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
