import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Daemon, Rig, until } from '../support/rig.ts';
import { closeServersAfterAll, HOSTILE, serve } from '../support/servers.ts';

const KINDS = ['talks HTML', 'answers with another JSON', 'answers nothing', 'hangs', 'sends a gigabyte', 'breaks off'];
/** Node itself takes 150 MiB to start; a gigabyte that is let in shows. */
const RSS_MAX = 300 << 20;

/** One engine that is described by its routes. */
const engineAt = (id: string, url: string): string => `  - id: ${id}
    kind: http
    url: ${url}
    poll: 250ms
    timeout: 1s
    local: false
    autorestart_grace: 100ms
    list: { path: /list, fields: { name: /name, state: /state }, states: [{ says: exited, means: exited }] }
    restart: { method: POST, path: "/restart/{channel}" }`;

describe('engines that answer, but never well', { timeout: 60_000 }, () => {
  closeServersAfterAll();
  let rig: Rig;
  let daemon: Daemon;
  const asked: string[] = [];
  beforeAll(async () => {
    const truthful = await serve((request, response) => {
      asked.push(`${request.method} ${request.url}`);
      response.end('[{"name":"redirects","state":"exited"}]');
    });
    const redirecting = await serve((request, response) => {
      response.writeHead(request.method === 'GET' ? 302 : 307, { location: truthful + request.url }).end();
    });
    const urls = await Promise.all(KINDS.map((kind) => HOSTILE[kind]!.start()));
    const ids = [...KINDS.map((_, index) => `e${index}`), 'redirects'];
    rig = await Rig.open({ channels: ids, engine: () => '' });
    const engines = [...urls, redirecting].map((url, index) => engineAt(ids[index]!, url));
    const text = rig.configText().replace('engines:\n', `engines:\n${engines.join('\n')}`);
    rig.writeConfig(
      ids.reduce((all, id) => all.replace(`{ id: ${id}, engine: local`, `{ id: ${id}, engine: ${id}`), text),
    );
    for (const id of ids) rig.die(id);
    daemon = await rig.run();
    for (const id of ids) rig.die(id);
  });
  afterAll(() => rig?.[Symbol.asyncDispose]());

  it('are each known to be unwell, and a person is paged', async () => {
    await until(
      'every engine has its page',
      () =>
        KINDS.every((_, at) => rig.delivered.some(({ scope, details }) => `${scope} ${details}`.includes(`e${at}`))),
      60_000,
    );
  }, 70_000);

  it('cause no change at all by their reports alone', async () => {
    const journal = await rig.journal();
    const changes = journal.filter(
      ({ fact }) => fact.type === 'tool.started' && fact.permit?.call.tool === 'restart_channel',
    );
    expect(changes).toEqual([]);
  });

  it('lead nowhere: a redirect is not followed', () => {
    expect(asked).toEqual([]);
  });

  it('leave the memory bounded and the daemon responsive', async () => {
    const rss = Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${daemon.child.pid}/status`, 'utf8'))?.[1]) * 1024;
    expect(rss).toBeLessThan(RSS_MAX);
    expect((await fetch(`${daemon.url}/healthz`)).status).toBe(200);
  });
});
