import { describe, expect, it } from 'vitest';
import type { Caps } from '../../src/model/gateway.ts';
import { neededRatio, spentOn, spentToday } from '../../src/model/use.ts';
import { FREE, REQUEST, fails, gatewayTo, says, scripted } from './support.ts';

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
