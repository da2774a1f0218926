import type { Model, ModelFailure, ModelRequest } from '../../src/core/model.ts';

/** A model that gives the answers of a list, one after the other, and keeps what it was asked. */
export function scriptedModel(answers: readonly (unknown | { readonly failure: ModelFailure })[], tokens = 100) {
  const asked: ModelRequest[] = [];
  const model: Model = {
    name: 'scripted/model',
    generate: async (request) => {
      const answer = answers[Math.min(asked.length, answers.length - 1)];
      asked.push({ ...request, messages: [...request.messages] });
      if (typeof answer === 'object' && answer !== null && 'failure' in answer)
        return { ok: false, failure: answer.failure as ModelFailure, because: 'as the script says' };
      const text = typeof answer === 'string' ? answer : JSON.stringify(answer);
      return { ok: true, reply: { text, model: 'scripted', promptTokens: tokens, replyTokens: 10, durationMs: 1 } };
    },
    embed: async () => undefined,
    list: async () => undefined,
  };
  return { model, asked };
}
