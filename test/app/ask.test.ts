import { describe, expect, it } from 'vitest';
import { type AskChoice, openAskBackend } from '../../src/app/ask.ts';
import { systemClock } from '../../src/core/clock.ts';
import type { ModelsSettings } from '../../src/model/open.ts';
import { ollamaServer } from '../support/ollama_server.ts';
import { openAiServer } from '../support/openai_server.ts';
import { closeServersAfterAll } from '../support/servers.ts';

closeServersAfterAll();

type Server = ModelsSettings['servers'][number];
const aServer = (id: string, kind: Server['kind'], url: string): Server => ({
  ...{ id, kind, url, key: undefined, keepAliveMs: 1_000, price: { promptPerMillion: 0, replyPerMillion: 0 } },
});
const settingsOf = (servers: readonly Server[], primary = { server: servers[0]!.id, model: 'own' }) =>
  ({
    servers,
    primary,
    secondary: undefined,
    embeddings: undefined,
    answerBytesMax: 262_144,
  }) as unknown as ModelsSettings;

/** Opens it as a person asked, and says what came of it. */
async function opened(settings: ModelsSettings | undefined, choice: Partial<AskChoice> = {}) {
  using backend = await openAskBackend(settings, { backend: undefined, model: undefined, ...choice }, systemClock);
  return backend && { name: backend.name, chosen: backend.chosen };
}
/** Nothing listens there. */
const DEAD = 'http://127.0.0.1:1';

describe('the server that reeve ask uses', () => {
  const two = settingsOf([aServer('one', 'ollama', DEAD), aServer('two', 'openai', DEAD)]);

  it('is the primary one of the configuration, with its model, without asking it for any', async () => {
    expect(await opened(two)).toEqual({ name: 'one', chosen: 'own' });
  });

  it('is the one of that name, or else the first of that kind', async () => {
    expect(await opened(two, { backend: 'two', model: 'm' })).toEqual({ name: 'two', chosen: 'm' });
    expect(await opened(two, { backend: 'openai', model: 'm' })).toEqual({ name: 'two', chosen: 'm' });
  });

  it('may be a usual one of this machine that no configuration names', async () => {
    expect(await opened(two, { backend: 'lmstudio', model: 'm' })).toEqual({ name: 'lmstudio', chosen: 'm' });
    expect(await opened(undefined, { backend: 'vllm', model: 'm' })).toEqual({ name: 'vllm', chosen: 'm' });
  });

  it.each(['three', 'toString', ''])('is none called "%s", and the known ones are named', async (backend) => {
    const failed = await opened(two, { backend }).catch((thrown: unknown) => thrown);
    expect(failed).toMatchObject({ code: 'USAGE', hint: 'known: one, two, ollama, vllm, llamacpp, lmstudio, none' });
  });
});

describe('the model that reeve ask uses', () => {
  it('is named with its server or without', async () => {
    const settings = settingsOf([aServer('one', 'ollama', DEAD)]);
    expect((await opened(settings, { model: 'one/qwen3:8b' }))?.chosen).toBe('qwen3:8b');
    expect((await opened(settings, { model: 'other/qwen3:8b' }))?.chosen).toBe('other/qwen3:8b');
  });

  it('is by itself the first that is none for vectors', async () => {
    const { url } = await ollamaServer({
      models: ['bge-m3:latest', 'nomic-embed-text:latest', 'zephyr:7b', 'qwen3:8b'],
    });
    const settings = settingsOf([aServer('one', 'ollama', url)], { server: 'elsewhere', model: 'x' });
    expect(await opened(settings, { backend: 'one' })).toEqual({ name: 'one', chosen: 'qwen3:8b' });
  });

  it('is nothing where no server was named and none answers, and an error where one was', async () => {
    const { url } = await openAiServer({ models: ['text-embed'] });
    for (const at of [DEAD, url]) {
      const settings = settingsOf([aServer('ollama', 'openai', at)], { server: 'ollama', model: 'x' });
      const nameless = { ...settings, primary: { server: 'ollama', model: undefined as unknown as string } };
      expect(await opened(nameless)).toBeUndefined();
      const failed = await opened(nameless, { backend: 'ollama' }).catch((thrown: unknown) => thrown);
      expect(failed).toMatchObject({ code: 'MODEL_UNREACHABLE', message: expect.stringContaining('no model') });
    }
  });
});
