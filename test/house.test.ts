import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { STOREYS } from '../scripts/storeys.ts';

const SRC = resolve(import.meta.dirname, '../src');

const storeyOf = new Map(STOREYS.flatMap((rooms, storey) => rooms.map((room) => [room, storey] as const)));

/** Each package is imported in exactly these rooms. `zod` is everybody's. */
const PACKAGES: Record<string, RegExp> = {
  'p-queue': /^resilience\//,
  opossum: /^resilience\//,
  'prom-client': /^telemetry\//,
  'node:sqlite': /^journal\//,
  ollama: /^model\//,
  yaml: /^config\//,
  pino: /^app\/log\.ts$/,
  re2js: /^(config|detect|rulebook|library)\//,
  hono: /^http\//,
  '@hono/node-server': /^http\//,
  commander: /^cli\//,
  'fast-xml-parser': /^(engine|collect)\//,
  nodemailer: /^escalate\/receivers\/email\//,
  'pure-rand': /^simulation\//,
};

const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts'))
  .map((path) => ({ path, text: readFileSync(join(SRC, path), 'utf8') }));

/** Programs beside the daemon. */
const beside = ['scripts', 'bench', 'demo'].flatMap((folder) =>
  readdirSync(resolve(SRC, '..', folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => join(SRC, '..', folder, path))
    .map((path) => ({ path, text: readFileSync(path, 'utf8') })),
);

const roomOf = (path: string) => (path.includes('/') ? path.split('/')[0]! : '.');
const importsOf = (text: string) => [...text.matchAll(/(?:from|import) '([^']+)'/g)].map(([, specifier]) => specifier!);

describe('the house', () => {
  it.each(files)('$path imports only from below', ({ path, text }) => {
    const uphill = importsOf(text)
      .filter((specifier) => specifier.startsWith('.'))
      .map((specifier) => relative(SRC, resolve(SRC, dirname(path), specifier)))
      .filter((target) => !target.startsWith('..'))
      .filter((target) => roomOf(target) !== roomOf(path))
      .filter((target) => storeyOf.get(roomOf(target))! >= storeyOf.get(roomOf(path))!);
    expect(uphill).toEqual([]);
  });

  it.each(files)('$path stands in a known room and imports each package only where it belongs', ({ path, text }) => {
    expect(storeyOf.has(roomOf(path))).toBe(true);
    const strays = importsOf(text).filter((specifier) => {
      const name = specifier.startsWith('@') ? specifier.split('/').slice(0, 2).join('/') : specifier.split('/')[0]!;
      const allowed = PACKAGES[specifier] ?? PACKAGES[name];
      return allowed !== undefined && !allowed.test(path);
    });
    expect(strays).toEqual([]);
  });

  it.each([
    ['Date.now(', /^core\/clock\.ts$/],
    ['new Date()', /^core\/clock\.ts$/],
    ['performance.now(', /^core\/clock\.ts$/],
    ['setTimeout(', /^core\/clock\.ts$/],
    ['setInterval(', /^core\/clock\.ts$/],
    ['AbortSignal.timeout(', /^$/],
    ['Math.random(', /^core\/id\.ts$/],
    ['process.env', /^(config\/[a-z]+|main|cli\/[a-z]+)\.ts$/],
    ['Permit.grant(', /^guard\//],
    ['console.log(', /^cli\//],
    ['as any;', /^$/],
    ['as any)', /^$/],
    ['@ts-ignore', /^$/],
  ])('%s appears only where it is allowed', (text, allowed) => {
    const strays = files.filter((file) => file.text.includes(text) && !allowed.test(file.path));
    expect(strays.map((file) => file.path)).toEqual([]);
  });

  it.each(files)('$path keeps within 300 lines of 120 characters', ({ text }) => {
    const lines = text.split('\n');
    expect(lines.length).toBeLessThanOrEqual(301);
    // A regular expression cannot be broken over lines; everything else can.
    const isRegex = (line: string) => /^\s*(?:\S+ = )?\/(?![*/]).*\/[dgimsuvy]*[,;)]*$/.test(line);
    expect(lines.filter((line) => line.length > 120 && !isRegex(line))).toEqual([]);
  });

  it('keeps the programs beside it within 300 lines, too', () => {
    expect(beside.filter(({ text }) => text.split('\n').length > 301).map(({ path }) => path)).toEqual([]);
  });

  it('says at the head of each file what it is for, in the programs beside it too', () => {
    const silent = [...files, ...beside].filter(({ text }) => !/^(?:#!.*\n)?\/[/*]/.test(text));
    expect(silent.map(({ path }) => path)).toEqual([]);
    // What stands right above a declaration is about that alone.
    const HEAD = /^(?:#!.*\n)?(?:(?:\/\/.*\n)+|\/\*\*(?:(?!\*\/)[\s\S])*\*\/\n)(.*)/;
    const isAboutOne = (text: string) =>
      /^(?:export|const|type|interface|function|class)\b/.test(HEAD.exec(text)?.[1] ?? '');
    expect([...files, ...beside].filter(({ text }) => isAboutOne(text)).map(({ path }) => path)).toEqual([]);
  });

  it('defines units of time once, in core/duration.ts, and calls them by their names', () => {
    const DEFINED = /\b(?:SECONDS?|MINUTES?|HOURS?|DAYS?|UNIT)_MS\b(?::[^=]+)? = /;
    const WRITTEN = /^(?!\s*(?:\*|\/[/*])).*(?<![\d_])(?:60_000|3_600_000|86_400_000)(?![\d_])/;
    /** Sixty thousand of something else. */
    const COUNT = /\b(?:LOG_MAX|QUERY_POSTINGS_MAX) = 60_000;/;
    const strays = files
      .filter(({ path }) => path !== 'core/duration.ts')
      .flatMap(({ path, text }) => text.split('\n').map((line) => ({ path, line })))
      .filter(({ line }) => DEFINED.test(line) || (WRITTEN.test(line) && !COUNT.test(line)));
    expect(strays).toEqual([]);
  });

  it('has no circles of imports between files, nor have the programs beside it', () => {
    const imports = new Map(
      [...files.map(({ path, text }) => ({ path: join(SRC, path), text })), ...beside].map(({ path, text }) => [
        path,
        importsOf(text)
          .filter((specifier) => specifier.startsWith('.'))
          .map((specifier) => resolve(dirname(path), specifier)),
      ]),
    );
    const done = new Set<string>();
    const circles: string[] = [];
    const walk = (path: string, above: readonly string[]): void => {
      if (above.includes(path)) circles.push([...above.slice(above.indexOf(path)), path].join(' -> '));
      if (done.has(path) || above.includes(path)) return;
      for (const next of imports.get(path) ?? []) walk(next, [...above, path]);
      done.add(path);
    };
    for (const path of imports.keys()) walk(path, []);
    expect(circles).toEqual([]);
  });
});
