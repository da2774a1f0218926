import { describe, expect, it } from 'vitest';
import { numbered } from '../../src/agent/choices.ts';
import { modelPlanner, planOfChoice } from '../../src/agent/planner.ts';
import { anEnvelope } from '../support/a.ts';
import { chooses, scriptedModel } from '../support/scripted_model.ts';

const choices = numbered([{ tool: 'restart_channel', target: 'channel:news', needsApproval: false }]);
const question = {
  incident: 'inc-1',
  envelope: anEnvelope(),
  attempts: [],
  choices,
  deadlineMs: 8_000,
  replyTokensMax: 256,
};
const signal = new AbortController().signal;

describe('a planner that asks a model', () => {
  it('gives it the learned facts and one hint for the current envelope', async () => {
    const model = scriptedModel(chooses('restart_channel'));
    const recall = (): readonly string[] => ['restart_channel cured process_crashed 3 of 3 times'];
    const planner = modelPlanner({ model, templateOf: () => '<str>', recall, hint: () => 'look at the origin' });
    expect(await planner.choose(question, signal)).toMatchObject({ ok: true, choice: { tool: 'restart_channel' } });
    const prompt = model.asked[0]!.messages.at(-1)!.content;
    expect(prompt).toContain('recalled: restart_channel cured process_crashed 3 of 3 times');
    expect(prompt).toContain('hint: look at the origin');
  });

  it('looks for the hint as it would be sent, and says whether it is', async () => {
    const model = scriptedModel(chooses('restart_channel'));
    const sent: boolean[] = [];
    const hint = ({ isSent }: { readonly isSent: boolean }) => {
      sent.push(isSent);
      return 'look at the origin';
    };
    const planner = modelPlanner({ model, templateOf: () => '<str>', hint });
    await planner.choose(question, signal);
    expect(planner.promptOf?.(question)).toBe(model.asked[0]!.messages.at(-1)!.content);
    expect(sent).toEqual([true, false]);
  });

  it('puts the text of a rule before the situation, and keeps to its limits', async () => {
    const model = scriptedModel(chooses('restart_channel'));
    const modelUse = { prompt: 'You know encoders.', tools: [], toolCallsMax: 1, tokensMax: 64, useSecondary: true };
    await modelPlanner({ model, templateOf: () => '<str>' }).choose({ ...question, modelUse }, signal);
    expect(model.asked[0]).toMatchObject({
      messages: [{ role: 'system', content: 'You know encoders.' }, { role: 'user' }],
      tokensMax: 64,
      useSecondary: true,
      incident: 'inc-1',
      purpose: 'plan',
    });
  });

  it('gives the schema of exactly these choices and this evidence', async () => {
    const model = scriptedModel(chooses('restart_channel'));
    await modelPlanner({ model, templateOf: () => '<str>' }).choose(question, signal);
    expect(model.asked[0]!.schema).toMatchObject({
      properties: { choice: { enum: [0, 1, 2, 3] }, evidence_ids: { items: { enum: ['s1', 's2'] } } },
    });
  });
});

describe('the plan of a choice', () => {
  const plan = (tool: string, waitMsMax?: number) => {
    const choice = choices.find((each) => each.tool === tool)!;
    const answer = { ok: true, choice, evidenceIds: ['s1'], becauseCode: 'evidence_fits_tool' } as const;
    return planOfChoice(answer, { planner: 'local/m', envelope: anEnvelope(), waitMsMax });
  };

  it('is made of the envelope: nothing of the call comes from the model', () => {
    expect(plan('restart_channel')).toEqual({
      kind: 'act',
      call: { tool: 'restart_channel', target: { kind: 'channel', id: 'news' }, channels: [] },
      because: 'local/m chose restart_channel: evidence_fits_tool, on s1',
      by: { kind: 'model', model: 'local/m' },
    });
  });

  it.each([
    [undefined, 60_000],
    [59_999, 59_999],
    [60_001, 60_000],
  ])('waits no longer than the rules (%s ms) and a minute', (waitMsMax, expected) => {
    expect(plan('wait', waitMsMax)).toMatchObject({ kind: 'wait', escalateAfterMs: expected });
    expect(plan('stop', waitMsMax)).toMatchObject({ kind: 'wait', escalateAfterMs: expected });
  });

  it('calls a person where the model wants one', () => expect(plan('escalate')).toMatchObject({ kind: 'escalate' }));
});
