// The shipped catalogue on mixed lines and on a storm, beside Hyperscan with the same expressions.
//   node bench/catalogue.ts [--lines 1000000] [--rounds 3] [--alone]
// By CPU time of the scan alone, which both programs report: Hyperscan compiles for half a minute before it. It finds
// which expressions fit; what of a line is foreign, and what else a pattern asks for, it is not asked.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { bundle } from '../scripts/bundle.ts';
import { readCatalogue } from '../scripts/corpus.ts';
import { quantile, sayRow } from './rows.ts';
import { writeWorkload } from './workload.ts';

const { values } = parseArgs({
  options: {
    lines: { type: 'string', default: '1000000' },
    rounds: { type: 'string', default: '3' },
    alone: { type: 'boolean', default: false },
  },
});
const [lines, rounds] = [Number(values.lines), Number(values.rounds)];
const root = join(import.meta.dirname, '..');
const folder = mkdtempSync(join(tmpdir(), 'reeve-bench-'));
const at = (name: string): string => join(folder, name);
const GOALS = { mixed: 500, storm: 110 } as const;

type Command = (log: string) => readonly string[];

try {
  await bundle(root, 'bench/job.ts', at('job'));
  writeFileSync(at('job/package.json'), '{ "type": "module" }');
  symlinkSync(join(root, 'config'), at('config'));
  const reeve: Command = (log) => [process.execPath, at('job/job.js'), log, '--shipped', '--quiet'];
  const peer = hyperscan();
  for (const kind of ['mixed', 'storm'] as const) compare(kind, reeve, peer);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Undefined where it cannot be built. */
function hyperscan(): Command | undefined {
  if (values.alone || !existsSync('/usr/include/hs/hs.h')) return undefined;
  const built = spawnSync('g++', ['-O2', '-o', at('hyperscan'), join(import.meta.dirname, 'hyperscan.cc'), '-lhs']);
  if (built.status !== 0) return undefined;
  const rows = readCatalogue().patterns.map(({ id, source, ignoreCase }) => {
    const flag = ignoreCase && !source.startsWith('(?i)') ? '(?i)' : '';
    return `${id}\t${flag}${source}\n`;
  });
  writeFileSync(at('shipped.tsv'), rows.join(''));
  return (log) => [at('hyperscan'), at('shipped.tsv'), log, 'lenient'];
}

function compare(kind: 'mixed' | 'storm', reeve: Command, peer: Command | undefined): void {
  const log = at(`${kind}.log`);
  writeWorkload(log, kind, lines);
  const megabytes = statSync(log).size / 1e6;
  const own: number[] = [];
  const other: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    own.push(megabytes / scanSeconds(reeve(log)));
    if (peer !== undefined) other.push(megabytes / scanSeconds(peer(log)));
  }
  const part = `shipped catalogue, ${megabytes.toFixed(0)} MB ${kind}`;
  const rate = medianOf(own);
  const goal = `≥ ${GOALS[kind]} MB/s`;
  sayRow({ part, measure: 'by CPU time', figure: `${rate.toFixed(0)} MB/s`, goal, met: rate >= GOALS[kind] });
  if (peer === undefined) return;
  const beside = `${medianOf(other).toFixed(0)} MB/s`;
  sayRow({ part, measure: 'hyperscan, the same expressions', figure: beside, goal: '–', met: undefined });
  const ratio = medianOf(own.map((each, round) => each / other[round]!)).toFixed(2);
  sayRow({ part, measure: '× hyperscan', figure: ratio, goal: '–', met: undefined });
}

function scanSeconds([program, ...args]: readonly string[]): number {
  const run = spawnSync(program!, args, { encoding: 'utf8', maxBuffer: 1 << 28 });
  const seconds = /in ([\d.]+) s of CPU time/.exec(run.stderr)?.[1];
  if (run.status !== 0 || seconds === undefined) throw new Error(`${program} failed: ${run.stderr}`);
  return Number(seconds);
}

function medianOf(figures: readonly number[]): number {
  return quantile(
    figures.toSorted((a, b) => a - b),
    0.5,
  );
}
