import { describe, expect, it } from 'vitest';
import { answerApproval } from '../../src/control/commands.ts';
import {
  askApproval,
  expireApprovals,
  hasYes,
  pendingApprovals,
  pendingFor,
  YES_MS_MIN,
} from '../../src/control/approvals.ts';
import {
  type ControlState,
  controlProjection,
  frozenNow,
  leaseOf,
  phaseOf,
  windowOf,
} from '../../src/control/state.ts';
import type { Approval } from '../../src/core/control.ts';
import type { JournalFact } from '../../src/core/journal.ts';
import type { Scope } from '../../src/core/scope.ts';
import { aCall } from '../support/a.ts';

const word = { who: 'ann', because: 'a test' };
const news: Scope = { kind: 'channel', id: 'news' };
const fleet: Scope = { kind: 'fleet' };

/** Folds facts, each at its moment. */
const fold = (...facts: readonly (readonly [number, JournalFact])[]): ControlState =>
  facts.reduce(
    (state, [monoMs, fact], index) =>
      controlProjection.apply(state, { seq: index + 1, at: 0, monoMs, boot: 'b', fact }),
    controlProjection.initial,
  );

describe('what people have said', () => {
  it('keeps a freeze, with who and why, until it is thawed', () => {
    const frozen = fold(
      [5, { type: 'control.frozen', ...word }],
      [9, { type: 'control.frozen', who: 'bob', because: 'too' }],
    );
    expect(frozenNow(frozen)).toEqual({ ...word, sinceMs: 5 });
    const thawed = controlProjection.apply(frozen, {
      seq: 3,
      at: 0,
      monoMs: 10,
      boot: 'b',
      fact: { type: 'control.thawed', ...word },
    });
    expect(frozenNow(thawed)).toBeUndefined();
  });

  it('survives JSON', () => {
    const state = fold(
      [1, { type: 'control.frozen', ...word }],
      [2, { type: 'control.leased', scope: news, forMs: 10, ...word }],
      [3, { type: 'control.window_added', window: 'w', scope: fleet, startsInMs: 1, forMs: 2, ...word }],
      [4, { type: 'control.phase_set', phase: 2, group: 'g', ...word }],
    );
    expect(JSON.parse(JSON.stringify(state))).toEqual(state);
  });

  it('holds a lease until its end, exclusive, and only over what it covers', () => {
    const state = fold([100, { type: 'control.leased', scope: news, forMs: 1_000, ...word }]);
    expect(leaseOf(state, [news, fleet], 1_099)).toMatchObject({ untilMs: 1_100, who: 'ann' });
    expect(leaseOf(state, [news, fleet], 1_100)).toBeUndefined();
    expect(leaseOf(state, [{ kind: 'channel', id: 'sports' }, fleet], 500)).toBeUndefined();
  });

  it('lets a later lease of the same scope replace the earlier, and the longest of several scopes count', () => {
    const state = fold(
      [0, { type: 'control.leased', scope: news, forMs: 1_000, ...word }],
      [1, { type: 'control.leased', scope: news, forMs: 10, ...word }],
      [2, { type: 'control.leased', scope: fleet, forMs: 50, ...word }],
    );
    expect(state.leases).toHaveLength(2);
    expect(leaseOf(state, [news, fleet], 5)).toMatchObject({ untilMs: 52 });
    const ended = controlProjection.apply(state, {
      seq: 4,
      at: 0,
      monoMs: 6,
      boot: 'b',
      fact: { type: 'control.lease_ended', scope: fleet, ...word },
    });
    expect(leaseOf(ended, [news, fleet], 7)).toMatchObject({ untilMs: 11 });
  });

  it('opens a maintenance window at its first millisecond and closes it at its last', () => {
    const state = fold([
      0,
      { type: 'control.window_added', window: 'w', scope: fleet, startsInMs: 100, forMs: 50, ...word },
    ]);
    const at = (ms: number) => windowOf(state, [news, fleet], ms)?.id;
    expect([at(99), at(100), at(149), at(150)]).toEqual([undefined, 'w', 'w', undefined]);
    const ended = controlProjection.apply(state, {
      seq: 2,
      at: 0,
      monoMs: 120,
      boot: 'b',
      fact: { type: 'control.window_ended', window: 'w', ...word },
    });
    expect(windowOf(ended, [fleet], 120)).toBeUndefined();
  });

  it('takes the lower of the phase of all and of the group, and the configured one where no command set any', () => {
    const none = controlProjection.initial;
    expect(phaseOf(none, 'g', 2)).toBe(2);
    expect(phaseOf(none, 'g', { fleet: 3, group: 1 })).toBe(1);
    expect(phaseOf(none, 'g', { fleet: 1, group: 3 })).toBe(1);
    const all = fold([0, { type: 'control.phase_set', phase: 4, group: undefined, ...word }]);
    expect(phaseOf(all, 'g', 0)).toBe(4);
    expect(phaseOf(all, 'g', { fleet: 0, group: 1 })).toBe(1);
    const group = fold([0, { type: 'control.phase_set', phase: 4, group: 'g', ...word }]);
    expect(phaseOf(group, 'g', 2)).toBe(2);
    expect(phaseOf(group, 'other', { fleet: 4, group: 3 })).toBe(3);
  });

  it('bounds the configured phase by a held one, until a person sets the phase of all or of the group', () => {
    const held: JournalFact = { type: 'control.phase_held', phase: 1, configured: 4 };
    const none = fold([0, held]);
    expect(phaseOf(none, 'g', 4)).toBe(1);
    expect(phaseOf(none, 'g', 0)).toBe(0);
    expect(phaseOf(none, 'g', { fleet: 4, group: 3 })).toBe(1);
    const group = fold([0, held], [1, { type: 'control.phase_set', phase: 3, group: 'g', ...word }]);
    expect([phaseOf(group, 'g', 4), phaseOf(group, 'other', 4)]).toEqual([3, 1]);
    const all = fold([0, held], [1, { type: 'control.phase_set', phase: 4, group: undefined, ...word }]);
    expect(phaseOf(all, 'g', { fleet: 4, group: 3 })).toBe(3);
    expect(all.heldPhase).toBeUndefined();
  });
});

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
  const answer = (yes: boolean, id = 'apr-1'): JournalFact => ({ type: 'approval.answered', id, yes, ...word });
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
      expect(first).toMatchObject({ ok: true, said: expect.stringContaining('second person') });
      const again = answerApproval(fold([0, asked()], [1, yesOf('ann')]), order, { who: 'ann', because: 'x' });
      expect(again).toMatchObject({ ok: false, code: 'approval_second_person' });
    });
  });

  it('keeps a bounded number of questions', () => {
    const facts = Array.from({ length: 400 }, (_, n) => [n, question(`apr-${n}`)] as const);
    const state = fold(...facts);
    expect(state.approvals).toHaveLength(200);
    expect(state.approvals.at(-1)?.approval.id).toBe('apr-399');
    const over = fold(...facts.flatMap(([n, fact]) => [[n, fact] as const, [n, answer(false, `apr-${n}`)] as const]));
    expect(over.approvals).toHaveLength(100);
  });
});
