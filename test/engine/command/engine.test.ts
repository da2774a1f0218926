import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { commandEngineDocument } from '../../../src/engine/command/schema.ts';
import type { ReeveError } from '../../../src/core/errors.ts';
import { CommandEngine } from '../../../src/engine/command/engine.ts';
import { aContext, engineParts } from '../../support/engine_parts.ts';
import { until } from '../../support/supervisord.ts';

const never = new AbortController().signal;

const outcome = (call: Promise<unknown>) => call.catch((error: unknown) => error as ReeveError);

const root = mkdtempSync(join(tmpdir(), 'reeve-cmd-'));

afterAll(() => rmSync(root, { recursive: true, force: true }));

const tempDir = () => mkdtempSync(join(root, 'd'));

/** A program of the operator's. */
function script(text: string): string {
  const path = join(tempDir(), 'program');
  writeFileSync(path, `#!/bin/bash\n${text}\n`, { mode: 0o755 });
  return path;
}

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

  it('ends every program that it started when one of them fails', async () => {
    const pidFile = join(tempDir(), 'pid');
    const program = script(
      `case $1 in news) echo $$ > ${pidFile}; exec sleep 60;; *) until [ -s ${pidFile} ]; do :; done; exec yes;; esac`,
    );
    const report = await engineOf({ status: { argv: [program, '{channel}'] } }).observe(never);
    expect(report.engine).toMatchObject({ ok: false, failure: 'too_large' });
    const pid = Number(readFileSync(pidFile, 'utf8'));
    await until(() => !existsSync(`/proc/${pid}`), 5_000, 'the program that hangs is ended');
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
