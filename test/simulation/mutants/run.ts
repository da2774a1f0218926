import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { type Mutant, MUTANTS, SCENES } from './mutants.ts';

export interface Verdict {
  readonly mutant: string;
  readonly killed: boolean;
  readonly law?: string;
  readonly because?: string;
  readonly scene?: string;
  readonly seed?: number;
  /** Wall time from the start of the process to the kill. */
  readonly tookMs: number;
  /** The mutant's piece of source is gone. */
  readonly stale?: string;
}

const HERE = import.meta.dirname;
const SEEDS = 4;

/** Its own scene first; `thorough`: then every scene with several seeds. */
function scenesFor({ scene, seed }: Pick<Mutant, 'scene' | 'seed'>, thorough: boolean): readonly string[] {
  const own = `${scene}:${seed}`;
  if (!thorough) return [own];
  if (process.env.QUICK !== undefined) return [own, `${scene}:${seed + 1}`];
  const seeds = Array.from({ length: SEEDS }, (_, at) => at + 1);
  const all = [scene, ...SCENES].flatMap((name) => seeds.map((number) => `${name}:${number}`));
  return [...new Set([own, ...all])];
}

/** Lives through its scenes in a process of its own. An empty name is the Reeve that is not mutated. */
export function probe(name: string, scenes: readonly string[]): Promise<Verdict> {
  const startedMs = performance.now();
  const args = ['--import', resolve(HERE, 'patch.ts'), resolve(HERE, 'probe.ts'), ...scenes];
  const child = spawn(process.execPath, args, {
    env: { ...process.env, MUTANT: name },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let out = '';
  let err = '';
  child.stdout.on('data', (data) => (out += data));
  child.stderr.on('data', (data) => (err += data));
  return new Promise((done, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      const tookMs = Math.round(performance.now() - startedMs);
      if (code === 3) return done({ mutant: name, killed: false, tookMs, stale: err.trim() });
      const outcome = out.trim() === '' ? { killed: true, law: 'crash', because: err.slice(-300) } : JSON.parse(out);
      done({ mutant: name, tookMs, ...outcome });
    });
  });
}

export async function probeAll(names: readonly string[], thorough: boolean): Promise<readonly Verdict[]> {
  const left = MUTANTS.filter(({ name }) => names.length === 0 || names.includes(name));
  const verdicts: Verdict[] = [];
  const work = async (): Promise<void> => {
    for (let mutant = left.shift(); mutant !== undefined; mutant = left.shift()) {
      verdicts.push(await probe(mutant.name, scenesFor(mutant, thorough)));
      if (thorough) print(verdicts.at(-1)!);
    }
  };
  await Promise.all(Array.from({ length: Math.max(2, availableParallelism()) }, work));
  return verdicts;
}

function print({ mutant, killed, law, scene, seed, tookMs, because, stale }: Verdict): void {
  const end = stale ?? (killed ? `killed by ${law} in ${scene}:${seed} after ${tookMs} ms: ${because}` : 'SURVIVED');
  process.stdout.write(`${mutant.padEnd(38)} ${end.slice(0, 160)}\n`);
}

if (process.argv[1] === import.meta.filename) {
  const verdicts = await probeAll(process.argv.slice(2), true);
  const killed = verdicts.filter((one) => one.killed);
  const times = killed.map(({ tookMs }) => tookMs).sort((a, b) => a - b);
  const median = times[Math.floor(times.length / 2)] ?? 0;
  process.stdout.write(`${killed.length} of ${verdicts.length} mutants killed, median ${median} ms\n`);
  process.exitCode = killed.length === verdicts.length ? 0 : 1;
}
