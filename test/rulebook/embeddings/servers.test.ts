import { describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../../src/core/clock.ts';
import type { Model } from '../../../src/core/model.ts';
import { openServer } from '../../../src/model/open.ts';
import { EmbeddedLikeness } from '../../../src/rulebook/embeddings/likeness.ts';
import { ranked, textOf } from '../../../src/rulebook/rank.ts';
import type { VectorTurn } from '../../support/model_server.ts';
import { ollamaServer } from '../../support/ollama_server.ts';
import { openAiServer } from '../../support/openai_server.ts';
import { closeServersAfterAll } from '../../support/servers.ts';
import { aRule } from '../support.ts';
import { meaningOf } from './support.ts';

closeServersAfterAll();

const disk = aRule({ id: 'b_disk', description: 'The volume is full' });
const network = aRule({ id: 'a_network', description: 'A peer is unreachable' });
const RULES = [disk, network];
const QUERY = 'no space left on device';

interface Under {
  readonly model: Model;
  readonly server: { embed: (texts: readonly string[]) => VectorTurn };
}

async function under(kind: 'ollama' | 'openai', embeddingModel?: string): Promise<Under> {
  const server = kind === 'ollama' ? await ollamaServer() : await openAiServer();
  server.embed = (texts) => texts.map(meaningOf);
  const name = embeddingModel ?? (kind === 'ollama' ? 'nomic-embed-text' : 'text-embed');
  const asked = { model: name, embeddingModel: name, bytesMax: 1024 * 1024 };
  const price = { promptPerMillion: 0, replyPerMillion: 0 };
  const where = { id: 'local', kind, url: server.url, key: undefined, keepAliveMs: 60_000, price };
  const model = await openServer(where, asked, systemClock);
  onTestFinished(() => model[Symbol.dispose]());
  return { model, server };
}

function likenessOver(model: Model) {
  const notes: string[] = [];
  const note = (_: object, text: string) => void notes.push(text);
  const log = { info: note, warn: note };
  const parts = { model, name: model.name, clock: systemClock, store: undefined, log, retries: false };
  const likeness = new EmbeddedLikeness(parts);
  onTestFinished(() => likeness[Symbol.dispose]());
  likeness.sync(RULES, (at) => textOf(RULES[at]!));
  const order = () =>
    ranked(
      RULES.map((rule) => ({ rule })),
      QUERY,
      () => undefined,
      likeness,
    ).map(({ rule }) => rule.id);
  return { likeness, notes, order };
}

describe.each(['ollama', 'openai'] as const)('vectors of a server of kind %s', (kind) => {
  it('put rules in the order of what they mean', async () => {
    const { model } = await under(kind);
    const { likeness, order } = likenessOver(model);
    await likeness.settled();
    await likeness.prepare(QUERY);
    expect(likeness.state()).toMatchObject({ backend: 'embeddings', rules: 2, embedded: 2, dimensions: 4 });
    expect(order()).toEqual(['b_disk', 'a_network']);
  });

  it.each<readonly [string, VectorTurn]>([
    ['redirects', { does: 'redirect' }],
    ['resets', { does: 'reset' }],
    ['breaks off', { does: 'break_off' }],
    ['pours a gigabyte', { does: 'gigabyte' }],
    ['answers no JSON', { raw: 'vectors!' }],
    ['answers numbers beyond all bounds', { raw: '{"embeddings":[[1e999]],"data":[{"index":0,"embedding":[1e999]}]}' }],
    ['answers texts', { raw: '{"embeddings":[["1"]],"data":[{"index":0,"embedding":["1"]}]}' }],
    [
      'answers another number of vectors',
      [
        [1, 2],
        [3, 4],
        [5, 6],
      ],
    ],
  ])('are not used where it %s', async (_, turn) => {
    const { model, server } = await under(kind);
    server.embed = () => turn;
    const { likeness, notes, order } = likenessOver(model);
    await likeness.settled();
    expect(likeness.state()).toMatchObject({ backend: 'ngrams', embedded: 0 });
    expect(notes).toEqual([expect.stringContaining('rules are compared by n-grams, not by vectors: ')]);
    expect(order()).toEqual(['a_network', 'b_disk']);
  });

  it.each(['hang', 'drip'] as const)('are not waited for beyond half a second where it does %s', async (does) => {
    const { model, server } = await under(kind);
    const { likeness, order } = likenessOver(model);
    await likeness.settled();
    server.embed = () => ({ does });
    const startedMs = systemClock.monotonicMs();
    await likeness.prepare(QUERY);
    const tookMs = systemClock.monotonicMs() - startedMs;
    expect(tookMs).toBeGreaterThanOrEqual(499);
    expect(tookMs).toBeLessThan(5_000);
    expect(order()).toEqual(['a_network', 'b_disk']);
  });

  it('are not used where it has no such model', async () => {
    const { model } = await under(kind, 'no-such-model');
    const { likeness } = likenessOver(model);
    await likeness.settled();
    expect(likeness.state()).toMatchObject({ backend: 'ngrams', because: 'the model gave no vectors' });
  });
});
