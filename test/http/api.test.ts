import { describe, expect, it, onTestFinished } from 'vitest';
import type { Daemon } from '../../src/http/daemon.ts';
import { aDaemon, served } from './support.ts';

async function asking(daemon: Partial<Daemon>) {
  const { ask, server } = await served(aDaemon(daemon).daemon);
  onTestFinished(() => server[Symbol.asyncDispose]());
  return async (path: string, scope: 'read' | 'admin' = 'read') => {
    const answer = await ask(path, { scope });
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  };
}

describe('a list', () => {
  it('has a hundred entries by default, and a thousand at most', async () => {
    const limits: number[] = [];
    const ask = await asking({
      incidents: ({ limit }) => {
        limits.push(limit);
        return [];
      },
    });
    for (const limit of [
      '',
      '?limit=1',
      '?limit=2.9',
      '?limit=1000',
      '?limit=1001',
      '?limit=0',
      '?limit=-1',
      '?limit=x',
    ])
      await ask(`/api/v1/incidents${limit}`);
    expect(limits).toEqual([100, 1, 2, 1_000, 1_000, 100, 100, 100]);
  });

  it('of incidents may be of one channel', async () => {
    const channels: unknown[] = [];
    const ask = await asking({
      incidents: ({ channel }) => {
        channels.push(channel);
        return [];
      },
    });
    await ask('/api/v1/incidents?channel=news');
    await ask('/api/v1/incidents');
    expect(channels).toEqual(['news', undefined]);
  });

  it('of the journal begins after the entry that is named, else with the first', async () => {
    const sinces: number[] = [];
    const ask = await asking({
      journal: ({ since }) => {
        sinces.push(since);
        return [];
      },
    });
    for (const since of ['?since=7', '', '?since=x']) await ask(`/api/v1/journal${since}`);
    expect(sinces).toEqual([7, 0, 0]);
  });

  it('of rules names the problems of the proposed ones, and none where there are none', async () => {
    expect((await (await asking({}))('/api/v1/rules')).body).toEqual({ rules: [], problems: [] });
  });

  it('of tokens is for the scope admin alone', async () => {
    const ask = await asking({ tokens: () => [{ name: 'ann' }] });
    expect((await ask('/api/v1/tokens')).status).toBe(403);
    expect((await ask('/api/v1/tokens', 'admin')).body).toEqual({ tokens: [{ name: 'ann' }] });
  });
});

describe('one thing', () => {
  it.each([
    ['/api/v1/why/nows', 'no such channel as \\"nows\\": did you mean news? (reeve status lists them)'],
    ['/api/v1/prompt/nows', 'did you mean news?'],
    ['/api/v1/why-not/nows/restart_channel', 'did you mean news?'],
    ['/api/v1/why-not/news/restart', 'no such tool as'],
    ['/api/v1/incidents?channel=nows', 'did you mean news?'],
    ['/api/v1/incidents/inc-9', 'incident'],
    ['/api/v1/incidents/inc-9/export', 'incident'],
  ])('that there is not is 404 and named: %s', async (path, what) => {
    const { status, body } = await (await asking({ channels: () => [{ id: 'news' }] }))(path);
    expect(status).toBe(404);
    expect(JSON.stringify(body)).toContain(what);
  });

  it('of a channel that left the configuration, or had no incident, is a list', async () => {
    const [known, left] = [{ channels: () => [{ id: 'news' }] }, { incidents: () => [{ id: 'inc-1' }] }];
    expect((await (await asking(known))('/api/v1/incidents?channel=news')).body).toEqual({ incidents: [] });
    expect((await (await asking(left))('/api/v1/incidents?channel=old')).body).toEqual({
      incidents: [{ id: 'inc-1' }],
    });
  });

  it('is asked for by its name as it stands in the path', async () => {
    const ask = await asking({ whyNot: (channel, tool) => ({ channel, tool }) });
    expect((await ask('/api/v1/why-not/ch%2Fone/restart_channel')).body).toEqual({
      ...{ channel: 'ch/one', tool: 'restart_channel' },
    });
  });
});
