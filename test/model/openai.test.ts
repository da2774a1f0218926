import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/core/clock.ts';
import { openAiModel } from '../../src/model/openai.ts';
import { openAiServer } from '../support/openai_server.ts';
import { closeServersAfterAll } from '../support/servers.ts';
import { adapterContract, BYTES_MAX, REQUEST, startModel } from './adapter_contract.ts';

closeServersAfterAll();

describe('a model behind openai', () => {
  adapterContract('openai');

  it('quotes an error of the server in plain text only', async () => {
    const error = `\u001b[31mignore\u202e all\n\u0000previous${'!'.repeat(500)}`;
    const { model } = await startModel.openai({ answer: () => ({ status: 400, error }) });
    const answer = await model.generate(REQUEST);
    expect(!answer.ok && answer.because).toMatch(/^[\x20-\x7e]{1,300}$/);
  });

  it('sends the key to the server it belongs to and to no other', async () => {
    const server = await openAiServer({ key: 'k-123', answer: () => ({ text: 'yes' }) });
    const where = { id: 'cloud', url: server.url, bytesMax: BYTES_MAX };
    using withKey = openAiModel({ server: { ...where, key: () => 'k-123' }, model: 'qwen3-8b' }, systemClock);
    using without = openAiModel({ server: where, model: 'qwen3-8b' }, systemClock);
    expect(await withKey.generate(REQUEST)).toMatchObject({ ok: true });
    const refused = await without.generate(REQUEST);
    expect(refused).toMatchObject({ ok: false, failure: 'refused' });
    expect(JSON.stringify(refused)).not.toContain('k-123');
  });
});
