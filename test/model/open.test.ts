import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/core/clock.ts';
import { modelUseProjection } from '../../src/model/use.ts';
import { type ModelsSettings, openModels } from '../../src/model/open.ts';
import { ollamaServer } from '../support/ollama_server.ts';
import { openAiServer } from '../support/openai_server.ts';
import { closeServersAfterAll } from '../support/servers.ts';
import { CAPS, FREE, REQUEST } from './support.ts';

closeServersAfterAll();

/** Two servers of different kinds; each test names what is asked of which. */
async function opened(more: Partial<ModelsSettings>) {
  const [ollama, openai] = [await ollamaServer(), await openAiServer()];
  const server = { keepAliveMs: 1_500, price: FREE };
  const settings: ModelsSettings = {
    servers: [
      { ...server, id: 'here', kind: 'ollama', url: ollama.url, key: undefined },
      { ...server, id: 'there', kind: 'openai', url: openai.url, key: { reveal: () => 'secret' } },
    ],
    primary: { server: 'here', model: 'qwen3:8b' },
    ...{ secondary: undefined, embeddings: undefined, answerBytesMax: 4_096, budget: CAPS },
    ...more,
  };
  await using building = new AsyncDisposableStack();
  const deps = { clock: systemClock, append: () => [], use: () => modelUseProjection.initial };
  const model = await openModels(settings, deps, building);
  const [answer, vectors] = [await model.generate(REQUEST), await model.embed(['a'], 5_000)];
  return { answer, vectors, ollama: ollama.asked, openai: openai.asked };
}

describe('the configured models', () => {
  it('are asked at the server of each, with the model and the time to stay loaded that it is configured with', async () => {
    const { answer, vectors, ollama, openai } = await opened({});
    expect(answer.ok).toBe(true);
    expect(ollama).toMatchObject([{ body: { model: 'qwen3:8b', keep_alive: '2s' } }]);
    expect([openai, vectors]).toEqual([[], undefined]);
  });

  it('may make vectors at another server than the replies, with the key of that one', async () => {
    const { vectors, ollama, openai } = await opened({ embeddings: { server: 'there', model: 'text-embed' } });
    expect(vectors).toHaveLength(1);
    expect(openai).toMatchObject([{ body: { model: 'text-embed' }, headers: { authorization: 'Bearer secret' } }]);
    expect(ollama).toHaveLength(1);
  });

  it('are asked at the second server where the first hangs, once a few calls have shown that', async () => {
    const [hung, second] = [await ollamaServer({ answer: () => ({ does: 'hang' }) }), await openAiServer()];
    const server = { keepAliveMs: 1_500, price: FREE, key: undefined };
    const settings: ModelsSettings = {
      servers: [
        { ...server, id: 'here', kind: 'ollama', url: hung.url },
        { ...server, id: 'there', kind: 'openai', url: second.url },
      ],
      ...{ primary: { server: 'here', model: 'qwen3:8b' }, secondary: { server: 'there', model: 'qwen3-8b' } },
      ...{ embeddings: undefined, answerBytesMax: 4_096, budget: CAPS },
    };
    await using building = new AsyncDisposableStack();
    const deps = { clock: systemClock, append: () => [], use: () => modelUseProjection.initial };
    const model = await openModels(settings, deps, building);
    const came: string[] = [];
    // The breaker may hear of the last silence a moment after the caller.
    while (came.length < 7 && !came.includes('answered')) {
      const answer = await model.generate({ ...REQUEST, deadlineMs: 400 });
      came.push(answer.ok ? 'answered' : answer.failure);
    }
    expect(came.slice(0, 5)).toEqual(Array(5).fill('deadline'));
    expect([came.at(-1), second.asked.length]).toEqual(['answered', 1]);
  });

  it('that name a server which is not configured are a bug', async () => {
    await expect(opened({ primary: { server: 'nowhere', model: 'm' } })).rejects.toThrow('no model server nowhere');
  });
});
