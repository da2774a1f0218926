import { describe, expect, it } from 'vitest';
import type { Draft, JournalEntry } from '../../src/core/journal.ts';
import type { Model, ModelAnswer, ModelFailure, ModelRequest } from '../../src/core/model.ts';
import { type Caps, createGateway, type Priced } from '../../src/model/gateway.ts';
import { modelUseProjection, neededRatio, spentOn, spentToday } from '../../src/model/use.ts';
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

describe('the budget', () => {
  it.each<[string, Partial<Caps>, number]>([
    ['calls of one incident', { tokensPerIncident: 9_999, tokensPerDay: 99_999 }, 3],
    ['tokens of one incident', { callsPerIncident: 99, tokensPerDay: 99_999, tokensPerIncident: 260 }, 2],
    ['tokens of a day', { callsPerIncident: 99, tokensPerIncident: 9_999, tokensPerDay: 370 }, 3],
    ['money of one incident', { callsPerIncident: 99, moneyPerIncident: 0.0003, moneyPerDay: 1 }, 2],
    ['money of a day', { callsPerIncident: 99, moneyPerIncident: 1, moneyPerDay: 0.0003 }, 2],
  ])('is kept for %s', async (_, caps, allowed) => {
    const { model, asked } = scripted('a/m', says('yes'));
    const price = { promptPerMillion: 1, replyPerMillion: 1 };
    const { gateway } = gatewayTo({ primary: { model, price }, caps });
    const failures: (string | undefined)[] = [];
    for (let call = 0; call < allowed + 2; call += 1) {
      const answer = await gateway.generate(REQUEST);
      failures.push(answer.ok ? undefined : answer.failure);
    }
    expect(asked.length).toBe(allowed);
    expect(failures.slice(allowed)).toEqual(['budget_spent', 'budget_spent']);
  });

  it('of one incident is not touched by another', async () => {
    const { model } = scripted('a/m', says('yes'));
    const { gateway } = gatewayTo({ primary: { model, price: FREE }, caps: { callsPerIncident: 1 } });
    await gateway.generate(REQUEST);
    expect(await gateway.generate(REQUEST)).toMatchObject({ failure: 'budget_spent' });
    expect(await gateway.generate({ ...REQUEST, incident: 'inc_2' })).toMatchObject({ ok: true });
  });

  it('counts a call that was cut off as all that it could have cost', async () => {
    const { model } = scripted('a/m', fails('deadline'));
    const { gateway, use, clock } = gatewayTo({ primary: { model, price: FREE } });
    await gateway.generate(REQUEST);
    expect(spentToday(use(), clock.monotonicMs()).tokens).toBe(150);
    expect(spentOn(use(), 'inc_1').calls).toBe(1);
  });

  it('of a day comes back after a day, and not before', async () => {
    const { model } = scripted('a/m', says('yes'));
    const caps = { tokensPerDay: 200, callsPerIncident: 99 };
    const { gateway, advance } = gatewayTo({ primary: { model, price: FREE }, caps });
    await gateway.generate(REQUEST);
    await advance(23.9 * 3_600_000);
    expect(await gateway.generate(REQUEST)).toMatchObject({ failure: 'budget_spent' });
    await advance(1.2 * 3_600_000);
    expect(await gateway.generate(REQUEST)).toMatchObject({ ok: true });
  });

  it('survives JSON, so that a restart refills nothing', async () => {
    const { model } = scripted('a/m', says('yes'));
    const { gateway, use } = gatewayTo({ primary: { model, price: FREE } });
    await gateway.generate(REQUEST);
    expect(JSON.parse(JSON.stringify(use()))).toEqual(use());
  });
});

describe('how often a model was needed', () => {
  it('is the share of closed incidents with a plan in which a model was asked', async () => {
    const { model } = scripted('a/m', says('yes'));
    const { gateway, append, use } = gatewayTo({ primary: { model, price: FREE } });
    const plan = { kind: 'stop', because: 'x', by: { kind: 'policy', because: 'x' } } as const;
    const closed = { type: 'incident.closed', ending: 'resolved', because: 'x', openMs: 1 } as const;
    for (const incident of ['inc_1', 'inc_2', 'inc_3', 'inc_4']) {
      append([{ incident, fact: { type: 'plan.made', plan } }]);
      if (incident === 'inc_1') await gateway.generate(REQUEST);
      append([{ incident, fact: closed }]);
    }
    append([{ incident: 'inc_5', fact: closed }]);
    expect(neededRatio(use())).toBe(0.25);
  });
});
