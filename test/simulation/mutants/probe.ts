import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { SCENES, type SceneName } from './mutants.ts';
import { play } from './scenes.ts';

interface Kill {
  readonly law: string;
  readonly because: string;
  readonly virtualMs?: number;
}

/** The property tests of the guard, run against the mutant. */
function byProperty(): Kill | undefined {
  const root = resolve(import.meta.dirname, '../../..');
  const vitest = resolve(root, 'node_modules/vitest/vitest.mjs');
  const config = resolve(import.meta.dirname, 'vitest.config.ts');
  const ran = spawnSync(process.execPath, [vitest, 'run', '--config', config], { cwd: root, encoding: 'utf8' });
  if (ran.status === 0) return undefined;
  const failed = /FAIL\s+(.+)/.exec(ran.stdout + ran.stderr)?.[1] ?? ran.stderr.slice(-200);
  return { law: 'property', because: failed };
}

async function byScene(scene: SceneName, seed: number): Promise<Kill | undefined> {
  if (scene === 'property') return byProperty();
  const { violations, virtualMs } = await play(scene, seed);
  const [first] = violations;
  return first === undefined ? undefined : { law: first.law, because: first.because, virtualMs };
}

/** Plays scenes, given as `name:seed`, until a law is broken, and prints what happened as one line of JSON. */
let answer: object = { killed: false };
for (const arg of process.argv.slice(2)) {
  const [scene, seed] = arg.split(':');
  if (!SCENES.includes(scene as SceneName)) throw new Error(`there is no scene ${scene}`);
  const kill = await byScene(scene as SceneName, Number(seed));
  if (kill === undefined) continue;
  answer = { killed: true, scene, seed: Number(seed), ...kill };
  break;
}
process.stdout.write(`${JSON.stringify(answer)}\n`);
// What a mutant leaves hanging must not keep the process.
process.exit(0);
