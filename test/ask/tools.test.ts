import { describe, expect, it } from 'vitest';
import type { ToolArgs } from '../../src/ask/tool.ts';
import { toolsOver } from '../../src/ask/tools.ts';

const incident = (id: string) => ({
  ...{ id, scope: 'channel:news', classification: 'process_crashed', state: 'closed', because: null },
  ...{ ending: 'resolved', open_ms: 9_000, opened_at: 0 },
});
const channel = (id: string) => ({
  ...{ id, engine: 'local', healthy: true, classification: null, because: 'it plays', restart_count: 0 },
  ...{ breaker: 'closed', pool_pressure: 0.5 },
});
const STATUS = {
  ...{ phase: 2, frozen: false, problems: [], containment: [], incidents: [], approvals: [] },
  channels: [channel('news')],
};
const story = (id: string) => ({
  ...incident(id),
  entries: [{ seq: 7, after_ms: 1_000, fact: { type: 'symptom.raised', symptom: { evidence: [] } } }],
});
const advice = { incident: null, verdict: 'allow', code: null, because: 'nothing speaks against it', flips: [] };

/** The tools over a daemon that answers these paths, and the paths that were read. */
function tools(answers: Readonly<Record<string, unknown>> = {}) {
  const read: string[] = [];
  const all: Readonly<Record<string, unknown>> = {
    '/api/v1/channels': { channels: [channel('news'), channel('Sport.HD')] },
    '/api/v1/status': STATUS,
    ...answers,
  };
  const get = async <T>(path: string): Promise<T> => {
    read.push(path);
    if (!Object.hasOwn(all, path)) throw new Error(`nothing at ${path}`);
    return all[path] as T;
  };
  const byName = toolsOver({ get, tell: (fact) => (fact as { type: string }).type });
  const run = async (name: string, args: ToolArgs = {}) => (await byName.get(name)!.run(args)).map(({ id }) => id);
  return { byName, run, read: () => read.filter((path) => path !== '/api/v1/channels') };
}

describe('what can be looked up', () => {
  it('reads with one grant each, but for the echo, which looks nothing up', async () => {
    const { byName, run, read } = tools();
    for (const { name, requiredPermissions } of byName.values())
      expect(requiredPermissions, name).toHaveLength(name === 'echo' ? 0 : 1);
    expect(await run('echo', { text: 'a' })).toEqual(['echo:text']);
    expect(read()).toEqual([]);
  });
});

describe('a question', () => {
  const argsOf = (prompt: string) => tools().byName.get('why')!.extractArgs(prompt);

  it('says which incident, channel and tool it is about', () => {
    expect(argsOf('why did inc-7f not restart_channel channel:news?')).toEqual({
      ...{ question: 'why did inc-7f not restart_channel channel:news?', incident: 'inc-7f' },
      ...{ channel: 'news', tool: 'restart_channel' },
    });
    expect(argsOf('why?')).toEqual({ question: 'why?' });
  });

  it('is kept to its first 500 characters', () => {
    expect(argsOf('x'.repeat(501)).question).toHaveLength(500);
  });
});

describe('a channel', () => {
  it('is the one that is given, else the ones that the question names as whole words, in any case', async () => {
    const { run } = tools();
    expect(await run('health', { channel: 'news', question: 'sport.hd?' })).toEqual(['channel:news']);
    expect(await run('health', { question: 'how is sport.hd now?' })).toEqual(['channel:Sport.HD']);
    expect(await run('health', { question: 'any newsroom?' })).toEqual(['channel:news', 'channel:Sport.HD']);
    expect(await run('health')).toEqual(['channel:news', 'channel:Sport.HD']);
  });

  it('must be named where a decision about one is asked for', async () => {
    const { run, read } = tools({ '/api/v1/why/news': advice });
    expect(await run('why', { question: 'why is news down?' })).toEqual(['channel:news']);
    await expect(run('why', { question: 'why?' })).rejects.toThrow('no configured channel is named');
    expect(read()).toEqual(['/api/v1/why/news']);
  });

  it('is asked about with the tool that is named, a restart where none is', async () => {
    const paths = ['/api/v1/why-not/news/restart_channel', '/api/v1/why-not/news/rebuild_playout'];
    const { run, read } = tools(Object.fromEntries(paths.map((path) => [path, advice])));
    await run('why-not', { channel: 'news' });
    await run('why-not', { channel: 'news', tool: 'rebuild_playout' });
    expect(read()).toEqual(paths);
  });

  it('cannot lead to another path by its name', async () => {
    const { run, read } = tools();
    await expect(run('why', { channel: '../status?x' })).rejects.toThrow('nothing at');
    expect(read()).toEqual(['/api/v1/why/..%2Fstatus%3Fx']);
  });
});

describe('incidents', () => {
  it('are the newest ten of all, or as many as are asked for of the channel that is named', async () => {
    const [all, few] = ['/api/v1/incidents?limit=10', '/api/v1/incidents?limit=3&channel=news'];
    const { run, read } = tools({ [all]: { incidents: [incident('inc-1')] }, [few]: { incidents: [] } });
    expect(await run('incidents')).toEqual(['inc-1']);
    expect(await run('incidents', { limit: '3', question: 'what happened to news?' })).toEqual([]);
    expect(read()).toEqual([all, few]);
  });

  it.each(['trace', 'logs'])(
    'for %s are the one that is given, else the newest of the channel, else of all',
    async (name) => {
      const [ofNews, ofAll] = ['/api/v1/incidents?limit=1&channel=news', '/api/v1/incidents?limit=1'];
      const { run } = tools({
        [ofNews]: { incidents: [incident('inc-2')] },
        [ofAll]: { incidents: [incident('inc-3')] },
        ...Object.fromEntries(['inc-1', 'inc-2', 'inc-3'].map((id) => [`/api/v1/incidents/${id}`, story(id)])),
      });
      expect(await run(name, { incident: 'inc-1', channel: 'news' })).toEqual(['inc-1']);
      expect(await run(name, { channel: 'news' })).toEqual(['inc-2']);
      expect(await run(name)).toEqual(['inc-3']);
    },
  );

  it('that are not there are an error that names the channel', async () => {
    const none = { incidents: [] };
    const { run } = tools({ '/api/v1/incidents?limit=1&channel=news': none, '/api/v1/incidents?limit=1': none });
    await expect(run('trace', { channel: 'news' })).rejects.toThrow(/^there is no incident on news$/);
    await expect(run('trace')).rejects.toThrow(/^there is no incident$/);
  });
});

describe('what was learned', () => {
  it('is the ten strongest of what is active, about a concept where one is given', async () => {
    const path = '/api/v1/insights?state=1&limit=10';
    const { run, read } = tools({ [path]: { insights: [] }, [`${path}&concept=http_403`]: { insights: [] } });
    await run('insights');
    await run('insights', { concept: 'http_403' });
    expect(read()).toEqual([path, `${path}&concept=http_403`]);
  });

  it('is recalled for the whole question', async () => {
    const path = '/api/v1/memory/probe?question=ever+%26+before%3F';
    const { run } = tools({ [path]: { recalled: [{ id: 'ins-1', text: 'a restart helped' }] } });
    expect(await run('memory', { question: 'ever & before?' })).toEqual(['ins-1']);
  });
});

describe('the state of all', () => {
  it('is read once for its overview and once for its pools', async () => {
    const { run, read } = tools();
    expect(await run('status')).toEqual(['fleet:status', 'channel:news']);
    expect(await run('pool')).toEqual(['engine:local']);
    expect(read()).toEqual(['/api/v1/status', '/api/v1/status']);
  });
});
