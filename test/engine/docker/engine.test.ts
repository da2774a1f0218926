import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { ReeveError } from '../../../src/core/errors.ts';
import { DockerEngine } from '../../../src/engine/docker/engine.ts';
import { textOfLog } from '../../../src/engine/docker/log_stream.ts';
import { dockerDocument } from '../../../src/engine/docker/schema.ts';
import { aContext, engineParts } from '../../support/engine_parts.ts';
import { dockerDaemon, frame, RUNNING, type State } from './daemon.ts';

const never = new AbortController().signal;

const outcome = (call: Promise<unknown>) => call.catch((error: unknown) => error as ReeveError);

interface Setup {
  readonly document?: object;
  readonly names?: readonly string[];
  readonly timeoutMs?: number;
  readonly changeMs?: number;
  readonly daemon?: { readonly apiVersion?: string; readonly minApiVersion?: string };
}

async function setUp({ document, names = ['news'], daemon: versions, ...deadlines }: Setup = {}) {
  const daemon = await dockerDaemon(versions);
  const read = dockerDocument.parse({ id: 'boxes', kind: 'docker', socket: daemon.socket, ...document });
  const channels = names.map((name) => ({ id: name, name }));
  const engine = new DockerEngine({ document: read, channels, parts: engineParts(deadlines) });
  const look = async () => (await engine.observe(never)).processes;
  const restarts = () => daemon.requests.filter((request) => request.includes('/restart'));
  return { daemon, engine, look, restarts };
}

const EXITED = { ...RUNNING, Status: 'exited', Running: false, Pid: 0 };

describe('a container', () => {
  it('that runs has its pid, and its id and start as generation', async () => {
    const { daemon, look } = await setUp();
    const { id } = daemon.container('news');
    expect(await look()).toMatchObject([
      {
        channel: 'news',
        state: 'running',
        pid: 4242,
        generation: `${id.slice(0, 12)}@2026-11-23T12:00:00.123456789Z`,
        uptimeMs: expect.any(Number),
        stoppedOnPurpose: false,
      },
    ]);
  });

  it.each<[string, State, { Name: string; MaximumRetryCount?: number }, object]>([
    [
      'is checked for the first time',
      { ...RUNNING, Health: { Status: 'starting' } },
      { Name: 'no' },
      { state: 'starting' },
    ],
    ['fails its health check', { ...RUNNING, Health: { Status: 'unhealthy' } }, { Name: 'no' }, { state: 'running' }],
    ['is paused', { ...RUNNING, Status: 'paused', Paused: true }, { Name: 'no' }, { state: 'running', halted: true }],
    [
      'is restarted by Docker',
      { ...RUNNING, Status: 'restarting', Restarting: true, Pid: 0 },
      { Name: 'always' },
      { state: 'backoff' },
    ],
    [
      'was only created',
      { ...EXITED, Status: 'created', StartedAt: '0001-01-01T00:00:00Z' },
      { Name: 'always' },
      { state: 'stopped', stoppedOnPurpose: true, generation: undefined },
    ],
    [
      'could not be started the first time',
      { ...EXITED, Status: 'created', StartedAt: '0001-01-01T00:00:00Z', ExitCode: 128, Error: 'port is in use' },
      { Name: 'unless-stopped' },
      { state: 'exited', exitCode: 128, stoppedOnPurpose: false, generation: undefined },
    ],
    ['is removed', { ...EXITED, Status: 'removing' }, { Name: 'no' }, { state: 'stopping' }],
    ['is dead', { ...EXITED, Status: 'dead', Dead: true }, { Name: 'no' }, { state: 'fatal', stoppedOnPurpose: false }],
    [
      'would have come back, so somebody stopped it',
      { ...EXITED, ExitCode: 255 },
      { Name: 'unless-stopped' },
      { state: 'stopped', stoppedOnPurpose: true },
    ],
    [
      'crashed and is not started again',
      { ...EXITED, ExitCode: 1 },
      { Name: 'no' },
      { state: 'exited', exitCode: 1, stoppedOnPurpose: false },
    ],
    [
      'was ended by the signals of docker stop',
      { ...EXITED, ExitCode: 143 },
      { Name: 'no' },
      { state: 'stopped', stoppedOnPurpose: true },
    ],
    [
      'was killed for want of memory',
      { ...EXITED, ExitCode: 137, OOMKilled: true },
      { Name: 'always' },
      { state: 'exited', exitSignal: 9, stoppedOnPurpose: false },
    ],
    [
      'could not be started',
      { ...EXITED, ExitCode: 128, Error: 'port is already allocated' },
      { Name: 'always' },
      { state: 'exited', stoppedOnPurpose: false },
    ],
    ['contradicts itself: running and not', { ...RUNNING, Running: false }, { Name: 'no' }, { state: 'unknown' }],
    ['contradicts itself: running without a process', { ...RUNNING, Pid: 0 }, { Name: 'no' }, { state: 'unknown' }],
    ['contradicts itself: exited and running', { ...EXITED, Running: true }, { Name: 'no' }, { state: 'unknown' }],
    ['is in a state of the future', { ...RUNNING, Status: 'dreaming' }, { Name: 'no' }, { state: 'unknown' }],
  ])('that %s is reported as that', async (_, state, policy, expected) => {
    const { daemon, look } = await setUp();
    daemon.container('news', { state, policy });
    expect(await look()).toMatchObject([expected]);
  });

  it('that Docker has started as often as its policy lets it is given up', async () => {
    const { daemon, look } = await setUp();
    const policy = { Name: 'on-failure', MaximumRetryCount: 3 };
    const box = daemon.container('news', { state: { ...EXITED, ExitCode: 1 }, policy, restarts: 2 });
    expect((await look()).at(-1)).toMatchObject({ state: 'stopped' });
    box.restarts = 3;
    expect((await look()).at(-1)).toMatchObject({ state: 'fatal', exitCode: 1, stoppedOnPurpose: false });
  });

  it('that does not exist is unknown, and the others are reported all the same', async () => {
    const { daemon, look } = await setUp({ names: ['gone', 'news'] });
    daemon.container('news');
    expect((await look()).map(({ state }) => state)).toEqual(['unknown', 'running']);
  });

  it('that does not exist is not one whose id begins like its name, and that one is left alone', async () => {
    const { daemon, engine, look, restarts } = await setUp({ names: ['6f7', 'news'] });
    daemon.container('news');
    expect(daemon.container('other').id).toMatch(/^6f7/);
    expect((await look()).map(({ state }) => state)).toEqual(['unknown', 'running']);
    expect(await outcome(engine.restart('6f7', aContext()))).toMatchObject({ code: 'ENGINE_REFUSED' });
    expect(restarts()).toEqual([]);
  });

  it('that Docker restarts after a while is one start, though Docker counts it when it decides on it', async () => {
    const { daemon, look } = await setUp();
    const box = daemon.container('news');
    const died = { Status: 'restarting', Restarting: true, Pid: 0 };
    const seen = async (state: State, restarts: number) => {
      Object.assign(box, { state, restarts });
      return (await look()).map((sample) => sample.state);
    };
    expect(await seen(RUNNING, 0)).toEqual(['running']);
    expect(await seen({ ...RUNNING, ...died }, 1)).toEqual(['backoff']);
    const second = { ...RUNNING, StartedAt: '2026-11-23T12:30:00Z' };
    expect(await seen(second, 1)).toEqual(['running']);
    // The third came and went between two looks, and the fourth is to come.
    expect(await seen({ ...RUNNING, StartedAt: '2026-11-23T12:31:00Z', ...died }, 3)).toEqual(['backoff']);
    expect(await seen({ ...RUNNING, StartedAt: '2026-11-23T12:32:00Z' }, 3)).toEqual(['running']);
  });

  it('that Docker restarted twice within one look counts as two starts', async () => {
    const { daemon, look } = await setUp();
    const box = daemon.container('news');
    await look();
    box.restarts = 2;
    box.state = { ...RUNNING, StartedAt: '2026-11-23T12:30:00Z' };
    expect((await look()).map(({ state }) => state)).toEqual(['exited', 'running']);
  });
});

describe('a look at one container alone', () => {
  it('inspects that one and tells what the list tells of it', async () => {
    const { daemon, engine, look } = await setUp({ names: ['news', 'sport'] });
    daemon.container('news', { state: { ...EXITED, ExitCode: 1 }, policy: { Name: 'no' } });
    daemon.container('sport');
    const [listed] = await look();
    const before = daemon.requests.length;
    const [alone, ...more] = await engine.observeChannel('news', never);
    expect(daemon.requests.slice(before).map((request) => request.replace(/v[\d.]+\//, ''))).toEqual([
      'GET /containers/news/json',
    ]);
    expect([alone, more]).toEqual([{ ...listed!, at: alone!.at, monoMs: alone!.monoMs }, []]);
  });

  it('is of an unknown state where Docker has none of that name', async () => {
    const { engine } = await setUp();
    expect(await engine.observeChannel('news', never)).toMatchObject([{ channel: 'news', state: 'unknown' }]);
  });
});

describe('the daemon', () => {
  it.each([
    ['1.50', '1.24', '1.44'],
    ['1.41', '1.12', '1.41'],
    ['1.9', '1.2', undefined],
    ['1.60', '1.45', undefined],
  ])('of API %s, which takes %s and newer, is asked with %s', async (apiVersion, minApiVersion, chosen) => {
    const { daemon, engine } = await setUp({ daemon: { apiVersion, minApiVersion } });
    daemon.container('news');
    const { engine: sample } = await engine.observe(never);
    expect(sample.ok).toBe(chosen !== undefined);
    const asked = chosen === undefined ? [] : [`GET /v${chosen}/containers/news/json`];
    expect(daemon.requests).toEqual(['GET /version', ...asked]);
  });

  it('is asked for its version again after it failed, for it may be another one', async () => {
    const { daemon, look, engine } = await setUp();
    daemon.container('news');
    await look();
    daemon.lie = (_, response) => response.writeHead(500).end('{}') !== undefined;
    expect((await engine.observe(never)).engine).toMatchObject({ ok: false, failure: 'http_status' });
    daemon.lie = undefined;
    await look();
    expect(daemon.requests.filter((request) => request === 'GET /version')).toHaveLength(2);
  });

  it.each<[string, string, (response: import('node:http').ServerResponse) => unknown]>([
    ['answers 503', 'http_status', (response) => response.writeHead(503).end()],
    ['answers HTML', 'invalid_answer', (response) => response.end('<html>')],
    ['answers an empty object', 'invalid_answer', (response) => response.end('{}')],
    ['ends in the middle', 'truncated', (response) => response.writeHead(200, { 'content-length': 99 }).end('{"Id"')],
    ['hangs up', 'reset', (response) => response.socket?.destroy()],
    ['is endless', 'too_large', (response) => response.end(' '.repeat(2 << 20))],
  ])('that %s is an engine that is not well', async (_, failure, lie) => {
    const { daemon, engine } = await setUp();
    daemon.container('news');
    daemon.lie = (request, response) => {
      if (request.url === '/version') return false;
      lie(response);
      return true;
    };
    expect(await engine.observe(never)).toMatchObject({ engine: { ok: false, failure }, processes: [] });
  });

  it('that answers about another container is not believed', async () => {
    const { daemon, engine } = await setUp();
    daemon.lie = (request, response) => {
      if (request.url === '/version') return false;
      response.end(JSON.stringify({ Id: 'a'.repeat(64), Name: '/sport', State: RUNNING }));
      return true;
    };
    expect(await engine.observe(never)).toMatchObject({ engine: { ok: false, failure: 'invalid_answer' } });
  });

  it('that never answers is given up', async () => {
    const { daemon, engine } = await setUp({ timeoutMs: 300 });
    daemon.lie = () => true;
    expect(await engine.observe(never)).toMatchObject({ engine: { ok: false, failure: 'timeout' } });
  });

  it('that is not there cannot be reached', async () => {
    const { engine } = await setUp({ document: { socket: '/nowhere/docker.sock' } });
    expect(await engine.observe(never)).toMatchObject({ engine: { ok: false, failure: 'refused' } });
  });
});

describe('a restart', () => {
  it('names the container by its id, gives it time to stop, and begins a new generation', async () => {
    const { daemon, engine, look, restarts } = await setUp({ document: { stop_timeout: '25s' } });
    const box = daemon.container('news');
    daemon.onRestart = (one) => {
      one.state = { ...RUNNING, Pid: 4300, StartedAt: '2026-11-23T13:00:00Z' };
    };
    const before = (await look())[0]!.generation;
    expect(await engine.restart('news', aContext())).toBe(
      `news restarted (it was running, container ${box.id.slice(0, 12)})`,
    );
    expect(restarts()).toEqual([`POST /v1.44/containers/${box.id}/restart?t=25`]);
    expect((await look())[0]!.generation).not.toBe(before);
  });

  it('with one permit is done once, also when its answer is lost', async () => {
    const { daemon, engine, restarts } = await setUp();
    daemon.container('news');
    daemon.lie = (request, response) => {
      if (request.method !== 'POST') return false;
      response.socket?.destroy();
      return true;
    };
    const context = aContext();
    expect(await outcome(engine.restart('news', context))).toMatchObject({ code: 'ENGINE_UNREACHABLE' });
    expect(await outcome(engine.restart('news', context))).toMatchObject({ code: 'ENGINE_REFUSED' });
    expect(restarts()).toHaveLength(1);
  });

  it.each<[string, State]>([
    ['is paused', { ...RUNNING, Status: 'paused', Paused: true }],
    ['is removed', { ...EXITED, Status: 'removing' }],
    ['contradicts itself', { ...RUNNING, Running: false }],
  ])('of a container that %s is refused, and nothing is changed', async (_, state) => {
    const { daemon, engine, restarts } = await setUp();
    daemon.container('news', { state });
    expect(await outcome(engine.restart('news', aContext()))).toMatchObject({ code: 'ENGINE_REFUSED' });
    expect(restarts()).toEqual([]);
  });

  it('of a container that does not exist is refused', async () => {
    const { engine } = await setUp();
    expect(await outcome(engine.restart('news', aContext()))).toMatchObject({ code: 'ENGINE_REFUSED', status: 404 });
  });

  it('that leaves the container stopped leaves nothing that looks meant, until it runs again', async () => {
    const { daemon, engine, look } = await setUp();
    const box = daemon.container('news');
    daemon.lie = (request, response) => {
      if (request.method !== 'POST') return false;
      box.state = { ...EXITED, ExitCode: 143 };
      response.writeHead(500).end('{"message":"cannot start: no space left on device"}');
      return true;
    };
    expect(await outcome(engine.restart('news', aContext()))).toMatchObject({ code: 'ENGINE_UNREACHABLE' });
    daemon.lie = undefined;
    expect(await look()).toMatchObject([{ state: 'stopped', stoppedOnPurpose: false }]);
    box.state = RUNNING;
    expect(await look()).toMatchObject([{ state: 'running' }]);
    box.state = { ...EXITED, ExitCode: 143 };
    expect(await look()).toMatchObject([{ state: 'stopped', stoppedOnPurpose: true }]);
  });

  it('that takes longer than it may ends with its deadline', async () => {
    const { daemon, engine } = await setUp({ changeMs: 300 });
    daemon.container('news');
    daemon.lie = (request) => request.method === 'POST';
    expect(await outcome(engine.restart('news', aContext()))).toMatchObject({ code: 'TIMED_OUT' });
  });
});

describe('the log of a container', () => {
  it('is both streams in their order, without the frames', async () => {
    const { daemon, engine } = await setUp();
    daemon.container('news', { log: Buffer.concat([frame(1, 'out\n'), frame(2, 'err\n'), frame(1, 'end\n')]) });
    expect(await engine.recentLogs('news', 1_000, never)).toBe('out\nerr\nend\n');
    expect(daemon.requests.at(-1)).toBe('GET /v1.44/containers/news/logs?stdout=1&stderr=1&timestamps=1&tail=400');
  });

  it('of a terminal is its bytes', async () => {
    const { daemon, engine } = await setUp();
    daemon.container('news', { log: Buffer.from('plain\n'), tty: true });
    expect(await engine.recentLogs('news', 1_000, never)).toBe('plain\n');
  });

  it('is cut to whole lines from its end', async () => {
    const { daemon, engine } = await setUp();
    const lines = Array.from({ length: 100 }, (_, index) => frame(2, `line ${index}\n`));
    daemon.container('news', { log: Buffer.concat(lines) });
    expect(await engine.recentLogs('news', 20, never)).toBe('line 98\nline 99\n');
  });

  it('that is cut off in a frame or is none is given as far as it goes', () => {
    const whole = Buffer.concat([frame(1, 'one\n'), frame(1, 'two\n')]);
    expect(textOfLog(whole.subarray(0, whole.length - 2), false)).toBe('one\ntw');
    expect(textOfLog(whole.subarray(0, 15), false)).toBe('one\n');
    expect(textOfLog(Buffer.concat([frame(1, 'one\n'), Buffer.from('no frame at all')]), false)).toBe('one\n');
    expect(textOfLog(Buffer.alloc(0), false)).toBe('');
  });
});

describe.skipIf(!existsSync('/var/run/docker.sock'))('the real Docker', () => {
  it('negotiates a version and knows no container of this name', async () => {
    const document = dockerDocument.parse({ id: 'boxes', kind: 'docker' });
    const channels = [{ id: 'none', name: 'reeve-no-such-container' }];
    const engine = new DockerEngine({ document, channels, parts: engineParts() });
    const report = await engine.observe(never);
    expect(report).toMatchObject({ engine: { ok: true }, processes: [{ state: 'unknown' }] });
  });
});
