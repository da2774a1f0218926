import { appendFileSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Rig, until } from '../support/rig.ts';
import { closeServersAfterAll, serve } from '../support/servers.ts';

/** Longer than the list may take before a channel is asked about alone. */
const SLOW_MS = 80;
const DEATH = '2026-11-27 10:00:00,000 WARN exited: news (terminated by SIGKILL; not expected)';

describe('a death of which the log of the engine tells while its list hangs', { timeout: 60_000 }, () => {
  closeServersAfterAll();

  it('is seen by a look at that one channel, which is restarted before the list comes', async () => {
    const asked: string[] = [];
    const held: ServerResponse[] = [];
    let [isDead, hangs] = [false, false];
    const row = () => ({ name: 'news', state: isDead ? 'exited' : 'running', life: 1, code: isDead ? 1 : null });
    const url = await serve((request, response) => {
      asked.push(`${request.method} ${request.url}`);
      if (request.url === '/list/news') return void response.end(JSON.stringify(row()));
      if (request.method === 'POST') return void response.end();
      if (hangs) return void held.push(response);
      setTimeout(() => response.end(JSON.stringify([row()])), SLOW_MS);
    });
    const rig = await Rig.open({
      catalogue: 'shipped',
      engine: (own) => {
        writeFileSync(own.at('engine.log'), '');
        return `  - id: local
    kind: http
    url: ${url}
    poll: 250ms
    timeout: 30s
    local: false
    autorestart_grace: 1ms
    logs: [{ path: "${own.at('engine.log')}" }]
    list: { path: /list, fields: { name: /name, state: /state, generation: /life, exit_code: /code } }
    channel: { path: "/list/{channel}" }
    restart: { path: "/restart/{channel}" }`;
      },
    });
    onTestFinished(() => rig[Symbol.asyncDispose]());
    await rig.run();
    await until('the list was taken twice', () => asked.filter((each) => each === 'GET /list').length > 2);
    hangs = true;
    await until('a list hangs', () => held.length > 0);
    isDead = true;
    appendFileSync(rig.at('engine.log'), `${DEATH}\n`);
    await until('its restart is asked for', () => asked.includes('POST /restart/news'));
    expect(asked.slice(0, asked.indexOf('POST /restart/news'))).toContain('GET /list/news');
    expect(held).toHaveLength(1);
    for (const response of held) response.destroy();
  });
});
