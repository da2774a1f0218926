// Reeve and whichever peers are installed do one job on one log: counts checked first, then timed in turn.
// `--ten`: also ten times the mixed log, for those who are fast.
//   node bench/peers.ts [mixed|storm|garbage …] [--lines 1000000] [--rounds 3] [--ten]
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundle } from '../scripts/bundle.ts';
import { writePeerConfigs } from './peer_config.ts';
import { goalsOf, type Measured } from './peer_goals.ts';
import { inCell, sayRow } from './rows.ts';
import { type Kind, writeWorkload } from './workload.ts';

interface Peer {
  readonly name: string;
  /** It reads only one part in so many of the log, because it is slow. */
  readonly part: number;
  readonly command: (log: string) => string;
  /** Prints the counts; where it differs from the timed command. */
  readonly counts?: (log: string) => string;
}

const args = process.argv.slice(2);
const option = (name: string, fallback: number): number => {
  const at = args.indexOf(`--${name}`);
  return at < 0 ? fallback : Number(args[at + 1]);
};
const lines = option('lines', 1_000_000);
const rounds = option('rounds', 3);
const kinds = args.filter((arg): arg is Kind => ['mixed', 'storm', 'garbage'].includes(arg));
const folder = mkdtempSync(join(tmpdir(), 'reeve-bench-'));
const has = (program: string): boolean => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0;

try {
  writePeerConfigs(folder);
  // As people install it: one program, and what was compiled is kept.
  await bundle(join(import.meta.dirname, '..'), 'bench/job.ts', join(folder, 'job'));
  writeFileSync(join(folder, 'job', 'package.json'), '{ "type": "module" }');
  for (const kind of kinds.length === 0 ? (['mixed', 'storm', 'garbage'] as const) : kinds) table(kind);
  if (args.includes('--ten')) tableOfTen();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function peers(): readonly Peer[] {
  const at = (name: string): string => join(folder, name);
  const job = join(at('job'), 'job.js');
  const cache = `NODE_COMPILE_CACHE=${at('compiled')}`;
  const awk = `mawk -f ${at('all.awk')}`;
  const list: Peer[] = [{ name: 'reeve', part: 1, command: (log) => `${cache} ${process.execPath} ${job} ${log}` }];
  if (has('mtail')) {
    const mtail = (log: string): string =>
      `mtail -one_shot -progs ${at('mtail')} -logs ${log} -max_regexp_length 8192 -port 0 -log_dir ${folder}`;
    const rows = `${process.execPath} ${join(import.meta.dirname, 'mtail_counts.ts')}`;
    list.push({ name: 'mtail', part: 50, command: mtail, counts: (log) => `${mtail(log)} | ${rows}` });
  }
  if (has('sec')) {
    for (const [name, config] of [
      ['sec', 'sec.conf'],
      ['sec + prefilter', 'sec-prefilter.conf'],
    ] as const) {
      const sec = (log: string): string =>
        `sec --conf=${at(config)} --input=${log} --notail --nochildterm --intevents 2>/dev/null`;
      list.push({
        name,
        part: 50,
        command: sec,
        counts: (log) => `COUNTS=${at('sec.out')} ${sec(log)}; cat ${at('sec.out')}`,
      });
    }
  }
  if (has('mawk')) list.push({ name: 'mawk', part: 1, command: (log) => `${awk} ${log}` });
  if (has('mawk') && has('grep')) {
    list.push({
      name: 'grep -E | mawk',
      part: 1,
      command: (log) => `grep -aE -f ${at('patterns.re')} ${log} | ${awk}`,
    });
  }
  if (has('mawk') && has('rg')) {
    list.push({
      name: 'rg | mawk',
      part: 1,
      command: (log) => `rg -a -N -I -j1 -f ${at('patterns.re')} ${log} | ${awk}`,
    });
  }
  if (hyperscan())
    list.push({ name: 'hyperscan', part: 1, command: (log) => `${at('hyperscan')} ${at('patterns.tsv')} ${log}` });
  return list;
}

function hyperscan(): boolean {
  const source = join(import.meta.dirname, 'hyperscan.cc');
  if (!has('g++') || !existsSync('/usr/include/hs/hs.h')) return false;
  if (existsSync(join(folder, 'hyperscan'))) return true;
  return spawnSync('g++', ['-O2', '-o', join(folder, 'hyperscan'), source, '-lhs']).status === 0;
}

function table(kind: Kind): void {
  const size = kind === 'garbage' ? Math.ceil(lines / 5) : lines;
  const log = join(folder, `${kind}.log`);
  writeWorkload(log, kind, size);
  compare(kind, log, size, peers());
}

/** The fast ones on ten million lines, and the fastest daemon: a start no longer counts for much. */
function tableOfTen(): void {
  const [one, log] = [join(folder, 'mixed.log'), join(folder, 'mixed-ten.log')];
  if (!existsSync(one)) writeWorkload(one, 'mixed', lines);
  execFileSync('sh', ['-c', `for at in 0 1 2 3 4 5 6 7 8 9; do cat ${one}; done > ${log}`]);
  const truth = readFileSync(`${one}.truth`, 'utf8');
  writeFileSync(
    `${log}.truth`,
    truth.replaceAll(/\t(\d+)$/gm, (_, count) => `\t${Number(count) * 10}`),
  );
  const named = ['reeve', 'sec + prefilter', 'rg | mawk', 'hyperscan'];
  const fast = peers().filter(({ name }) => named.includes(name));
  compare('mixed, ten times', log, lines * 10, fast);
  rmSync(log);
}

function compare(title: string, log: string, size: number, list: readonly Peer[]): void {
  say(`\n## ${title}: ${size} lines, ${(readFileSize(log) / 1e6).toFixed(1)} MB, ${rounds} rounds\n`);
  const equal = new Map(list.map((peer) => [peer.name, check(peer, log, size)]));
  const measured = new Map(list.map((peer) => [peer.name, [] as Measured[]]));
  for (let round = 0; round < rounds; round += 1) {
    for (const peer of list) measured.get(peer.name)!.push(time(peer, log, size));
  }
  report(list, measured, equal, size);
  for (const row of goalsOf(title, measured, equal.get('reeve'))) sayRow(row);
}

/** The head of a log for tools that are slow, with its own truth. */
function partOf(log: string, size: number, part: number): string {
  if (part === 1) return log;
  const head = `${log}.${part}`;
  if (!existsSync(head)) {
    execFileSync('sh', ['-c', `head -n ${Math.floor(size / part)} ${log} > ${head}`]);
    const job = join(import.meta.dirname, 'oracle.ts');
    writeFileSync(`${head}.truth`, execFileSync(process.execPath, [job, head]));
  }
  return head;
}

function check(peer: Peer, log: string, size: number): string {
  const input = partOf(log, size, peer.part);
  const run = spawnSync('sh', ['-c', (peer.counts ?? peer.command)(input)], { encoding: 'utf8', maxBuffer: 1 << 28 });
  const rows = (text: string): string[] =>
    text
      .split('\n')
      .filter((row) => row !== '')
      .sort();
  const truth = rows(readFileSync(`${input}.truth`, 'utf8'));
  const got = rows(run.stdout);
  const differing = got.filter((row) => !truth.includes(row)).length + truth.filter((row) => !got.includes(row)).length;
  return got.length === truth.length && differing === 0 ? 'equal' : `differs (${got.length} of ${truth.length} cells)`;
}

function time(peer: Peer, log: string, size: number): Measured {
  const command = peer.command(partOf(log, size, peer.part));
  const run = spawnSync('/usr/bin/time', ['-f', '%e %U %S %M', 'sh', '-c', `${command} > /dev/null`], {
    encoding: 'utf8',
  });
  const [wall, user, system, peakKb] = run.stderr.trim().split('\n').at(-1)!.split(' ').map(Number);
  return { wallS: wall! * peer.part, cpuS: (user! + system!) * peer.part, peakMb: peakKb! / 1024 };
}

function report(
  list: readonly Peer[],
  measured: ReadonlyMap<string, readonly Measured[]>,
  equal: ReadonlyMap<string, string>,
  size: number,
): void {
  const reeve = measured.get('reeve')!;
  say(
    '| tool | counts | wall s, median (min–max) | cpu s | lines/s | peak MB | Reeve is faster by, wall (min–max) | cpu |\n',
  );
  say('|---|---|---|---|---|---|---|---|\n');
  for (const { name } of list) {
    const own = measured.get(name)!;
    const wall = own.map(({ wallS }) => wallS);
    const ratios = own.map(({ wallS }, at) => wallS / reeve[at]!.wallS);
    const cpu = own.map(({ cpuS }, at) => cpuS / reeve[at]!.cpuS);
    const middle = median(wall);
    say(
      `| ${inCell(name)} | ${equal.get(name)} | ${middle.toFixed(2)} (${Math.min(...wall).toFixed(2)}–${Math.max(...wall).toFixed(2)}) ` +
        `| ${median(own.map(({ cpuS }) => cpuS)).toFixed(2)} | ${Math.round(size / middle).toLocaleString('en')} ` +
        `| ${Math.round(median(own.map(({ peakMb }) => peakMb)))} | ${median(ratios).toFixed(2)} ` +
        `(${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)}) | ${median(cpu).toFixed(2)} |\n`,
    );
  }
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)]!;
}

function readFileSize(path: string): number {
  return Number(execFileSync('stat', ['-c', '%s', path], { encoding: 'utf8' }));
}

function say(text: string): void {
  process.stdout.write(text);
}
