import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hasSources, problemsOf, readSources } from '../../src/hints/sources.ts';
import { aBundle, aCluster } from '../support/hint_bundle.ts';
import { temporary } from './support.ts';

const HINT = '---\nid: own_clamp\ndescribes: [the widget wobbles]\npriority: 0\n---\n## Fix\nHold it.\n';

/** A folder with a bundle, with hints of one's own, with both or with neither. */
function sources({ clusters, own }: { readonly clusters?: object; readonly own?: string }) {
  const at = temporary();
  const found = { folder: join(at, 'bundle'), files: join(at, 'own') };
  if (clusters !== undefined) aBundle(found.folder, clusters);
  if (own !== undefined) {
    mkdirSync(found.files);
    writeFileSync(join(found.files, 'own.md'), own);
  }
  return found;
}
const CLUSTERS = { fresh: aCluster('A new one', 'pattern_fresh') };
const idsOf = (found: ReturnType<typeof sources>) => readSources(found).clusters.map(({ id }) => id);

describe('what hints come from', () => {
  it('is the bundle and the files of one’s own, either alone or both together', () => {
    expect(idsOf(sources({ clusters: CLUSTERS }))).toEqual(['fresh']);
    const [own] = idsOf(sources({ own: HINT }));
    expect(idsOf(sources({ clusters: CLUSTERS, own: HINT }))).toEqual(['fresh', own]);
    expect([...readSources(sources({ clusters: CLUSTERS, own: HINT })).patterns.keys()]).toContain('own_clamp');
  });

  it('is nothing where there is neither, and reading that says where it looked', () => {
    const nothing = sources({});
    expect(hasSources(nothing)).toBe(false);
    expect(() => readSources(nothing)).toThrow('bridge_index.json');
    expect(problemsOf(nothing)).toEqual([]);
    expect(hasSources(sources({ clusters: CLUSTERS }))).toBe(true);
    expect(hasSources(sources({ own: HINT }))).toBe(true);
  });

  it('is something, too, where the only file is not sound: reading it says why', () => {
    const bad = sources({ own: '## Fix\nHold it.\n' });
    expect(hasSources(bad)).toBe(true);
    expect(() => readSources(bad)).toThrow('own.md:1');
  });

  it('leaves hidden files alone, such as the links that an editor locks a file with', () => {
    const both = sources({ clusters: CLUSTERS, own: HINT });
    for (const folder of [both.files, join(both.folder, 'code_patterns')]) {
      symlinkSync('somebody@here.4711:1', join(folder, '.#own.md'));
      writeFileSync(join(folder, '._own.md'), 'Mac OS X');
    }
    const { clusters, patterns } = readSources(both);
    expect(clusters).toHaveLength(2);
    expect([...patterns.keys()].filter((id) => id.startsWith('.'))).toEqual([]);
    expect(problemsOf(both)).toEqual([]);
  });

  it('is refused with the file that cannot be read', () => {
    const bad = sources({ clusters: CLUSTERS });
    symlinkSync('nowhere', join(bad.folder, 'code_patterns', 'lost.md'));
    expect(() => readSources(bad)).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
    expect(() => readSources(bad)).toThrow(/lost\.md: expected a readable file/);
  });

  it('is refused as a whole for one file that is not sound', () => {
    const bad = sources({ clusters: CLUSTERS, own: '## Fix\nHold it.\n' });
    expect(() => readSources(bad)).toThrow('own.md:1');
    expect(problemsOf(bad)).toMatchObject([{ line: 1, file: join(bad.files, 'own.md') }]);
  });

  it('has the problems of both beside each other', () => {
    const bad = sources({ clusters: { broken: { standard_name: '' } }, own: '## Fix\nHold it.\n' });
    expect(problemsOf(bad).map(({ file }) => file)).toEqual([
      join(bad.files, 'own.md'),
      join(bad.folder, 'bridge_index.json'),
    ]);
    expect(problemsOf(sources({ clusters: CLUSTERS, own: HINT }))).toEqual([]);
  });
});
