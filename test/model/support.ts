// A gateway over models that answer as scripted, with the use that it records.
import type { Draft, JournalEntry } from '../../src/core/journal.ts';
import type { Model, ModelAnswer, ModelFailure, ModelRequest } from '../../src/core/model.ts';
import { type Caps, createGateway, type Priced } from '../../src/model/gateway.ts';
import { modelUseProjection } from '../../src/model/use.ts';
import { fakeClock } from '../support/fake_clock.ts';

export const CAPS: Caps = {
  callsPerIncident: 3,
  tokensPerIncident: 1_000,
  tokensPerDay: 2_000,
  moneyPerIncident: 0.001,
  moneyPerDay: 0.002,
};

export const FREE = { promptPerMillion: 0, replyPerMillion: 0 };

export const REQUEST: ModelRequest = {
  messages: [{ role: 'user', content: 'x'.repeat(400) }],
  tokensMax: 50,
  deadlineMs: 8_000,
  incident: 'inc_1',
  purpose: 'plan',
};

/** A model that answers as configured, and counts how often it was asked. */
export function scripted(name: string, answer: (request: ModelRequest) => Promise<ModelAnswer> | ModelAnswer) {
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

export const says =
  (text: string, tokens = 10) =>
  (): ModelAnswer => ({
    ok: true,
    reply: { text, model: 'm', promptTokens: 100, replyTokens: tokens, durationMs: 5 },
  });

export const fails = (failure: ModelFailure) => (): ModelAnswer => ({ ok: false, failure, because: 'so it is' });

export function gatewayTo(options: { primary: Priced; secondary?: Priced; embeddings?: Priced; caps?: Partial<Caps> }) {
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
