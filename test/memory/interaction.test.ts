import { describe, expect, it } from 'vitest';
import { countingIds } from '../../src/core/id.ts';
import { beginTurn, instinctOf } from '../../src/memory/interaction.ts';
import { processTree } from '../../src/memory/process_tree.ts';
import { aMemory, incidentDrafts } from './support.ts';

const asked = (bench: ReturnType<typeof aMemory>, text: string) =>
  beginTurn(
    {
      ...{
        reads: bench.reads,
        record: (drafts) => bench.live(drafts),
        redact: (raw) => raw.replace('hunter2', '[redacted]'),
      },
      ...{ channels: ['news', 'sport'], clock: bench.clock, ids: countingIds() },
    },
    { text, who: 'ann', session: 'night' },
  );

describe('THEA 4.1, the interaction loop', () => {
  it('makes each step a task with a report, and all of them one process that one can walk', () => {
    const bench = aMemory();
    bench.live(incidentDrafts({ id: 'inc-a' }));
    const turn = asked(bench, 'why did news fail with 403?');
    turn.answered({ text: 'It was refused [inc-a].', cites: ['inc-a'], model: undefined, ok: true });
    const tree = processTree(bench.reads.island(turn.id))!;
    expect(tree.node).toMatchObject({ type: 'question', label: 'why did news fail with 403?' });
    expect(
      tree.children.map(({ node, children }) => [node.type, node.label, children.map((each) => each.node.type)]),
    ).toEqual([
      ['task', 'instinct', ['report']],
      ['task', 'enrichment_plan', ['search_plan', 'report']],
      ['task', 'recall', ['report']],
      ['task', 'synthesis', ['report']],
      ['answer', 'It was refused [inc-a].', []],
    ]);
    const answer = bench.reads.list({ type: 'answer', limit: 1 })[0]!;
    expect(bench.reads.neighbours(answer.id, { limit: 9 })).toContainEqual(
      expect.objectContaining({ edge: 'cites', id: 'inc-a' }),
    );
  });

  it('recalls what the question is about, before any model is asked', () => {
    const bench = aMemory();
    bench.live(incidentDrafts({ id: 'inc-a' }));
    bench.live(incidentDrafts({ id: 'inc-b', line: 'No space left on device', failureClass: 'upstream_auth_expired' }));
    const { recalled } = asked(bench, 'what helps against 403?');
    expect(recalled.map(({ kind }) => kind)).toContain('insight');
    expect(recalled.map(({ id }) => id)).toContain('inc-a');
    expect(recalled.map(({ id }) => id)).not.toContain('inc-b');
  });

  it('writes no secret down, neither of the question nor of the answer', () => {
    const bench = aMemory();
    const turn = asked(bench, 'is the password hunter2 right?');
    turn.answered({ text: 'hunter2 is wrong', cites: [], model: 'small', ok: true });
    expect(JSON.stringify([...bench.ledger.read()])).not.toContain('hunter2');
  });

  it.each([
    ['why did news fail?', { kind: 'why', channels: ['news'], tools: [] }],
    ['restart sport', { kind: 'action', channels: ['sport'], tools: [] }],
    ['how is everything', { kind: 'status', channels: [], tools: [] }],
    ['did restart_channel help last night', { kind: 'history', channels: [], tools: ['restart_channel'] }],
    ['newsroom', { kind: 'open', channels: [], tools: [] }],
  ])('understands %j without a model', (text, instinct) => {
    expect(instinctOf(text, ['news', 'sport'])).toEqual(instinct);
  });
});
