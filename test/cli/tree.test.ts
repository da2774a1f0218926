import { describe, expect, it } from 'vitest';
import type { WireEntry } from '../../src/cli/story.ts';
import { treeOfMemory, treeOfStory } from '../../src/cli/tree.ts';
import { toWire } from '../../src/core/wire.ts';
import { processTree } from '../../src/memory/process_tree.ts';
import { aMemory, incidentDrafts } from '../memory/support.ts';

const terminal = (colours: boolean) => ({ out: () => {}, err: () => {}, stdin: (async function* () {})(), colours });

/** As the API shows an incident. */
const entriesOf = (bench: ReturnType<typeof aMemory>, id: string): readonly WireEntry[] =>
  [...bench.ledger.read({ incident: id })].map(({ seq, at, incident, run, fact }, index) => ({
    ...{ seq, at, after_ms: index * 100, incident: incident ?? null, run: run ?? null },
    fact: toWire(fact) as unknown as WireEntry['fact'],
  }));

describe('THEA 4.1, the cognitive tracer', () => {
  it('draws an incident as a tree: envelope to plan to guard to action to verification', () => {
    const bench = aMemory();
    bench.live(incidentDrafts({ id: 'inc-a', cured: false }));
    const lines = treeOfStory(terminal(false), entriesOf(bench, 'inc-a')).split('\n');
    const indentOf = (type: string) => lines.find((line) => new RegExp(`─ ${type} `).test(line))!.indexOf('─ ');
    const chain = ['envelope', 'plan', 'guard_decision', 'action', 'verification'].map(indentOf);
    expect(chain).toEqual([1, 4, 7, 10, 13]);
    expect(indentOf('page')).toBeGreaterThan(indentOf('outcome'));
    expect(lines[0]).toMatch(/^incident inc-a \+0\.0 s/);
    expect(lines.join('\n')).toContain('Server returned 403 Forbidden');
  });

  it('links what comes again to where it was first', () => {
    const bench = aMemory();
    const [opened, ...rest] = incidentDrafts({ id: 'inc-a' });
    const run = rest.filter(({ run: each }) => each !== undefined);
    const again = run.map((draft) => ({ ...draft, run: 'run-2' }));
    bench.live([opened!, ...run, ...again]);
    const text = treeOfStory(terminal(false), entriesOf(bench, 'inc-a'));
    expect(text.match(/decided_by rule:restart_crashed$/gm)?.length).toBe(1);
    expect(text.match(/decided_by rule:restart_crashed \(↑ pln-\d+\)$/gm)?.length).toBe(1);
  });

  it('colours by kind where colours are seen, and only there', () => {
    const bench = aMemory();
    bench.live(incidentDrafts({ id: 'inc-a' }));
    expect(treeOfStory(terminal(true), entriesOf(bench, 'inc-a'))).toContain('\u001b[');
    expect(treeOfStory(terminal(false), entriesOf(bench, 'inc-a'))).not.toContain('\u001b[');
  });

  it('says in one line why the answer of a planner was not used, and what a trouble is called since', () => {
    const bench = aMemory();
    const drafts = incidentDrafts({ id: 'inc-a' });
    const at = drafts.findIndex(({ fact }) => fact.type === 'plan.made');
    const about = { incident: 'inc-a', run: drafts[at]!.run };
    bench.live([
      ...drafts.slice(0, at),
      { ...about, fact: { type: 'plan.rejected', model: 'local/m', reason: 'stale' } },
      ...drafts.slice(at),
      {
        incident: 'inc-a',
        fact: { type: 'incident.reclassified', from: 'unknown', to: 'process_crashed', because: 'seen' },
      },
    ]);
    const text = treeOfStory(terminal(false), entriesOf(bench, 'inc-a'));
    expect(text).toMatch(/^│ {2}├─ plan pln-\d+ \+0\.\d s {2}local\/m: answer NOT used \(stale\)$/m);
    expect(text).toMatch(/^[├└]─ incident inc-a \+\d\.\d s {2}is now process_crashed, was unknown: seen$/m);
    const plans = text.split('\n').filter((line) => line.includes('─ plan '));
    expect(
      text
        .split('\n')
        .find((line) => line.includes('─ guard_decision '))!
        .indexOf('─ '),
    ).toBe(7);
    expect(plans).toHaveLength(2);
  });

  it('draws the same tree from the memory, without the text of the log', () => {
    const bench = aMemory();
    bench.live(incidentDrafts({ id: 'inc-a' }));
    const text = treeOfMemory(terminal(false), processTree(bench.reads.island('inc-a'))!);
    expect(text).toContain('─ verification ');
    expect(text).not.toContain('Forbidden');
  });
});
