// Builds, packs and tries the published package: `npm run release -- --dry-run`, or without the flag to publish it.
// The package is made in a folder of its own: `.npmrc` keeps scripts of packages from running, so a bare `npm pack` or
// `npm publish` would bring no dist/: package.json is private and names no registry, so that npm refuses it, dry or not.
// Usage: node scripts/release.ts [--dry-run] [--seconds 60] [--out DIR]
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { EXTERNAL } from './bundle.ts';
import { optionsOf } from './options.ts';

const ROOT = resolve(import.meta.dirname, '..');
const MUST_HAVE = [
  'bin/reeve.js',
  'dist/main.js',
  'dist/library/index.js',
  'dist/types/index.d.ts',
  'dist/LICENSES.txt',
  'dist/sbom.cdx.json',
  'personas',
  'config/rules',
];
const MUST_NOT_HAVE = ['src', 'test', 'scripts', 'runtime', 'demo', 'bench', 'node_modules'];
/** Bundled, and named in the types of the library: whoever declares a tool uses the same. */
const TYPED = ['zod'];
const UNPACKED_BYTES_MAX = 8 * 1024 * 1024;

interface Manifest {
  readonly version: string;
  readonly files: readonly string[];
  readonly dependencies: Readonly<Record<string, string>>;
}

const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Manifest;

/** Runs one command to its end; throws with its output when it fails. */
function run(command: string, args: readonly string[], cwd: string, env: NodeJS.ProcessEnv = {}): string {
  const ended = spawnSync(command, args, {
    cwd,
    encoding: 'utf8',
    env: { ...process.env, ...env },
    maxBuffer: 1 << 28,
  });
  if (ended.status === 0) return ended.stdout;
  throw new Error(`${command} ${args.join(' ')} ended with ${ended.status}:\n${ended.stdout}${ended.stderr}`);
}

const say = (text: string): void => void process.stderr.write(`release: ${text}\n`);

/** What is published: the listed files, and of the dependencies only those that are not bundled. */
function stage(into: string): void {
  for (const path of manifest.files)
    if (existsSync(join(ROOT, path))) cpSync(join(ROOT, path), join(into, path), { recursive: true });
  const kept = Object.entries(manifest.dependencies).filter(([name]) => [...EXTERNAL, ...TYPED].includes(name));
  const {
    private: _,
    publishConfig: __,
    scripts: ___,
    workspaces: ____,
    devDependencies: _____,
    ...rest
  } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  writeFileSync(
    join(into, 'package.json'),
    JSON.stringify({ ...rest, dependencies: Object.fromEntries(kept) }, null, 2),
  );
}

/** CycloneDX, of what the bundle is made of and of what is installed beside it. */
function writeSbom(): void {
  const args = ['sbom', '--sbom-format', 'cyclonedx', '--omit', 'dev', '--package-lock-only', '--workspaces=false'];
  writeFileSync(join(ROOT, 'dist/sbom.cdx.json'), run('npm', args, ROOT));
}

function sizeOf(path: string): number {
  if (!statSync(path).isDirectory()) return statSync(path).size;
  return readdirSync(path).reduce((sum, name) => sum + sizeOf(join(path, name)), 0);
}

function checkContents(installed: string): void {
  const missing = MUST_HAVE.filter((path) => !existsSync(join(installed, path)));
  const surplus = MUST_NOT_HAVE.filter((path) => existsSync(join(installed, path)));
  const bytes = sizeOf(installed);
  if (missing.length > 0) throw new Error(`the package lacks ${missing.join(', ')}`);
  if (surplus.length > 0) throw new Error(`the package brings ${surplus.join(', ')}, which it should not`);
  if (bytes > UNPACKED_BYTES_MAX)
    throw new Error(`the package takes ${bytes} bytes, expected at most ${UNPACKED_BYTES_MAX}`);
  say(`contents are right, ${(bytes / 1024 / 1024).toFixed(1)} MiB unpacked`);
}

/** A minute as a newcomer has it: init, check, run, readiness, an orderly end. */
async function tryOut(app: string, seconds: number): Promise<void> {
  const reeve = join(app, 'node_modules/.bin/reeve');
  say(`installed ${run(reeve, ['--version'], app).trim()}`);
  run(reeve, ['init', '.'], app);
  run(reeve, ['check'], app);
  const daemon = spawn(reeve, ['run', '--state', 'state'], {
    cwd: app,
    env: { ...process.env, REEVE_LISTEN: '127.0.0.1:0' },
  });
  const ended = once(daemon, 'exit');
  try {
    const address = join(app, 'state/address');
    for (let tries = 0; tries < 300 && !existsSync(address) && daemon.exitCode === null; tries += 1) await sleep(100);
    const ready = await fetch(`${readFileSync(address, 'utf8').trim()}/readyz`);
    if (ready.status !== 200) throw new Error(`/readyz answered ${ready.status}, expected 200`);
    await sleep(seconds * 1_000);
    if (daemon.exitCode !== null) throw new Error(`the daemon ended by itself with ${daemon.exitCode}`);
  } finally {
    daemon.kill('SIGTERM');
  }
  const [code] = await ended;
  if (code !== 0) throw new Error(`the daemon ended with ${code} after SIGTERM, expected 0`);
  say(`init, check and ${seconds} s of run are well`);
}

const values = optionsOf(import.meta.filename, {
  'dry-run': { type: 'boolean' },
  seconds: { type: 'string', default: '60' },
  out: { type: 'string' },
});
const work = mkdtempSync(join(tmpdir(), 'reeve-release-'));
try {
  run(process.execPath, [join(ROOT, 'scripts/build.ts')], ROOT);
  writeSbom();
  const staged = mkdtempSync(join(work, 'stage-'));
  stage(staged);
  run('npm', ['pack', '--pack-destination', work], staged);
  const tarball = join(work, readdirSync(work).find((name) => name.endsWith('.tgz'))!);
  const app = mkdtempSync(join(work, 'app-'));
  writeFileSync(join(app, 'package.json'), '{ "private": true }');
  run('npm', ['install', '--omit=dev', '--no-audit', '--no-fund', '--prefer-offline', tarball], app);
  checkContents(join(app, 'node_modules/reeve'));
  await tryOut(app, Number(values.seconds));
  if (values.out !== undefined) cpSync(tarball, join(values.out, `reeve-${manifest.version}.tgz`));
  if (values['dry-run']) say('dry run: nothing was published');
  else process.stdout.write(run('npm', ['publish', tarball], work));
} finally {
  rmSync(work, { recursive: true, force: true });
}
