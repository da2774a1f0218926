import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { z } from 'zod';
import { addFiles } from '../../../src/cli/commands/files.ts';
import type { Problem } from '../../../src/core/errors.ts';
import { aFolder } from '../../config/support.ts';
import { type RunOptions, ran } from '../running.ts';

const PROBLEM: Problem = { file: 'mine.md', line: 2, column: 1, path: '', message: 'no head' };

/** Runs the command, and keeps which hints it had checked. */
async function run(argv: readonly string[], problems: readonly Problem[] = [], options?: RunOptions) {
  const hints: (readonly string[])[] = [];
  const deps = {
    load: () => ({ flags: {}, env: {}, tools: [] }),
    kinds: async () => [],
    hints: async (files: readonly string[]) => {
      hints.push(files);
      return problems;
    },
    documents: { mine: async () => z.strictObject({ a: z.string() }) },
  };
  const result = await ran((program, cli) => addFiles(program, cli, deps), argv, options);
  return { ...result, hints };
}

describe('a check of files', () => {
  it('of Markdown alone is one of hints alone, and says that all is sound', async () => {
    const { out, code, hints } = await run(['check', 'mine.md']);
    expect([out, code, hints]).toEqual(['everything is sound\n', 0, [['mine.md']]]);
  });

  it('of a folder of Markdown is one of the hints in it', async () => {
    const folder = aFolder({ 'b.md': '', 'a.md': '', '.odd.md': '', 'notes.txt': '' });
    const { code, hints } = await run(['check', folder]);
    expect([code, hints]).toEqual([0, [[join(folder, 'a.md'), join(folder, 'b.md')]]]);
    const mixed = aFolder({ 'README.md': '', 'odd.yaml': 'no_kind_at_all: 1\n' });
    expect((await run(['check', mixed])).hints).toEqual([]);
  });

  it('that finds problems ends with 1 and names each with its place', async () => {
    const { out, code } = await run(['check', 'mine.md'], [PROBLEM]);
    expect(code).toBe(1);
    expect(out).toContain('mine.md:2:1');
    const asJson = await run(['check', 'mine.md'], [PROBLEM], { json: true });
    expect(JSON.parse(asJson.out)).toMatchObject({ ok: false });
    expect([asJson.err, asJson.code]).toEqual(['', 1]);
  });

  it('of other files leaves the hints of the configuration alone', async () => {
    const file = join(aFolder({ 'odd.yaml': 'no_kind_at_all: 1\n' }), 'odd.yaml');
    const { code, hints } = await run(['check', file]);
    expect([code, hints]).toEqual([1, []]);
    expect((await run(['check', file, 'mine.md'])).hints).toEqual([['mine.md']]);
  });
});

describe('a schema', () => {
  it('is printed for each kind that is known, those of other rooms too', async () => {
    expect(JSON.parse((await run(['schema', 'mine'])).out)).toMatchObject({ properties: { a: { type: 'string' } } });
    expect(JSON.parse((await run(['schema', 'persona'])).out)).toHaveProperty('properties');
  });

  it.each(['nothing', 'toString'])('of the kind %s there is not, and the known ones are named', async (kind) => {
    await expect(run(['schema', kind])).rejects.toThrow(/expected one of .*mine, got/);
  });
});

describe('a first configuration', () => {
  it('is written once, and what is there is kept', async () => {
    const folder = aFolder();
    expect((await run(['init', folder])).out).toMatch(/^wrote .*reeve\.yaml/);
    expect((await run(['init', folder])).out).toMatch(/^kept .*reeve\.yaml/);
    const again = JSON.parse((await run(['init', folder], [], { json: true })).out) as { written: string[] };
    expect(again.written).toEqual([]);
  });

  it('is checked and run by what is typed next, wherever it was written', async () => {
    const folder = aFolder();
    const next = async (directory: string) => (await run(['init', directory])).out.split('\n').at(-2);
    const file = `${folder}/config/reeve.yaml`;
    expect(await next(folder)).toBe(`next: reeve -c ${file} check && reeve -c ${file} run`);
    vi.spyOn(process, 'cwd').mockReturnValue(folder);
    onTestFinished(() => void vi.restoreAllMocks());
    expect(await next(folder)).toBe('next: reeve check && reeve run');
  });
});
