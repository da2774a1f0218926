import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { type Explained, type Mutant, pageOf, type Report } from '../../scripts/mutants/page.ts';

const SOURCE = 'const a = 1;\nif (a > 0) go();\n';
const mutant = (status: string, line = 2, replacement = 'true'): Mutant => ({
  mutatorName: 'ConditionalExpression',
  status,
  replacement,
  location: { start: { line, column: 1 }, end: { line, column: 9 } },
});
const reportOf = (files: Record<string, readonly Mutant[]>): Report => ({
  files: Object.fromEntries(Object.entries(files).map(([file, mutants]) => [file, { source: SOURCE, mutants }])),
});
const now = (file: string) => (file.includes('gone') ? undefined : SOURCE);
const why: Explained = { file: 'src/guard/a.ts', line: 'if (a > 0) go();', to: 'true', because: 'a is always 1' };

describe('the page of mutation tests', () => {
  it('adds the files of a folder up, and leaves out what was not tried', () => {
    const { text, survivors } = pageOf(
      reportOf({
        'src/guard/a.ts': [mutant('Killed'), mutant('Timeout'), mutant('Survived'), mutant('Ignored')],
        'src/guard/b.ts': [mutant('NoCoverage')],
        'src/guard/c.ts': [mutant('Ignored')],
      }),
      [],
      now,
    );
    expect(text).toContain('| `src/guard` | 4 | 2 | 2 | 0 | 1 | 50.0 % |');
    expect(text).toContain('| `src/guard/a.ts` | 3 | 2 | 1 | 0 | 1 | 66.7 % |');
    expect(text).toContain('| `src/guard/b.ts` | 1 | 0 | 1 | 0 | 0 | 0.0 % |');
    expect(text).not.toContain('c.ts');
    expect(text).toContain('to `true` (no test reaches it)');
    expect(survivors).toBe(2);
  });

  it('distinguishes explained survivors from those that need a test, and counts both as survivors', () => {
    const { text, idle } = pageOf(
      reportOf({ 'src/guard/a.ts': [mutant('Survived'), mutant('Survived', 2, 'false')] }),
      [why],
      now,
    );
    const [known, open] = text.slice(text.indexOf('## Survivors that are explained')).split('## Survivors that ask');
    expect(known).toContain('to `true`: a is always 1');
    expect(known).not.toContain('`false`');
    expect(open).toContain('to `false`');
    expect(text).toContain('| `src/guard/a.ts` | 2 | 0 | 2 | 1 | 0 | 0.0 % |');
    expect(idle).toEqual([]);
  });

  it('knows a survivor again when its line has moved, and not when its text has changed', () => {
    const moved = { files: { 'src/guard/a.ts': { source: `\n${SOURCE}`, mutants: [mutant('Survived', 3)] } } };
    expect(pageOf(moved, [why], () => `\n${SOURCE}`).text).toContain('a is always 1');
    const other = {
      files: { 'src/guard/a.ts': { source: SOURCE.replace('> 0', '> 1'), mutants: [mutant('Survived')] } },
    };
    expect(pageOf(other, [why], now).idle).toEqual([why]);
  });

  it('names files that have changed since, and forgets those that are gone', () => {
    const report = reportOf({ 'src/guard/a.ts': [mutant('Killed')], 'src/guard/gone.ts': [mutant('Survived')] });
    expect(pageOf(report, [], now).text).not.toContain('Changed since');
    expect(pageOf(report, [], now).text).not.toContain('gone.ts');
    const changed = pageOf(report, [], (file) => now(file)?.concat('\n'));
    expect(changed.text).toContain('Changed since they were tried: `src/guard/a.ts`.');
  });
});

describe('scripts/mutants/explained.yaml', () => {
  const ROOT = resolve(import.meta.dirname, '../..');
  const rows = parse(readFileSync(join(ROOT, 'scripts/mutants/explained.yaml'), 'utf8')) as readonly Explained[];

  it('explains only lines that stand in the code', () => {
    expect(rows.length).toBeGreaterThan(90);
    const linesOf = (file: string) =>
      existsSync(join(ROOT, file))
        ? readFileSync(join(ROOT, file), 'utf8')
            .split('\n')
            .map((line) => line.trim())
        : [];
    const stale = rows.filter(({ file, line }) => !linesOf(file).includes(line.trim()));
    expect(stale.map(({ file, line }) => `${file}: ${line}`)).toEqual([]);
  });
});
