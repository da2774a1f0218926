// All figures in one run: the daemon as a whole, the journal, then the hot path beside whichever peers are installed.
//   npm run bench                everything (several minutes)
//   npm run bench -- --quick     a small workload, one round
import { spawnSync } from 'node:child_process';
import { cpus, loadavg, totalmem } from 'node:os';
import { resolve } from 'node:path';

const quick = process.argv.includes('--quick');
const [cpu] = cpus();
console.log(
  `machine: ${cpus().length} × ${cpu?.model}, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.version}`,
);
console.log(
  `load before: ${loadavg()
    .map((load) => load.toFixed(2))
    .join(' ')} (a busy machine spreads every figure)`,
);

const PARTS: readonly (readonly [title: string, script: string, ...args: string[]])[] = [
  ['the daemon at 500 channels', 'daemon.ts', ...(quick ? ['--verdicts', '30', '--idle-seconds', '5'] : [])],
  ['the journal', 'journal.ts'],
  ['the hot path and its peers', 'peers.ts', ...(quick ? ['mixed', '--lines', '100000', '--rounds', '1'] : [])],
];
let failed = 0;
for (const [title, script, ...args] of PARTS) {
  console.log(`\n## ${title}`);
  const run = spawnSync(process.execPath, [resolve(import.meta.dirname, script), ...args], { stdio: 'inherit' });
  if (run.status !== 0) failed += 1;
}
if (failed > 0) console.error(`${failed} of ${PARTS.length} parts failed`);
process.exitCode = failed === 0 ? 0 : 1;
