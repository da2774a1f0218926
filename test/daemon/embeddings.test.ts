import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OllamaServer, ollamaServer } from '../support/ollama_server.ts';
import { type Daemon, Rig, until } from '../support/rig.ts';
import { closeServersAfterAll } from '../support/servers.ts';

closeServersAfterAll();

interface Similarity {
  readonly backend: string;
  readonly model?: string;
  readonly rules: number;
  readonly embedded: number;
  readonly because?: string;
}

describe('the daemon with a model for vectors', { timeout: 120_000 }, () => {
  let rig: Rig;
  let server: OllamaServer;
  const similarityOf = async (daemon: Daemon) =>
    (await daemon.get<{ similarity: Similarity }>('/api/v1/stats')).similarity;
  const textsAsked = () =>
    server.asked.flatMap(({ path, body }) => (path === '/api/embed' ? (body.input as string[]) : []));

  beforeAll(async () => {
    server = await ollamaServer();
    rig = await Rig.open({
      config: `models:
  servers: [{ id: local, kind: ollama, url: "${server.url}" }]
  primary: "local/qwen3:8b"
  embeddings: local/nomic-embed-text
`,
    });
  }, 120_000);
  afterAll(() => rig[Symbol.asyncDispose]());

  it('embeds every rule once, says so in rules and stats, and asks again for nothing after a start', async () => {
    const first = await rig.run();
    await until('every rule has a vector', async () => (await similarityOf(first)).backend === 'embeddings');
    const { rules, embedded } = await similarityOf(first);
    expect(rules).toBeGreaterThan(10);
    expect(embedded).toBe(rules);
    const line = `rules are compared by vectors of local/nomic-embed-text (${rules} of ${rules})`;
    expect((await rig.reeve('stats')).stdout).toContain(line);
    expect((await rig.reeve('rules', 'list')).stdout).toContain(line);
    expect(textsAsked()).toHaveLength(rules + 1);
    await first.kill('SIGTERM');

    const second = await rig.run();
    await until('the vectors are there', async () => (await similarityOf(second)).backend === 'embeddings');
    expect(textsAsked()).toHaveLength(rules + 2);
    await second.kill('SIGTERM');
  });

  it('goes on with n-grams where the server has changed, and says which and why', async () => {
    server.embed = () => ({ does: 'reset' });
    const daemon = await rig.run();
    await until(
      'the failure is reported',
      async () => (await similarityOf(daemon)).because === 'the model gave no vectors',
    );
    expect((await rig.reeve('rules', 'list')).stdout).toContain(
      'rules are compared by n-grams instead of local/nomic-embed-text',
    );
  });
});
