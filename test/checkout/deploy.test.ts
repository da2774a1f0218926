import { cpSync, existsSync, readFileSync, symlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openSandbox, ROOT, run } from './sandbox.ts';

const unit = readFileSync(join(ROOT, 'deploy/reeve.service'), 'utf8');
const dockerfile = readFileSync(join(ROOT, 'Dockerfile'), 'utf8');
const ignored = readFileSync(join(ROOT, '.dockerignore'), 'utf8').split('\n');
const hasAnalyze = ['/usr/bin', '/bin'].some((at) => existsSync(join(at, 'systemd-analyze')));

const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.*)$/gm)].flatMap(([, args]) => args!.split(' ').slice(0, -1));

describe('deploy/reeve.service', () => {
  it.skipIf(!hasAnalyze)('is a valid unit (needs systemd-analyze)', async () => {
    using sandbox = openSandbox();
    // The unit names the command where npm puts it; on this machine it need not be there.
    sandbox.write('reeve.service', unit.replaceAll('/usr/local/bin/reeve', '/bin/true'));
    const ended = await run('systemd-analyze', ['verify', join(sandbox.dir, 'reeve.service')], process.env);
    expect(ended).toMatchObject({ code: 0, stderr: '' });
  });

  it.skipIf(!hasAnalyze)('exposes no more than 2.0 of 10 (needs systemd-analyze)', async () => {
    const args = ['security', '--offline=true', '--threshold=20', join(ROOT, 'deploy/reeve.service')];
    const ended = await run('systemd-analyze', args, process.env);
    expect(ended.stdout).toContain('Overall exposure level');
    expect(ended.code).toBe(0);
  });

  it('reads the file that its first lines have written, by looking for it as every command does', () => {
    expect(unit).toMatch(/^# {3}reeve init \/etc\/reeve && reeve check\b/m);
    expect(unit).toMatch(/^ExecStart=\S+\/reeve run$/m);
    expect(unit).not.toMatch(/^WorkingDirectory=/m);
  });

  it('starts Reeve again for as long as it takes, unless its configuration is wrong', () => {
    expect(unit).toMatch(/^Restart=always$/m);
    expect(unit).toMatch(/^StartLimitIntervalSec=0$/m);
    expect(unit).toMatch(/^RestartPreventExitStatus=78$/m);
  });

  it('kills and starts a Reeve that hangs, and takes its signs of life from the program that Reeve starts', () => {
    expect(unit).toMatch(/^WatchdogSec=180$/m);
    expect(unit).toMatch(/^NotifyAccess=all$/m);
  });

  it('does not forbid writable code, which would kill V8 at start', () => {
    expect(unit).not.toMatch(/^MemoryDenyWriteExecute=(yes|true|1)/m);
  });
});

describe('Dockerfile', () => {
  it.each(copied)('copies %s, which is there and is not ignored', (path) => {
    expect(existsSync(join(ROOT, path))).toBe(true);
    expect(ignored).toContain(`!${path.replace('./', '')}`);
  });

  it('copies all that the build needs', { timeout: 120_000 }, async () => {
    using sandbox = openSandbox();
    const before = dockerfile.slice(0, dockerfile.indexOf('RUN npm run build'));
    for (const [, args] of before.matchAll(/^COPY (?!--from)(.*)$/gm)) {
      const parts = args!.split(' ');
      const target = parts.at(-1)!;
      for (const part of parts.slice(0, -1)) {
        const to = target.endsWith('/') ? join(target, basename(part)) : target;
        cpSync(join(ROOT, part), join(sandbox.dir, to), { recursive: true });
      }
    }
    symlinkSync(join(ROOT, 'node_modules'), join(sandbox.dir, 'node_modules'));
    const ended = await run(process.execPath, [join(sandbox.dir, 'scripts/build.ts')], process.env);
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(existsSync(join(sandbox.dir, 'dist/main.js'))).toBe(true);
  });

  it('is built on an exact version and on the digest of all its platforms', () => {
    expect(dockerfile).toMatch(/^ARG NODE_IMAGE=node:\d+\.\d+\.\d+-[a-z]+-slim$/m);
    expect(dockerfile).toMatch(/^ARG NODE_DIGEST=sha256:[0-9a-f]{64}$/m);
    const bases = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, base]) => base);
    expect(new Set(bases)).toEqual(new Set(['${NODE_IMAGE}@${NODE_DIGEST}']));
    expect(bases).toHaveLength(2);
  });

  it('has every command in it read the configuration of the daemon, and not the starter beside it', () => {
    expect(dockerfile).toMatch(/^ENV .*\bREEVE_CONFIG=\/etc\/reeve\/reeve\.yaml$/m);
    expect(dockerfile).toMatch(/^CMD \["run"\]$/m);
  });

  it('runs as a numbered user who is not root, and handles signals itself', () => {
    expect(dockerfile).toMatch(/^USER 10001:10001$/m);
    expect(dockerfile).toMatch(/^ENTRYPOINT \["node", /m);
    expect(dockerfile).not.toMatch(/docker\.sock/);
  });
});
