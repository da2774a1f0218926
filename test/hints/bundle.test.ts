import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseIndex, readBundle } from '../../src/hints/bundle.ts';
import { aBundle, aCluster } from '../support/hint_bundle.ts';
import { temporary } from './support.ts';

const KIB = 1_024;
const parsed = (cluster: object) => parseIndex('index', JSON.stringify({ symptom_clusters: { a: cluster } }));

describe('a bundle of hints', () => {
  it('has its clusters and the text of each hint by the name of its file', () => {
    const folder = aBundle(join(temporary(), 'bundle'), { a: aCluster('Output overflows', 'pattern_a') });
    writeFileSync(join(folder, 'code_patterns', 'notes.txt'), 'no hint');
    const { clusters, patterns, writtenAt } = readBundle(folder);
    expect(clusters).toMatchObject([{ id: 'a', standardName: 'Output overflows', associatedPatterns: ['pattern_a'] }]);
    expect([...patterns.keys()]).toContain('output_saturation_clamp');
    expect([...patterns.keys()].filter((id) => id.startsWith('notes'))).toEqual([]);
    expect(writtenAt).toBeGreaterThan(0);
  });

  it('may have no folder of hints, but has an index', () => {
    const folder = aBundle(join(temporary(), 'bundle'), {});
    rmSync(join(folder, 'code_patterns'), { recursive: true });
    expect(readBundle(folder).patterns.size).toBe(0);
    rmSync(join(folder, 'bridge_index.json'));
    expect(() => readBundle(folder)).toThrow(/bridge_index\.json: expected a readable file/);
  });

  it('may have a hint of 256 KiB and none that is larger', () => {
    const folder = aBundle(join(temporary(), 'bundle'), {});
    const file = join(folder, 'code_patterns', 'large.md');
    writeFileSync(file, 'x'.repeat(256 * KIB));
    expect(readBundle(folder).patterns.get('large')).toHaveLength(256 * KIB);
    writeFileSync(file, 'x'.repeat(256 * KIB + 1));
    expect(() => readBundle(folder)).toThrow(`expected at most ${256 * KIB} bytes, got ${256 * KIB + 1}`);
  });

  it('is refused where its folder of hints is a file', () => {
    const folder = temporary();
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'bridge_index.json'), '{"symptom_clusters":{}}');
    writeFileSync(join(folder, 'code_patterns'), '');
    expect(() => readBundle(folder)).toThrow(/code_patterns: expected a readable folder/);
  });
});

describe('the index of a bundle', () => {
  it('needs no more of a cluster than its name', () => {
    const [cluster] = parsed({ standard_name: 'x', cross_domain_analogies: [{ insight: 'y' }] });
    expect(cluster).toEqual({
      ...{ id: 'a', standardName: 'x', domain: '', patterns: [], keywords: [], associatedPatterns: [] },
      analogies: [{ sourceDomain: '', insight: 'y', actionSuggestion: '' }],
      priority: undefined,
    });
  });

  it.each([
    [-1, -1],
    [0, 0],
    [1, 1],
    [null, undefined],
  ])('states the priority %s', (stated, priority) => {
    expect(parsed({ standard_name: 'x', priority: stated })[0]?.priority).toBe(priority);
  });

  it.each([
    ['no name', { standard_name: '' }, /index: symptom_clusters\.a\.standard_name/],
    ['a priority beyond 1', { standard_name: 'x', priority: 2 }, /index: symptom_clusters\.a\.priority/],
    ['a text of 4,001 characters', { standard_name: 'x'.repeat(4_001) }, /symptom_clusters\.a\.standard_name/],
  ])('with %s is refused with its place', (_, cluster, problem) => {
    expect(() => parsed(cluster)).toThrow(problem);
  });

  it('shows the first five of its problems', () => {
    const clusters = Object.fromEntries([...'abcdef'].map((id) => [id, {}]));
    const refused = () => parseIndex('index', JSON.stringify({ symptom_clusters: clusters }));
    expect(refused).toThrow(/symptom_clusters\.e\./);
    expect(refused).not.toThrow(/symptom_clusters\.f\./);
  });

  it('that is no JSON is refused with what a bundle is', () => {
    expect(() => parseIndex('index', '{')).toThrow(/^index: expected JSON/);
    expect(() => parseIndex('index', '{')).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', hint: expect.stringContaining('bridge_index.json') }),
    );
  });
});
