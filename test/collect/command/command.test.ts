import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type CommandOptions, createCommandLog } from '../../../src/collect/command/command.ts';
import { systemClock } from '../../../src/core/clock.ts';
import { memoryCheckpoints } from '../../../src/journal/checkpoints.ts';
import { withoutDescriptors } from '../../support/limited_process.ts';
import { countChunk } from '../support/counting.ts';

function run(argv: readonly [string, ...string[]], more: Partial<CommandOptions> = {}) {
  const records: { text: string; backlog: boolean }[] = [];
  const notices: string[] = [];
  const log = createCommandLog({
    ...{ source: { id: 'c', argv }, clock: systemClock, checkpoints: memoryCheckpoints(), settleMs: 0 },
    report: ({ kind, because }) => notices.push(`${kind}: ${because}`),
    sink: (chunk) => {
      const { count, records: taken } = countChunk(chunk);
      records.push(...taken.map((text) => ({ text, backlog: chunk.backlog })));
      return count;
    },
    ...more,
  });
  onTestFinished(() => log[Symbol.asyncDispose]());
  log.start();
  return { log, records, notices, texts: () => records.map(({ text }) => text) };
}

describe('what a command prints', () => {
  it('is handed over line by line from both its outputs, and counted', async () => {
    const { log, texts } = run(['sh', '-c', 'echo one; echo ERR two >&2; printf three; exec sleep 60']);
    await expect.poll(() => texts().sort()).toEqual(['ERR two\n', 'one\n']);
    expect(log.stats()).toMatchObject({ source: 'c', state: 'following', lines: 2, matched: 1, unmatched: 1 });
    await log[Symbol.asyncDispose]();
    expect(texts()).toContain('three\n');
  });

  it('comes again after it ended: it is started anew, later each time', async () => {
    const { log, texts, notices } = run(['sh', '-c', 'echo here; exit 3']);
    await expect.poll(texts, { timeout: 30_000 }).toEqual(['here\n', 'here\n']);
    expect(notices).toContain('missing: it ended with exit code 3');
    expect(log.stats().gaps).toBeGreaterThanOrEqual(1);
  });

  it('is backlog for a moment after the start: it may be old', async () => {
    const { records } = run(['sh', '-c', 'echo old; sleep 0.4; echo new; exec sleep 60'], { settleMs: 200 });
    await expect
      .poll(() => records)
      .toEqual([
        { text: 'old\n', backlog: true },
        { text: 'new\n', backlog: false },
      ]);
  });

  it('comes from a program that runs without a shell and without the environment of Reeve', async () => {
    const { texts } = run(['printf', '%s\\n', '$HOME; echo injected']);
    await expect.poll(texts).toEqual(['$HOME; echo injected\n']);
    const second = run(['env']);
    await expect.poll(() => second.texts().length).toBeGreaterThan(0);
    expect(second.texts().join('')).not.toMatch(/NODE|VITEST|HOME/);
  });

  it('is missing when there is no such command, and that is reported once', async () => {
    const { log, notices } = run(['/no/such/command']);
    await expect.poll(() => log.stats().gaps, { timeout: 30_000 }).toBeGreaterThanOrEqual(2);
    expect(notices).toHaveLength(1);
    expect(notices[0]).toMatch(/^missing: .*ENOENT/);
  });

  it('is missing, too, where the command cannot even be tried', async () => {
    const { log, notices } = run(['/dev/null/no-folder']);
    await expect.poll(() => log.stats().gaps, { timeout: 30_000 }).toBeGreaterThanOrEqual(2);
    expect(notices).toEqual([expect.stringMatching(/^missing: .*ENOTDIR/)]);
  });

  it('ends with Reeve, by force when it does not listen', async () => {
    const { log, texts } = run(['sh', '-c', 'trap "" TERM; echo $$; while :; do sleep 1; done']);
    await expect.poll(() => texts().length).toBe(1);
    const pid = Number(texts()[0]);
    await log[Symbol.asyncDispose]();
    expect(() => process.kill(pid, 0)).toThrow();
  });

  it('ends with all that it started, whatever still holds its outputs', async () => {
    const { log, texts } = run(['sh', '-c', 'sleep 62 & echo $!; wait']);
    await expect.poll(() => texts().length).toBe(1);
    const stat = `/proc/${texts()[0]!.trim()}/stat`;
    const isAlive = () => existsSync(stat) && !/\) [ZX] /.test(readFileSync(stat, 'latin1'));
    expect(isAlive()).toBe(true);
    await log[Symbol.asyncDispose]();
    await expect.poll(isAlive).toBe(false);
  });

  it('comes when there are descriptors again, where there was none for its pipes', () => {
    const imports = {
      createCommandLog: 'src/collect/command/command.ts',
      systemClock: 'src/core/clock.ts',
      memoryCheckpoints: 'src/journal/checkpoints.ts',
    };
    const { stdout, status, stderr } = withoutDescriptors(
      imports,
      `const log = createCommandLog({
         source: { id: 'c', argv: ['echo', 'printed'] }, clock: systemClock, checkpoints: memoryCheckpoints(),
         report: ({ kind, because }) => console.log(kind + ': ' + because),
         sink: ({ bytes, start, end }) => {
           process.stdout.write(bytes.subarray(start, end));
           return { lines: 1, matched: 0, unmatched: 1, progress: 0 };
         },
       });
       log.start();
       free();
       while (log.stats().lines === 0) await wait(50);
       await log[Symbol.asyncDispose]();`,
    );
    expect(stderr).toBe('');
    expect(stdout).toMatch(/^missing: .*EMFILE\nfollowing: echo runs\nprinted\n/);
    expect(status).toBe(0);
  });

  it('keeps its count over restarts', async () => {
    const checkpoints = memoryCheckpoints();
    for (const lines of [1, 2]) {
      const { log } = run(['sh', '-c', 'echo x; exec sleep 60'], { checkpoints });
      await expect.poll(() => log.stats().lines).toBe(lines);
      await log[Symbol.asyncDispose]();
    }
  });

  it('ends its lane when the sink throws', async () => {
    const { log, notices } = run(['yes'], {
      sink: () => {
        throw new Error('a bug');
      },
    });
    await expect.poll(() => log.stats().state).toBe('failed');
    expect(notices.at(-1)).toBe('failed: a bug');
  });
});
