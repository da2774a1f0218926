import { describe, expect, it } from 'vitest';
import type { Draft, JournalEntry } from '../../src/core/journal.ts';
import type { Model, ModelAnswer, ModelFailure, ModelRequest } from '../../src/core/model.ts';
import { type Caps, createGateway, type Priced } from '../../src/model/gateway.ts';
import { modelUseProjection, neededRatio } from '../../src/model/use.ts';
import { fakeClock } from '../support/fake_clock.ts';

const CAPS: Caps = {
  callsPerIncident: 3,
  tokensPerIncident: 1_000,
  tokensPerDay: 2_000,
  moneyPerIncident: 0.001,
  moneyPerDay: 0.002,
};

const FREE = { promptPerMillion: 0, replyPerMillion: 0 };

const REQUEST: ModelRequest = {
  messages: [{ role: 'user', content: 'x'.repeat(400) }],
  tokensMax: 50,
  deadlineMs: 8_000,
  incident: 'inc_1',
  purpose: 'plan',
};

/** A model that answers as configured, and counts how often it was asked. */
function scripted(name: string, answer: (request: ModelRequest) => Promise<ModelAnswer> | ModelAnswer) {
  const asked: ModelRequest[] = [];
  const model: Model = {
    name,
    generate: async (request) => {
      asked.push(request);
      return answer(request);
    },
    embed: async () => undefined,
    list: async () => undefined,
  };
  return { model, asked };
}

const says =
  (text: string, tokens = 10) =>
  (): ModelAnswer => ({
    ok: true,
    reply: { text, model: 'm', promptTokens: 100, replyTokens: tokens, durationMs: 5 },
  });

const fails = (failure: ModelFailure) => (): ModelAnswer => ({ ok: false, failure, because: 'so it is' });

function gatewayTo(options: { primary: Priced; secondary?: Priced; embeddings?: Priced; caps?: Partial<Caps> }) {
  const { clock, advance } = fakeClock();
  let use = modelUseProjection.initial;
  const written: JournalEntry[] = [];
  const append = (drafts: readonly Draft[]) => {
    const entries = drafts.map((draft) => ({
      ...draft,
      seq: written.length + 1,
      at: clock.now(),
      monoMs: clock.monotonicMs(),
      boot: 'b',
    }));
    for (const entry of entries) use = modelUseProjection.apply(use, entry);
    written.push(...entries);
    return entries;
  };
  const gateway = createGateway({ ...options, caps: { ...CAPS, ...options.caps }, clock, append, use: () => use });
  return { gateway, clock, advance, append, written, use: () => use };
}

describe('vectors by the gateway', () => {
  const price = { promptPerMillion: 10, replyPerMillion: 0 };
  const vectors = (embed: Model['embed']) => ({ model: { ...scripted('local/embed', says('')).model, embed }, price });
  const primary = { model: scripted('local/m', says('')).model, price: FREE };

  it('are written down with what they cost, and what was asked for is never written', async () => {
    const { gateway, written } = gatewayTo({ primary, embeddings: vectors(async () => [[1, 2]]) });
    expect(await gateway.embed(['x'.repeat(400)], 1_000)).toEqual([[1, 2]]);
    const fact = { type: 'model.called', model: 'local/embed', purpose: 'embed', failure: undefined };
    expect(written.map((entry) => entry.fact)).toEqual([
      { ...fact, promptTokens: 100, replyTokens: 0, costMicros: 1_000, tookMs: 0 },
    ]);
  });

  it('are not asked for when a cap of the day is reached', async () => {
    let asked = 0;
    const embed = async () => {
      asked += 1;
      return [[1]];
    };
    const { gateway } = gatewayTo({ primary, embeddings: vectors(embed), caps: { tokensPerDay: 150 } });
    expect(await gateway.embed(['x'.repeat(400)], 1_000)).toEqual([[1]]);
    expect(await gateway.embed(['x'.repeat(400)], 1_000)).toBeUndefined();
    expect(asked).toBe(1);
  });

  it('count as failed where none came, and as needed by no incident', async () => {
    const { gateway, written, use } = gatewayTo({ primary, embeddings: vectors(async () => undefined) });
    expect(await gateway.embed(['x'], 1_000)).toBeUndefined();
    expect(written).toMatchObject([{ fact: { failure: 'invalid_response' } }]);
    expect(neededRatio(use())).toBe(0);
  });

  it('are there only where a model for them is configured', async () => {
    const { gateway, written } = gatewayTo({ primary });
    expect(await gateway.embed(['x'], 1_000)).toBeUndefined();
    expect(written).toEqual([]);
  });
});

describe('the gateway to the models', () => {
  it('writes down every call with its cost, and only then gives the answer', async () => {
    const { model } = scripted('local/m', says('yes'));
    const price = { promptPerMillion: 1, replyPerMillion: 4 };
    const { gateway, written } = gatewayTo({ primary: { model, price } });
    expect(await gateway.generate(REQUEST)).toMatchObject({ ok: true, reply: { text: 'yes' } });
    expect(written).toMatchObject([
      {
        incident: 'inc_1',
        fact: {
          type: 'model.called',
          model: 'local/m',
          purpose: 'plan',
          promptTokens: 100,
          replyTokens: 10,
          costMicros: 140,
        },
      },
    ]);
  });

  it.each<ModelFailure>(['unreachable', 'breaker_open', 'model_not_found', 'refused'])(
    'asks the second model when the first is %s',
    async (failure) => {
      const first = scripted('a/m', fails(failure));
      const second = scripted('b/n', says('from b'));
      const { gateway, written } = gatewayTo({
        primary: { model: first.model, price: FREE },
        secondary: { model: second.model, price: FREE },
      });
      expect(await gateway.generate({ ...REQUEST, model: 'special' })).toMatchObject({ reply: { text: 'from b' } });
      expect(second.asked[0]?.model).toBeUndefined();
      expect(written.map(({ fact }) => fact.type === 'model.called' && fact.failure)).toEqual([failure, undefined]);
    },
  );

  it.each<ModelFailure>(['deadline', 'invalid_response', 'too_large', 'redirected', 'aborted'])(
    'asks for no second opinion when the first is %s',
    async (failure) => {
      const second = scripted('b/n', says('from b'));
      const { gateway } = gatewayTo({
        primary: { model: scripted('a/m', fails(failure)).model, price: FREE },
        secondary: { model: second.model, price: FREE },
      });
      expect(await gateway.generate(REQUEST)).toMatchObject({ ok: false, failure });
      expect(second.asked).toEqual([]);
    },
  );

  it('gives up at the deadline, though the model never answers and others wait before', async () => {
    const { model } = scripted('a/m', () => new Promise(() => {}));
    const { gateway, advance } = gatewayTo({ primary: { model, price: FREE } });
    const answers = [gateway.generate(REQUEST), gateway.generate(REQUEST)];
    await advance(7_999);
    const early = Symbol('early');
    expect(await Promise.race([answers[0], Promise.resolve(early)])).toBe(early);
    await advance(1);
    expect(await Promise.all(answers)).toMatchObject([{ failure: 'deadline' }, { failure: 'deadline' }]);
  });

  it('is not held up by a model that never ends: the next call is asked', async () => {
    let calls = 0;
    const { model } = scripted('a/m', () => {
      calls += 1;
      return calls === 1 ? new Promise(() => {}) : says('now')();
    });
    const { gateway, advance, written } = gatewayTo({ primary: { model, price: FREE } });
    const first = gateway.generate(REQUEST);
    await advance(8_000);
    expect(await first).toMatchObject({ ok: false, failure: 'deadline' });
    expect(await gateway.generate(REQUEST)).toMatchObject({ reply: { text: 'now' } });
    expect(written.map(({ fact }) => fact.type === 'model.called' && fact.failure)).toEqual(['deadline', undefined]);
  });

  it('refuses what would wait behind too many', async () => {
    const { model } = scripted('a/m', () => new Promise(() => {}));
    const { gateway } = gatewayTo({ primary: { model, price: FREE } });
    for (let call = 0; call < 9; call += 1) void gateway.generate(REQUEST);
    expect(await gateway.generate(REQUEST)).toMatchObject({ ok: false, failure: 'busy' });
  });

  it('lets no conversation stand in the way of a plan', async () => {
    const { model } = scripted('a/m', ({ purpose }) => (purpose === 'plan' ? says('now')() : new Promise(() => {})));
    const { gateway } = gatewayTo({ primary: { model, price: FREE } });
    void gateway.generate({ ...REQUEST, purpose: 'ask' });
    expect(await gateway.generate(REQUEST)).toMatchObject({ reply: { text: 'now' } });
  });

  it('ends at once when the caller leaves', async () => {
    const { model } = scripted('a/m', () => new Promise(() => {}));
    const { gateway } = gatewayTo({ primary: { model, price: FREE } });
    const leaving = new AbortController();
    const answer = gateway.generate({ ...REQUEST, signal: leaving.signal });
    leaving.abort(new Error('stop'));
    expect(await answer).toMatchObject({ ok: false, failure: 'aborted' });
  });
});
