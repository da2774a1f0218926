import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { LIMIT_ROWS } from '../src/config/document/limit_rows.ts';
import { TOOL_ALIASES } from '../src/core/tool.ts';
import { RECEIVER_SECRETS } from '../src/escalate/receivers/documents.ts';

const ROOT = resolve(import.meta.dirname, '..');
const FOLDERS = ['src', 'scripts', 'bench', 'demo', 'test', 'bin'];

const files = FOLDERS.flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.(?:ts|js|mjs)$/.test(path) && !path.includes('node_modules'))
    .map((path) => ({ path: join(folder, path), text: readFileSync(join(ROOT, folder, path), 'utf8') })),
);
const identifiersOf = (text: string): ReadonlySet<string> => new Set(text.match(/[A-Za-z_$][\w$]*/g));
const all = files.map(({ path, text }) => ({ path, text, identifiers: identifiersOf(text) }));
const code = all.filter(({ path }) => path.startsWith('src/'));

const EXPORTED = /^export (?:(?:abstract|async) )*(const|function\*?|class|interface|type) (\w+)/gm;
const exportsOf = (text: string) => [...text.matchAll(EXPORTED)].map(([, kind = '', name = '']) => ({ kind, name }));
const isUsedElsewhere = (name: string, at: string): boolean =>
  all.some(({ path, identifiers }) => path !== at && identifiers.has(name));
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

  it('there is no key of a configuration file that nothing reads', () => {
    const unread = [...keysOfSchemas()].filter(([key]) => !isReadByName(key)).map(([, path]) => path);
    expect(unread.filter((path) => !isReadByTable(path))).toEqual([]);
  });

  it('there is no setting of the configuration that only its own reading knows', () => {
    const readers = code.filter(({ path }) => !/^src\/config\/(?:config\.ts|document\/)/.test(path));
    const texts = readers.map(({ text }) => withoutComments(text));
    const isRead = (name: string) => texts.some((text) => isTakenIn(text, name));
    const settings = code
      .filter(({ path }) => !readers.some((reader) => reader.path === path))
      .flatMap(({ text }) => [...text.matchAll(/^export interface (?:\w*Config|\w*Probe) [^{]*\{([\s\S]*?)\n\}/gm)])
      .flatMap(([, body]) => [...withoutComments(body!).matchAll(/readonly (\w+)\??:/g)].map(([, name]) => name!));
    expect(settings.length).toBeGreaterThan(50);
    expect([...new Set(settings)].filter((name) => !isRead(name))).toEqual([]);
  });

  it('documents every variable of the environment that is read, and no other', () => {
    const options = code.flatMap(({ path, text }) =>
      path === 'src/config/document/environment.ts'
        ? [...text.matchAll(/override\(\[.*'([a-z-]+)'\)/g)].map(([, option]) => option!)
        : [],
    );
    expect(options.length).toBeGreaterThan(5);
    const byFlag = options.map((option) => `REEVE_${option.replaceAll('-', '_').toUpperCase()}`);
    const byName = code.flatMap(({ text }) => withoutComments(text).match(/(?<=env\.)REEVE_[A-Z_]+/g) ?? []);
    const page = readFileSync(join(ROOT, 'docs/environment.md'), 'utf8');
    const documented = [...page.matchAll(/^\| `(REEVE_[A-Z_]+)` \|/gm)].map(([, name]) => name!);
    expect(documented.toSorted()).toEqual([...new Set([...byFlag, ...byName])].toSorted());
  });
});

const withoutComments = (text: string): string => text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '');

/** Every key that a file of an operator may have, with one place of it. */
function keysOfSchemas(): ReadonlyMap<string, string> {
  const folder = join(ROOT, 'config/schemas');
  const found = new Map<string, string>();
  const walk = (schema: unknown, path: string): void => {
    if (typeof schema !== 'object' || schema === null) return;
    for (const [key, part] of Object.entries(schema)) {
      if (key !== 'properties') walk(part, path);
      else
        for (const [key, value] of Object.entries(part as object)) {
          if (!found.has(key)) found.set(key, `${path}.${key}`);
          walk(value, `${path}.${key}`);
        }
    }
  };
  for (const name of readdirSync(folder)) {
    walk(JSON.parse(readFileSync(join(folder, name), 'utf8')), name.split('.')[0]!);
  }
  expect(found.size).toBeGreaterThan(200);
  return found;
}

/** As a property or as a part of a destructuring. */
const isTakenIn = (text: string, name: string): boolean =>
  new RegExp(`\\.${name}\\b|[{,]\\s*${name}\\s*[,:}=]`).test(text);

/** Who works with limits, besides those who read and bound them. */
const users = code
  .filter(({ path }) => !/^src\/(?:config\/|core\/limits|guard\/limits)/.test(path))
  .map(({ text }) => withoutComments(text));
const plain = code.map(({ text }) => withoutComments(text));

/**
 * A property that is asked for, a part of a destructuring, a row of a table of functions, or a name that is given to
 * the reading of a file. Not the line that defines the key: `key: z.string()`, `key: textField`.
 */
function isReadByName(key: string): boolean {
  const forms = [
    `\\.${key}\\b(?!\\()`,
    `[{,(]\\s*${key}\\s*(?:[,}=)]|:\\s*(?:(?!\\w*(?:Field|Part|Document)\\b)\\w+\\s*[,}=]|\\{[ \\w,]*\\} ?\\}|\\([^)]*\\) =>))`,
    `(?:part|entries|unique|idsOf|isWritten|override)\\((?:\\w+, )?\\[?[^)]*'${key}'`,
    `'${key}'\\]`,
  ];
  const read = new RegExp(forms.join('|'));
  return plain.some((text) => read.test(text));
}

/** Keys that are read under a name which a table makes. */
function isReadByTable(path: string): boolean {
  const [, ...keys] = path.split('.');
  const key = keys.at(-1)!;
  const limit = LIMIT_ROWS.find((row) => row.key === key);
  if (limit !== undefined && keys[0] === 'limits') return users.some((text) => isTakenIn(text, limit.name));
  const [, secret] = /^(.+)_(?:env|file)$/.exec(key) ?? [];
  if (secret !== undefined) return Object.values(RECEIVER_SECRETS).some((rules) => Object.hasOwn(rules, secret));
  return keys[0] === 'tool_access_policy' && Object.hasOwn(TOOL_ALIASES, key);
}
