import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createLearning } from '../../../src/rulebook/learning.ts';
import { EXPLORE_CAPS } from '../../../src/rulebook/explore/budget.ts';
import { exploreInBackground } from '../../../src/rulebook/explore/background.ts';
import type { Configuration } from '../../../src/config/load.ts';
import type { Draft, JournalFact } from '../../../src/core/journal.ts';
import type { Composite, Rule } from '../../../src/core/rule.ts';
import { Ledger } from '../../../src/journal/ledger.ts';
import { MemoryStore } from '../../../src/journal/memory.ts';
import { anEnvelope } from '../../support/a.ts';
import { fakeClock } from '../../support/fake_clock.ts';
import { scriptedModel } from '../../library/scripted_model.ts';
import { withActions } from '../../library/support.ts';
import { aRule } from '../support.ts';
import { START_CRASHED } from './start_crashed.ts';

const GOOD = [
  { tool: 'propose', input: { rule: START_CRASHED }, diagnosis: 'it died' },
  { tool: 'done', input: {} },
];

async function setUp(
  answers: readonly unknown[],
  world: {
    rules?: readonly Rule[];
    explore?: boolean;
    gate?: boolean;
    composites?: readonly Composite[];
    before?: readonly Draft[];
  } = {},
) {
  const { rules = [], explore = true, gate = true, composites = [], before = [] } = world;
  const state = mkdtempSync(join(tmpdir(), 'reeve-explore-'));
  const { clock, advance } = fakeClock();
  const ledger = new Ledger(new MemoryStore(), clock);
  const learning = createLearning({ state, ledger, clock }, () => composites);
  ledger.open();
  if (before.length > 0) ledger.append(before);
  const building = new AsyncDisposableStack();
  learning.start(building, () => undefined);
  const { model, asked } = scriptedModel(answers);
  const notes: string[] = [];
  const note = (_: unknown, text: string) => void notes.push(text);
  const log = { info: note, warn: note, error: note };
  const current = () =>
    ({ rules, composites, patterns: [], config: { planner: { explore } } }) as unknown as Configuration;
  const explored = { infrastructure: { ledger, clock }, learning, model, current, log, gate: () => gate };
  exploreInBackground(explored, building);
  const incident = async (id: string, facts: readonly JournalFact[] = []) => {
    const about = { incident: id, channel: 'news', run: `run-${id}` };
    const because = 'no rule fits';
    const plan = { kind: 'escalate', because, by: { kind: 'policy', because } } as const;
    const outcome = { kind: 'escalated', reason: 'no_plan', because, denial: undefined } as const;
    const story: readonly JournalFact[] = [
      { type: 'envelope.taken', envelope: anEnvelope() },
      { type: 'plan.made', plan },
      { type: 'run.ended', outcome, steps: 0, tookMs: 1 },
      { type: 'incident.closed', ending: 'by_person', because, openMs: 1 },
    ];
    ledger.append((facts.length > 0 ? facts : story).map((fact) => ({ ...about, fact })));
    await advance(5_000);
  };
  /** As after a restart: what the session remembered is gone. */
  const forget = () => exploreInBackground(explored, building);
  return { ledger, learning, asked, notes, incident, advance, forget };
}

describe('Theow 6, exploration in the daemon', () => {
  it('follows a closed incident that no rule answered, and begins the trial of what it found', async () => {
    const { learning, incident, asked } = await setUp(GOOD);
    await incident('inc-1');
    expect(asked).toHaveLength(2);
    expect(asked[0]?.incident).toBe('inc-1');
    expect(learning.proposals.list().map(({ rule }) => rule.id)).toEqual(['start_crashed']);
    expect(learning.records().records).toMatchObject([{ rule: 'start_crashed', state: 'shadow' }]);
  });

  it.each([{ explore: false }, { gate: false }])('asks nothing while a gate is shut: %j', async (world) => {
    const { incident, asked } = await setUp(GOOD, world);
    await incident('inc-1');
    expect(asked).toEqual([]);
  });

  it('costs nothing for another incident like it', async () => {
    const { incident, asked } = await setUp(GOOD);
    for (let count = 1; count <= 10; count += 1) await incident(`inc-${count}`);
    expect(asked).toHaveLength(2);
  });

  it.each([
    [
      'sessions',
      Array.from({ length: EXPLORE_CAPS.sessionsPerDay }, (_, at) => ({ incident: `inc-${at}`, tokens: 1 })),
    ],
    ['tokens', [{ incident: 'inc-0', tokens: EXPLORE_CAPS.tokensPerDay }]],
  ])('counts the %s of the last day that were spent before a restart', async (_, spent) => {
    const called = (tokens: number, purpose: 'explore' | 'ask') => ({
      ...({ type: 'model.called', model: 'm', purpose, failure: undefined } as const),
      ...{ promptTokens: tokens, replyTokens: 0, costMicros: 0, tookMs: 1 },
    });
    const held = (purpose: 'explore' | 'ask') => ({
      before: spent.map(({ incident, tokens }) => ({ incident, fact: called(tokens, purpose) })),
    });
    const { incident, asked, notes, advance } = await setUp([...GOOD, ...GOOD], held('explore'));
    await incident('inc-100');
    expect([asked.length, notes]).toEqual([0, [expect.stringContaining('24 hours')]]);
    await advance(86_400_000);
    await incident('inc-101');
    expect(asked).toHaveLength(2);
    const others = await setUp(GOOD, held('ask'));
    await others.incident('inc-100');
    expect(others.asked).toHaveLength(2);
  });

  it('asks no model about a trouble that a rule on trial fits already, whatever this process remembers', async () => {
    const { incident, asked, forget, learning } = await setUp(GOOD);
    await incident('inc-1');
    forget();
    await incident('inc-2');
    expect(asked).toHaveLength(2);
    expect(learning.onTrial()).toHaveLength(1);
  });

  it.each(['demoted', 'retired', 'staging', 'production'] as const)(
    'asks again about what a proposed rule did not cure that is %s by now',
    async (to) => {
      const { incident, asked, forget, learning } = await setUp(GOOD);
      await incident('inc-1');
      const [record] = learning.records().records;
      const by = { who: 'ann', because: 'seen three times', sha256: record?.sha256 ?? '' };
      await incident('inc-2', [{ type: 'rule.state_set', rule: 'start_crashed', to, ...by }]);
      forget();
      await incident('inc-3');
      expect(asked.length).toBeGreaterThan(2);
    },
  );

  it('lets a proposed rule name a composite action, and lists those beside the tools', async () => {
    const drop = { name: 'drop_then_start', description: 'Drop the cache, then start.', origin: 'actions/drop.yaml:1' };
    const calls = ['invalidate_cache', 'restart_channel'] as const;
    const text = START_CRASHED.replace('process_crashed', 'upstream_url_expired').replace(
      'call: restart',
      'action: drop_then',
    );
    const script = [
      { tool: 'search_actions', input: { query: 'drop the cache' } },
      { tool: 'list_actions', input: {} },
      { tool: 'propose', input: { rule: text.replace('drop_then_channel', 'drop_then_start') } },
      { tool: 'done', input: {} },
    ];
    const { incident, asked, learning, ledger } = await setUp(script, { composites: [{ ...drop, calls }] });
    const envelope = anEnvelope({ failureClassification: 'upstream_url_expired' });
    const because = 'no rule fits';
    const outcome = { kind: 'escalated', reason: 'no_plan', because, denial: undefined } as const;
    await incident('inc-1', [
      { type: 'envelope.taken', envelope },
      { type: 'run.ended', outcome, steps: 0, tookMs: 1 },
      { type: 'incident.closed', ending: 'by_person', because, openMs: 1 },
    ]);
    const contents = asked.at(-1)?.messages.map(({ content }) => content) ?? [];
    expect(contents[3]).toContain('drop_then_start');
    expect(contents[5]).toContain('drop_then_start');
    expect(learning.proposals.list().map(({ rule }) => rule.then)).toEqual([
      [...calls.map((tool) => ({ kind: 'call', tool })), { kind: 'escalate' }],
    ]);
    expect([...ledger.read({ types: ['rule.state_set'] })]).toHaveLength(2);
  });

  it('leaves alone what was cured, and what a rule answered that does not ask for it', async () => {
    const by = { kind: 'rule', rule: 'r' } as const;
    const facts = (because: string): readonly JournalFact[] => [
      { type: 'envelope.taken', envelope: anEnvelope() },
      { type: 'plan.made', plan: { kind: 'escalate', because, by } },
      {
        type: 'run.ended',
        outcome: { kind: 'escalated', reason: 'no_plan', because, denial: undefined },
        steps: 0,
        tookMs: 1,
      },
      { type: 'incident.closed', ending: 'by_person', because, openMs: 1 },
    ];
    const closed = await setUp(GOOD, { rules: [aRule()] });
    await closed.incident('inc-1', facts('b'));
    expect(closed.asked).toEqual([]);
    const open = await setUp(GOOD, { rules: [aRule({ explorable: true, classification: 'output_stalled' })] });
    await open.incident('inc-1', facts('b'));
    expect(open.asked).toHaveLength(2);
  });

  it.each([
    [
      'calls what does not cure it',
      START_CRASHED.replace('restart_channel', 'rebuild_playout'),
      'does not cure process_crashed',
    ],
    [
      'does not fit the incident',
      START_CRASHED.replace('equals: false', 'equals: true'),
      'do not hold in this incident',
    ],
    [
      'has a pattern without linear time',
      START_CRASHED.replace('channel_healthy, equals: false', "evidence, regex: '(?=x)'"),
      'look-around',
    ],
    ['asks a model', START_CRASHED.replace('call: restart_channel', 'plan: true'), 'learns nothing'],
    ["goes before an operator's rules", `${START_CRASHED}priority: 900\n`, 'at most 100'],
  ])('answers the model that a rule %s', async (_, bad, reason) => {
    const { incident, asked } = await setUp([{ tool: 'propose', input: { rule: bad } }, ...GOOD]);
    await incident('inc-1');
    expect(asked[1]?.messages.at(-1)?.content).toContain(reason);
  });

  it('refuses a rule that fits recorded troubles which went by themselves', async () => {
    const { incident, asked, ledger, learning } = await setUp([...GOOD.slice(0, 1), { tool: 'give_up', input: {} }]);
    const about = { incident: 'inc-0', channel: 'news', run: 'run-0' };
    const closed = { type: 'incident.closed', ending: 'self_healed', because: 'b', openMs: 1 } as const;
    const taken = { type: 'envelope.taken', envelope: anEnvelope() } as const;
    ledger.append([taken, closed].map((fact) => ({ ...about, fact })));
    await incident('inc-1');
    expect(asked[1]?.messages.at(-1)?.content).toContain('fits 1 recorded troubles that went by themselves');
    expect(learning.proposals.list()).toEqual([]);
  });

  it('refuses a rule with the tests of another one and other steps', async () => {
    const rival = aRule({ id: 'rival', when: [{ fact: 'channel_healthy', test: { kind: 'equals', value: false } }] });
    const { incident, asked } = await setUp([...GOOD.slice(0, 1), { tool: 'give_up', input: {} }], {
      rules: [withActions(rival, []) as unknown as Rule],
    });
    await incident('inc-1');
    expect(asked[1]?.messages.at(-1)?.content).toContain('rival has the same tests');
  });
});
