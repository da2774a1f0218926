import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openSandbox, type Sandbox } from './sandbox.ts';

const TOOLS = ['dirname', 'sh', 'uname', 'mktemp', 'rm', 'chmod', 'tail', 'sed', 'sort', 'tr', 'timeout'];

/** A checkout whose npm packages are in place and whose PATH has no server at all. */
function freshMachine(uid: number): Sandbox {
  const sandbox = openSandbox();
  sandbox.bring('scripts/setup.sh');
  sandbox.bring('scripts/installed.js');
  sandbox.borrow(...TOOLS);
  sandbox.command('node', `exec ${process.execPath} "$@"`);
  sandbox.command('npm', 'echo "npm $*" >>npm.log');
  sandbox.command('id', `echo ${uid}`);
  lock(sandbox, '1.0.0', '1.0.0');
  return sandbox;
}

function lock(sandbox: Sandbox, wanted: string, installed: string): void {
  const packages = (version: string) => JSON.stringify({ packages: { '': {}, 'node_modules/a': { version } } });
  sandbox.write('package.json', '{ "type": "module" }');
  sandbox.write('package-lock.json', packages(wanted));
  sandbox.write('node_modules/.package-lock.json', packages(installed));
}

const setUp = (sandbox: Sandbox, ...args: readonly string[]) =>
  sandbox.run('/bin/sh', join(sandbox.dir, 'scripts/setup.sh'), ...args);
const read = async (sandbox: Sandbox, file: string) => (await sandbox.run('/bin/cat', file)).stdout;

describe('scripts/setup.sh', () => {
  it('leaves npm packages alone that are what the lock asks for', async () => {
    using sandbox = freshMachine(1000);
    const ended = await setUp(sandbox, '--no-packages');
    expect(ended).toMatchObject({ code: 0, stdout: '' });
    expect(ended.stderr).toContain('npm packages are up to date');
    expect(await read(sandbox, 'npm.log')).toBe('');
  });

  it('runs npm ci when a package is older than the lock', async () => {
    using sandbox = freshMachine(1000);
    lock(sandbox, '1.0.1', '1.0.0');
    expect(await setUp(sandbox, '--no-packages')).toMatchObject({ code: 0 });
    expect(await read(sandbox, 'npm.log')).toMatch(/^npm ci .*\n$/);
  });

  it('tries npm ci twice and gives up with 69', async () => {
    using sandbox = freshMachine(1000);
    lock(sandbox, '1.0.1', '1.0.0');
    sandbox.command('npm', 'echo "npm $*" >>npm.log; exit 1');
    expect(await setUp(sandbox)).toMatchObject({ code: 69 });
    expect((await read(sandbox, 'npm.log')).split('\n')).toHaveLength(3);
  });

  it('names in one line what to install when it may not install', async () => {
    using sandbox = freshMachine(1000);
    const ended = await setUp(sandbox);
    expect(ended.code).toBe(0);
    expect(ended.stderr).toMatch(/install: sudo apt-get install .*cpulimit .*ffmpeg .*prometheus.*supervisor/);
  });

  it('installs the missing packages as root, and goes on without one that cannot be had', async () => {
    using sandbox = freshMachine(0);
    // All at once fails, one by one works, except for icecast2.
    const all = 'case "$*" in *update*) ;; *ffmpeg*nginx*) exit 100 ;; *icecast2*) exit 100 ;; esac';
    sandbox.command('apt-get', `echo "$*" >>apt.log\n${all}`);
    const ended = await setUp(sandbox);
    expect(ended.code).toBe(0);
    expect(ended.stderr).toContain('could not install icecast2');
    const log = (await read(sandbox, 'apt.log')).trim().split('\n');
    expect(log[0]).toMatch(/DPkg::Lock::Timeout=600 .*update$/);
    expect(log.filter((line) => line.endsWith('install --no-install-recommends ffmpeg'))).toHaveLength(1);
  });
});
