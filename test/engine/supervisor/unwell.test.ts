import { describe, expect, it } from 'vitest';
import { supervisorDocument } from '../../../src/engine/supervisor/schema.ts';
import type { ReeveError } from '../../../src/core/errors.ts';
import { SupervisorEngine } from '../../../src/engine/supervisor/engine.ts';
import { aContext, deadlinesFor, engineParts } from '../../support/engine_parts.ts';
import { fakeClock } from '../../support/fake_clock.ts';
import { closeServersAfterAll, HOSTILE, serve } from '../../support/servers.ts';

closeServersAfterAll();
const never = new AbortController().signal;

const value = (of: unknown): string => {
  if (typeof of === 'number') return `<value><int>${of}</int></value>`;
  if (typeof of === 'boolean') return `<value><boolean>${of ? 1 : 0}</boolean></value>`;
  if (typeof of === 'string') return `<value><string>${of}</string></value>`;
  if (Array.isArray(of)) return `<value><array><data>${of.map(value).join('')}</data></array></value>`;
  const members = Object.entries(of as object).map(
    ([name, member]) => `<member><name>${name}</name>${value(member)}</member>`,
  );
  return `<value><struct>${members.join('')}</struct></value>`;
};
const answer = (of: unknown) => `<methodResponse><params><param>${value(of)}</param></params></methodResponse>`;
const fault = (faultCode: number, faultString: string) =>
  `<methodResponse><fault>${value({ faultCode, faultString })}</fault></methodResponse>`;

const info = (fields: object = {}) => ({
  name: 'news',
  group: 'news',
  start: 1_000,
  stop: 0,
  now: 1_010,
  state: 20,
  spawnerr: '',
  exitstatus: 0,
  pid: 77,
  ...fields,
});

/** A supervisord that follows a script: method → answers, in order; the last one repeats. */
async function scripted(script: Record<string, readonly (string | 'hang up')[]>) {
  const calls: string[] = [];
  const url = await serve(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString();
    const method = /<methodName>supervisor\.(\w+)</.exec(body)![1]!;
    const answers = script[method] ?? [fault(1, 'UNKNOWN_METHOD')];
    const turn = answers[Math.min(calls.filter((call) => call === method).length, answers.length - 1)]!;
    calls.push(method);
    if (turn === 'hang up') request.socket.destroy();
    else response.end(turn);
  });
  return { url, calls };
}

function engineAt(url: string, options: Record<string, unknown> = {}, parts = engineParts()) {
  const document = supervisorDocument.parse({ id: 'local', kind: 'supervisor', url, local: false, ...options });
  return new SupervisorEngine({ document, channels: [{ id: 'news', name: 'news' }], parts });
}
const outcome = (call: Promise<unknown>) => call.catch((error: unknown) => error as ReeveError);

describe('an engine that is unwell', () => {
  it.each(Object.entries(HOSTILE))(
    'that %s is a typed failure, and nothing is known of its channels',
    async (_, { start, failure }) => {
      const url = await start();
      const engine = () => engineAt(url, {}, engineParts(deadlinesFor(failure)));
      const report = await engine().observe(never);
      expect(report).toMatchObject({
        engine: { ok: false, failure },
        processes: [],
        viewers: [],
        credential: undefined,
      });
      expect(await outcome(engine().restart('news', aContext()))).toHaveProperty('code');
    },
  );

  it('whose list has another shape is not believed', async () => {
    for (const strange of [{}, [{ name: 'news' }], [info({ pid: -1 })], [info({ state: 'RUNNING' })], 'news']) {
      const { url } = await scripted({ getAllProcessInfo: [answer(strange)] });
      expect(await engineAt(url).observe(never)).toMatchObject({ engine: { ok: false, failure: 'invalid_answer' } });
    }
  });

  it('with an undocumented state is unknown, not healthy', async () => {
    const { url } = await scripted({ getAllProcessInfo: [answer([info({ state: 77 })])] });
    expect((await engineAt(url).observe(never)).processes[0]).toMatchObject({
      state: 'unknown',
      stoppedOnPurpose: false,
    });
  });
});

describe('a restart', () => {
  it('that finds its channel started by another client says so and does not stop it again', async () => {
    const { url, calls } = await scripted({
      getProcessInfo: [answer(info())],
      stopProcess: [answer(true)],
      startProcess: [fault(60, 'ALREADY_STARTED: news')],
    });
    const refused = await outcome(engineAt(url).restart('news', aContext()));
    expect(refused).toMatchObject({ code: 'ENGINE_REFUSED', message: expect.stringContaining('another party') });
    expect(calls).toEqual(['getProcessInfo', 'stopProcess', 'startProcess']);
  });

  it('of a channel that ends by itself before the stop still starts it', async () => {
    const { url, calls } = await scripted({
      getProcessInfo: [answer(info())],
      stopProcess: [fault(70, 'NOT_RUNNING: news')],
      startProcess: [answer(true)],
    });
    expect(await engineAt(url).restart('news', aContext())).toBe(
      'news:news stopped (it was running, pid 77) and started',
    );
    expect(calls).toEqual(['getProcessInfo', 'stopProcess', 'startProcess']);
  });

  it('whose stop fails does not start', async () => {
    const { url, calls } = await scripted({
      getProcessInfo: [answer(info())],
      stopProcess: [fault(30, 'FAILED: news')],
    });
    expect(await outcome(engineAt(url).restart('news', aContext()))).toMatchObject({ code: 'ENGINE_REFUSED' });
    expect(calls).toEqual(['getProcessInfo', 'stopProcess']);
  });

  it('is never asked for twice, even when the connection breaks', async () => {
    const { url, calls } = await scripted({
      getProcessInfo: [answer(info({ state: 200, pid: 0 }))],
      startProcess: ['hang up'],
    });
    expect(await outcome(engineAt(url).restart('news', aContext()))).toMatchObject({ code: 'ENGINE_UNREACHABLE' });
    expect(calls).toEqual(['getProcessInfo', 'startProcess']);
  });

  it.each([
    [10, 'starting'],
    [40, 'stopping'],
    [1_000, 'unknown'],
  ])('of a channel in state %i (%s) is left to the client that is changing it', async (state, name) => {
    const { url, calls } = await scripted({ getProcessInfo: [answer(info({ state }))] });
    const refused = await outcome(engineAt(url).restart('news', aContext()));
    expect(refused).toMatchObject({ code: 'ENGINE_REFUSED', message: expect.stringContaining(`news:news is ${name}`) });
    expect(calls).toEqual(['getProcessInfo']);
  });

  it('runs once per permit, and not behind a newer fence', async () => {
    const { url, calls } = await scripted({
      getProcessInfo: [answer(info({ state: 100, pid: 0 }))],
      startProcess: [answer(true)],
    });
    const engine = engineAt(url);
    await engine.restart('news', { ...aContext(), permit: 'per-a', fence: 5 });
    for (const context of [
      { ...aContext(), permit: 'per-a', fence: 6 },
      { ...aContext(), permit: 'per-b', fence: 4 },
    ]) {
      expect(await outcome(engine.restart('news', context))).toMatchObject({ code: 'ENGINE_REFUSED' });
    }
    expect(calls.filter((call) => call === 'startProcess')).toHaveLength(1);
    await engine.restart('news', { ...aContext(), permit: 'per-c', fence: 5 });
    expect(calls.filter((call) => call === 'startProcess')).toHaveLength(2);
  });
});

describe('time', () => {
  it('that is set while a process generations changes neither its generation nor its age', async () => {
    const { clock, advance, jumpWall } = fakeClock();
    const { url } = await scripted({
      getAllProcessInfo: [
        answer([info({ start: 1_000, now: 1_010 })]),
        answer([info({ start: 4_000, now: 4_001 })]),
        answer([info({ start: 4_000, now: 9_000, pid: 78 })]),
      ],
    });
    const engine = engineAt(url, {}, engineParts({ clock }));
    const look = async () => (await engine.observe(never)).processes[0];
    expect(await look()).toMatchObject({ generation: '77:1000', uptimeMs: 10_000 });
    await advance(1_000);
    jumpWall(3_600_000);
    expect(await look()).toMatchObject({ generation: '77:1000', uptimeMs: 11_000 });
    expect(await look()).toMatchObject({ generation: '78:4000', uptimeMs: 5_000_000 });
  });
});
