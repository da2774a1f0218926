import { describe, expect, it } from 'vitest';
import { aFolder, loadText, problemLines } from '../support.ts';

const read = (models: string, planner = '') => loadText(`version: 1\n${models}\n${planner}`);
const problems = (models: string, planner = '') => problemLines(read(models, planner).problems);

describe('models in the configuration', () => {
  it('are none, and the planner is off, by default', () => {
    const { config } = loadText('version: 1\n');
    expect(config?.models).toBeUndefined();
    expect(config?.planner).toEqual({
      mode: 'off',
      deadlineMs: 8_000,
      replyTokensMax: 256,
      namePatterns: false,
      explore: false,
    });
  });

  it('are switched on in two lines', () => {
    const line = 'models: { servers: [{ id: local, kind: ollama }], primary: local/qwen3:8b }';
    const { config } = read(line, 'planner: { mode: after_rules }');
    expect(config?.planner.mode).toBe('after_rules');
    expect(config?.models).toMatchObject({
      servers: [{ id: 'local', kind: 'ollama', url: 'http://127.0.0.1:11434', key: undefined }],
      primary: { server: 'local', model: 'qwen3:8b' },
      budget: { callsPerIncident: 9, tokensPerDay: 1_000_000 },
    });
  });

  it('may have a name with slashes and a secondary at another server', () => {
    const { config } = read(`models:
  servers:
    - { id: vllm, kind: openai, url: "http://127.0.0.1:8000/v1/" }
    - { id: local, kind: ollama }
  primary: vllm/Qwen/Qwen3-8B
  secondary: local/qwen3:8b
`);
    expect(config?.models?.primary).toEqual({ server: 'vllm', model: 'Qwen/Qwen3-8B' });
    expect(config?.models?.servers[0]?.url).toBe('http://127.0.0.1:8000/v1');
  });

  it.each([
    [
      'a server on another machine without leave',
      'models: { servers: [{ id: a, kind: ollama, url: "http://gpu:11434", price: { prompt_per_million: 0, reply_per_million: 0 } }], primary: a/m }',
      'gpu:11434 is not on this machine',
    ],
    [
      'a remote server without a price',
      'models: { servers: [{ id: a, kind: ollama, url: "http://gpu:11434", allow_remote: true }], primary: a/m }',
      'expected the price of a',
    ],
    [
      'a model of a server that is not there',
      'models: { servers: [{ id: a, kind: ollama }], primary: b/m }',
      'there is no model server b (the servers are a; write a/m)',
    ],
    ['a name without a server', 'models: { servers: [{ id: a, kind: ollama }], primary: qwen3 }', 'local/qwen3:8b'],
    [
      'an openai server without an address',
      'models: { servers: [{ id: a, kind: openai }], primary: a/m }',
      'expected a url for a server of kind openai',
    ],
    [
      'an id twice',
      'models: { servers: [{ id: a, kind: ollama }, { id: a, kind: ollama }], primary: a/m }',
      'the id a stands here a second time',
    ],
    [
      'a cap of nothing',
      'models: { servers: [{ id: a, kind: ollama }], primary: a/m, budget: { tokens_per_day: 0 } }',
      'models.budget.tokens_per_day',
    ],
    ['a key in clear', 'models: { servers: [{ id: a, kind: ollama, key: s3cret }], primary: a/m }', 'key_file'],
  ])('are refused with %s', (_, models, problem) => {
    expect(problems(models).join('\n')).toContain(problem);
  });

  it('refuse a key that would cross the network in clear, and one that everybody may read', () => {
    const folder = aFolder({ 'a.key': 'k\n' });
    const price = 'price: { prompt_per_million: 1, reply_per_million: 1 }';
    const server = `{ id: a, kind: openai, url: "http://far/v1", allow_remote: true, ${price}, key_file: ${folder}/a.key }`;
    const found = problems(`models: { servers: [${server}], primary: a/m }`).join('\n');
    expect(found).toContain('a key would cross the network in clear');
    expect(found).toContain('everybody may read');
  });

  it('are needed by a planner that is not off', () => {
    expect(problems('', 'planner: { mode: before_rules }')[0]).toContain(
      'the planner is before_rules, and there is no model',
    );
  });
});
