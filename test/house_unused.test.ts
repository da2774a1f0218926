import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '..');
const FOLDERS = ['src', 'scripts', 'bench', 'demo', 'test', 'bin'];

const files = FOLDERS.flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.(?:ts|js|mjs)$/.test(path) && !path.includes('node_modules'))
    .map((path) => ({ path: join(folder, path), text: readFileSync(join(ROOT, folder, path), 'utf8') })),
);
const wordsOf = (text: string): ReadonlySet<string> => new Set(text.match(/[A-Za-z_$][\w$]*/g));
const all = files.map(({ path, text }) => ({ path, text, words: wordsOf(text) }));
const code = all.filter(({ path }) => path.startsWith('src/'));

const EXPORTED = /^export (?:(?:abstract|async) )*(const|function\*?|class|interface|type) (\w+)/gm;
const exportsOf = (text: string) => [...text.matchAll(EXPORTED)].map(([, kind = '', name = '']) => ({ kind, name }));
const isUsedElsewhere = (name: string, at: string): boolean =>
  all.some(({ path, words }) => path !== at && words.has(name));
const countOf = (name: string, text: string): number => text.match(new RegExp(`\\b${name}\\b`, 'g'))?.length ?? 0;

/** By name: what two files call alike counts as used. A dead end that hides there is found when the other one goes. */
describe('dead ends', () => {
  it('there is no exported value that no other file uses', () => {
    const dead = code.flatMap(({ path, text }) =>
      exportsOf(text)
        .filter(({ kind, name }) => kind !== 'interface' && kind !== 'type' && !isUsedElsewhere(name, path))
        .map(({ name }) => `${path}: ${name}`),
    );
    expect(dead).toEqual([]);
  });

  it('there is no exported type that nothing uses', () => {
    const dead = code.flatMap(({ path, text }) =>
      exportsOf(text)
        .filter(({ name }) => countOf(name, text) === 1 && !isUsedElsewhere(name, path))
        .map(({ name }) => `${path}: ${name}`),
    );
    expect(dead).toEqual([]);
  });

  it('there is no dependency that nothing imports', () => {
    const { dependencies, devDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Record<
      string,
      Record<string, string>
    >;
    const shell = readdirSync(join(ROOT, 'scripts'))
      .filter((name) => name.endsWith('.sh'))
      .map((name) => readFileSync(join(ROOT, 'scripts', name), 'utf8'));
    const configuration = ['vitest.config.ts', 'stryker.config.json', 'tsconfig.json', 'biome.json']
      .filter((name) => readdirSync(ROOT).includes(name))
      .map((name) => readFileSync(join(ROOT, name), 'utf8'));
    const texts = [...all.map(({ text }) => text), ...shell, ...configuration];
    /** Types of a package, what the compiler and the runner call by themselves, and programs. */
    const BY_TOOL = /^@types\/|^typescript$|^@biomejs\/biome$|^@vitest\/coverage-v8$|^@stryker-mutator\/core$/;
    const unused = [...Object.keys(dependencies!), ...Object.keys(devDependencies!)]
      .filter((name) => !BY_TOOL.test(name))
      .filter((name) => !texts.some((text) => text.includes(`'${name}`) || text.includes(`"${name}`)));
    expect(unused).toEqual([]);
  });

  it('there is no metric that nothing counts', () => {
    const { text } = code.find(({ path }) => path === 'src/telemetry/metrics.ts')!;
    const names = [...text.matchAll(/^ {4}(\w+): (?:counter|histogram)\(/gm)].map(([, name]) => name!);
    expect(names.length).toBeGreaterThan(10);
    const counts = (name: string) => new RegExp(`\\b${name}(?:\\.|\\)?\\s*\\.)(?:inc|observe)\\b`);
    expect(names.filter((name) => !code.some((file) => counts(name).test(file.text)))).toEqual([]);
  });
});
