/**
 * `node scripts/fuzz.ts`: each parser of bytes from outside on many more inputs than the tests try; `npm run nightly`
 * ends with it. `--runs 50000`, `--only yaml`, `--seed 4711` (printed where something was found) try others, or again.
 */
import { parseArgs } from 'node:util';
import { hunt } from '../test/fuzz/law.ts';
import { PARSERS } from '../test/fuzz/parsers.ts';

export interface FuzzOrder {
  /** Inputs for each parser. */
  readonly runs: number;
  /** The parser of this name alone. */
  readonly only?: string | undefined;
  readonly seed?: number | undefined;
}

/** Returns how many parsers broke the law; each is printed with the input that did it. */
export async function fuzz({ runs, only, seed }: FuzzOrder): Promise<number> {
  let broken = 0;
  for (const parser of PARSERS.filter(({ name }) => only === undefined || name === only)) {
    const startedMs = performance.now();
    try {
      await hunt(parser, runs, seed);
      process.stdout.write(
        `${parser.name}: ${runs} inputs, ${((performance.now() - startedMs) / 1_000).toFixed(1)} s\n`,
      );
    } catch (thrown) {
      broken += 1;
      process.stdout.write(
        `${parser.name} broke the law: ${String(thrown)}\n${String(thrown instanceof Error ? thrown.cause : '')}\n`,
      );
    }
  }
  return broken;
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: { runs: { type: 'string', default: '20000' }, only: { type: 'string' }, seed: { type: 'string' } },
  });
  const seed = values.seed === undefined ? undefined : Number(values.seed);
  process.exitCode = (await fuzz({ runs: Number(values.runs), only: values.only, seed })) === 0 ? 0 : 1;
}
