import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { CommandAnswer } from '../../src/core/command_answer.ts';
import { ReeveError } from '../../src/core/errors.ts';
import type { Command, Daemon } from '../../src/http/daemon.ts';
import { type Script, scriptedModel } from '../support/scripted_model.ts';
import { aDaemon, served } from './support.ts';

const NEWS = {
  ...{ id: 'news', healthy: false, classification: 'process_crashed', because: 'its process died' },
  ...{ restartCount: 0, breaker: 'closed' },
};
const INCIDENT = {
  ...{ id: 'inc-1', scope: 'channel:news', classification: 'process_crashed', state: 'escalated' },
  ...{ because: 'no rule fits', ending: null, openMs: 5_000 },
};
const BEGUN: CommandAnswer = { ok: true, said: 'trn-1', more: { turn: 'trn-1', recalled: [] } };

interface Given {
  readonly script?: Script;
  readonly command?: (command: Command) => CommandAnswer;
  readonly with_?: Partial<Daemon>;
}

/** A daemon that answers questions, with a model where there is a script; and what it was ordered. */
async function asking({ script, command = () => BEGUN, with_ }: Given = {}) {
  const model = script && scriptedModel(script);
  const orders: Command[] = [];
  const { daemon } = aDaemon({
    channels: () => [NEWS],
    incidents: () => [INCIDENT],
    command: async (order) => {
      orders.push(order);
      return command(order);
    },
    asking: { model, tell: () => undefined, uuid: randomUUID },
    ...with_,
  });
  const { server, ask } = await served(daemon);
  const post = async (body: unknown, scope = 'ack') => {
    const answer = await ask('/api/v1/ask', { method: 'POST', scope, body: JSON.stringify(body) });
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  };
  return { server, ask, post, orders, model };
}

describe('a question over HTTP', () => {
  it('is answered from data where no model is configured, by a tool that its words choose', async () => {
    const { server, post } = await asking();
    await using _ = server;
    expect(await post({ question: 'how is news?', grants: ['read'] })).toEqual({
      status: 200,
      body: {
        ...{ content: expect.stringMatching(/^\[channel:news\] channel news is NOT healthy/), model_id: 'none' },
        ...{ id: expect.any(String), timestamp: expect.any(Number), metadata: {}, cites: ['channel:news'], uncited: 0 },
        tool_results: [{ tool_name: 'health', status: 'ok', metadata: expect.anything() }],
        routing: expect.objectContaining({ target: 'health', confidence: 0.8 }),
      },
    });
  });

  it('is answered by the configured model, from what was looked up, and each sentence is checked', async () => {
    const { server, post, model } = await asking({ script: () => 'It ended [inc-1]. It was the power [inc-9].' });
    await using _ = server;
    const { status, body } = await post({ question: 'and?', tool: 'incidents', grants: ['incidents-read'] });
    expect([status, body.content, body.cites, body.uncited]).toEqual([
      ...[200, 'It ended [inc-1]. It was the power (no such id). [uncited]', ['inc-1'], 1],
    ]);
    expect(model?.asked).toHaveLength(1);
    expect(model?.asked[0]?.messages[1]?.content).toContain('[inc-1] process_crashed on channel:news');
  });

  it('looks nothing up that was not granted, and says which grant it needs', async () => {
    const { server, post, orders, model } = await asking({ script: () => 'Yes.' });
    await using _ = server;
    const message = 'logs needs logs-read: name it in grants, or read for all of them';
    expect(await post({ question: 'show me the log lines of news' })).toEqual({
      status: 403,
      body: { error: 'forbidden', message },
    });
    expect([orders, model?.asked]).toEqual([[], []]);
  });

  it('reads with the token of whoever asks, through every check of the API', async () => {
    const { server, ask } = await asking();
    await using _ = server;
    const body = JSON.stringify({ question: 'how is news?', grants: ['read'] });
    const statusFor = async (scope: string | undefined) =>
      (await ask('/api/v1/ask', { method: 'POST', ...(scope && { scope }), body })).status;
    expect(await Promise.all([undefined, 'ingest', 'metrics', 'hints', 'read'].map(statusFor))).toEqual([
      ...[401, 403, 403, 403, 403],
    ]);
    expect(await Promise.all(['ack', 'operate', 'admin'].map(statusFor))).toEqual([200, 200, 200]);
  });

  it('is recorded with its answer under the name of the token, and answered where it cannot be', async () => {
    const { server, post, orders } = await asking({ script: () => 'It ended [inc-1].' });
    await using _ = server;
    await post({ question: 'and?', tool: 'incidents', grants: ['read'] });
    expect(orders.map(({ name, who, fields }) => [name, who, fields])).toEqual([
      ['ask_begin', 'ack', { question: 'and?' }],
      [
        'ask_end',
        'ack',
        { turn: 'trn-1', text: 'It ended [inc-1].', cites: ['inc-1'], model: 'scripted', ok: true, evicted: [] },
      ],
    ]);
    const deaf = await asking({
      command: () => {
        throw new ReeveError('JOURNAL_UNWRITABLE', 'the disk is full');
      },
    });
    await using __ = deaf.server;
    expect(await deaf.post({ question: 'how is news?', grants: ['read'] })).toMatchObject({ status: 200 });
  });

  it('says with 503 that the model gave no answer, and with 400 what does not exist', async () => {
    const down = { ok: false, failure: 'unreachable', because: 'ollama: refused' } as const;
    const { server, post } = await asking({ script: () => down });
    await using _ = server;
    const noAnswer = { status: 503, body: { error: 'no_answer', message: 'ollama: refused' } };
    expect(await post({ question: 'hello' })).toEqual(noAnswer);
    expect(await post({ question: 'hello', tool: 'shell' })).toMatchObject({ status: 400, body: { error: 'invalid' } });
    const stray = { question: 'hello', tool: 'status', args: { path: '/etc' }, grants: ['read'] };
    expect(await post(stray)).toMatchObject({
      status: 400,
      body: { message: expect.stringMatching(/no argument path/) },
    });
    const bad = ['', { question: ' ' }, { question: 'x'.repeat(4_001) }, { question: 'x', grants: ['write'] }];
    for (const body of bad) expect(await post(body)).toMatchObject({ status: 400 });
  });

  it('is no answer without a model where nothing was looked up', async () => {
    const { server, post } = await asking();
    await using _ = server;
    expect(await post({ question: 'hello' })).toMatchObject({ status: 503, body: { error: 'no_answer' } });
  });

  it('is given up at once when whoever asked has left', async () => {
    const asked = Promise.withResolvers<AbortSignal | undefined>();
    const script: Script = ({ signal }) => {
      asked.resolve(signal);
      return new Promise((resolve) => {
        signal?.addEventListener('abort', () => resolve({ ok: false, failure: 'aborted', because: 'left' }));
      });
    };
    const { server, ask } = await asking({ script });
    await using _ = server;
    const leaving = new AbortController();
    const body = JSON.stringify({ question: 'hello' });
    const answer = ask('/api/v1/ask', { method: 'POST', scope: 'ack', body, signal: leaving.signal });
    const signal = await asked.promise;
    expect(signal?.aborted).toBe(false);
    leaving.abort();
    await expect(answer).rejects.toThrow();
    await expect.poll(() => signal?.aborted).toBe(true);
  });

  it('is no route where nothing could answer', async () => {
    const { server, post } = await asking({ with_: { asking: undefined } });
    await using _ = server;
    expect(await post({ question: 'hello' })).toMatchObject({ status: 404 });
  });
});

describe('an action that is asked for over HTTP', () => {
  const proposed: CommandAnswer = {
    ...{ ok: true, said: 'it waits for a yes: reeve approve apr-1' },
    more: { id: 'apr-1', incident: 'inc-1' },
  };

  it('becomes a proposal under the name of the token, and no model hears of it', async () => {
    const { server, post, orders, model } = await asking({ script: () => 'Yes.', command: () => proposed });
    await using _ = server;
    const { status, body } = await post({ question: 'please restart news' }, 'operate');
    expect([status, body.proposal, body.cites]).toEqual([
      200,
      { ok: true, text: 'it waits for a yes: reeve approve apr-1 [apr-1, inc-1]' },
      ['apr-1', 'inc-1'],
    ]);
    const fields = { channel: 'news', tool: 'restart_channel' };
    expect(orders).toEqual([{ name: 'propose', who: 'operate', because: 'asked for in words', fields }]);
    expect(model?.asked).toEqual([]);
  });

  it('needs the scope operate, as the proposal itself does', async () => {
    const { server, post, orders } = await asking({ command: () => proposed });
    await using _ = server;
    expect(await post({ question: 'restart news' }, 'ack')).toMatchObject({ status: 403 });
    expect(orders).toEqual([]);
  });
});
