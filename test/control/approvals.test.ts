import { describe, expect, it } from 'vitest';
import { answerApproval } from '../../src/control/commands.ts';
import {
  askApproval,
  expireApprovals,
  hasYes,
  pendingApprovals,
  pendingFor,
  supersedeQuestions,
  YES_MS_MIN,
} from '../../src/control/approvals.ts';
import { type ControlState, controlProjection } from '../../src/control/state.ts';
import type { Approval } from '../../src/core/control.ts';
import type { JournalFact } from '../../src/core/journal.ts';
import { aCall } from '../support/a.ts';

const context = { who: 'ann', because: 'a test' };

/** Folds facts, each at its moment. */
const fold = (...facts: readonly (readonly [number, JournalFact])[]): ControlState =>
  facts.reduce(
    (state, [monoMs, fact], index) =>
      controlProjection.apply(state, { seq: index + 1, at: 0, monoMs, boot: 'b', fact }),
    controlProjection.initial,
  );

describe('a question to a person', () => {
  const question = (id = 'apr-1', with_: Partial<Omit<Approval, 'hash' | 'expiresMs'>> = {}): JournalFact =>
    askApproval(
      {
        id,
        call: aCall(),
        incident: 'inc-1',
        run: 'run-1',
        classification: 'process_crashed',
        askedAt: 0,
        askedMs: 0,
        ...with_,
      },
      600_000,
    ).fact;
  const answer = (yes: boolean, id = 'apr-1'): JournalFact => ({ type: 'approval.answered', id, yes, ...context });
  const hash = (state: ControlState) => state.approvals[0]!.approval.hash;
  const stateOf = (state: ControlState) => state.approvals[0]?.state;

  it('waits until it expires, and then is expired, not denied', () => {
    const asked = fold([0, question()]);
    expect(pendingFor(asked, hash(asked), 599_999)?.id).toBe('apr-1');
    expect(pendingFor(asked, hash(asked), 600_000)).toBeUndefined();
    expect(pendingApprovals(asked, 1)).toHaveLength(1);
    expect(expireApprovals(asked, 599_999)).toEqual([]);
    const [draft] = expireApprovals(asked, 600_000);
    expect(draft).toMatchObject({ incident: 'inc-1', run: 'run-1', fact: { type: 'approval.expired', id: 'apr-1' } });
    const expired = fold([0, question()], [600_000, draft!.fact]);
    expect(stateOf(expired)).toBe('expired');
    expect(expireApprovals(expired, 700_000)).toEqual([]);
  });

  it('is answered once: the first answer in time counts', () => {
    expect(stateOf(fold([0, question()], [1, answer(false)], [2, answer(true)]))).toBe('no');
    expect(stateOf(fold([0, question()], [1, answer(true)], [2, answer(false)]))).toBe('yes');
    expect(stateOf(fold([0, question()], [600_000, answer(true)]))).toBe('pending');
  });

  it('lets a yes be used once, while it is fresh, for exactly what was asked', () => {
    const yes = fold([0, question()], [1, answer(true)]);
    expect(hasYes(yes, 'apr-1', hash(yes), { nowMs: 599_999 })).toBe(true);
    expect(hasYes(yes, 'apr-1', hash(yes), { nowMs: 600_000 })).toBe(false);
    expect(hasYes(yes, 'apr-1', 'another', { nowMs: 2 })).toBe(false);
    const used = fold([0, question()], [1, answer(true)], [2, { type: 'approval.used', id: 'apr-1' }]);
    expect(hasYes(used, 'apr-1', hash(used), { nowMs: 3 })).toBe(false);
    expect(stateOf(used)).toBe('used');
  });

  it('leaves a yes of the last moment a minute to be used', () => {
    const yes = fold([0, question()], [599_999, answer(true)]);
    expect(hasYes(yes, 'apr-1', hash(yes), { nowMs: 599_999 + YES_MS_MIN - 1 })).toBe(true);
    expect(expireApprovals(yes, 599_999 + YES_MS_MIN)).toHaveLength(1);
  });

  it('ends with the next one that Reeve asks there, and so does a yes that was not used; what a person proposed stays', () => {
    const state = fold(
      [0, question('apr-1')],
      [1, question('apr-2')],
      [2, { type: 'approval.answered', id: 'apr-2', yes: true, ...context }],
      [3, question('apr-3', { proposed: true, askedBy: 'ann' })],
      [4, question('apr-4', { incident: 'inc-2' })],
    );
    const { drafts, yes } = supersedeQuestions(state, 'inc-1');
    expect(drafts.map(({ fact }) => fact)).toEqual([
      { type: 'approval.expired', id: 'apr-1' },
      { type: 'approval.expired', id: 'apr-2' },
    ]);
    expect(yes?.id).toBe('apr-2');
    expect(supersedeQuestions(controlProjection.initial, 'inc-1')).toEqual({ drafts: [], yes: undefined });
  });

  describe('that needs two people', () => {
    const asked = (askedBy?: string) => question('apr-1', { eyes: 2, ...(askedBy !== undefined && { askedBy }) });
    const yesOf = (who: string): JournalFact => ({ ...answer(true), who }) as JournalFact;

    it('waits after the first yes, and after a second by the same person', () => {
      const once = fold([0, asked()], [1, yesOf('ann')]);
      expect(stateOf(once)).toBe('pending');
      expect(hasYes(once, 'apr-1', hash(once), { nowMs: 2 })).toBe(false);
      expect(stateOf(fold([0, asked()], [1, yesOf('ann')], [2, yesOf('ann')]))).toBe('pending');
    });

    it('is allowed by the yes of two, and refused by the no of one', () => {
      const both = fold([0, asked()], [1, yesOf('ann')], [2, yesOf('bob')]);
      expect(hasYes(both, 'apr-1', hash(both), { nowMs: 3, eyes: 2 })).toBe(true);
      expect(stateOf(fold([0, asked()], [1, yesOf('ann')], [2, answer(false)]))).toBe('no');
    });

    it('counts who asked as one of the two, and does not let that person be both', () => {
      expect(stateOf(fold([0, asked('ann')], [1, yesOf('ann')]))).toBe('pending');
      expect(stateOf(fold([0, asked('ann')], [1, yesOf('bob')]))).toBe('yes');
    });

    it('is not done on the yes of one that was given before two were wanted', () => {
      const one = fold([0, question()], [1, yesOf('ann')]);
      expect(hasYes(one, 'apr-1', hash(one), { nowMs: 2 })).toBe(true);
      expect(hasYes(one, 'apr-1', hash(one), { nowMs: 2, eyes: 2 })).toBe(false);
    });

    it('reports to the first that a second is needed, and takes no second yes of the first', () => {
      const order = { id: 'apr-1', yes: true, nowMs: 2 };
      const first = answerApproval(fold([0, asked()]), order, { who: 'ann', because: 'x' });
      expect(first).toMatchObject({ ok: true, message: expect.stringContaining('second person') });
      const again = answerApproval(fold([0, asked()], [1, yesOf('ann')]), order, { who: 'ann', because: 'x' });
      expect(again).toMatchObject({ ok: false, code: 'approval_second_person' });
    });
  });

  it('loses none where all groups of a large fleet ask at once: each is answered or expires', () => {
    const facts = Array.from({ length: 1_500 }, (_, n) => [n, question(`apr-${n}`)] as const);
    const state = fold(...facts, [1_500, answer(true, 'apr-0')]);
    expect(state.approvals.find(({ approval }) => approval.id === 'apr-0')).toMatchObject({ state: 'yes' });
    expect(expireApprovals(state, 600_000)).toHaveLength(1_500);
  });

  it('that has expired is known until it is asked again, of however many scopes: expired is not denied', () => {
    const call = (n: number) => aCall({ target: { kind: 'channel', id: `ch-${n}` } });
    const asked = Array.from(
      { length: 300 },
      (_, n) => [n, question(`apr-${n}`, { call: call(n), incident: `inc-${n}` })] as const,
    );
    const expired = expireApprovals(fold(...asked), 700_000).map(({ fact }) => [700_000, fact] as const);
    const after = fold(...asked, ...expired);
    expect(after.approvals.filter(({ state }) => state === 'expired')).toHaveLength(300);
    const again = asked.flatMap(([n]) => {
      const id = `new-${n}`;
      return [
        [700_001, question(id, { call: call(n), askedMs: 700_001 })] as const,
        [700_002, answer(false, id)] as const,
      ];
    });
    expect(fold(...asked, ...expired, ...again).approvals).toHaveLength(100);
  });

  it('keeps a bounded number of questions', () => {
    const facts = Array.from({ length: 2_400 }, (_, n) => [n, question(`apr-${n}`)] as const);
    const state = fold(...facts);
    expect(state.approvals).toHaveLength(2_000);
    expect(state.approvals.at(-1)?.approval.id).toBe('apr-2399');
    const few = facts.slice(0, 400);
    const over = fold(...few.flatMap(([n, fact]) => [[n, fact] as const, [n, answer(false, `apr-${n}`)] as const]));
    expect(over.approvals).toHaveLength(100);
  });
});
