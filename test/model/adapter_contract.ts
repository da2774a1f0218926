import { expect, it, onTestFinished, vi } from 'vitest';
import { systemClock } from '../../src/core/clock.ts';
import type { Model, ModelRequest } from '../../src/core/model.ts';
import { ollamaModel } from '../../src/model/ollama.ts';
import { openAiModel } from '../../src/model/openai.ts';
import { type ModelTurn, vectorFor } from '../support/model_server.ts';
import { ollamaServer } from '../support/ollama_server.ts';
import { openAiServer } from '../support/openai_server.ts';
import { serve } from '../support/servers.ts';

export const BYTES_MAX = 64 * 1024;
const SCHEMA = { type: 'object', properties: { choice: { type: 'integer' } }, required: ['choice'] };
export const REQUEST: ModelRequest = {
  messages: [
    { role: 'system', content: 'Choose.' },
    { role: 'user', content: 'news is down' },
  ],
  tokensMax: 64,
  deadlineMs: 10_000,
};

interface Under {
  readonly model: Model;
  readonly server: { readonly asked: readonly { readonly body: Record<string, unknown> }[] };
}

interface Setup {
  readonly answer?: () => ModelTurn;
  readonly model?: string;
  readonly embeddingModel?: string;
}

export const startModel: Readonly<Record<'ollama' | 'openai', (setup?: Setup) => Promise<Under>>> = {
  ollama: async ({ answer, model = 'qwen3:8b', embeddingModel } = {}) => {
    const server = await ollamaServer(answer === undefined ? {} : { answer });
    const where = { id: 'local', url: server.url, bytesMax: BYTES_MAX };
    const adapter = ollamaModel({ server: where, model, embeddingModel, keepAlive: '30m' }, systemClock);
    onTestFinished(() => adapter[Symbol.dispose]());
    return { model: adapter, server };
  },
  openai: async ({ answer, model = 'qwen3-8b', embeddingModel } = {}) => {
    const server = await openAiServer(answer === undefined ? {} : { answer });
    const where = { id: 'local', url: server.url, bytesMax: BYTES_MAX };
    const adapter = openAiModel({ server: where, model, embeddingModel }, systemClock);
    onTestFinished(() => adapter[Symbol.dispose]());
    return { model: adapter, server };
  },
};

/** What every adapter of a model server does alike, whatever the server answers. */
export function adapterContract(kind: 'ollama' | 'openai'): void {
  const start = startModel[kind];

  it('gives the reply, its cost, and the name of the model that wrote it', async () => {
    const { model } = await start({ answer: () => ({ text: '{"choice":1}', promptTokens: 40, replyTokens: 7 }) });
    const answer = await model.generate(REQUEST);
    expect(answer).toMatchObject({ ok: true, reply: { text: '{"choice":1}', promptTokens: 40, replyTokens: 7 } });
    expect(answer.ok && answer.reply.model).toMatch(/^qwen3.8b$/);
  });

  it('hands over the schema, the limit on tokens, and nothing random', async () => {
    const { model, server } = await start();
    await model.generate({ ...REQUEST, schema: SCHEMA });
    const [{ body }] = server.asked as [{ body: Record<string, unknown> }];
    const expected =
      kind === 'ollama'
        ? { format: SCHEMA, options: { temperature: 0, seed: 1, num_predict: 64 }, keep_alive: '30m', think: false }
        : {
            response_format: { type: 'json_schema', json_schema: { name: 'answer', strict: true, schema: SCHEMA } },
            temperature: 0,
            max_tokens: 64,
          };
    expect(body).toMatchObject({ ...expected, messages: REQUEST.messages });
  });

  it('hands on each piece of text as it comes', async () => {
    const { model } = await start({ answer: () => ({ text: 'a reply in pieces' }) });
    const pieces: string[] = [];
    const answer = await model.generate({ ...REQUEST, onText: (text) => pieces.push(text) });
    expect(pieces.length).toBeGreaterThan(3);
    expect(pieces.join('')).toBe('a reply in pieces');
    expect(answer).toMatchObject({ ok: true, reply: { text: 'a reply in pieces' } });
  });

  it('counts no fewer tokens than the text can have, whatever the server says', async () => {
    const { model } = await start({ answer: () => ({ text: 'x'.repeat(800), promptTokens: 0, replyTokens: 0 }) });
    expect(await model.generate(REQUEST)).toMatchObject({ ok: true, reply: { promptTokens: 3, replyTokens: 100 } });
  });

  it('makes one vector for each text, in their order', async () => {
    const { model } = await start({ embeddingModel: kind === 'ollama' ? 'nomic-embed-text' : 'text-embed' });
    const texts = ['one', 'two', 'three'];
    expect(await model.embed(texts, 10_000)).toEqual(texts.map((text) => vectorFor(text)));
  });

  it('makes no vectors without a model for them', async () => {
    const { model, server } = await start();
    expect(await model.embed(['one'], 10_000)).toBeUndefined();
    expect(server.asked).toEqual([]);
  });

  it('lists the models of the server', async () => {
    const { model } = await start();
    const names = kind === 'ollama' ? ['qwen3:8b', 'nomic-embed-text:latest'] : ['qwen3-8b', 'text-embed'];
    expect(await model.list(10_000)).toEqual(names);
  });

  it.each<[string, ModelTurn, string]>([
    ['hangs', { does: 'hang' }, 'deadline'],
    ['drips', { does: 'drip' }, 'deadline'],
    ['redirects', { does: 'redirect' }, 'redirected'],
    ['resets the connection', { does: 'reset' }, 'unreachable'],
    ['breaks off', { does: 'break_off' }, 'unreachable'],
    ['sends a gigabyte', { does: 'gigabyte' }, 'too_large'],
    ['answers 500', { status: 500, error: 'llama runner process has terminated' }, 'unreachable'],
    ['answers 503', { status: 503, error: 'server busy' }, 'unreachable'],
    ['answers 429', { status: 429, error: 'slow down' }, 'unreachable'],
    ['answers 400', { status: 400, error: 'invalid format' }, 'refused'],
    ['answers 401', { status: 401, error: 'unauthorized' }, 'refused'],
    ['says something that is no JSON', { raw: '<html>nginx</html>\n' }, 'invalid_response'],
    ['says another JSON', { raw: '{"ok":true}\n' }, 'invalid_response'],
    ['says nothing', { raw: '' }, 'invalid_response'],
    ['calls a tool', { text: '', toolCalls: [{ name: 'shell', arguments: { x: 1 } }] }, 'invalid_response'],
  ])('that %s is a failure with a name, at most one deadline late', async (_, turn, failure) => {
    const printed = vi.spyOn(console, 'log');
    const warned = vi.spyOn(console, 'warn');
    onTestFinished(() => {
      for (const spy of [printed, warned]) spy.mockRestore();
    });
    const { model } = await start({ answer: () => turn });
    const startedMs = systemClock.monotonicMs();
    const answer = await model.generate({ ...REQUEST, deadlineMs: 300 });
    expect(answer).toMatchObject({ ok: false, failure });
    expect(systemClock.monotonicMs() - startedMs).toBeLessThan(300 + 1_000);
    expect([...printed.mock.calls, ...warned.mock.calls]).toEqual([]);
  });

  it('that does not have the model says so', async () => {
    const { model } = await start({ model: 'no/such:model' });
    expect(await model.generate(REQUEST)).toMatchObject({ ok: false, failure: 'model_not_found' });
  });

  it('that is not there is unreachable, and after some tries it is not asked any more', async () => {
    const url = await serve((_, response) => void response.socket?.destroy());
    const where = { id: 'gone', url, bytesMax: BYTES_MAX };
    using adapter =
      kind === 'ollama'
        ? ollamaModel({ server: where, model: 'm', keepAlive: '1m' }, systemClock)
        : openAiModel({ server: where, model: 'm' }, systemClock);
    const failures: string[] = [];
    for (let call = 0; call < 7; call += 1) {
      const answer = await adapter.generate(REQUEST);
      if (!answer.ok) failures.push(answer.failure);
    }
    expect(failures).toEqual([...Array(5).fill('unreachable'), 'breaker_open', 'breaker_open']);
  });

  it('ends at once when the caller leaves, and does not call that the server’s failure', async () => {
    const { model, server } = await start({ answer: () => ({ does: 'hang' }) });
    const leaving = new AbortController();
    const answer = model.generate({ ...REQUEST, signal: leaving.signal });
    await expect.poll(() => server.asked.length).toBe(1);
    leaving.abort(new Error('enough'));
    expect(await answer).toMatchObject({ ok: false, failure: 'aborted' });
  });

  it('keeps memory flat while a server pours a gigabyte', async () => {
    const { model } = await start({ answer: () => ({ does: 'gigabyte' }) });
    await model.generate(REQUEST);
    const before = process.memoryUsage().rss;
    await model.generate(REQUEST);
    expect(process.memoryUsage().rss - before).toBeLessThan(20 * 1024 * 1024);
  });
}
