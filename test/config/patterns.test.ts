import { describe, expect, it } from 'vitest';
import { compiledOf, heardOf, patternSourcesOf } from '../../src/config/patterns.ts';
import { parseYaml } from '../../src/config/yaml.ts';

const file = (name: string, ...ids: string[]) =>
  parseYaml(name, `patterns:\n${ids.map((id) => `  - { id: ${id} }\n`).join('')}`);
const idsIn = (files: ReturnType<typeof heardOf>) =>
  files.map(({ value }) => (value as { patterns: { id: string }[] }).patterns.map(({ id }) => id));

describe('the patterns that are in use', () => {
  const files = [file('a.yaml', 'one', 'two'), file('b.yaml', 'three')];

  it('are all, as the same objects, where none is taken out', () => {
    expect(heardOf(files)).toEqual(files);
    expect(heardOf(files)[0]).toBe(files[0]);
  });

  it('are those that are left, and a file without any goes', () => {
    const heard = heardOf(files, (id) => id === 'two');
    expect(idsIn(heard)).toEqual([['two']]);
    expect(idsIn(files)).toEqual([['one', 'two'], ['three']]);
  });

  it('give their places by the keys of the file alone', () => {
    const [source] = patternSourcesOf(files);
    expect(source?.position(['patterns', 1, 'id', Symbol('x')])).toEqual(source?.position(['patterns', 1, 'id']));
    expect(source?.position(['patterns', 1, 'id'])).toMatchObject({ line: 3 });
  });

  it('that are not sound are problems of their file', () => {
    expect(compiledOf([file('b.yaml', 'three')]).problems[0]).toMatchObject({ file: 'b.yaml' });
    expect(compiledOf([]).problems).toEqual([]);
  });
});
