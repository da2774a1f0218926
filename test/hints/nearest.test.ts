import { describe, expect, it } from 'vitest';
import { type Cluster, createHintIndex } from '../../src/hints/nearest.ts';

const cluster = (id: string, pattern: string, priority?: Cluster['priority']): Cluster => ({
  ...{ id, standardName: id, patterns: [pattern], keywords: [], associatedPatterns: [`pattern_${id}`], priority },
});

describe('ROSClaw-How, admin/promote and the runtime priority gate', () => {
  it('never finds a demoted cluster, marks one in staging, and finds the next best instead', () => {
    const text = 'commanded velocity diverges';
    const good = cluster('b', 'commanded velocity diverges to infinity');
    const at = (priority: Cluster['priority']) =>
      createHintIndex([cluster('a', text, priority), good]).nearest(text, 0.5);
    expect(at(-1)).toMatchObject({ cluster: { id: 'b' }, isStaging: false });
    expect(at(0)).toMatchObject({ cluster: { id: 'a' }, isStaging: true, matched: text });
    expect(at(undefined)).toMatchObject({ cluster: { id: 'a' }, isStaging: false });
    expect(createHintIndex([cluster('a', text, -1)]).clusterCount).toBe(0);
  });

  it('finds at the floor and nothing above it, and the same whatever the order of the clusters', () => {
    const clusters = ['x', 'y', 'z'].map((id) => cluster(id, 'decoder lost its reference frame'));
    const found = createHintIndex(clusters).nearest('decoder lost a frame', 0)!;
    expect(found.cluster.id).toBe('x');
    expect(createHintIndex(clusters.toReversed()).nearest('decoder lost a frame', found.similarity)).toEqual(found);
    expect(createHintIndex(clusters).nearest('decoder lost a frame', found.similarity + 1e-9)).toBeUndefined();
    expect(createHintIndex(clusters).nearest('', 0)).toBeUndefined();
  });
});
