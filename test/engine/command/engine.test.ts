import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/core/clock.ts';
import { commandEngineDocument } from '../../../src/engine/command/schema.ts';
import type { ReeveError } from '../../../src/core/errors.ts';
import { CommandEngine } from '../../../src/engine/command/engine.ts';
import { runProgram } from '../../../src/engine/program.ts';
import { aContext, engineParts } from '../../support/engine_parts.ts';
import { until } from '../../support/supervisord.ts';

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

  it('does not wait for what a program leaves behind, and lets it live', async () => {
    const dir = tempDir();
    const starter = script(`(echo $BASHPID > ${dir}/pid; exec sleep 30) & echo started`);
    const end = await run([starter]);
    expect(end).toMatchObject({ exitCode: 0, stdout: 'started\n' });
    const pid = Number(readFileSync(`${dir}/pid`, 'utf8'));
    expect(isAlive(pid)).toBe(true);
    process.kill(pid, 'SIGKILL');
  });

  it('runs nothing for a caller who has left', async () => {
    const dir = tempDir();
    await outcome(run([script(`touch ${dir}/ran`)], { signal: AbortSignal.abort(new Error('gone')) }));
    expect(existsSync(`${dir}/ran`)).toBe(false);
  });
});

const engineOf = (options: object, channels = ['news', 'sport'], timeoutMs = 5_000) => {
  const document = commandEngineDocument.parse({ id: 'local', kind: 'command', ...options });
  return new CommandEngine({
    document,
    channels: channels.map((name) => ({ id: `ch-${name}`, name })),
    parts: engineParts({ timeoutMs }),
  });
};
const status = { argv: ['/bin/true', '{channel}'] };

describe('a look', () => {
  it('reads a list that a program prints', async () => {
    const printed = JSON.stringify([
      { n: 'news', s: 'active', p: 7 },
      { n: 'sport', s: 'failed' },
    ]);
    const engine = engineOf({
      list: {
        argv: [script(`echo '${printed}'`)],
        fields: { name: '/n', state: '/s', pid: '/p' },
        states: [
          { says: 'active', means: 'running' },
          { says: 'failed', means: 'fatal' },
        ],
      },
    });
    const report = await engine.observe(never);
    expect(report.engine).toMatchObject({ ok: true, reportsPool: false });
    expect(report.processes).toMatchObject([
      { channel: 'ch-news', state: 'running', pid: 7 },
      { channel: 'ch-sport', state: 'fatal', pid: undefined },
    ]);
  });

  it('asks for each channel in order, by the text it prints or by its exit code', async () => {
    const program = script(
      'case $1 in a) echo active;; b) echo failed; exit 3;; c) exit 0;; d) exit 3;; e) exit 4;; f) kill -9 $$;; esac',
    );
    const states = [
      { says: 'active', means: 'running' },
      { says: 'failed', means: 'fatal' },
    ];
    const engine = engineOf({ status: { argv: [program, '{channel}'], states } }, ['a', 'b', 'c', 'd', 'e', 'f']);
    const { processes } = await engine.observe(never);
    expect(processes.map(({ state }) => state)).toEqual([
      'running',
      'fatal',
      'running',
      'exited',
      'unknown',
      'unknown',
    ]);
    expect(processes.some(({ stoppedOnPurpose }) => stoppedOnPurpose)).toBe(false);
  });

  it('is a typed failure when the program fails, hangs, floods, prints nonsense or is missing', async () => {
    const fields = { name: '/n' };
    for (const [argv, failure] of [
      [[script('echo broken >&2; exit 1')], 'invalid_answer'],
      [[script('echo "<html>"')], 'invalid_answer'],
      [['/usr/bin/yes'], 'too_large'],
      [['/bin/sleep', '60'], 'timeout'],
      [['/nowhere/program'], 'refused'],
    ] as const) {
      const report = await engineOf({ list: { argv, fields } }, ['news'], 500).observe(never);
      expect(report).toMatchObject({ engine: { ok: false, failure }, processes: [] });
    }
  });
});

describe('a change', () => {
  it('hands over the channel as one argument, and leaves it out for the whole engine', async () => {
    const dir = tempDir();
    const program = script(`printf '[%s]' "$@" >> ${dir}/args; echo done`);
    const engine = engineOf({
      status,
      restart: { argv: [program, 'restart', '{channel}', '--now'] },
      cache: { argv: [program, 'clear', '{channel}'] },
      cache_entries: { argv: ['/bin/echo', '4'] },
    });
    expect(await engine.restart('ch-news', aContext())).toBe('done');
    await engine.invalidateCache(undefined, aContext());
    expect(readFileSync(`${dir}/args`, 'utf8')).toBe('[restart][news][--now][clear]');
    expect(await engine.probeCache(never)).toBe(4);
  });

  it('that the program refuses is a refusal with its last output', async () => {
    const engine = engineOf({ status, restart: { argv: [script('echo first >&2; echo no such unit >&2; exit 5')] } });
    const refused = await outcome(engine.restart('ch-news', aContext()));
    expect(refused).toMatchObject({
      code: 'ENGINE_REFUSED',
      message: expect.stringMatching(/exited 5: no such unit$/),
    });
  });

  it('runs once per permit, and to its end though the caller leaves', async () => {
    const dir = tempDir();
    const engine = engineOf({
      status,
      restart: { argv: [script(`echo b >> ${dir}/log; sleep 0.3; echo e >> ${dir}/log`)] },
    });
    const caller = new AbortController();
    const context = aContext({ signal: caller.signal });
    const restart = engine.restart('ch-news', context);
    await until(() => existsSync(`${dir}/log`), 30_000, 'it has begun');
    caller.abort(new Error('gone'));
    await restart;
    expect(await outcome(engine.restart('ch-news', aContext({ permit: context.permit })))).toMatchObject({
      code: 'ENGINE_REFUSED',
    });
    expect(readFileSync(`${dir}/log`, 'utf8')).toBe('b\ne\n');
  });

  it('counts the items of a rebuild and proves what it did by looks', async () => {
    const engine = engineOf({
      status,
      rebuild: { argv: [script(`echo '{"added": 3}'`)], items_added: '/added' },
      playout: { argv: [script('[ "$1" = news ]'), '{channel}'] },
      refresh: { argv: ['/bin/true'] },
      credentials: { argv: ['/bin/false'] },
      recent_logs: { argv: [script('echo "log of $1"'), '{channel}'] },
    });
    expect(await engine.rebuildPlayout('ch-news', aContext())).toMatchObject({ itemsAdded: 3 });
    expect(await engine.probePlayout('ch-news', never)).toBe(true);
    expect(await engine.probePlayout('ch-sport', never)).toBe(false);
    expect(await engine.refreshCredentials(aContext())).toBe('/bin/true exited 0');
    expect(await engine.probeCredentials(never)).toBe(false);
    expect(await engine.recentLogs('ch-news', 100, never)).toBe('log of news\n');
    expect([...engine.capabilities].sort()).toEqual(['credentials', 'logs', 'observe', 'rebuild']);
  });
});

describe('channel names', () => {
  it.each(['-rf', '--all', '', 'a b', '../../x', 'a/../b', '$(id)', 'a;b', '*', 'x'.repeat(129)])(
    'refuse %j in a command',
    (name) => {
      expect(() => engineOf({ status }, [name])).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
    },
  );

  it.each(['news', 'a.b-c_d', 'stream@live:1', 'group/one', 'x'.repeat(128)])('take %j', (name) => {
    expect(() => engineOf({ status }, [name])).not.toThrow();
  });
});
