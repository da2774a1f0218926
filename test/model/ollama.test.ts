import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/core/clock.ts';
import { ollamaModel } from '../../src/model/ollama.ts';
import { ollamaServer } from '../support/ollama_server.ts';
import { closeServersAfterAll } from '../support/servers.ts';
import { adapterContract, REQUEST, startModel } from './adapter_contract.ts';

closeServersAfterAll();

describe('a model behind ollama', () => {
  adapterContract('ollama');

  it('is found however its address is written, and is not reached where nothing listens', async () => {
    const server = await ollamaServer();
    const at = (url: string) =>
      ollamaModel({ server: { id: 's', url, bytesMax: 1e5 }, model: 'qwen3:8b', keepAlive: '1s' }, systemClock);
    for (const host of ['LOCALHOST', '127.1']) {
      using model = at(server.url.replace('127.0.0.1', host));
      expect(await model.list(5_000), host).toContain('qwen3:8b');
    }
    for (const url of ['http://127.255.0.1', 'https://127.255.0.1']) {
      using model = at(url);
      expect(await model.generate(REQUEST)).toMatchObject({ ok: false, failure: 'unreachable' });
    }
  });

  it('takes an error line that ends a stream for a failure', async () => {
    const line =
      '{"model":"m","message":{"role":"assistant","content":"par"},"done":false}\n{"error":"out of memory"}\n';
    const { model } = await startModel.ollama({ answer: () => ({ raw: line }) });
    const answer = await model.generate(REQUEST);
    expect(answer).toMatchObject({ ok: false, failure: 'unreachable' });
    expect(!answer.ok && answer.because).toContain('out of memory');
  });
});
