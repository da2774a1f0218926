import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createReeve } from '../../src/library/reeve.ts';
import { aLibraryFolder, CONTEXT, IN_COLLECTION, RENAME, ruleText } from './support.ts';

describe('Theow 3.5, resolve', () => {
  it('gives the rule that fits with captures and context filled in, and does nothing', async () => {
    const directory = aLibraryFolder({ 'rules/rename.rule.yaml': RENAME });
    const reeve = createReeve({ directory });
    const calls: unknown[] = [];
    reeve.action('fix_path_rename', (params: unknown) => calls.push(params));
    const rule = reeve.resolve(CONTEXT, IN_COLLECTION);
    expect(rule).toMatchObject({ name: 'module_path_rename', type: 'deterministic' });
    const params = { new_path: 'golang.org/x/lint', old_path: 'github.com/golang/lint' };
    expect(rule?.actions).toEqual([{ action: 'fix_path_rename', params }]);
    expect(calls).toEqual([]);
    await rule?.act();
    expect(calls).toEqual([params]);
  });

  it('gives nothing where a fact does not hold, or in another collection', () => {
    const reeve = createReeve({ directory: aLibraryFolder({ 'rules/rename.rule.yaml': RENAME }) });
    expect(reeve.resolve({ ...CONTEXT, problem_type: 'other' }, IN_COLLECTION)).toBeUndefined();
    expect(reeve.resolve({ ...CONTEXT, stderr: 'module declares nothing' }, IN_COLLECTION)).toBeUndefined();
    expect(reeve.resolve(CONTEXT)).toBeUndefined();
  });

  it('gives no rule whose parameter has no value', () => {
    const text = ruleText('disk').replace('fix_disk', 'fix_disk\n    params: { where: "{volume}" }');
    const reeve = createReeve({ directory: aLibraryFolder({ 'rules/disk.rule.yaml': text }) });
    expect(reeve.resolve({ stderr: 'disk full' })).toBeUndefined();
    expect(reeve.resolve({ stderr: 'disk full', volume: 7 })?.actions[0]?.params).toEqual({ where: 7 });
  });
});

describe('Theow 4, three phases', () => {
  const files = {
    'rules/a.rule.yaml': ruleText('quota', { tags: 'disk' }),
    'rules/b.rule.yaml': ruleText('inode', { fact: 'quota', tags: 'net' }),
    'rules/c.rule.yaml': ruleText('other', { fact: 'unrelated' }),
  };

  it('tries named rules first, then those with a tag, then what is alike', () => {
    const reeve = createReeve({ directory: aLibraryFolder(files) });
    const name = (how: Parameters<typeof reeve.resolve>[1]) => reeve.resolve({ stderr: 'quota exceeded' }, how)?.name;
    expect(name({ rules: ['inode'] })).toBe('inode');
    expect(name({ tags: ['net'] })).toBe('inode');
    expect(name({ rules: ['other'], tags: ['disk'] })).toBe('quota');
    expect(name({ rules: ['other'], fallback: false })).toBeUndefined();
    expect(name({ rules: ['other'] })).toBeDefined();
  });

  it('filters by the keys that rules test with equals before it looks for what is alike', () => {
    const reeve = createReeve({ directory: aLibraryFolder({ 'rules/rename.rule.yaml': RENAME }) });
    expect(reeve.resolve({ ...CONTEXT, problem_type: 'flaky' }, IN_COLLECTION)).toBeUndefined();
  });

  it('ranks by likeness weighted by the record', async () => {
    const directory = aLibraryFolder(files);
    const reeve = createReeve({ directory });
    reeve.action('fix_inode', () => undefined);
    reeve.action('fix_quota', () => {
      throw new Error('no');
    });
    expect(reeve.resolve({ stderr: 'quota exceeded' })?.name).toBe('inode');
    let fails = true;
    const step = reeve.mark(
      () => {
        if (fails) throw new Error('quota exceeded');
      },
      { contextFrom: () => ({ stderr: 'quota exceeded' }), rules: ['inode'], fallback: false },
    );
    for (let run = 0; run < 5; run += 1) await step().catch(() => undefined);
    fails = false;
    expect(reeve.resolve({ stderr: 'quota exceeded' })?.name).toBe('quota');
    expect(createReeve({ directory }).resolve({ stderr: 'quota exceeded' })?.name).toBe('quota');
  });
});

describe('Theow 4, indexing by content hash', () => {
  it('takes up what is new or changed, leaves the rest alone, and drops what is gone', () => {
    const directory = aLibraryFolder({ 'rules/a.rule.yaml': ruleText('alpha'), 'rules/b.rule.yaml': ruleText('beta') });
    const reeve = createReeve({ directory });
    expect(reeve.sync()).toMatchObject({ added: 0, changed: 0, removed: 0, unchanged: 2 });
    writeFileSync(join(directory, 'rules/a.rule.yaml'), ruleText('alpha', { fact: 'gamma' }));
    rmSync(join(directory, 'rules/b.rule.yaml'));
    expect(reeve.sync()).toMatchObject({ added: 0, changed: 1, removed: 1, unchanged: 0 });
    expect(reeve.resolve({ stderr: 'gamma' })?.name).toBe('alpha');
    expect(reeve.resolve({ stderr: 'beta' })).toBeUndefined();
  });

  it('keeps the last sound rule of a file that was broken, and reports where', () => {
    const directory = aLibraryFolder({ 'rules/a.rule.yaml': ruleText('alpha') });
    const reeve = createReeve({ directory });
    writeFileSync(join(directory, 'rules/a.rule.yaml'), ruleText('alpha').replace('contains', 'contians'));
    expect(reeve.sync().problems).toMatchObject([{ file: 'a.rule.yaml', line: 5, message: expect.any(String) }]);
    expect(reeve.resolve({ stderr: 'alpha' })?.name).toBe('alpha');
  });
});
