import { describe, expect, it } from 'vitest';
import { closeServersAfterAll } from '../support/servers.ts';
import { adapterContract, REQUEST, startModel } from './adapter_contract.ts';

closeServersAfterAll();

describe('a model behind ollama', () => {
  adapterContract('ollama');

  it('takes an error line that ends a stream for a failure', async () => {
    const line =
      '{"model":"m","message":{"role":"assistant","content":"par"},"done":false}\n{"error":"out of memory"}\n';
    const { model } = await startModel.ollama({ answer: () => ({ raw: line }) });
    const answer = await model.generate(REQUEST);
    expect(answer).toMatchObject({ ok: false, failure: 'unreachable' });
    expect(!answer.ok && answer.because).toContain('out of memory');
  });
});
