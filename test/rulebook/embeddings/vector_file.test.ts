import { mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openVectorFile } from '../../../src/rulebook/embeddings/vector_file.ts';
import { aRule } from '../support.ts';
import { meaningOf, vectorModel } from './support.ts';
import { likenessWith, network, NONE, PROBES } from './two_rules.ts';

describe('vectors that are kept', () => {
  const folder = () => mkdtempSync(join(tmpdir(), 'reeve-vectors-'));

  it('outlive the process: unchanged rules are not embedded again, and a changed one alone is', async () => {
    const path = join(folder(), 'v.db');
    const first = likenessWith({ store: openVectorFile(path) });
    await first.sync();
    expect(first.model.asked.flat()).toHaveLength(PROBES + 2);
    first.likeness[Symbol.dispose]();

    const second = likenessWith({ store: openVectorFile(path) });
    await second.sync();
    expect(second.model.asked.flat()).toHaveLength(PROBES);
    const changed = aRule({ id: 'b_disk', description: 'No space is left at all' });
    await second.sync([changed, network]);
    expect(second.model.asked.flat().slice(PROBES)).toEqual([expect.any(String), 'no space is left at all']);
    expect(second.likeness.state()).toMatchObject({ backend: 'embeddings', rules: 2, embedded: 2 });
  });

  it('are made anew when another model answers under the name, of the same length or not', async () => {
    const path = join(folder(), 'v.db');
    const first = likenessWith({ store: openVectorFile(path) });
    await first.sync();
    first.likeness[Symbol.dispose]();
    for (const other of [(text: string) => [...meaningOf(text)].reverse(), (text: string) => [...meaningOf(text), 5]]) {
      const model = vectorModel((texts) => texts.map(other));
      const next = likenessWith({ model, store: openVectorFile(path) });
      await next.sync();
      expect(model.asked.flat()).toHaveLength(PROBES + 2);
      expect(next.likeness.state().backend).toBe('embeddings');
      next.likeness[Symbol.dispose]();
    }
  });

  it('are safe to lose: a file that is broken is put aside, and a row that is damaged is made anew', async () => {
    const directory = folder();
    const path = join(directory, 'v.db');
    writeFileSync(path, 'no database', { mode: 0o600 });
    const store = openVectorFile(path);
    expect(readdirSync(directory)).toContain('v.db.broken');
    store.put('local/embed', new Map([['0'.repeat(64), Float32Array.of(7, 7)]]));
    expect(store.load('local/embed').size).toBe(0);
    const { likeness, sync } = likenessWith({ store });
    await sync();
    expect(likeness.state().backend).toBe('embeddings');
    likeness[Symbol.dispose]();
    const reread = openVectorFile(path);
    onTestFinished(() => reread[Symbol.dispose]());
    expect(reread.load('local/embed').size).toBe(PROBES + 2);
    expect(reread.load('another').size).toBe(0);
  });

  it('go on in memory when the file fails', async () => {
    const failing = () => {
      throw new Error('disk I/O error');
    };
    const store = { load: () => new Map(), put: failing, keep: failing, [Symbol.dispose]: NONE };
    const { likeness, sync, notes } = likenessWith({ store });
    await sync();
    expect(likeness.state().backend).toBe('embeddings');
    expect(notes).toContain('vectors of rules are kept in memory only: disk I/O error');
  });
});
