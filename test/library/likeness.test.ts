import { describe, expect, it } from 'vitest';
import { createReeve } from '../../src/library/reeve.ts';
import type { Model } from '../../src/core/model.ts';
import { meaningOf, vectorModel } from '../rulebook/embeddings/support.ts';
import { aLibraryFolder } from './support.ts';

const rule = (name: string, description: string): string => `name: ${name}
description: ${description}
when:
  - fact: stderr
    contains: '!'
then:
  - action: mend
    params: { by: ${name} }
`;

const FILES = {
  'rules/b_disk.rule.yaml': rule('b_disk', 'The volume is full'),
  'rules/a_network.rule.yaml': rule('a_network', 'A peer is unreachable'),
};
const CONTEXT = { stderr: 'no space left on device!' };

function withVectors(directory: string, scripted = vectorModel()) {
  const generate = async () => ({ ok: false, failure: 'refused', because: 'it makes vectors' }) as const;
  const embeddings: Model = { name: 'local/embed', generate, list: async () => undefined, embed: scripted.model.embed };
  const reeve = createReeve({ directory, embeddings });
  const mended: string[] = [];
  reeve.action('mend', ({ by }: { by: string }) => mended.push(by));
  return { reeve, scripted, mended };
}

describe('Theow 4, vector search in the library', () => {
  it('finds the rule that means the same in other words, once its vectors are there', async () => {
    const { reeve } = withVectors(aLibraryFolder(FILES));
    expect(reeve.stats().similarity).toMatchObject({ backend: 'ngrams', because: 'vectors are being made' });
    expect(await reeve.embedded()).toMatchObject({ backend: 'embeddings', rules: 2, embedded: 2 });
    // Without its own vector a context is compared by n-grams.
    expect(reeve.resolve(CONTEXT)?.name).toBe('a_network');
    await reeve.prepare(CONTEXT);
    expect(reeve.resolve(CONTEXT)?.name).toBe('b_disk');
    expect(reeve.stats().similarity).toMatchObject({ backend: 'embeddings', model: 'local/embed', dimensions: 4 });
  });

  it('has the vector made by itself where a marked function fails', async () => {
    const { reeve, mended } = withVectors(aLibraryFolder(FILES));
    await reeve.embedded();
    const run = reeve.mark(() => (mended.length > 0 ? 'done' : Promise.reject(new Error('no'))), {
      contextFrom: () => CONTEXT,
      maxRetries: 1,
    });
    expect(await run()).toBe('done');
    expect(mended).toEqual(['b_disk']);
  });

  it('embeds a rule once: unchanged ones are found in the folder, an added one alone is asked for', async () => {
    const directory = aLibraryFolder(FILES);
    const first = withVectors(directory);
    await first.reeve.embedded();
    first.reeve[Symbol.dispose]();
    const { reeve, scripted } = withVectors(directory);
    await reeve.embedded();
    // One text tells whether it is the same model still.
    expect(scripted.asked.flat()).toHaveLength(1);
    const known = scripted.asked.flat().length;
    const added = createReeve({ directory: aLibraryFolder({ 'rules/c.rule.yaml': rule('c', 'A third matter') }) });
    reeve.add(added.resolve(CONTEXT)!);
    await Promise.resolve();
    expect(await reeve.embedded()).toMatchObject({ backend: 'embeddings', rules: 3, embedded: 3 });
    expect(scripted.asked.flat().slice(known)).toEqual([expect.any(String), expect.stringContaining('a third matter')]);
  });

  it('stays with n-grams, and says why, where the model is not there', async () => {
    const { reeve, mended } = withVectors(
      aLibraryFolder(FILES),
      vectorModel(() => undefined),
    );
    expect(await reeve.embedded()).toMatchObject({ backend: 'ngrams', because: 'the model gave no vectors' });
    await reeve.prepare(CONTEXT);
    await reeve.resolve(CONTEXT)?.act();
    expect(mended).toEqual(['a_network']);
  });

  it('puts many rules in order by vectors, too, and keeps the likest', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 250 }, (_, at) => [`rules/n${at}.rule.yaml`, rule(`n${at}`, 'A peer is unreachable')]),
    );
    const { reeve } = withVectors(
      aLibraryFolder({ ...many, ...FILES }),
      vectorModel((all) => all.map(meaningOf)),
    );
    await reeve.embedded();
    await reeve.prepare(CONTEXT);
    expect(reeve.resolve(CONTEXT)?.name).toBe('b_disk');
  });

  it('is loaded with the option alone', () => {
    expect(createReeve({ directory: aLibraryFolder(FILES) }).stats().similarity).toMatchObject({ backend: 'ngrams' });
    expect(() => createReeve({ embeddings: 'none/x' })).toThrow('provider/model');
  });
});
