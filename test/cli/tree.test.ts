import { describe, expect, it } from 'vitest';
import type { WireEntry } from '../../src/cli/story.ts';
import { treeOfMemory, treeOfStory } from '../../src/cli/tree.ts';
import { toWire } from '../../src/core/wire.ts';
import { processTree } from '../../src/memory/process_tree.ts';
import { aMemory, incidentDrafts } from '../memory/support.ts';

const terminal = (colours: boolean) => ({ out: () => {}, err: () => {}, stdin: (async function* () {})(), colours });

/** As the API shows an incident. */
const entriesOf = (bench: ReturnType<typeof aMemory>, id: string): readonly WireEntry[] =>
  [...bench.ledger.read({ incident: id })].map(({ seq, at, run, fact }, index) => ({
    ...{ seq, at, after_ms: index * 100, run: run ?? null },
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

  it('draws the same tree from the memory, without the text of the log', () => {
    const bench = aMemory();
    bench.live(incidentDrafts({ id: 'inc-a' }));
    const text = treeOfMemory(terminal(false), processTree(bench.reads.island('inc-a'))!);
    expect(text).toContain('─ verification ');
    expect(text).not.toContain('Forbidden');
  });
});
