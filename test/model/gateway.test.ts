import { describe, expect, it } from 'vitest';
import type { Model, ModelFailure } from '../../src/core/model.ts';
import { neededRatio } from '../../src/model/use.ts';
import { FREE, REQUEST, fails, gatewayTo, says, scripted } from './support.ts';

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
    'does not ask the second model when the first is %s',
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

  it('does not let a conversation delay a plan', async () => {
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
