/** Writes the page of the mutation tests from their report. */

/** One small change of a source, and what became of it. */
export interface Mutant {
  readonly mutatorName: string;
  readonly status: string;
  readonly replacement?: string;
  readonly location: { readonly start: Point; readonly end: Point };
}
interface Point {
  readonly line: number;
  readonly column: number;
}
export interface Report {
  readonly files: Readonly<Record<string, { readonly source: string; readonly mutants: readonly Mutant[] }>>;
}

/** A survivor that no test could catch, or need not. Known again by its text, wherever the line has moved. */
export interface Explained {
  readonly file: string;
  /** The line in which it begins, trimmed. */
  readonly line: string;
  /** What the changed part reads after the change; white space counts once. */
  readonly to: string;
  readonly because: string;
}

export interface Page {
  readonly text: string;
  /** Explanations that explain nothing any more. */
  readonly idle: readonly Explained[];
  readonly survivors: number;
}

const CAUGHT: ReadonlySet<string> = new Set(['Killed', 'Timeout', 'RuntimeError', 'CompileError']);
const MISSED: ReadonlySet<string> = new Set(['Survived', 'NoCoverage']);
const CHARACTERS_MAX = 90;

interface Row {
  readonly file: string;
  readonly caught: number;
  readonly missed: readonly Missed[];
  /** Changes that take effect while a module is loaded: not tried. */
  readonly fixed: number;
  readonly isOld: boolean;
}
interface Missed {
  readonly file: string;
  readonly mutant: Mutant;
  readonly line: string;
  readonly because: string | undefined;
}

const squeeze = (text: string): string => text.replace(/\s+/g, ' ').trim();

/** The page of a report. `sourceNow`: a file as it is today, so that results for an older text are shown as such. */
export function pageOf(
  report: Report,
  explained: readonly Explained[],
  sourceNow: (file: string) => string | undefined,
): Page {
  const used = new Set<Explained>();
  const rows = Object.entries(report.files)
    .filter(([file, { mutants }]) => sourceNow(file) !== undefined && mutants.some(wasTried))
    .map(([file, { source, mutants }]): Row => {
      const lines = source.split('\n');
      const missed = mutants
        .filter(({ status }) => MISSED.has(status))
        .map((mutant): Missed => {
          const line = lines[mutant.location.start.line - 1]!.trim();
          const to = squeeze(mutant.replacement ?? '');
          const why = explained.find((one) => one.file === file && one.line === line && squeeze(one.to) === to);
          if (why !== undefined) used.add(why);
          return { file, mutant, line, because: why?.because };
        });
      const caught = mutants.filter(({ status }) => CAUGHT.has(status)).length;
      const fixed = mutants.filter(({ status }) => status === 'Ignored').length;
      return { file, caught, missed, fixed, isOld: sourceNow(file) !== source };
    })
    .sort((a, b) => (a.file < b.file ? -1 : 1));
  const text = written(rows);
  return { text, idle: explained.filter((one) => !used.has(one)), survivors: rows.flatMap((row) => row.missed).length };
}

const wasTried = ({ status }: Mutant): boolean => CAUGHT.has(status) || MISSED.has(status);

function scoreOf(rows: readonly Row[]): string {
  const caught = rows.reduce((sum, row) => sum + row.caught, 0);
  const all = caught + rows.reduce((sum, row) => sum + row.missed.length, 0);
  return all === 0 ? '-' : `${((100 * caught) / all).toFixed(1)} %`;
}

function lineOf(name: string, rows: readonly Row[]): string {
  const sum = (of: (row: Row) => number) => rows.reduce((all, row) => all + of(row), 0);
  const caught = sum((row) => row.caught);
  const missed = sum((row) => row.missed.length);
  const known = sum((row) => row.missed.filter(({ because }) => because !== undefined).length);
  const cells = [caught + missed, caught, missed, known, sum((row) => row.fixed), scoreOf(rows)];
  return `| ${name} | ${cells.join(' | ')} |`;
}

function missedLine({ file, mutant, line, because }: Missed): string {
  const { mutatorName, replacement = '', location, status } = mutant;
  const short = (text: string) => squeeze(text).replaceAll('`', "'").slice(0, CHARACTERS_MAX);
  const reach = status === 'NoCoverage' ? ' (no test reaches it)' : '';
  const where = `\`${file}:${location.start.line}\` ${mutatorName} in \`${short(line)}\` to \`${short(replacement)}\``;
  return `- ${where}${reach}${because === undefined ? '' : `: ${because}`}`;
}

const folderOf = (file: string): string => file.slice(0, file.lastIndexOf('/'));

function written(rows: readonly Row[]): string {
  const folders = [...new Set(rows.map(({ file }) => folderOf(file)))];
  const all = rows.flatMap(({ missed }) => missed);
  const known = all.filter(({ because }) => because !== undefined).map(missedLine);
  const open = all.filter(({ because }) => because === undefined).map(missedLine);
  const old = rows.filter(({ isOld }) => isOld).map(({ file }) => `\`${file}\``);
  return `# Mutation tests

Stryker changes the code in small ways, and the fast tests of the guard, the agent and the grounding run on each change.
A change that no test notices is a survivor: code that could be wrong without anybody hearing of it.

Run \`npm run mutation\` for everything, or for some files:
\`npm run mutation -- --mutate src/guard/state/window.ts,src/guard/state/cooldown.ts\`. This page is written by that command; what
was tried earlier is kept. Each test runs once as it is, then once for each change that it comes by, without loading
anything again (\`scripts/mutants/run.ts\`). "At load" are changes that take effect while a module is loaded, mostly of
tables: those are not tried. Why a survivor may live is written in \`scripts/mutants/explained.yaml\`.

| | changes | caught | survived | explained | at load | score |
|---|---|---|---|---|---|---|
${folders
  .map((folder) =>
    lineOf(
      `\`${folder}\``,
      rows.filter(({ file }) => folderOf(file) === folder),
    ),
  )
  .join('\n')}

| file | changes | caught | survived | explained | at load | score |
|---|---|---|---|---|---|---|
${rows.map((row) => lineOf(`\`${row.file}\``, [row])).join('\n')}
${old.length === 0 ? '' : `\nChanged since they were tried: ${old.join(', ')}.\n`}
## Survivors that are explained

${known.length === 0 ? 'None.' : known.join('\n')}

## Survivors that ask for a test

${open.length === 0 ? 'None.' : open.join('\n')}
`;
}
