import { describe, expect, it } from 'vitest';
import { messageOf } from '../../src/ask/message.ts';
import { ModelReasoner } from '../../src/ask/reasoner.ts';
import type { ModelAnswer, ModelFailure } from '../../src/core/model.ts';
import { scriptedModel } from '../support/scripted_model.ts';
import { aStamp, Scripted } from './support.ts';

const question = [messageOf(aStamp(), 'user', 'why?')];
const reply = { text: 'So.', model: 'small', promptTokens: 7, replyTokens: 2, durationMs: 1 };

function aReasoner(answer: ModelAnswer, model?: string) {
  const scripted = scriptedModel(({ onText }) => {
    for (const piece of ['S', 'o.']) onText?.(piece);
    return answer;
  });
  const options = { deadlineMs: 5_000, tokensMax: 99, stamp: aStamp(), model };
  return { reasoner: new ModelReasoner(scripted, options), asked: scripted.asked };
}

describe('a model that is asked', () => {
  it('gets the text of the messages alone, the limits, and what it is asked for', async () => {
    const { reasoner, asked } = aReasoner({ ok: true, reply });
    await reasoner.reason(question);
    expect(asked).toEqual([
      { messages: [{ role: 'user', content: 'why?' }], tokensMax: 99, deadlineMs: 5_000, purpose: 'ask' },
    ]);
  });

  it('is named where one is chosen', async () => {
    const { reasoner, asked } = aReasoner({ ok: true, reply }, 'qwen3:8b');
    await reasoner.reason(question);
    expect(asked[0]!.model).toBe('qwen3:8b');
  });

  it('is named in the answer with an id, a time in seconds and what it cost', async () => {
    const { reasoner } = aReasoner({ ok: true, reply });
    expect(await reasoner.reason(question)).toEqual({
      ...{ content: 'So.', model_id: 'small', id: '00000000-0000-4000-8000-000000000001', timestamp: 1_767_225_600 },
      metadata: { eval_count: 2, prompt_eval_count: 7 },
    });
  });

  it('that says how long it took is shown with it', async () => {
    const { reasoner } = aReasoner({ ok: true, reply: { ...reply, promptNs: 5, replyNs: 6 } });
    const { metadata } = await reasoner.reason(question);
    expect(metadata).toMatchObject({ prompt_eval_duration: 5, eval_duration: 6 });
  });

  it('hands over the answer piece by piece where it is streamed', async () => {
    const heard: string[] = [];
    const { reasoner } = aReasoner({ ok: true, reply });
    const { content } = await reasoner.streamReason(question, (text) => heard.push(text));
    expect([heard, content]).toEqual([['S', 'o.'], 'So.']);
  });
});

describe('a model that does not answer', () => {
  it.each<[ModelFailure, string]>([
    ['deadline', 'TIMED_OUT'],
    ['refused', 'MODEL_REFUSED'],
    ['model_not_found', 'MODEL_REFUSED'],
    ['redirected', 'MODEL_REFUSED'],
    ['too_large', 'ANSWER_TOO_LARGE'],
    ['invalid_response', 'MODEL_ANSWER_INVALID'],
    ['breaker_open', 'BREAKER_OPEN'],
    ['unreachable', 'MODEL_UNREACHABLE'],
  ])('by %s is the error %s with its reason', async (failure, code) => {
    const { reasoner } = aReasoner({ ok: false, failure, because: 'it said no' });
    await expect(reasoner.reason(question)).rejects.toMatchObject({ code, message: 'it said no' });
    await expect(reasoner.streamReason(question, () => undefined)).rejects.toMatchObject({ code });
  });
});

describe('a backend that cannot stream', () => {
  it('gives its answer in one piece', async () => {
    const heard: string[] = [];
    const { content } = await new Scripted('One. Two.').streamReason(question, (text) => heard.push(text));
    expect([heard, content]).toEqual([['One. Two.'], 'One. Two.']);
  });
});
