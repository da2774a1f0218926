import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hunt, judge } from './law.ts';
import { INPUT_BYTES_MAX, seedsOf } from './mutations.ts';
import { PARSERS } from './parsers.ts';

/** `npm run nightly` tries 20,000. */
const RUNS = 100;

describe('every parser of bytes from outside', () => {
  it('has real inputs to begin with, and every folder of inputs a parser', () => {
    expect(readdirSync(join(import.meta.dirname, 'seeds')).sort()).toEqual(PARSERS.map(({ name }) => name).sort());
    for (const { name } of PARSERS) expect([name, seedsOf(name).length > 0]).toEqual([name, true]);
  });

  it.each(PARSERS)('$name reads its real inputs', async ({ name, parse }) => {
    for (const seed of seedsOf(name)) await parse(seed);
  });

  it.each(PARSERS)(
    'law: $name reads or refuses whatever comes, in bounded time and room',
    { timeout: 120_000 },
    (parser) => hunt(parser, RUNS),
  );

  it('the check detects an error that is no refusal, excessive time, and excessive memory', async () => {
    const bytes = Buffer.alloc(INPUT_BYTES_MAX);
    const kept: unknown[] = [];
    const slow = (): void => {
      const started = process.cpuUsage();
      while (process.cpuUsage(started).user < 1_100_000);
    };
    const broken = () => {
      throw new TypeError('x');
    };
    await expect(judge({ name: 'x', parse: broken }, bytes)).rejects.toThrow(TypeError);
    await expect(judge({ name: 'x', parse: broken, refuses: [TypeError] }, bytes)).resolves.toBeUndefined();
    await expect(judge({ name: 'x', parse: slow }, bytes)).rejects.toThrow(/took/);
    const large = () => kept.push(Array.from({ length: 5_000_000 }, (_, at) => at));
    await expect(judge({ name: 'x', parse: large }, bytes)).rejects.toThrow(/made/);
  });
});
