import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createChild } from '../../../src/collect/command/child.ts';
import { systemClock } from '../../../src/core/clock.ts';
import { fakeClock } from '../../support/fake_clock.ts';
import { withoutDescriptors } from '../../support/limited_process.ts';

describe('a program that is kept running', () => {
  it.each([
    ['cannot be found', '/nowhere/at-all'],
    ['cannot even be tried', '/dev/null/no-folder'],
  ])('is started again after pauses that double where it %s', async (_, program) => {
    const { clock, advance } = fakeClock();
    const reports: string[] = [];
    const child = createChild({
      ...{ argv: () => [program], clock, report: (because: string) => reports.push(because) },
      ...{ onOutput: () => undefined, onEnd: () => undefined },
    });
    child.start();
    for (const pauseMs of [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]) {
      const starts = child.starts;
      await expect.poll(() => reports.length).toBe(starts);
      expect(reports.at(-1)).toMatch(new RegExp(`in ${pauseMs / 1_000} s$`));
      await advance(pauseMs - 1);
      expect(child.starts).toBe(starts);
      await advance(1);
      expect(child.starts).toBe(starts + 1);
    }
    await child[Symbol.asyncDispose]();
  });

  it('ends with all that it started, even where it does not listen', async () => {
    const printed: string[] = [];
    const child = createChild({
      argv: () => ['sh', '-c', 'trap "" TERM; sleep 61 & echo $!; wait; wait'],
      clock: systemClock,
      report: () => undefined,
      onOutput: (bytes) => printed.push(bytes.toString()),
      onEnd: () => undefined,
    });
    child.start();
    await expect.poll(() => printed.length).toBe(1);
    /** Dead and not yet fetched by its parent is dead. */
    const isAlive = () => {
      const stat = `/proc/${printed[0]!.trim()}/stat`;
      return existsSync(stat) && !/\) [ZX] /.test(readFileSync(stat, 'latin1'));
    };
    expect(isAlive()).toBe(true);
    await child[Symbol.asyncDispose]();
    await expect.poll(() => isAlive()).toBe(false);
  });

  it('is started when there are descriptors again, where there was none for its pipes', () => {
    const { stdout, status, stderr } = withoutDescriptors(
      { createChild: 'src/collect/command/child.ts', systemClock: 'src/core/clock.ts' },
      `const child = createChild({
         argv: () => ['echo', 'printed'], clock: systemClock, report: console.log, onEnd: () => undefined,
         onOutput: (bytes) => process.stdout.write(bytes),
       });
       child.start();
       free();
       while (child.starts < 3) await wait(50);
       await child[Symbol.asyncDispose]();`,
    );
    expect(stderr).toBe('');
    expect(stdout).toMatch(/^echo spawn echo EMFILE; it is started again in 1 s\nprinted\n/);
    expect(status).toBe(0);
  });
});
