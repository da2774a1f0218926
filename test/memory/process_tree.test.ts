import { describe, expect, it } from 'vitest';
import type { EventType } from '../../src/memory/node.ts';
import { parentsOf, processTree, type TracedNode } from '../../src/memory/process_tree.ts';

const node = (seq: number, type: EventType, with_: Partial<TracedNode> = {}): TracedNode => ({
  ...{ id: `${type}-${seq}`, type, seq, at: seq, run: 'run-1', label: '', attributes: {}, hubs: [] },
  ...with_,
});

describe('which event led to which', () => {
  it('is the last one of the same run that can lead to it', () => {
    const parents = parentsOf([
      node(1, 'incident', { run: undefined }),
      node(2, 'envelope'),
      node(3, 'plan'),
      node(4, 'guard_decision'),
      node(5, 'action'),
      node(6, 'verification'),
      node(7, 'envelope', { run: 'run-2' }),
      node(8, 'plan', { run: 'run-2' }),
    ]);
    expect(Object.fromEntries(parents)).toEqual({ 2: 1, 3: 2, 4: 3, 5: 4, 6: 5, 7: 1, 8: 7 });
  });

  it('is the first event where none of the run can, and never one of another run but for pages and reports', () => {
    const parents = parentsOf([
      node(1, 'incident', { run: undefined }),
      node(2, 'action'),
      node(3, 'verification', { run: 'run-2' }),
      node(4, 'outcome', { run: 'run-2' }),
      node(5, 'page', { run: undefined }),
      node(6, 'report', { run: undefined, attributes: { receiver: 'pager' } }),
      node(7, 'report', { run: undefined }),
    ]);
    expect([parents.get(3), parents.get(5), parents.get(6), parents.get(7)]).toEqual([1, 4, 5, 2]);
  });

  it('is the first event for the end of the incident', () => {
    const parents = parentsOf([
      node(1, 'incident'),
      node(2, 'plan'),
      node(3, 'outcome', { attributes: { ending: 'x' } }),
    ]);
    expect(parents.get(3)).toBe(1);
  });
});

describe('the tree of a process', () => {
  it('has its children in the order in which they happened, and is none without events', () => {
    const tree = processTree([node(1, 'incident'), node(2, 'symptom'), node(3, 'envelope'), node(4, 'plan')]);
    expect(tree?.children.map(({ node: { id }, children }) => [id, children.length])).toEqual([
      ['symptom-2', 0],
      ['envelope-3', 1],
    ]);
    expect(processTree([])).toBeUndefined();
  });
});
