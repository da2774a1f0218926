import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ReeveError } from '../../src/core/errors.ts';
import type { JournalFact } from '../../src/core/journal.ts';
import type { Rule, RuleState } from '../../src/core/rule.ts';
import { Ledger } from '../../src/journal/ledger.ts';
import { MemoryStore } from '../../src/journal/memory.ts';
import { createLearning } from '../../src/rulebook/learning.ts';
import { sha256Of } from '../../src/rulebook/proposals.ts';
import { anAct, anEnvelope, aVerification, permitTerms } from '../support/a.ts';
import { fakeClock } from '../support/fake_clock.ts';
import { TEXT } from './on_trial.ts';
import { aRule } from './support.ts';

let state = '';
beforeEach(() => {
  state = mkdtempSync(join(tmpdir(), 'reeve-learning-'));
});
afterEach(() => rmSync(state, { recursive: true, force: true }));

const ID = 'start_crashed';
const ann = { who: 'ann', because: 'it is right' };

/** The learning of a daemon that has just started. */
function setUp({ start = true, rules = [] as readonly Rule[] } = {}) {
  const { clock, advance } = fakeClock();
  const store = new MemoryStore();
  const ledger = new Ledger(store, clock);
  const failures: string[] = [];
  const learning = createLearning({ state, ledger, clock });
  ledger.open();
  const building = new AsyncDisposableStack();
  if (start) learning.start(building, (text) => failures.push(text));
  const append = (facts: readonly JournalFact[], incident = 'inc-1') =>
    ledger.append(facts.map((fact) => ({ incident, channel: 'news', run: `run-${incident}`, fact })));
  const move = (to: RuleState, rule = ID, signed = ann) => {
    const result = learning.setState({ rule, to, ...signed }, { rules });
    if (result.ok) ledger.append(result.drafts);
    return result;
  };
  const set = (rule: string, to: RuleState, sha256 = sha256Of(TEXT)) =>
    ledger.append([{ fact: { type: 'rule.state_set', rule, sha256, to, who: 'ann', because: 'b' } }]);
  const score = (rule: string, ...cures: readonly boolean[]) =>
    append(
      cures.map((cured, at) => ({
        ...{ type: 'attempt.scored', by: { kind: 'rule', rule }, permit: `p${at}`, tool: 'restart_channel' },
        ...{ score: cured ? 1 : 0, cured, fingerprint: 'f' },
      })),
    );
  const views = (of: readonly Rule[] = []) => learning.views(of) as readonly Record<string, unknown>[];
  const states = () => learning.records().records.map(({ rule, state: now }) => [rule, now]);
  return { learning, failures, store, ledger, building, advance, append, move, set, score, views, states };
}

const takesNothing = (): never => {
  throw new ReeveError('JOURNAL_UNWRITABLE', 'the disk is full');
};

/** A run in which a model chose a call that cured. */
const cure: readonly JournalFact[] = [
  { type: 'run.started', persona: 'system_admin', phase: 4 } as unknown as JournalFact,
  { type: 'envelope.taken', envelope: anEnvelope() },
  { type: 'plan.made', plan: { ...anAct(), by: { kind: 'model', model: 'test/small' } } } as unknown as JournalFact,
  { type: 'attempt.verified', permit: permitTerms(), verification: aVerification(), fingerprint: 'f' },
  { type: 'run.ended', outcome: { kind: 'resolved', because: 'cured' }, steps: 1, tookMs: 1 } as JournalFact,
];

describe('the trial of a proposed rule', () => {
  it('begins when the daemon starts, and within a minute for a file that came later', async () => {
    const { learning, states, advance } = setUp();
    learning.proposals.write(TEXT);
    await advance(59_999);
    expect(states()).toEqual([]);
    await advance(1);
    expect(states()).toEqual([[ID, 'shadow']]);
    expect(setUp().states()).toEqual([[ID, 'shadow']]);
  });

  it('that cannot be written down, as the journal takes nothing, is told of and ends nothing', async () => {
    const { learning, store, advance, failures } = setUp();
    learning.proposals.write(TEXT);
    store.append = takesNothing;
    await advance(120_000);
    expect(failures).toEqual(Array.from({ length: 2 }, () => 'rules on trial: JOURNAL_UNWRITABLE: the disk is full'));
  });

  it('matches what is looked at, until the daemon stops', async () => {
    const { learning, append, building, ledger } = setUp();
    learning.proposals.write(TEXT);
    learning.refresh();
    append([{ type: 'envelope.taken', envelope: anEnvelope() }]);
    await building.disposeAsync();
    append([{ type: 'envelope.taken', envelope: anEnvelope() }], 'inc-2');
    expect([...ledger.read({ types: ['rule.shadowed'] })]).toHaveLength(1);
  });

  it('is that of rules that are matched and do nothing: proposed and in shadow, and of their present text', () => {
    const { learning, set } = setUp({ start: false });
    learning.proposals.write(TEXT);
    const onTrial = () => learning.onTrial().map(({ rule }) => rule.id);
    expect(onTrial()).toEqual([ID]);
    const movedTo = (to: RuleState) => {
      set(ID, to);
      return onTrial();
    };
    expect([movedTo('proposed'), movedTo('shadow')]).toEqual([[ID], [ID]]);
    expect([movedTo('staging'), movedTo('production'), movedTo('demoted'), movedTo('retired')]).toEqual([
      [],
      [],
      [],
      [],
    ]);
    set(ID, 'retired', sha256Of('an older text'));
    expect(onTrial()).toEqual([ID]);
  });
});

describe('a cure that a model chose', () => {
  it('is proposed as a rule, whose trial begins at once', () => {
    const { learning, append, states } = setUp();
    append(cure);
    const id = 'told_process_crashed_process_crash_restart_channel';
    expect(learning.proposals.list().map(({ rule }) => rule.id)).toEqual([id]);
    expect(states()).toEqual([[id, 'shadow']]);
  });

  it('is proposed once, whoever chose it the next time', () => {
    const { learning, append } = setUp();
    append(cure);
    const by = { kind: 'operator', who: 'ann' };
    const again = cure.map((fact) => (fact.type === 'plan.made' ? { ...fact, plan: { ...anAct(), by } } : fact));
    append(again as readonly JournalFact[], 'inc-2');
    expect(learning.proposals.list().map(({ text }) => text)).toEqual([expect.stringContaining('test/small')]);
  });
});

describe('how rules are shown', () => {
  it('is each rule in force, as production where it was never moved, and then the proposed ones with their files', () => {
    const { learning, views } = setUp();
    const { file } = learning.proposals.write(TEXT);
    learning.refresh();
    const [own, proposed, ...more] = views([aRule()]);
    expect(own).toMatchObject({ id: 'r', state: 'production', stateSet: null, offer: null });
    expect(own).not.toHaveProperty('proposal');
    expect(proposed).toMatchObject({ id: ID, state: 'shadow', stateSet: { who: 'reeve' } });
    expect(proposed).toMatchObject({ proposal: { text: TEXT, file, sha256: sha256Of(TEXT) } });
    expect(more).toEqual([]);
  });

  it('says proposed of a file whose trial has not begun', () => {
    const { learning, views } = setUp({ start: false });
    learning.proposals.write(TEXT);
    expect(views()).toMatchObject([{ id: ID, state: 'proposed', stateSet: null }]);
  });

  it('is once a rule that was copied into the configuration', () => {
    const { learning, views } = setUp();
    learning.proposals.write(TEXT);
    expect(views([aRule({ id: ID })])).toHaveLength(1);
  });
});

describe('the standing of a rule', () => {
  it('is unknown without a record, and else its cures and whether it may act', () => {
    const { learning, set, score } = setUp({ start: false });
    const standing = (rule: string) => learning.standingOf(aRule({ id: rule }).id);
    expect(standing('r')).toBeUndefined();
    score('r', true, false);
    expect(standing('r')).toEqual({ successes: 1, failures: 1, onTrial: false, retired: false });
    set('r', 'staging');
    expect(standing('r')).toMatchObject({ onTrial: true, retired: false });
    set('r', 'demoted');
    expect(standing('r')).toMatchObject({ onTrial: false, retired: true });
  });
});

describe('a person who moves a rule', () => {
  it('needs a name and a reason, and both are recorded with the text that it is about', () => {
    const { learning, move } = setUp();
    learning.proposals.write(TEXT);
    learning.refresh();
    const drafts = [{ fact: { type: 'rule.state_set', rule: ID, sha256: sha256Of(TEXT), to: 'staging', ...ann } }];
    expect(move('staging')).toEqual({ ok: true, drafts, message: `done: rule ${ID}: staging now` });
    expect(move('production', ID, { ...ann, because: ' ' })).toMatchObject({ ok: false, code: 'reason_missing' });
  });

  it('is refused a rule that does not exist', () => {
    const { move } = setUp({ rules: [aRule()] });
    expect(move('retired')).toEqual({ ok: false, code: 'target_unknown', because: `there is no rule ${ID}` });
  });

  it('may take one of the configuration out of use, and one whose file is gone', () => {
    const { move, set, states } = setUp({ rules: [aRule()] });
    expect(move('retired', 'r')).toMatchObject({ ok: true, drafts: [{ fact: { rule: 'r', sha256: '' } }] });
    set('gone', 'staging', 's9');
    expect(move('retired', 'gone')).toMatchObject({ ok: true, drafts: [{ fact: { rule: 'gone', sha256: 's9' } }] });
    expect(states()).toEqual([
      ['r', 'retired'],
      ['gone', 'retired'],
    ]);
  });

  it('moves the text that is there now, not the one that was judged before', () => {
    const { learning, move, set } = setUp({ start: false });
    learning.proposals.write(TEXT);
    set(ID, 'retired', 'older');
    expect(move('shadow')).toMatchObject({ drafts: [{ fact: { sha256: sha256Of(TEXT) } }] });
  });

  it('is refused a move that its state does not have', () => {
    const { learning, move } = setUp();
    learning.proposals.write(TEXT);
    learning.refresh();
    const because = `${ID} is in shadow; from there it may go to staging, retired, not to production`;
    expect(move('production')).toEqual({ ok: false, code: 'nothing_to_do', because });
  });
});

describe('the figures of all rules', () => {
  it('are their cures, and of rules that were tried the five that cured most, by name where they are equal', () => {
    const { learning, score } = setUp({ start: false });
    score('f', true, false);
    for (const rule of ['e', 'd', 'c', 'b']) score(rule, true);
    score('a', true, true);
    const { resolves, top } = learning.figures();
    expect(resolves).toBe(7);
    expect(top.map(({ rule, successes }) => [rule, successes])).toEqual([
      ['a', 2],
      ...['b', 'c', 'd', 'e'].map((rule) => [rule, 1]),
    ]);
  });

  it('leave out what was never tried', () => {
    const { learning, score, set } = setUp({ start: false });
    score('a', false);
    set('untried', 'staging');
    expect(learning.figures().top.map(({ rule }) => rule)).toEqual(['a']);
  });

  it('name as struggling those of at least four calls that failed more often than not, the worst first', () => {
    const { learning, score } = setUp({ start: false });
    score('even', true, true, false, false);
    score('few', false, false, false);
    score('bad', true, false, false, false);
    score('worst', true, false, false, false, false);
    expect(learning.figures().struggling.map(({ rule }) => rule)).toEqual(['worst', 'bad']);
  });

  it('say how often a model was needed, week by week', () => {
    const { learning, append } = setUp({ start: false });
    append([...cure, { type: 'incident.closed', ending: 'resolved', because: 'b', openMs: 1 }]);
    expect(learning.figures().llmNeededByWeek).toMatchObject([{ incidents: 1, llmNeededRatio: 1 }]);
  });

  it('count what exploring cost', () => {
    const { learning, append } = setUp({ start: false });
    append([
      { type: 'model.called', purpose: 'explore', costMicros: 1_500_000 } as unknown as JournalFact,
      { type: 'model.called', purpose: 'plan', costMicros: 500_000 } as unknown as JournalFact,
    ]);
    expect(learning.figures()).toMatchObject({ explorationCalls: 1, modelCost: 2 });
  });
});

describe('a move of a rule', () => {
  it('is answered with where the rule stands now: a promotion is one step of several', () => {
    const { move, set } = setUp();
    set(ID, 'demoted');
    expect(move('staging')).toMatchObject({ ok: true, message: `done: rule ${ID}: staging now` });
    expect(move('production')).toMatchObject({ ok: true, message: `done: rule ${ID}: production now` });
  });
});
