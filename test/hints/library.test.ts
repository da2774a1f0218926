import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cosine, vectorOf } from '../../src/core/similarity.ts';
import { createHintIndex } from '../../src/hints/nearest.ts';
import { aBundle, aCluster, CLUSTERS, EXAMPLE } from '../support/hint_bundle.ts';
import { aWorld, temporary } from './support.ts';

const request = {
  errorLog: EXAMPLE.error_log,
  previousScores: EXAMPLE.previous_scores,
  currentIteration: EXAMPLE.current_iteration,
};

const CLAMP = 'pattern_output_saturation_clamp';

describe('ROSClaw-How, router: nearest cluster', () => {
  it('gives the best cosine of all descriptions, whatever the index does to find it', () => {
    const word = fc.constantFrom('encoder', 'origin', 'timeout', 'buffer', 'velocity', 'torque', 'nan', 'lock');
    const text = fc.array(word, { minLength: 1, maxLength: 6 }).map((words) => words.join(' '));
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 8 }), text, (names, query) => {
        const plain = { patterns: [], keywords: [], associatedPatterns: [], priority: undefined };
        const index = createHintIndex(names.map((standardName, at) => ({ ...plain, id: `c${at}`, standardName })));
        const best = Math.max(...names.map((name) => cosine(vectorOf(query), vectorOf(name))));
        const found = index.nearest(query, 0.05)?.similarity;
        if (best >= 0.05) expect(found).toBeCloseTo(best, 9);
        else expect(found).toBeUndefined();
      }),
    );
  });

  it('finds by the meaning of the label where no term of the log is that of a cluster', () => {
    const clusters = { clamp: aCluster('Commanded velocity diverges to ±∞', CLAMP, { matched_keywords: [] }) };
    const { hints } = aWorld({ clusters, deps: { similarityFloor: 0.3 } });
    expect(hints.build(request, 'a')).toMatchObject({ strategy: 'CATALYST', patternId: CLAMP });
  });

  it('computes nothing anew for rows that did not change', () => {
    const { hints } = aWorld();
    hints.reload();
    expect(hints.reload()).toMatchObject({ symptomsDetail: { unchanged: 2, updated: 0 } });
  });

  it('serves from its store when the bundle is gone, and not from memory alone', () => {
    for (const [backend, count] of [
      ['store', 2],
      ['memory', 0],
    ] as const) {
      const directory = temporary();
      const first = aWorld({ directory, deps: { backend } });
      first.close();
      const second = aWorld({ directory, clusters: undefined, deps: { backend } });
      expect(second.hints.health()).toMatchObject({ backend, clusterCount: count });
    }
  });

  it('takes the priority of a bundle that states a new one after a person set one, and keeps what was set until then', () => {
    const { hints, folder } = aWorld();
    const trust = () => hints.clusters().find(({ id }) => id === '20260518_1bfb99e13c')?.priority;
    hints.promote('pattern_20260518_1bfb99e13c', { delta: 1 }, { who: 'ann', because: 'a test' });
    hints.reload();
    expect(trust()).toBe(1);
    const stated = { ...CLUSTERS['20260518_1bfb99e13c'], priority: -1 };
    aBundle(folder, { ...CLUSTERS, '20260518_1bfb99e13c': stated });
    hints.reload();
    expect(trust()).toBe(-1);
  });
});
