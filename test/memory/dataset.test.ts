import { describe, expect, it } from 'vitest';
import { countingIds } from '../../src/core/id.ts';
import type { Draft } from '../../src/core/journal.ts';
import {
  type ChainRow,
  chainOf,
  choicesOf,
  dialoguesOf,
  redacted,
  SPLITS,
  splitBounds,
  splitOf,
} from '../../src/memory/dataset.ts';
import { beginTurn } from '../../src/memory/interaction.ts';
import { anEnvelope } from '../support/a.ts';
import { aMemory, incidentDrafts } from './support.ts';

function chain(with_: { cured?: boolean } = {}): ChainRow {
  const { ledger } = aMemory();
  return chainOf(ledger.append(incidentDrafts({ id: 'inc-a', ...with_ })), () => ['restart_channel', 'escalate'])!;
}

describe('THEA 3, the golden dataset', () => {
  it('has the whole chain of a closed incident: envelope, choices, plan, guard, action, verified outcome', () => {
    const row = chain();
    expect(row).toMatchObject({ kind: 'chain', role: 'planner', id: 'inc-a', ending: 'resolved' });
    expect(row.steps).toMatchObject([
      {
        envelope: { failureClassification: 'process_crashed' },
        choices: ['restart_channel', 'escalate'],
        plan: { kind: 'act', call: { tool: 'restart_channel' } },
        guard: { verdict: 'allow' },
        action: { ok: true },
        cured: true,
      },
    ]);
  });

  it('calls no cure what did not hold', () => {
    const { ledger } = aMemory();
    const drafts = incidentDrafts({ id: 'inc-a' });
    const at = drafts.findIndex(({ fact }) => fact.type === 'attempt.verified');
    const { fact, ...about } = drafts[at]!;
    if (fact.type !== 'attempt.verified') throw new Error('nothing was verified');
    const { permit, fingerprint } = fact;
    const relapsed = { ...about, fact: { type: 'attempt.relapsed' as const, permit, fingerprint, because: 'it died' } };
    const steps = (more: readonly Draft[]) =>
      chainOf(ledger.append([...drafts.slice(0, at + 1), ...more, ...drafts.slice(at + 1)]), () => [])!.steps;
    expect(steps([]).map(({ cured }) => cured)).toEqual([true]);
    expect(steps([relapsed]).map(({ cured }) => cured)).toEqual([false]);
    const ofAnother = { ...relapsed, fact: { ...relapsed.fact, permit: { ...permit, id: 'per-x' } } };
    expect(steps([ofAnother]).map(({ cured }) => cured)).toEqual([true]);
  });

  it('leaves out what has no end, and what began before the journal does', () => {
    const { ledger } = aMemory();
    const entries = ledger.append(incidentDrafts({ id: 'inc-a' }));
    expect(chainOf(entries.slice(0, -1), () => [])).toBeUndefined();
    expect(chainOf(entries.slice(1), () => [])).toBeUndefined();
  });

  it('has the dialogues that were answered, with what was recalled', () => {
    const bench = aMemory();
    bench.live(incidentDrafts({ id: 'inc-a' }));
    const ask = (text: string) =>
      beginTurn(
        { reads: bench.reads, record: bench.live, redact: (each) => each, channels: [], clock: bench.clock, ids },
        { text, who: 'ann', session: undefined },
      );
    const ids = countingIds();
    ask('what about 403?').answered({ text: 'see [inc-a]', cites: ['inc-a'], model: 'small', ok: true });
    ask('no one answers this');
    expect(dialoguesOf(bench.ledger.read())).toMatchObject([
      {
        question: 'what about 403?',
        answer: 'see [inc-a]',
        cites: ['inc-a'],
        recalled: expect.arrayContaining(['inc-a']),
      },
    ]);
  });

  it('splits by time: nothing in a later split is older than anything in an earlier one', () => {
    const times = Array.from({ length: 100 }, (_, index) => (index * 37) % 100);
    const bounds = splitBounds(times);
    const splits = SPLITS.map((split) => times.filter((at) => splitOf(at, bounds) === split));
    expect(splits.map(({ length }) => length)).toEqual([80, 10, 10]);
    expect(Math.max(...splits[0]!)).toBeLessThan(Math.min(...splits[1]!));
    expect(Math.max(...splits[1]!)).toBeLessThan(Math.min(...splits[2]!));
  });

  it('redacts every text, however deep it lies', () => {
    const cut = (text: string) => text.replace('hunter2', '[redacted]');
    expect(redacted({ a: [{ b: 'hunter2', n: 2, u: undefined }] }, cut)).toEqual({
      a: [{ b: '[redacted]', n: 2, u: undefined }],
    });
  });
});

describe('the choices of a step', () => {
  const of = (failureClassification: 'process_crashed' | 'guide_stale' | undefined) =>
    choicesOf(anEnvelope({ failureClassification }));

  it('are the tools that cure the trouble, those that only look, and the ways to do nothing', () => {
    expect(of('process_crashed')).toContain('restart_channel');
    expect(of('process_crashed')).not.toContain('invalidate_cache');
    expect(of('guide_stale')).toContain('invalidate_cache');
    expect(of('guide_stale').slice(-3)).toEqual(['wait', 'stop', 'escalate']);
  });

  it('hold nothing that changes anything where no trouble is named', () => {
    expect(of(undefined).toSorted()).toEqual(
      ['fetch_recent_logs', 'get_channel_health', 'inspect_pool_status', 'wait', 'stop', 'escalate'].toSorted(),
    );
  });
});
