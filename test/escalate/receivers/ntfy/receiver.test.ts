import { describe, expect, it } from 'vitest';
import { ntfyServer, type slackServer } from '../contract_servers.ts';
import { CALM, noticeFor, receiverOf } from '../support.ts';

type Server = Awaited<ReturnType<typeof slackServer>>;

const ntfy = (url: string, more = '') => receiverOf(`{ id: phone, kind: ntfy, url: "${url}", topic: reeve${more} }`);

const bodiesOf = ({ posts }: Server) => posts.map(({ body }) => JSON.parse(body));

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
