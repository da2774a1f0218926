import { describe, expect, it } from 'vitest';
import {
  type ControlState,
  controlProjection,
  frozenNow,
  heldBelow,
  leaseOf,
  phaseOf,
  phaseOfAll,
  windowOf,
} from '../../src/control/state.ts';
import type { JournalFact } from '../../src/core/journal.ts';
import type { Scope } from '../../src/core/scope.ts';

const context = { who: 'ann', because: 'a test' };

const news: Scope = { kind: 'channel', id: 'news' };

const fleet: Scope = { kind: 'fleet' };

/** Folds facts, each at its moment. */
const fold = (...facts: readonly (readonly [number, JournalFact])[]): ControlState =>
  facts.reduce(
    (state, [monoMs, fact], index) =>
      controlProjection.apply(state, { seq: index + 1, at: 0, monoMs, boot: 'b', fact }),
    controlProjection.initial,
  );

describe('what people have ordered', () => {
  it('keeps a freeze, with who and why, until it is thawed', () => {
    const frozen = fold(
      [5, { type: 'control.frozen', ...context }],
      [9, { type: 'control.frozen', who: 'bob', because: 'too' }],
    );
    expect(frozenNow(frozen)).toEqual({ ...context, sinceMs: 5 });
    const thawed = controlProjection.apply(frozen, {
      seq: 3,
      at: 0,
      monoMs: 10,
      boot: 'b',
      fact: { type: 'control.thawed', ...context },
    });
    expect(frozenNow(thawed)).toBeUndefined();
  });

  it('survives JSON', () => {
    const state = fold(
      [1, { type: 'control.frozen', ...context }],
      [2, { type: 'control.leased', scope: news, forMs: 10, ...context }],
      [3, { type: 'control.window_added', window: 'w', scope: fleet, startsInMs: 1, forMs: 2, ...context }],
      [4, { type: 'control.phase_set', phase: 2, group: 'g', ...context }],
    );
    expect(JSON.parse(JSON.stringify(state))).toEqual(state);
  });

  it('holds a lease until its end, exclusive, and only over what it covers', () => {
    const state = fold([100, { type: 'control.leased', scope: news, forMs: 1_000, ...context }]);
    expect(leaseOf(state, [news, fleet], 1_099)).toMatchObject({ untilMs: 1_100, who: 'ann' });
    expect(leaseOf(state, [news, fleet], 1_100)).toBeUndefined();
    expect(leaseOf(state, [{ kind: 'channel', id: 'sports' }, fleet], 500)).toBeUndefined();
  });

  it('lets a later lease of the same scope replace the earlier, and the longest of several scopes count', () => {
    const state = fold(
      [0, { type: 'control.leased', scope: news, forMs: 1_000, ...context }],
      [1, { type: 'control.leased', scope: news, forMs: 10, ...context }],
      [2, { type: 'control.leased', scope: fleet, forMs: 50, ...context }],
    );
    expect(state.leases).toHaveLength(2);
    expect(leaseOf(state, [news, fleet], 5)).toMatchObject({ untilMs: 52 });
    const ended = controlProjection.apply(state, {
      seq: 4,
      at: 0,
      monoMs: 6,
      boot: 'b',
      fact: { type: 'control.lease_ended', scope: fleet, ...context },
    });
    expect(leaseOf(ended, [news, fleet], 7)).toMatchObject({ untilMs: 11 });
  });

  it('opens a maintenance window at its first millisecond and closes it at its last', () => {
    const state = fold([
      0,
      { type: 'control.window_added', window: 'w', scope: fleet, startsInMs: 100, forMs: 50, ...context },
    ]);
    const at = (ms: number) => windowOf(state, [news, fleet], ms)?.id;
    expect([at(99), at(100), at(149), at(150)]).toEqual([undefined, 'w', 'w', undefined]);
    const ended = controlProjection.apply(state, {
      seq: 2,
      at: 0,
      monoMs: 120,
      boot: 'b',
      fact: { type: 'control.window_ended', window: 'w', ...context },
    });
    expect(windowOf(ended, [fleet], 120)).toBeUndefined();
  });

  it('is that of watching at most where no receiver could call a person, whatever was set while one could (L1)', () => {
    const unheard = { fleet: 0, group: undefined, unheard: true } as const;
    const all = fold([0, { type: 'control.phase_set', phase: 4, group: undefined, ...context }]);
    const none = controlProjection.initial;
    expect([phaseOf(all, 'g', unheard), phaseOfAll(all, unheard), phaseOf(none, 'g', unheard)]).toEqual([1, 1, 0]);
  });

  it('takes the lower of the phase of all and of the group, and the configured one where no command set any', () => {
    const none = controlProjection.initial;
    expect(phaseOf(none, 'g', 2)).toBe(2);
    expect(phaseOf(none, 'g', { fleet: 3, group: 1 })).toBe(1);
    expect(phaseOf(none, 'g', { fleet: 1, group: 3 })).toBe(1);
    const all = fold([0, { type: 'control.phase_set', phase: 4, group: undefined, ...context }]);
    expect(phaseOf(all, 'g', 0)).toBe(4);
    expect(phaseOf(all, 'g', { fleet: 0, group: 1 })).toBe(1);
    const group = fold([0, { type: 'control.phase_set', phase: 4, group: 'g', ...context }]);
    expect(phaseOf(group, 'g', 2)).toBe(2);
    expect(phaseOf(group, 'other', { fleet: 4, group: 3 })).toBe(3);
  });

  it('bounds the configured phase by a held one, until a person sets the phase of all or of the group', () => {
    const held: JournalFact = { type: 'control.phase_held', phase: 1, configured: 4 };
    const none = fold([0, held]);
    expect(phaseOf(none, 'g', 4)).toBe(1);
    expect(phaseOf(none, 'g', 0)).toBe(0);
    expect(phaseOf(none, 'g', { fleet: 4, group: 3 })).toBe(1);
    const group = fold([0, held], [1, { type: 'control.phase_set', phase: 3, group: 'g', ...context }]);
    expect([phaseOf(group, 'g', 4), phaseOf(group, 'other', 4)]).toEqual([3, 1]);
    const all = fold([0, held], [1, { type: 'control.phase_set', phase: 4, group: undefined, ...context }]);
    expect(phaseOf(all, 'g', { fleet: 4, group: 3 })).toBe(3);
    expect(all.heldPhase).toBeUndefined();
  });

  it('bounds what a person set before the journal was set back, until a person sets the phase again', () => {
    const held: JournalFact = { type: 'control.phase_held', phase: 1, configured: 4, because: 'it ends early' };
    const setFor = (group: string | undefined): JournalFact => ({
      type: 'control.phase_set',
      phase: 4,
      group,
      ...context,
    });
    const before = fold([0, setFor(undefined)], [1, setFor('g')], [2, held]);
    expect([phaseOf(before, 'g', 0), phaseOf(before, 'other', 0)]).toEqual([1, 1]);
    const groupAgain = fold([0, setFor(undefined)], [1, setFor('g')], [2, held], [3, setFor('g')]);
    expect([phaseOf(groupAgain, 'g', 0), phaseOf(groupAgain, 'other', 0)]).toEqual([4, 1]);
    const allAgain = fold([0, setFor('g')], [1, held], [2, setFor(undefined)]);
    expect([phaseOf(allAgain, 'g', 0), phaseOf(allAgain, 'other', 0)]).toEqual([4, 4]);
  });

  it('says why a phase is held, and below which: the one a person set goes before the configured one', () => {
    const held: JournalFact = { type: 'control.phase_held', phase: 1, configured: 4, because: 'it ends early' };
    const set = fold([0, { type: 'control.phase_set', phase: 3, group: undefined, ...context }], [1, held]);
    const because = 'the journal was set back: it ends early';
    expect(heldBelow(set, 0)).toEqual({ held: 1, configured: 3, cause: 'set_back', because });
  });

  it('says that the journal was damaged where that is why, until a person sets a phase', () => {
    const held: JournalFact = {
      type: 'control.phase_held',
      phase: 1,
      configured: 4,
      because: 'torn',
      cause: 'damaged',
    };
    const because = 'the journal was damaged: torn';
    expect(heldBelow(fold([0, held]), 4)).toEqual({ held: 1, configured: 4, cause: 'damaged', because });
    const set = fold([0, held], [1, { type: 'control.phase_set', phase: 4, group: undefined, ...context }]);
    expect([heldBelow(set, 4), set.heldCause]).toEqual([undefined, undefined]);
  });

  it('is held below the configured phase only while that is higher', () => {
    const none = fold([0, { type: 'control.phase_held', phase: 1, configured: 4 }]);
    const because = 'the journal was empty';
    expect(heldBelow(none, { fleet: 4, group: undefined })).toEqual({
      held: 1,
      configured: 4,
      cause: 'empty',
      because,
    });
    expect(heldBelow(none, 2)).toEqual({ held: 1, configured: 2, cause: 'empty', because });
    expect([heldBelow(none, 1), heldBelow(none, 0), heldBelow(fold(), 4)]).toEqual([undefined, undefined, undefined]);
  });
});
