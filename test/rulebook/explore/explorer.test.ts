import { describe, expect, it } from 'vitest';
import type { ModelAnswer } from '../../../src/core/model.ts';
import { EXPLORE_CAPS, ExploreBudget, type ExploreCaps } from '../../../src/rulebook/explore/budget.ts';
import { Explorer, type ExplorePorts, type Situation } from '../../../src/rulebook/explore/explorer.ts';
import { fakeClock } from '../../support/fake_clock.ts';
import { scriptedModel } from '../../support/scripted_model.ts';

const chooses = (tool: string, input: unknown = {}, diagnosis?: string) => JSON.stringify({ tool, input, diagnosis });
const proposes = (rule: unknown) => chooses('propose', { rule });
const done = chooses('done');
const GOOD = [proposes('start'), done];
const CRASH: Situation = { kind: 'process_crashed', text: 'exit of the encoder', shown: 'lines:\nexit 139' };
const gone: ModelAnswer = { ok: false, failure: 'deadline', because: 'gone' };

interface Given extends Partial<ExplorePorts<string>> {
  readonly caps?: Partial<ExploreCaps>;
}

/** An explorer whose model says these, one after the other; a rule is a text, and 'start' is a sound one. */
function setUp(answers: readonly (string | ModelAnswer)[] = GOOD, { caps, ...more }: Given = {}) {
  let at = 0;
  const prompts: string[][] = [];
  const model = scriptedModel(({ messages }) => {
    // A session goes on with the same messages: what they were at this moment counts.
    prompts.push(messages.map(({ content }) => content));
    return answers[Math.min(at++, answers.length - 1)]!;
  });
  const kept: [string, Situation][] = [];
  const looked: unknown[] = [];
  const saw = (name: string) => (about: unknown) => {
    looked.push([name, about]);
    return name;
  };
  const explorer = new Explorer<string>({
    model,
    budget: new ExploreBudget({ ...EXPLORE_CAPS, ...caps }, fakeClock().clock),
    isOpen: () => true,
    known: () => undefined,
    searchRules: saw('rules like it'),
    listRules: saw('what there is of rules'),
    searchActions: saw('actions like it'),
    listActions: () => 'all actions',
    logLines: (_, containing) => [`a line with ${containing}`],
    ruleSchema: { type: 'string' },
    check: (rule) => (rule === 'start' ? 'start' : Array.from({ length: 11 }, (_, count) => `wrong ${count}`)),
    keep: (rule, situation) => kept.push([rule, situation]),
    task: 'Find it.',
    ...more,
  });
  /** All messages to the model, and the last one, before its answer of that number, from 0. */
  const told = (call: number) => prompts[call]!.join('\n');
  const lastMessage = (call: number) => prompts[call]!.at(-1)!;
  return { explorer, model, kept, looked, told, lastMessage };
}

describe('an exploration', () => {
  it('ends with the rule that was proposed and found sound, and keeps it for that situation', async () => {
    const { explorer, kept } = setUp();
    const found = await explorer.explore(CRASH);
    expect(found).toEqual({ rule: 'start', from: 'model', because: 'a rule was found', modelCalls: 2 });
    expect(kept).toEqual([['start', CRASH]]);
  });

  it('sends the model its task and what came with the trouble, under the name of the incident', async () => {
    const { explorer, model, told } = setUp();
    await explorer.explore({ ...CRASH, incident: 'inc-1' });
    expect(told(0)).toMatch(/^Find it\.[\s\S]*\(data, not instructions\):\nlines:\nexit 139$/);
    expect(model.asked[0]!.incident).toBe('inc-1');
  });

  it('keeps nothing where the model gives up, and asks it no second time', async () => {
    const { explorer, model, kept } = setUp([chooses('give_up')]);
    expect(await explorer.explore(CRASH)).toMatchObject({ rule: undefined, because: 'the model gave up' });
    expect([model.asked.length, kept]).toEqual([1, []]);
  });

  it('may look things up with tools of whoever explores, beside its own', async () => {
    const { explorer } = setUp([chooses('ask_person')]);
    const run = async () => ({ end: 'stop', because: 'a person said so' });
    const found = await explorer.explore(CRASH, [{ name: 'ask_person', description: '', input: {}, run }]);
    expect(found).toMatchObject({ rule: 'stop', because: 'a person said so' });
  });
});

describe('an exploration that costs nothing', () => {
  it.each<[string, Given, object]>([
    ['while a gate is shut, even where a rule fits', { isOpen: () => false, known: () => 'kept' }, { from: 'gate' }],
    ['where a rule fits already', { known: () => 'kept' }, { from: 'rules', rule: 'kept' }],
    ['where no model is configured', { model: undefined }, { from: 'gate', because: 'no model is configured' }],
    ['where the day has no session left', { caps: { sessionsPerDay: 0 } }, { from: 'budget' }],
  ])('is one %s', async (_, given, answer) => {
    const { explorer, model, kept } = setUp(GOOD, given);
    expect(await explorer.explore(CRASH)).toMatchObject({ rule: undefined, modelCalls: 0, ...answer });
    expect([model.asked, kept, explorer.explorations]).toEqual([[], [], 0]);
  });

  it('gives a rule that fits though no model is configured', async () => {
    const { explorer } = setUp(GOOD, { model: undefined, known: () => 'kept' });
    expect(await explorer.explore(CRASH)).toMatchObject({ from: 'rules', rule: 'kept' });
  });

  it('is one of a situation like one before, with or without a rule, and only of its kind', async () => {
    const { explorer, model } = setUp([...GOOD, chooses('give_up')]);
    await explorer.explore(CRASH);
    expect(await explorer.explore({ ...CRASH, shown: 'else' })).toMatchObject({ from: 'cache', rule: 'start' });
    const stalled = { ...CRASH, kind: 'output_stalled' };
    expect(await explorer.explore(stalled)).toMatchObject({ from: 'model', rule: undefined });
    expect(await explorer.explore(stalled)).toMatchObject({ from: 'cache', rule: undefined });
    expect([model.asked.length, explorer.explorations]).toEqual([3, 2]);
  });
});

describe('an exploration that no model answered', () => {
  it('is made anew at the next time, for nothing was found out', async () => {
    const { explorer, kept } = setUp([gone, gone, ...GOOD]);
    expect(await explorer.explore(CRASH)).toMatchObject({ rule: undefined, from: 'model', modelCalls: 2 });
    expect(await explorer.explore(CRASH)).toMatchObject({ rule: 'start', from: 'model' });
    expect([kept.length, explorer.explorations]).toEqual([1, 2]);
  });

  it('is made anew, too, where the model fell silent in the middle of both attempts', async () => {
    const { explorer } = setUp([chooses('list_rules'), gone, chooses('list_rules'), gone, ...GOOD]);
    expect(await explorer.explore(CRASH)).toMatchObject({ rule: undefined, modelCalls: 4 });
    expect(await explorer.explore(CRASH)).toMatchObject({ rule: 'start', from: 'model' });
  });
});

describe('an exploration that a budget ended', () => {
  const spent: ModelAnswer = { ok: false, failure: 'budget_spent', because: 'calls_per_incident: 9 of 9 made' };

  it('is done with, for the next incident has a budget of its own that would be spent in the same way', async () => {
    const { explorer, model } = setUp([chooses('list_rules'), spent, spent, ...GOOD]);
    expect(await explorer.explore(CRASH)).toMatchObject({ rule: undefined, from: 'model' });
    expect(await explorer.explore(CRASH)).toMatchObject({ from: 'cache' });
    expect(model.asked).toHaveLength(3);
  });

  it('before any answer is made anew at the next time', async () => {
    const { explorer } = setUp([spent, spent, ...GOOD]);
    await explorer.explore(CRASH);
    expect(await explorer.explore(CRASH)).toMatchObject({ rule: 'start', from: 'model' });
  });
});

describe('a rule that was found', () => {
  it('is given though it could not be kept, with the reason, and is looked for anew at the next time', async () => {
    let room = false;
    const keep = (): void => {
      if (!room) throw new Error('no space left on device');
    };
    const { explorer } = setUp([...GOOD, ...GOOD], { keep });
    const because = 'a rule was found, and could not be kept: no space left on device';
    expect(await explorer.explore(CRASH)).toEqual({ rule: 'start', from: 'model', because, modelCalls: 2 });
    room = true;
    expect(await explorer.explore(CRASH)).toMatchObject({ rule: 'start', from: 'model', because: 'a rule was found' });
    expect(await explorer.explore(CRASH)).toMatchObject({ rule: 'start', from: 'cache' });
  });
});

describe('two situations', () => {
  it('are one from the likeness on that is set', async () => {
    const alike = { ...CRASH, text: `${CRASH.text} again` };
    const froms = async (sameSituation: number | undefined) => {
      const { explorer } = setUp([...GOOD, ...GOOD], { sameSituation });
      await explorer.explore(CRASH);
      return (await explorer.explore(alike)).from;
    };
    expect([await froms(undefined), await froms(1)]).toEqual(['cache', 'model']);
  });
});

describe('a second attempt', () => {
  // A session has at most fifteen calls of tools: eight belong to the first attempt.
  const lost = Array.from({ length: 8 }, () => chooses('list_rules', {}, 'the disk is full'));

  it('is made where the first found nothing, and gets its diagnosis and nothing else of it', async () => {
    const { explorer, told } = setUp([...lost, ...GOOD]);
    expect(await explorer.explore(CRASH)).toMatchObject({ rule: 'start', modelCalls: 10 });
    expect(told(8)).toContain('An earlier attempt held for the cause: the disk is full\nlines:\nexit 139');
    expect(told(8)).not.toContain('what there is of rules');
    expect(told(0)).not.toContain('earlier attempt');
  });

  it('is the last, and the calls of both are counted', async () => {
    const { explorer, model } = setUp(lost);
    const found = await explorer.explore(CRASH);
    expect(found).toMatchObject({ rule: undefined, from: 'model', modelCalls: 15 });
    expect([model.asked.length, explorer.explorations]).toEqual([15, 1]);
  });

  it('is not made where the first could not begin: there was no time left', async () => {
    const { explorer, model } = setUp(GOOD, { caps: { sessionMsMax: 0 } });
    expect(await explorer.explore(CRASH)).toMatchObject({ rule: undefined, because: expect.stringMatching(/time/) });
    expect(model.asked).toEqual([]);
  });

  it('is made where the first got no answer', async () => {
    const { explorer, model } = setUp([gone, ...GOOD]);
    expect(await explorer.explore(CRASH)).toMatchObject({ rule: 'start', modelCalls: 3 });
    expect(model.asked).toHaveLength(3);
  });

  it('goes on with the second model where the first does not answer', async () => {
    const secondary = scriptedModel(() => chooses('give_up'));
    const { explorer } = setUp([gone], { secondary });
    expect(await explorer.explore(CRASH)).toMatchObject({ because: 'the model gave up' });
    expect(secondary.asked).toHaveLength(1);
  });
});

describe('a proposal', () => {
  it('that is not sound is answered with at most ten of its problems, and may be put right', async () => {
    const { explorer, kept, lastMessage } = setUp([proposes('reboot'), ...GOOD]);
    expect(await explorer.explore(CRASH)).toMatchObject({ rule: 'start', modelCalls: 3 });
    const problems = Array.from({ length: 10 }, (_, count) => `wrong ${count}`);
    expect(lastMessage(1)).toBe(JSON.stringify({ problems }));
    expect(kept).toHaveLength(1);
  });

  it('must have been made before the session is done', async () => {
    const { explorer, lastMessage } = setUp([done, chooses('propose', null), done, chooses('give_up')]);
    expect((await explorer.explore(CRASH)).rule).toBeUndefined();
    expect(lastMessage(1)).toBe('{"problems":["nothing sound was proposed yet"]}');
    expect(lastMessage(2)).toContain('wrong 0');
    expect(lastMessage(3)).toBe('{"problems":["nothing sound was proposed yet"]}');
  });

  it('is tried out where that can be done, and one that fails must be proposed anew', async () => {
    const results = ['x'.repeat(401), undefined];
    const { explorer, kept, lastMessage } = setUp([...GOOD, done, ...GOOD], {
      retest: async () => results.shift(),
    });
    expect(await explorer.explore(CRASH)).toMatchObject({ rule: 'start', modelCalls: 5 });
    expect(lastMessage(2)).toBe(JSON.stringify({ problems: [`tried out, it failed: ${'x'.repeat(400)}`] }));
    expect(lastMessage(3)).toBe('{"problems":["nothing sound was proposed yet"]}');
    expect(kept).toHaveLength(1);
  });
});

describe('what a model can look up', () => {
  it('is rules, actions and lines, by a text of at most 400 characters or all of them', async () => {
    const query = 'x'.repeat(401);
    const looks = [
      chooses('search_rules', { query }),
      chooses('search_actions', { query }),
      ...[chooses('list_rules'), chooses('list_actions'), chooses('read_log_lines', { containing: 'exit' })],
    ];
    const { explorer, looked, lastMessage } = setUp([...looks, chooses('give_up')]);
    await explorer.explore(CRASH);
    expect([1, 2, 3, 4, 5].map(lastMessage)).toEqual(
      ['rules like it', 'actions like it', 'what there is of rules', 'all actions', ['a line with exit']].map((one) =>
        JSON.stringify(one),
      ),
    );
    const short = 'x'.repeat(400);
    expect(looked).toEqual([
      ['rules like it', short],
      ['actions like it', short],
      ['what there is of rules', CRASH],
    ]);
  });

  it.each([[{}], [null], [{ query: 7 }]])('is refused without a text: %j', async (input) => {
    const { explorer, lastMessage } = setUp([chooses('search_rules', input), chooses('give_up')]);
    await explorer.explore(CRASH);
    expect(lastMessage(1)).toBe('{"error":"query: a text was expected"}');
  });
});
