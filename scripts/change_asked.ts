/** Makes a change half in a copy of the sources, and asks the compiler which other files it needs. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '..');

interface Half {
  readonly file: string;
  /** What is added stands before this. */
  readonly before: string;
  readonly row: string;
}

/** The first half of a change: one row in the one list. */
const HALVES: Readonly<Record<'tool' | 'classification' | 'envelope field' | 'counted envelope field', Half>> = {
  tool: { file: 'core/tool.ts', before: '} as const;\nexport type ToolName', row: "  made_up: 'change',\n" },
  classification: {
    file: 'core/classification.ts',
    before: '} as const satisfies Readonly<Record<string, Classification>>',
    row: "  made_up: { family: undefined, severity: 'info', nextStep: undefined, openHoldMs: 0, traits: [] },\n",
  },
  'envelope field': {
    file: 'core/envelope.ts',
    before: '  /** Excerpts that did not fit. */',
    row: "  madeUp: field<number>({ fact: own('number') }),\n",
  },
  'counted envelope field': {
    file: 'core/envelope.ts',
    before: '  /** Excerpts that did not fit. */',
    row: "  madeUp: history<number>({ fact: own('number') }),\n",
  },
};
export type HalfChange = keyof typeof HALVES;
export const HALF_CHANGES = Object.keys(HALVES) as readonly HalfChange[];

/** The files of src that no longer compile; empty: the row is all that it takes. */
export function askedFor(change: HalfChange): readonly string[] {
  const { file, before, row } = HALVES[change];
  const folder = mkdtempSync(join(tmpdir(), 'reeve-asked-'));
  try {
    for (const name of ['src', 'package.json', 'tsconfig.json'])
      cpSync(join(ROOT, name), join(folder, name), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    const text = readFileSync(join(folder, 'src', file), 'utf8');
    if (text.split(before).length !== 2) throw new Error(`${file} has no single place before ${before}`);
    writeFileSync(join(folder, 'src', file), text.replace(before, row + before));
    const output = compiled(folder);
    return [
      ...new Set([...output.matchAll(/^src\/(\S+?\.ts)\(\d+,\d+\): error/gm)].map(([, path]) => path!)),
    ].toSorted();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function compiled(folder: string): string {
  try {
    return execFileSync(join(ROOT, 'node_modules/.bin/tsc'), ['-p', '.', '--pretty', 'false'], {
      cwd: folder,
      encoding: 'utf8',
    });
  } catch (thrown) {
    // Errors in what is compiled are its answer; that it could not run is not.
    const { status, stdout } = thrown as { readonly status: number | null; readonly stdout?: string };
    if (status === null || !stdout?.includes('error TS')) throw thrown;
    return stdout;
  }
}
