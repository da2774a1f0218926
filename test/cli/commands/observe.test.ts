import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { addObserve } from '../../../src/cli/commands/observe.ts';
import type { Cli } from '../../../src/cli/context.ts';

const STATS = {
  incidents: 4,
  rollout: { groups: [{ group: 'gen', phase: 4 }] },
  resolves: 3,
  exploration_calls: 2,
  model_cost: 1.5,
  top: [{ rule: 'start_crashed', successes: 3, failures: 0 }],
  struggling: [{ rule: 'flaky', successes: 1, failures: 4 }],
  llm_needed_by_week: [
    { week: 1, llm_needed_ratio: 0.75 },
    { week: 2, llm_needed_ratio: 0.1 },
  ],
};

async function printed(stats: object, command: string | readonly string[] = 'stats'): Promise<string> {
  let text = '';
  const terminal = { out: (chunk: string) => (text += chunk), err: () => undefined, colours: false };
  const client = { get: async () => stats, post: async () => ({}) };
  const cli = { terminal, client: () => client, wantsJson: () => false, fail: () => undefined } as unknown as Cli;
  const program = new Command();
  addObserve(program, cli);
  await program.parseAsync([command].flat(), { from: 'user' });
  return text;
}

describe('Theow 3.7, reeve stats', () => {
  it('says what rules cured, which struggle, what models cost, and how often one was needed', async () => {
    const text = await printed(STATS);
    expect(text).toContain('3 cured by rules, 2 calls of a model to explore, model cost 1.50');
    expect(text).toContain('a model was needed, by week: 75 %, 10 %');
    expect(text).toMatch(/top rules +cured +not\nstart_crashed +3 +0/);
    expect(text).toMatch(/struggling +cured +not\nflaky +1 +4/);
    expect(text).toMatch(/\nincidents: 4\nhow far it may go: reeve phase\n$/);
    expect(text).toContain('incidents: 4');
  });

  it('says what rules are compared by, and why it is n-grams although a model is configured', async () => {
    const lineOf = async (similarity: object) => (await printed({ ...STATS, similarity })).split('\n')[2];
    expect(await lineOf({ backend: 'ngrams', rules: 0, embedded: 0 })).toBe('rules are compared by n-grams');
    const model = 'local/nomic-embed-text';
    expect(await lineOf({ backend: 'embeddings', model, rules: 9, embedded: 9 })).toBe(
      'rules are compared by vectors of local/nomic-embed-text (9 of 9)',
    );
    expect(await lineOf({ backend: 'ngrams', model, rules: 9, embedded: 2, because: 'no vectors within 500 ms' })).toBe(
      'rules are compared by n-grams instead of local/nomic-embed-text (2 of 9 have a vector): no vectors within 500 ms',
    );
  });

  it('leaves out what there is none of', async () => {
    const text = await printed({ ...STATS, top: [], struggling: [], llm_needed_by_week: [] });
    expect(text).not.toMatch(/top rules|struggling|by week/);
  });
});

describe('reeve approvals', () => {
  it('shows each question as a row that a person reads: what is asked, why, and how long is left', async () => {
    const asked = {
      ...{ id: 'apr-1', what: 'restart_channel on channel:news', incident: 'inc-1', classification: 'output_stalled' },
      ...{ asked_at: 1_795_848_415_235, asked_by: null, proposed: false },
      ...{ yes_needed: 2, yes_by: ['ann'], expires_in_ms: 300_000 },
    };
    const [head, row, hint] = (await printed({ approvals: [asked] }, 'approvals')).split('\n');
    expect(head).toMatch(/^question +what +because of +incident +yes +left$/);
    expect(row).toMatch(/^apr-1 +restart_channel on channel:news +output_stalled +inc-1 +1 of 2 +5 m 0 s$/);
    expect(hint).toMatch(/^answer with reeve approve ID/);
    expect(await printed({ approvals: [] }, 'approvals')).toBe('none\n');
  });
});

describe('reeve pages', () => {
  it('lists the open pages, and the status has those that nobody has acknowledged', async () => {
    const page = {
      ...{ key: 'incident/inc-1', severity: 'critical', reason: 'no_plan', scope: 'channel:news', incident: 'inc-1' },
      ...{ classification: 'process_crashed', summary: 'news is down', open_ms: 60_000, acked: null },
      delivered_to: ['oncall'],
    };
    const [head, row] = (await printed({ pages: [page] }, 'pages')).split('\n');
    expect(head).toMatch(/^page +severity +open for +taken by +delivered to +what$/);
    expect(row).toMatch(/^incident\/inc-1 +critical +60 s +- +oncall +news is down$/);
    expect(await printed({ pages: [] }, 'pages')).toBe('none\n');
    const status = {
      ...{ phase: 3, frozen: false, fleet_budget: { used: 0, max: 20, free_in_ms: 0 }, containment: [], incidents: [] },
      ...{ channels: [], windows: [], approvals: [], problems: [], last_delivery: { seconds_ago: null } },
    };
    expect(await printed({ ...status, pages: [page] }, 'status')).toContain(
      '\npage (critical): news is down — reeve ack incident/inc-1\n',
    );
    // A daemon of an earlier version.
    expect(await printed(status, 'status')).not.toContain('page (');
  });
});

describe('reeve incidents', () => {
  it.each(['0', '1001', 'all', '1.5'])(
    'is not asked for %s of them: the daemon gives a thousand at most',
    async (count) => {
      await expect(printed({ incidents: [] }, ['incidents', '--limit', count])).rejects.toThrow(
        `--limit: a number from 1 to 1000 was expected, got ${count}`,
      );
    },
  );

  it('says of each open incident why it stands as it does', async () => {
    const more = { scope: 'channel:news', classification: 'process_crashed', open_ms: 24_000, ending: null };
    const incidents = [
      { id: 'inc-2', state: 'approval_needed', because: 'ann said no', ...more },
      { id: 'inc-1', state: 'closed', ...more, ending: 'resolved' },
    ];
    const [head, first, second] = (await printed({ incidents }, 'incidents')).split('\n');
    expect(head).toMatch(/^incident +where +what +state +for +why$/);
    expect(first).toMatch(/ approval_needed +24 s +ann said no$/);
    expect(second).toMatch(/ resolved +24 s$/);
  });
});

describe('reeve why-not', () => {
  it('writes durations as people say them, and nothing where nothing would be needed', async () => {
    const check = {
      verdict: 'refuse',
      value: '1 in group gen; free in 16061 ms',
      threshold: '60000 ms apart, or 900 ms',
    };
    const checks = [
      { id: 12, question: 'high_risk', ...check },
      { id: 15, question: 'viewers', verdict: 'not_asked', value: 'no budget is set', threshold: '' },
    ];
    const answer = { verdict: 'deny', code: 'high_risk_spacing', because: 'too close', checks, flips: ['wait 17 s'] };
    expect(await printed(answer, ['why-not', 'gen1', 'restart_channel'])).toBe(
      [
        'deny (high_risk_spacing): too close',
        '12 NO  high_risk: 1 in group gen; free in 16 s (60 s apart, or 900 ms)',
        '15  –  viewers: no budget is set',
        'what would change it:',
        '  wait 17 s',
        '',
      ].join('\n'),
    );
  });
});

describe('reeve status', () => {
  it('names the groups whose own phase is lower than that of all', async () => {
    const more = { healthy: true, because: 'it runs', restart_count: 0, breaker: 'closed', leased_for_ms: 0 };
    const status = {
      ...{ phase: 3, frozen: false, fleet_budget: { used: 0, max: 20, free_in_ms: 0 }, containment: [], incidents: [] },
      channels: [
        { id: 'a', group: 'gen', phase: 1, ...more },
        { id: 'b', group: 'gen', phase: 1, ...more },
        { id: 'c', group: 'radio', phase: 3, ...more },
      ],
      ...{ windows: [], approvals: [], problems: [], last_delivery: { seconds_ago: null } },
    };
    expect(await printed(status, 'status')).toMatch(/^phase 3, but group gen 1\n/);
    expect(await printed({ ...status, phase: 1 }, 'status')).toMatch(/^phase 1\n/);
  });

  it('says who froze it, why, and the command that ends it as it is typed', async () => {
    const status = {
      ...{ phase: 4, frozen: true, freeze: { who: 'ann', because: 'volumes move' }, containment: [], incidents: [] },
      ...{ fleet_budget: { used: 0, max: 20, free_in_ms: 0 }, channels: [], approvals: [], windows: [], problems: [] },
      last_delivery: { seconds_ago: null },
    };
    expect((await printed(status, 'status')).split('\n')[0]).toBe(
      'phase 4  FROZEN by ann: volumes move; nothing is changed until reeve thaw --because "…"',
    );
  });

  it('says how each containment ends, and what of the budget of restarts is used', async () => {
    const held = { scope: 'fleet', reason: 'restart_storm', detail: '10 starts' };
    const status = (byPerson: boolean) => ({
      ...{ phase: 4, frozen: false, containment: [{ ...held, release_by_person: byPerson }], incidents: [] },
      ...{ fleet_budget: { used: 2, max: 20, free_in_ms: 0 }, channels: [], approvals: [], windows: [], problems: [] },
      last_delivery: { seconds_ago: null },
    });
    const lines = (await printed(status(false), 'status')).split('\n');
    expect(lines[2]).toBe('budget of restarts in 24 h: 2 of 20 used by Reeve');
    expect(lines[3]).toBe(
      'contained: fleet (restart_storm) 10 starts; it ends by itself once its cause has been gone for a while, ' +
        'or by reeve release fleet --because "…"',
    );
    expect(await printed(status(true), 'status')).toContain('it ends only by reeve release fleet --because');
  });

  it('sends nobody to a release before the journal is whole', async () => {
    const held = { scope: 'fleet', reason: 'journal_error', detail: 'entry 3 does not match its hash' };
    const text = await printed(
      {
        ...{ phase: 4, frozen: false, containment: [{ ...held, release_by_person: true }], incidents: [] },
        ...{ fleet_budget: { used: 0, max: 20, free_in_ms: 0 }, channels: [], approvals: [], windows: [] },
        ...{ problems: [], last_delivery: { seconds_ago: null } },
      },
      'status',
    );
    expect(text).toContain(
      'contained: fleet (journal_error) entry 3 does not match its hash; no release ends it before',
    );
    expect(text).toContain('(docs/audit.md); then reeve release fleet');
  });

  it('says when the next restart fits a budget that is used up, and names the setting where none ever fits', async () => {
    const budget = async (fleet_budget: object) => {
      const status = {
        ...{ phase: 4, frozen: false, fleet_budget, containment: [], incidents: [] },
        ...{ channels: [], approvals: [], windows: [], problems: [], last_delivery: { seconds_ago: null } },
      };
      return (await printed(status, 'status')).split('\n').find((line) => line.startsWith('budget'));
    };
    expect(await budget({ used: 20, max: 20, free_in_ms: 60_000 })).toBe(
      'budget of restarts in 24 h: 20 of 20 used by Reeve: none is made, the next in 60 s',
    );
    expect(await budget({ used: 0, max: 0 })).toBe(
      'budget of restarts in 24 h: 0 of 0 used by Reeve: none is made, fleet_daily_restart_cap allows none',
    );
  });

  it('does not say of a freeze that a release would end it: that is for after the thaw', async () => {
    const held = {
      scope: 'fleet',
      reason: 'operator_freeze',
      detail: 'a person froze Reeve',
      release_by_person: false,
    };
    const status = (freeze: object) => ({
      ...{ phase: 4, frozen: 'freeze' in freeze, ...freeze, containment: [held], incidents: [] },
      ...{ fleet_budget: { used: 0, max: 20, free_in_ms: 0 }, channels: [], approvals: [], windows: [], problems: [] },
      last_delivery: { seconds_ago: null },
    });
    const line = async (freeze: object) => (await printed(status(freeze), 'status')).split('\n')[3];
    expect(await line({ freeze: { who: 'ann', because: 'volumes move' } })).toBe(
      'contained: fleet (operator_freeze) a person froze Reeve; it ends a while after the thaw',
    );
    expect(await line({})).toContain('or by reeve release fleet --because "…"');
  });

  it('shows where people hold Reeve off, before the table', async () => {
    const channel = { group: 'g', healthy: false, classification: 'output_stalled', because: 'it stands' };
    const more = { restart_count: 0, breaker: 'closed', unknown_outcome: false, leased_for_ms: 90_000 };
    const window = { id: 'win-1', scope: 'group:g', starts_in_ms: 0, ends_in_ms: 30_000, rolling: false };
    const status = {
      ...{ phase: 4, frozen: false, fleet_budget: { used: 0, max: 20, free_in_ms: 0 }, containment: [], incidents: [] },
      ...{ channels: [{ id: 'news', ...channel, ...more }], windows: [{ ...window, who: 'ann', because: 'work' }] },
      ...{ approvals: [], problems: [], last_delivery: { seconds_ago: null } },
    };
    const [head] = (await printed(status, 'status')).split('\n\n');
    expect(head).toContain('leased, nothing is changed there: news for 90 s\n');
    expect(head).toContain('maintenance: win-1  group:g  ends in 30 s  ann: work');
  });
});
