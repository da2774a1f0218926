import { describe, expect, it } from 'vitest';
import { acknowledge, raise, resolve } from '../../src/escalate/escalator.ts';
import { EMPTY_OUTBOX } from '../../src/escalate/outbox.ts';
import { escalation, fold, raisedFact, resolvedFact } from './support.ts';

const open = fold([[1, raisedFact('esc-1', { severity: 'warning' })]]);
const over = fold([
  [1, raisedFact('esc-1')],
  [2, resolvedFact()],
]);

describe('raise', () => {
  it('drafts an escalation for the append of the decision, about its channel and incident', () => {
    expect(raise(EMPTY_OUTBOX, escalation('esc-1'))).toEqual([
      {
        channel: 'news',
        incident: 'inc-1',
        fact: { type: 'escalation.raised', escalation: escalation('esc-1') },
      },
    ]);
    const ofGroup = raise(EMPTY_OUTBOX, escalation('esc-1', { scope: { kind: 'group', id: 'pull' } }));
    expect(ofGroup[0]?.channel).toBeUndefined();
  });

  it('adds nothing while the page is open and nothing is new', () => {
    expect(raise(open, escalation('esc-2', { severity: 'warning', summary: 'other words' }))).toEqual([]);
    expect(raise(open, escalation('esc-2', { severity: 'info' }))).toEqual([]);
  });

  it('updates with what is more severe or new, never with what is less severe', () => {
    expect(raise(open, escalation('esc-2'))).toHaveLength(1);
    const [draft] = raise(open, escalation('esc-2', { severity: 'info', reason: 'lasting' }));
    expect(draft?.fact).toMatchObject({ escalation: { severity: 'warning', reason: 'lasting' } });
  });

  it('opens again what was resolved', () => {
    expect(raise(over, escalation('esc-2'))).toHaveLength(1);
  });

  it('bounds every text and takes out what could deceive a reader', () => {
    const [draft] = raise(
      EMPTY_OUTBOX,
      escalation('esc-1', {
        summary: `a\u001b[31mred\u202e\r\n${'x'.repeat(300)}`,
        details: `one\ntwo\u0007\u2066${'y'.repeat(3_000)}`,
      }),
    );
    if (draft?.fact.type !== 'escalation.raised') throw new Error('expected an escalation');
    const { summary, details } = draft.fact.escalation;
    expect([summary.length, details.length]).toEqual([200, 2_000]);
    expect(summary).toMatch(/^a \[31mred {1,3}x+…$/);
    expect(details).toMatch(/^one\ntwo {2}y+…$/);
  });

  it('keeps keys within what receivers take, unique and stable', () => {
    const keyOf = (key: string) => {
      const [draft] = raise(EMPTY_OUTBOX, escalation('esc-1', { key }));
      return draft?.fact.type === 'escalation.raised' ? draft.fact.escalation.key : undefined;
    };
    const long = 'k'.repeat(300);
    expect(keyOf('k'.repeat(255))).toBe('k'.repeat(255));
    expect(keyOf(`${long}a`)).toHaveLength(255);
    expect(keyOf(`${long}a`)).toBe(keyOf(`${long}a`));
    expect(keyOf(`${long}a`)).not.toBe(keyOf(`${long}b`));
    const page = fold([[1, raisedFact('esc-1', { key: keyOf(`${long}a`)! })]]);
    expect(resolve(page, `${long}a`, 'ok')).toHaveLength(1);
    expect(raise(page, escalation('esc-2', { key: `${long}a` }))).toEqual([]);
  });
});

describe('resolve', () => {
  it('ends what is open, once', () => {
    expect(resolve(open, 'incident/inc-1', 'healthy')).toEqual([
      {
        channel: 'news',
        incident: 'inc-1',
        fact: { type: 'escalation.resolved', key: 'incident/inc-1', because: 'healthy' },
      },
    ]);
    expect(resolve(over, 'incident/inc-1', 'healthy')).toEqual([]);
    expect(resolve(EMPTY_OUTBOX, 'incident/inc-1', 'healthy')).toEqual([]);
  });
});

describe('acknowledge', () => {
  it('takes what is open, once', () => {
    const taken = acknowledge(open, 'incident/inc-1', 'eve');
    expect(taken).toMatchObject([{ fact: { type: 'escalation.acked', key: 'incident/inc-1', who: 'eve' } }]);
    expect(acknowledge(fold([[3, taken[0]!.fact]], open), 'incident/inc-1', 'bob')).toEqual([]);
    expect(acknowledge(over, 'incident/inc-1', 'eve')).toEqual([]);
  });
});
