import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const SRC = resolve(import.meta.dirname, '../../src');

/** Every module that is loaded when the given one is imported. */
function loadedWith(module: string): readonly string[] {
  const program = `
    import { registerHooks } from 'node:module';
    const urls = [];
    registerHooks({ load: (url, context, next) => { urls.push(url); return next(url, context); } });
    await import(${JSON.stringify(`${SRC}/${module}`)});
    process.stdout.write(JSON.stringify(urls));
    process.exit(0);`;
  const out = execFileSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' });
  return JSON.parse(out) as readonly string[];
}

const isOfModels = (url: string): boolean =>
  /node_modules\/(ollama|whatwg-fetch)\/|\/model\/(ollama|openai)\./.test(url);

describe('what a daemon without models loads', () => {
  it('is no client of a model server and no adapter', () => {
    const loaded = loadedWith('app/app.ts');
    expect(loaded.length).toBeGreaterThan(100);
    expect(loaded.filter(isOfModels)).toEqual([]);
  });

  it('would be seen if it were: the adapter itself loads the client', () => {
    expect(loadedWith('model/ollama.ts').filter(isOfModels).join('\n')).toContain('node_modules/ollama/');
  });
});

describe('what a daemon loads without a model for vectors', () => {
  const isOfVectors = (url: string): boolean => url.includes('/src/rulebook/embeddings/');

  it('is nothing of the vectors', () => expect(loadedWith('app/app.ts').filter(isOfVectors)).toEqual([]));

  it('is nothing of them in the library either', () => expect(loadedWith('index.ts').filter(isOfVectors)).toEqual([]));

  it('would be seen if it were', () =>
    expect(loadedWith('rulebook/embeddings/likeness.ts').filter(isOfVectors)).not.toEqual([]));
});

describe('what a daemon loads without a request for a hint', () => {
  const isOfHints = (url: string): boolean => /\/src\/hints\/|\/app\/hints_open\./.test(url);

  it('is nothing of the hints', () => expect(loadedWith('app/app.ts').filter(isOfHints)).toEqual([]));

  it('would be seen if it were', () => expect(loadedWith('app/hints_open.ts').filter(isOfHints)).not.toEqual([]));
});
