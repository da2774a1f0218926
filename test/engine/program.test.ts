import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../src/core/clock.ts';
import type { ReeveError } from '../../src/core/errors.ts';
import { runProgram } from '../../src/engine/program.ts';
import { withoutDescriptors } from '../support/limited_process.ts';
import { until } from '../support/supervisord.ts';

const never = new AbortController().signal;

const outcome = (call: Promise<unknown>) => call.catch((error: unknown) => error as ReeveError);

const root = mkdtempSync(join(tmpdir(), 'reeve-cmd-'));

afterAll(() => rmSync(root, { recursive: true, force: true }));

const tempDir = () => mkdtempSync(join(root, 'd'));

const isAlive = (pid: number) => {
  const stat = existsSync(`/proc/${pid}/stat`) ? readFileSync(`/proc/${pid}/stat`, 'utf8') : ') Z';
  return !/\) [ZX]/.test(stat);
};

/** A program of the operator's. */
function script(text: string): string {
  const path = join(tempDir(), 'program');
  writeFileSync(path, `#!/bin/bash\n${text}\n`, { mode: 0o755 });
  return path;
}

const run = (
  argv: [string, ...string[]],
  options: { signal?: AbortSignal; bytesMax?: number; graceMs?: number } = {},
) => runProgram({ argv, clock: systemClock, signal: never, bytesMax: 10_000, ...options });

describe('runProgram', () => {
  it('gives the exit code and both streams, and no shell reads the arguments', async () => {
    const program = script('echo "$1"; echo oops >&2; exit 3');
    expect(await run([program, '$(id) `id`; rm *'])).toEqual({
      exitCode: 3,
      stdout: '$(id) `id`; rm *\n',
      stderr: 'oops\n',
    });
  });

  it('hands over none of its own environment', async () => {
    process.env.REEVE_TEST_SECRET = 'hunter2';
    expect((await run(['/usr/bin/env'])).stdout).not.toContain('hunter2');
    expect((await run(['/usr/bin/env'])).stdout).toContain('PATH=/usr/local/sbin');
  });

  it('says when a program is not there', async () => {
    expect(await outcome(run(['/nowhere/program']))).toMatchObject({ code: 'ENGINE_UNREACHABLE', failure: 'refused' });
  });

  it('ends a program that prints too much', async () => {
    const endless = await outcome(run(['/usr/bin/yes']));
    expect(endless).toMatchObject({ code: 'ANSWER_TOO_LARGE' });
    const exact = script('printf "%0100d" 0');
    expect(((await run([exact], { bytesMax: 100 })) as { stdout: string }).stdout).toHaveLength(100);
    expect(await outcome(run([exact], { bytesMax: 99 }))).toMatchObject({ code: 'ANSWER_TOO_LARGE' });
  });

  it('ends the whole process group, with SIGKILL where SIGTERM is ignored, before it returns', async () => {
    const dir = tempDir();
    const ignoresTerm = script(
      `trap '' TERM; (trap '' TERM; echo $BASHPID > ${dir}/child; while :; do sleep 0.05; done) & echo $$ > ${dir}/self; wait`,
    );
    const stop = new AbortController();
    const ended = outcome(run([ignoresTerm], { signal: stop.signal, graceMs: 100 }));
    await until(() => existsSync(`${dir}/child`) && existsSync(`${dir}/self`), 30_000, 'both run');
    const pids = ['self', 'child'].map((name) => Number(readFileSync(`${dir}/${name}`, 'utf8')));
    expect(pids.every(isAlive)).toBe(true);
    stop.abort(new Error('enough'));
    expect(await ended).toMatchObject({ message: 'enough' });
    await until(() => !pids.some(isAlive), 30_000, 'both are gone');
  });

  it('does not wait for what a program leaves behind, and does not end it', async () => {
    const dir = tempDir();
    const starter = script(`(echo $BASHPID > ${dir}/pid; exec sleep 30) & echo started`);
    const end = await run([starter]);
    expect(end).toMatchObject({ exitCode: 0, stdout: 'started\n' });
    const pid = Number(readFileSync(`${dir}/pid`, 'utf8'));
    expect(isAlive(pid)).toBe(true);
    process.kill(pid, 'SIGKILL');
  });

  it('fails as a program that did not start where it cannot be tried, or has no descriptor for its streams', async () => {
    expect(await outcome(run(['/dev/null/no-folder']))).toMatchObject({
      code: 'ENGINE_UNREACHABLE',
      failure: 'refused',
    });
    const { stdout, stderr } = withoutDescriptors(
      { runProgram: 'src/engine/program.ts', systemClock: 'src/core/clock.ts' },
      `const { signal } = new AbortController();
       const run = runProgram({ argv: ['/bin/echo', 'x'], bytesMax: 100, signal, clock: systemClock });
       const { code, failure } = await run.catch((thrown) => thrown);
       free();
       console.log(code, failure);`,
    );
    expect([stdout, stderr]).toEqual(['ENGINE_UNREACHABLE refused\n', '']);
  });

  it('runs nothing for a caller who has left', async () => {
    const dir = tempDir();
    await outcome(run([script(`touch ${dir}/ran`)], { signal: AbortSignal.abort(new Error('gone')) }));
    expect(existsSync(`${dir}/ran`)).toBe(false);
  });
});
