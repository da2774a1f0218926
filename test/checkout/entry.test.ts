import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { openSandbox, run, type Sandbox } from './sandbox.ts';

const MAIN = 'process.stdout.write(JSON.stringify({ version: process.version, args: process.argv.slice(2) }));\n';
/** Makes a Node say that it is an older one, as far as the entry point can see. */
const PRETEND_20 = `data:text/javascript,Object.defineProperty(process,'version',{value:'v20.20.2'})`;

function checkout(): Sandbox {
  const sandbox = openSandbox();
  sandbox.bring('bin');
  sandbox.write('package.json', '{ "type": "module" }');
  sandbox.write('src/main.ts', MAIN);
  return sandbox;
}

/** The Node that runs this test, where `npm ci` would put it. */
function bringRuntime(sandbox: Sandbox): void {
  mkdirSync(join(sandbox.dir, 'node_modules/.bin'), { recursive: true });
  symlinkSync(process.execPath, join(sandbox.dir, 'node_modules/.bin/node'));
}

const runOldNode = (sandbox: Sandbox, ...args: readonly string[]) =>
  run(process.execPath, ['--import', PRETEND_20, join(sandbox.dir, 'bin/reeve.js'), ...args], process.env);

describe('bin/reeve', () => {
  it('runs the sources with the runtime of the checkout, though the PATH has an older Node', async () => {
    using sandbox = checkout();
    sandbox.borrow('dirname', 'readlink');
    sandbox.command('node', 'echo v20.20.2');
    bringRuntime(sandbox);
    const ended = await sandbox.run(join(sandbox.dir, 'bin/reeve'), 'status', '--json');
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(ended.stdout)).toEqual({ version: process.version, args: ['status', '--json'] });
  });

  it('says in one line what it found when no Node is new enough, and ends with 78', async () => {
    using sandbox = checkout();
    sandbox.borrow('dirname', 'readlink');
    sandbox.command('node', 'echo v20.20.2');
    const ended = await sandbox.run(join(sandbox.dir, 'bin/reeve'), 'run');
    expect(ended).toMatchObject({ code: 78, stdout: '' });
    expect(ended.stderr).toMatch(/^reeve: needs Node 24\.12 or newer, found v20\.20\.2 at .*\n$/);
  });

  it.each([
    ['v24.11.9', 78],
    ['v24.12.0', 0],
    ['v25.0.0', 0],
    ['v9.99.0', 78],
    ['nonsense', 78],
  ])('takes a Node that calls itself %s with exit code %i', async (version, code) => {
    using sandbox = checkout();
    sandbox.borrow('dirname', 'readlink');
    sandbox.command('node', `[ "$1" = --version ] && echo ${version}; exit 0`);
    expect(await sandbox.run(join(sandbox.dir, 'bin/reeve'))).toMatchObject({ code });
  });
});

describe('bin/reeve.js', () => {
  it('refuses an older Node in one line with 78 when the checkout has no runtime of its own', async () => {
    using sandbox = checkout();
    const ended = await runOldNode(sandbox, 'run');
    expect(ended).toMatchObject({ code: 78, stdout: '' });
    expect(ended.stderr).toMatch(/^reeve: needs Node 24\.12 or newer, this is v20\.20\.2; .*npm ci.*\n$/);
  });

  it('hands over to the runtime of the checkout with the arguments and the exit code', async () => {
    using sandbox = checkout();
    sandbox.write('src/main.ts', `${MAIN}process.exitCode = 75;\n`);
    bringRuntime(sandbox);
    const ended = await runOldNode(sandbox, 'why', 'news');
    expect(ended).toMatchObject({ code: 75, stderr: '' });
    expect(JSON.parse(ended.stdout)).toEqual({ version: process.version, args: ['why', 'news'] });
  });

  it('ends with 128 and the number of the signal that ended the runtime', async () => {
    using sandbox = checkout();
    sandbox.write('src/main.ts', "process.kill(process.pid, 'SIGKILL');\n");
    bringRuntime(sandbox);
    expect(await runOldNode(sandbox)).toMatchObject({ code: 128 + 9 });
  });

  it('takes the runtime with it when it is killed without warning', async () => {
    using sandbox = checkout();
    sandbox.write('src/main.ts', 'process.stdout.write(String(process.pid)); setInterval(() => {}, 1_000);\n');
    bringRuntime(sandbox);
    const entry = join(sandbox.dir, 'bin/reeve.js');
    const child = spawn(process.execPath, ['--import', PRETEND_20, entry, 'run'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [pid] = await once(child.stdout, 'data');
    expect(Number(pid)).not.toBe(child.pid);
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    // The pipe ends when no process holds its other end any more: a runtime that still ran would.
    await once(child.stdout, 'close');
    expect(await exited).toEqual([null, 'SIGKILL']);
  });

  describe.runIf(process.platform === 'linux')('starts the daemon', () => {
    const SAYS = `process.stdout.write(JSON.stringify({
      pid: process.pid, small: process.execArgv, arenas: process.env.MALLOC_ARENA_MAX,
      threads: process.env.UV_THREADPOOL_SIZE, args: process.argv.slice(2) }));\n`;

    it('small, in the process that was started, with the arguments as they were', async () => {
      using sandbox = checkout();
      sandbox.write('src/main.ts', SAYS);
      const child = spawn(process.execPath, [join(sandbox.dir, 'bin/reeve.js'), 'run', '--config', 'a b'], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const reported = JSON.parse(await text(child.stdout));
      expect(reported).toMatchObject({ pid: child.pid, arenas: '1', threads: '16', args: ['run', '--config', 'a b'] });
      expect(reported.small).toEqual([
        '--max-semi-space-size=4',
        '--memory-saver-mode',
        '--heap-growing-percent=20',
        '--no-parallel-scavenge',
        '--no-concurrent-recompilation',
        '--no-flush-bytecode',
        '--regexp-tier-up-ticks=64',
      ]);
    });

    it.each([
      [99, '4', '20', '--memory-saver-mode', '--no-parallel-scavenge'],
      [100, '4', '60', '--memory-saver-mode', '--no-parallel-scavenge'],
      [2_999, '4', '60', '--memory-saver-mode', '--no-parallel-scavenge'],
      [3_000, '16', '60', '--no-memory-saver-mode', '--parallel-scavenge'],
    ])('with a heap for %i channels, in the process that was started', async (channels, ...options) => {
      const [semiSpace, growing, saver, scavenge] = options;
      using sandbox = checkout();
      sandbox.write('src/app/heap.ts', readFileSync(join(import.meta.dirname, '../../src/app/heap.ts'), 'utf8'));
      sandbox.write('src/main.ts', `import { fitHeap } from './app/heap.ts';\nfitHeap(${channels}, process);\n${SAYS}`);
      const child = spawn(process.execPath, [join(sandbox.dir, 'bin/reeve.js'), 'run', '--config', 'a b'], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const reported = JSON.parse(await text(child.stdout));
      expect(reported).toMatchObject({ pid: child.pid, arenas: '1', args: ['run', '--config', 'a b'] });
      // Of two of a kind the last one counts.
      const last = (name: string): string => reported.small.findLast((option: string) => option.includes(name));
      expect(last('semi-space')).toBe(`--max-semi-space-size=${semiSpace}`);
      expect(last('growing')).toBe(`--heap-growing-percent=${growing}`);
      expect(last('saver')).toBe(saver);
      expect(last('scavenge')).toBe(scavenge);
    });

    it('small, also where another Node has to run it', async () => {
      using sandbox = checkout();
      sandbox.write('src/main.ts', SAYS);
      bringRuntime(sandbox);
      const ended = await runOldNode(sandbox, 'run', '--config', 'a b');
      expect(ended).toMatchObject({ code: 0, stderr: '' });
      expect(JSON.parse(ended.stdout)).toMatchObject({ arenas: '1', threads: '16', args: ['run', '--config', 'a b'] });
      expect(JSON.parse(ended.stdout).small).toContain('--memory-saver-mode');
    });

    it('as large as it is on a Node that does not know the options for a small heap', async () => {
      using sandbox = checkout();
      sandbox.write('src/main.ts', SAYS);
      const path = join(sandbox.dir, 'bin/reeve.js');
      const entry = readFileSync(path, 'utf8').replace('--memory-saver-mode', '--no-such-word-for-small');
      sandbox.write('bin/reeve.js', entry);
      const ended = await run(process.execPath, [path, 'run'], process.env);
      expect(ended).toMatchObject({ code: 0, stderr: '' });
      expect(JSON.parse(ended.stdout)).toMatchObject({ small: [], args: ['run'] });
    });

    it('with the allocator as the operator set it', async () => {
      using sandbox = checkout();
      sandbox.write('src/main.ts', SAYS);
      const env = { ...process.env, MALLOC_ARENA_MAX: '3' };
      const ended = await run(process.execPath, [join(sandbox.dir, 'bin/reeve.js'), 'run'], env);
      expect(JSON.parse(ended.stdout)).toMatchObject({ arenas: '3' });
    });

    it('and leaves short commands as they are', async () => {
      using sandbox = checkout();
      sandbox.write('src/main.ts', SAYS);
      const ended = await run(process.execPath, [join(sandbox.dir, 'bin/reeve.js'), 'status'], process.env);
      expect(JSON.parse(ended.stdout)).toMatchObject({ small: [] });
    });
  });

  it('runs the compiled code in a package that has no sources', async () => {
    using sandbox = openSandbox();
    sandbox.bring('bin');
    sandbox.write('package.json', '{ "type": "module" }');
    sandbox.write('dist/main.js', "process.stdout.write('compiled');\n");
    const ended = await run(process.execPath, [join(sandbox.dir, 'bin/reeve.js')], process.env);
    expect(ended).toEqual({ code: 0, stdout: 'compiled', stderr: '' });
  });

  it('says so when the package was packed without being built', async () => {
    using sandbox = openSandbox();
    sandbox.bring('bin');
    const ended = await run(process.execPath, [join(sandbox.dir, 'bin/reeve.js')], process.env);
    expect(ended.code).toBe(78);
    expect(ended.stderr).toContain('packed without being built');
  });
});
