import { describe, expect, it } from 'vitest';
import { type DecideStep, decideStep } from '../../src/agent/decide.ts';
import type { Answer } from '../../src/agent/answer.ts';
import type { PlannerQuestion } from '../../src/agent/planner.ts';
import type { RuleModelUse } from '../../src/core/rule.ts';
import type { RuleAnswer } from '../../src/rulebook/rulebook.ts';
import { anAct, anEnvelope } from '../support/a.ts';

type Choose = (question: PlannerQuestion) => Answer;
type Change = Partial<Omit<DecideStep, 'settings'>> & { readonly mode?: 'after_rules' | 'before_rules' };

const takes =
  (tool: string): Choose =>
  ({ choices }) => ({
    ...{ ok: true, choice: choices.find((each) => each.tool === tool)!, evidenceIds: ['s1'] },
    becauseCode: 'evidence_fits_tool',
  });
const ruled = (with_: Partial<RuleAnswer> = {}): RuleAnswer => ({
  ...{ plan: anAct(), rule: 'test', planner: undefined, modelUse: undefined },
  ...with_,
});
const modelUse = (with_: Partial<RuleModelUse> = {}): RuleModelUse => ({
  ...{ prompt: 'p', tools: [], toolCallsMax: 2, tokensMax: 64, useSecondary: false },
  ...with_,
});

/** One decision, and what happened on the way, in order. */
async function decided(choose: Choose | undefined, { mode = 'after_rules', ...with_ }: Change = {}) {
  const story: unknown[] = [];
  const questions: PlannerQuestion[] = [];
  const planner = {
    name: 'local/m',
    choose: async (question: PlannerQuestion) => {
      story.push('asked');
      questions.push(question);
      return choose!(question);
    },
  };
  const result = await decideStep({
    ...{ incident: 'inc-1', envelope: anEnvelope(), attempts: [], asked: 0, signal: new AbortController().signal },
    settings: choose && { planner, mode, deadlineMs: 8_000, replyTokensMax: 256 },
    rules: () => ruled(),
    preview: () => () => ({ verdict: 'allow' }),
    ground: () => anEnvelope({ takenMs: 1_000_500 }),
    note: (fact) => story.push(fact),
    write: () => story.push('written'),
    ...with_,
  });
  return { ...result, story, questions };
}

describe('without a planner', () => {
  it('the plan is that of the rule that fits', async () => {
    expect(await decided(undefined)).toMatchObject({ plan: { kind: 'act', by: { rule: 'test' } }, asked: false });
  });

  it('a person is paged where no rule fits, with what was found', async () => {
    const { plan } = await decided(undefined, { rules: () => undefined });
    expect(plan).toMatchObject({ kind: 'escalate', because: 'no rule fits process_crashed', by: { kind: 'policy' } });
    const envelope = anEnvelope({ failureClassification: undefined });
    const unclear = await decided(undefined, { rules: () => undefined, envelope });
    expect(unclear.plan.because).toBe('no rule fits what is seen');
  });

  it('the rules are asked only when what they compare by is ready', async () => {
    const order: string[] = [];
    await decided(undefined, {
      prepare: async () => void order.push('ready'),
      rules: () => {
        order.push('rules');
        return ruled();
      },
    });
    expect(order).toEqual(['ready', 'rules']);
  });
});

describe('a planner is asked', () => {
  it.each<[string, Change, boolean]>([
    ['not where a rule has an answer', {}, false],
    ['before the rules, where it is set so', { mode: 'before_rules' }, true],
    ['where no rule fits', { rules: () => undefined }, true],
    ['where every rule that fits is spent', { rules: () => ruled({ planner: 'spent' }) }, true],
    ['as often as a rule lets it', { asked: 1, rules: () => ruled({ planner: 'asked', modelUse: modelUse() }) }, true],
    ['no more often', { asked: 2, rules: () => ruled({ planner: 'asked', modelUse: modelUse() }) }, false],
    [
      'no more often before the rules either',
      { asked: 2, mode: 'before_rules', rules: () => ruled({ modelUse: modelUse() }) },
      false,
    ],
    [
      'not where the guard would allow no call at all',
      { rules: () => undefined, preview: () => () => ({ verdict: 'deny', code: 'phase' }) },
      false,
    ],
  ])('%s', async (_, change, expected) => {
    const { asked, questions } = await decided(takes('escalate'), change);
    expect([asked, questions.length]).toEqual([expected, expected ? 1 : 0]);
  });

  it('only after all that was noted is written, with the tools that the rule leaves to it', async () => {
    const left = modelUse({ tools: ['get_channel_health'] });
    const { story, questions } = await decided(takes('get_channel_health'), {
      rules: () => ruled({ planner: 'asked', modelUse: left }),
    });
    expect(story).toMatchObject(['written', 'asked', { type: 'plan.chosen' }]);
    expect(questions[0]).toMatchObject({ incident: 'inc-1', deadlineMs: 8_000, replyTokensMax: 256, modelUse: left });
    expect(questions[0]!.choices.map(({ tool }) => tool)).toEqual(['get_channel_health', 'wait', 'stop', 'escalate']);
  });
});

describe('what a planner chose', () => {
  const asking: Change = { rules: () => undefined };

  it('becomes the plan, on the envelope of the moment of its answer, and is noted with the one it was shown', async () => {
    const { plan, envelope, story } = await decided(takes('restart_channel'), asking);
    expect(plan).toMatchObject({ kind: 'act', call: { tool: 'restart_channel' }, by: { model: 'local/m' } });
    expect(envelope.takenMs).toBe(1_000_500);
    expect(story.at(-1)).toMatchObject({
      ...{ type: 'plan.chosen', model: 'local/m', tool: 'restart_channel', target: 'channel:news' },
      ...{ becauseCode: 'evidence_fits_tool', evidenceIds: ['s1'], envelopeTakenMs: 1_000_000 },
    });
  });

  it('waits no longer than the rules would', async () => {
    const wait = { kind: 'wait', escalateAfterMs: 7_000, because: 'a rule', by: { kind: 'rule', rule: 'r' } } as const;
    const { plan } = await decided(takes('wait'), { rules: () => ruled({ plan: wait, planner: 'spent' }) });
    expect(plan).toMatchObject({ kind: 'wait', escalateAfterMs: 7_000, by: { model: 'local/m' } });
  });

  it.each([
    ['is another trouble', { failureClassification: 'output_stalled' as const }],
    ['is about other evidence', { fingerprint: 'process_crashed|news|other' }],
    ['is over', { failureClassification: undefined, channelHealthy: true }],
  ])('is stale where what is there by then %s, and the rules are asked about that', async (_, change) => {
    const now = anEnvelope(change);
    const grounds: unknown[] = [];
    const { plan, envelope, story, asked } = await decided(takes('restart_channel'), {
      ground: () => now,
      rules: (about) => {
        grounds.push(about);
        return undefined;
      },
    });
    expect(story.at(-1)).toEqual({ type: 'plan.rejected', model: 'local/m', reason: 'stale' });
    expect([plan.kind, envelope, asked, grounds.at(-1)]).toEqual(['escalate', now, true, now]);
  });

  it('is stale where nothing was named and the channel is well by then', async () => {
    const unnamed = { failureClassification: undefined } as const;
    const { plan, story } = await decided(takes('restart_channel'), {
      ...asking,
      envelope: anEnvelope(unnamed),
      ground: () => anEnvelope({ ...unnamed, channelHealthy: true }),
    });
    expect([plan.kind, story.at(-1)]).toMatchObject(['escalate', { reason: 'stale' }]);
  });

  it('that is no answer at all is rejected by its own reason', async () => {
    const { plan, story } = await decided(() => ({ ok: false, reason: 'deadline' }), asking);
    expect(story.at(-1)).toEqual({ type: 'plan.rejected', model: 'local/m', reason: 'deadline' });
    expect(plan.kind).toBe('escalate');
  });

  it('comes to nothing where the run was stopped meanwhile: nothing is grounded and nothing noted', async () => {
    const stop = new AbortController();
    const { plan, envelope, story, asked } = await decided(
      (question) => {
        stop.abort();
        return takes('restart_channel')(question);
      },
      { ...asking, signal: stop.signal },
    );
    expect([plan.kind, envelope.takenMs, asked, story]).toEqual(['escalate', 1_000_000, true, ['written', 'asked']]);
  });
});
