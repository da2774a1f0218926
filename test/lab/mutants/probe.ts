import { SCENES, type SceneName } from './mutants.ts';
import { play } from './scenes.ts';

/** Plays scenes, given as `name:seed`, until a law is broken, and prints what happened as one line of JSON. */
const wanted = process.argv.slice(2);
let answer: object = { killed: false };
for (const word of wanted) {
  const [scene, seed] = word.split(':');
  if (!SCENES.includes(scene as SceneName)) throw new Error(`there is no scene ${scene}`);
  const { violations, nowMs } = await play(scene as SceneName, Number(seed));
  const [first] = violations;
  if (first === undefined) continue;
  answer = { killed: true, scene, seed: Number(seed), virtualMs: nowMs, ...first };
  break;
}
process.stdout.write(`${JSON.stringify(answer)}\n`);
// What a mutant leaves hanging must not keep the process.
process.exit(0);
