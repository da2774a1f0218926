import { describe, expect, it, vi } from 'vitest';
import { countingIds } from '../../src/core/id.ts';
import type { HintsDeps } from '../../src/hints/hints.ts';
import { EXAMPLE } from '../support/hint_bundle.ts';
import { aWorld } from './support.ts';

const request = {
  errorLog: EXAMPLE.error_log,
  previousScores: EXAMPLE.previous_scores,
  currentIteration: EXAMPLE.current_iteration,
};

const unknown = (text: string) => ({ ...request, errorLog: text });

const CLAMP = 'pattern_output_saturation_clamp';

describe('ROSClaw-How, feedback loop', () => {
  const report = (hints: ReturnType<typeof aWorld>['hints'], ...scores: number[]) => {
    for (const postScore of scores) {
      const { injectionId } = hints.build(request, 'a');
      if (injectionId !== undefined) hints.feedback({ injectionId, postScore }, 'a');
    }
  };

  it('demotes a hint at its fifth bad outcome and not before, and a person can take it back', () => {
    const { hints, ledger } = aWorld();
    report(hints, 0.4, 0.4, 0.4, 0.4);
    expect(hints.build(request, 'a')).toMatchObject({ patternId: CLAMP });
    report(hints, 0.4);
    expect(hints.build(request, 'a').patternId).toBeUndefined();
    expect([...hints.statistics().demoted.keys()]).toEqual([CLAMP]);
    expect([...ledger.read({ types: ['hint.priority_set'] })].map(({ fact }) => fact)).toMatchObject([
      { who: 'reeve', from: 1, to: -1, because: expect.stringContaining('5 outcomes') },
    ]);
    hints.promote(CLAMP, { priority: 0 }, { who: 'ann', because: 'mended' });
    expect(hints.build(request, 'a')).toMatchObject({ patternId: CLAMP, isStaging: true });
  });

  it('judges a hint that a person took back by what came after that, over a restart too', () => {
    const first = aWorld();
    report(first.hints, 0.4, 0.4, 0.4, 0.4, 0.4);
    first.hints.promote(CLAMP, { priority: 0 }, { who: 'ann', because: 'mended' });
    report(first.hints, 0.4, 0.4);
    expect(first.hints.build(request, 'a')).toMatchObject({ patternId: CLAMP });
    first.close();
    const { next } = countingIds();
    const others: Partial<HintsDeps> = { ids: { next: (prefix) => `${next(prefix)}-again` } };
    const { hints } = aWorld({ rows: first.rows, directory: first.directory, deps: others });
    report(hints, 0.4, 0.4);
    expect(hints.build(request, 'a')).toMatchObject({ patternId: CLAMP });
    report(hints, 0.4);
    expect(hints.build(request, 'a').patternId).toBeUndefined();
    expect(hints.statistics().demoted.get(CLAMP)).toMatchObject({ count: 10 });
  });

  it('keeps a hint whose record is good', () => {
    const { hints } = aWorld();
    report(hints, 0.6, 0.6, 0.4, 0.6, 0.6);
    expect(hints.build(request, 'a')).toMatchObject({ patternId: CLAMP });
  });

  it('is built anew from the journal where its file was lost', () => {
    const first = aWorld();
    report(first.hints, 0.6, 0.7);
    const second = aWorld({ rows: first.rows });
    expect(second.hints.statistics()).toEqual(first.hints.statistics());
    expect(second.hints.outcomes(0, 9)).toEqual(first.hints.outcomes(0, 9));
  });

  it('misses nothing when its file could not be written for a while', () => {
    const { hints, file } = aWorld();
    const advance = vi.spyOn(file, 'advance').mockImplementation(() => {
      throw new Error('the disk is full');
    });
    const { injectionId = '' } = hints.build(request, 'a');
    hints.build(request, 'a');
    expect(hints.outcomes(0, 9)).toEqual([]);
    advance.mockRestore();
    hints.build(request, 'a');
    expect(hints.outcomes(0, 9)).toHaveLength(3);
    expect(hints.feedback({ injectionId, postScore: 0.9 }, 'a')).toBe(true);
  });

  it('keeps the newest outcomes when there are too many', () => {
    const { hints, store } = aWorld();
    report(hints, 0.5, 0.6, 0.7);
    store.prune(2);
    expect(hints.outcomes(0, 9).map(({ postScore }) => postScore)).toEqual([0.6, 0.7]);
  });
});

describe('ROSClaw-How, blind spots', () => {
  const spotsOf = ({ ledger }: ReturnType<typeof aWorld>) =>
    [...ledger.read({ types: ['hint.blind_spot'] })].map(({ fact }) => fact);

  it('writes one row per beginning and window, also over a restart, and a fresh one after the window', async () => {
    const world = aWorld();
    const hear = (hints: typeof world.hints, times: number) => {
      for (let n = 0; n < times; n += 1) hints.build(unknown(`undocumented quirk ${n} password=hunter2`), 'a');
    };
    hear(world.hints, 2);
    expect(spotsOf(world)).toEqual([]);
    hear(world.hints, 4);
    expect(spotsOf(world)).toMatchObject([{ count: 3, windowMs: 3_600_000, threshold: 3 }]);
    expect(JSON.stringify(spotsOf(world))).not.toContain('hunter2');
    world.close();
    const next = aWorld({ directory: world.directory, rows: world.rows });
    hear(next.hints, 3);
    expect(spotsOf(next)).toHaveLength(1);
    await next.advance(3_600_001);
    hear(next.hints, 3);
    expect(spotsOf(next)).toHaveLength(2);
  });

  it('fills no journal, however many new errors come', () => {
    const world = aWorld({ deps: { factsPerMinuteMax: 2 } });
    const words = ['wug', 'blick', 'dax', 'fep'];
    for (const word of words) for (let n = 0; n < 3; n += 1) world.hints.build(unknown(`${word} ${word} ${word}`), 'a');
    expect(spotsOf(world)).toHaveLength(2);
    expect(world.hints.blindSpots().active).toHaveLength(4);
  });

  it('counts neither what has a label nor what a cluster knows nor what is left alone', () => {
    const { hints } = aWorld({ clusters: {} });
    hints.build(request, 'a');
    hints.build({ ...unknown('quirk'), currentIteration: 1 }, 'a');
    expect(hints.blindSpots()).toMatchObject({ totalEvents: 0, active: [] });
  });
});
