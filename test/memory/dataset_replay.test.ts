import { describe, expect, it } from 'vitest';
import type { Rule } from '../../src/core/rule.ts';
import { type ChainRow, chainOf } from '../../src/memory/dataset.ts';
import { type Decide, replayed } from '../../src/memory/dataset_replay.ts';
import { aMemory, incidentDrafts } from './support.ts';

const RULE: Rule['id'] = 'restart_crashed';

/** The rulebook of a world with one rule: restart what has crashed. */
const decide: Decide = (envelope, attempts) => ({
  ...(attempts.length > 0
    ? { kind: 'escalate' }
    : { kind: 'act', call: { tool: 'restart_channel', target: envelope.scope, channels: [] } }),
  ...{ because: '', by: { kind: 'rule', rule: RULE } },
});

function chain(with_: { cured?: boolean } = {}): ChainRow {
  const { ledger } = aMemory();
  return chainOf(ledger.append(incidentDrafts({ id: 'inc-a', ...with_ })), () => ['restart_channel', 'escalate'])!;
}

describe('THEA 3, the rows reproduce the decisions', () => {
  it('counts a rule that decides the same again', () => {
    expect(replayed([chain()], decide, () => true)).toEqual({ same: 1, notReplayable: 0, different: [] });
  });

  it('names the row and the step where the rulebook says something else', () => {
    const other: Decide = () => ({ kind: 'stop', because: '', by: { kind: 'rule', rule: RULE } });
    const { different } = replayed([chain()], other, () => true);
    expect(different).toEqual([
      { id: 'inc-a', step: 0, because: 'the rulebook says stop, the row says act restart_channel' },
    ]);
  });

  it('counts apart the decisions that cannot be repeated', () => {
    expect(replayed([chain()], decide, () => false)).toMatchObject({ same: 0, notReplayable: 1, different: [] });
  });

  it('finds a guard decision that its own questions contradict', () => {
    const row = chain();
    const check = {
      id: 14,
      question: 'cooldown',
      value: '1',
      threshold: '30',
      verdict: 'refuse',
      code: 'cooldown',
    } as const;
    const wrong = {
      ...row,
      steps: row.steps.map((step) => ({ ...step, guard: { verdict: 'allow', code: null, trace: [check] } as const })),
    };
    expect(replayed([wrong], decide, () => true).different).toMatchObject([
      { because: expect.stringContaining('deny') },
    ]);
  });

  it('remembers what was tried within a run only', () => {
    const [first] = chain({ cured: false }).steps;
    const again = (run: string) => replayed([{ ...chain(), steps: [first!, { ...first!, run }] }], decide, () => true);
    expect(again('run-inc-a').different.length).toBe(1);
    expect(again('run-2').different.length).toBe(0);
  });
});
