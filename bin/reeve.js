#!/usr/bin/env node
// Plain JavaScript that an old Node can still read: it must be able to say that it is too old.
// In a checkout it runs the sources as they are; in a published package the compiled ones.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import * as nodeModule from 'node:module';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

// Node 20 has no such function, and must still be able to read this file.
const { enableCompileCache } = nodeModule;

const EXIT_CONFIG = 78;
/** Set for a process that stands in for the one that was started. */
const STAND_IN = 'REEVE_STAND_IN';
const FLOOR = [24, 12];

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const source = join(root, 'src', 'main.ts');
const compiled = join(root, 'dist', 'main.js');
const isCheckout = existsSync(source);
const entry = isCheckout ? source : compiled;

function isNewEnough(version) {
  const [major, minor] = version.replace(/^v/, '').split('.').map(Number);
  return major > FLOOR[0] || (major === FLOOR[0] && minor >= FLOOR[1]);
}

/** The runtime that `npm ci` puts into a checkout; undefined when it is not there or does not run here. */
function checkoutRuntime() {
  const runtime = join(root, 'node_modules', '.bin', 'node');
  if (!isCheckout || !existsSync(runtime)) return undefined;
  const asked = spawnSync(runtime, ['--version'], { encoding: 'utf8' });
  return asked.status === 0 && isNewEnough(asked.stdout.trim()) ? runtime : undefined;
}

/** Keeps the sources without their types for the next start: it takes a fifth of the time and 30 MB less. */
function keepCompiled() {
  const directory = join(root, 'node_modules', '.cache', 'reeve');
  if (isCheckout && existsSync(join(root, 'node_modules'))) enableCompileCache?.(directory);
}

/**
 * The daemon runs for months beside services that need the memory, and has time: half the size for a little more work
 * (docs/performance.md); for hundreds and for thousands of channels it makes itself larger again once it has read how
 * many they are (src/app/heap.ts). V8 and glibc take these settings only as they start, so the process replaces itself
 * once, before it has done anything: same process, same streams, same signals.
 * What is worth compiling is compiled at once: beside encoders a helper thread may get no time for minutes, and until
 * it does everything would be interpreted. And what was compiled is kept: trouble is rare, and must not find code that
 * was thrown away since the last. Only expressions are compiled when they have shown that they are used: of the
 * catalogue's nine hundred most never are, and each was tried on its examples as it was loaded. Young objects are
 * collected by the deciding thread alone: it would wait for helpers that began and then get no time.
 */
const SMALL = [
  '--max-semi-space-size=4',
  '--memory-saver-mode',
  '--heap-growing-percent=20',
  '--no-parallel-scavenge',
  '--no-concurrent-recompilation',
  '--no-flush-bytecode',
  '--regexp-tier-up-ticks=64',
];
/** Threads ask file systems and for addresses: four dead file servers or slow names must not use up all of them. */
const ENVIRONMENT = { MALLOC_ARENA_MAX: '1', MALLOC_TRIM_THRESHOLD_: '131072', UV_THREADPOOL_SIZE: '16' };

const isDaemon = process.platform === 'linux' && process.argv.slice(2).includes('run');

/** The options for that Node, so that the daemon stays small; nothing where it would not start: larger beats not there. */
function smallOptions(node) {
  return isDaemon && spawnSync(node, [...SMALL, '--version'], { stdio: 'ignore' }).status === 0 ? SMALL : [];
}

function beSmall() {
  const { execve, execPath, execArgv, argv, env } = process;
  if (execve === undefined || !isDaemon || SMALL.every((option) => execArgv.includes(option))) return;
  const options = smallOptions(execPath);
  if (options.length === 0) return;
  // The options of whoever starts it go before ours.
  execve(execPath, [execPath, ...options, ...execArgv, ...argv.slice(1)], { ...ENVIRONMENT, ...env });
}

function refuse(message) {
  process.stderr.write(`reeve: ${message}\n`);
  process.exit(EXIT_CONFIG);
}

/** Runs this file again under another Node and ends as that one ends; killed without warning, so is that one. */
function become(runtime) {
  const options = smallOptions(runtime);
  const child = spawn(runtime, [...options, fileURLToPath(import.meta.url), ...process.argv.slice(2)], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: { ...(isDaemon ? ENVIRONMENT : {}), ...process.env, [STAND_IN]: '1' },
  });
  // A terminal sends Ctrl-C to both of us; passed on as well it would count as the second, impatient one.
  const onTerminal = process.stdin.isTTY || process.stdout.isTTY || process.stderr.isTTY;
  process.on('SIGINT', () => onTerminal || child.kill('SIGINT'));
  for (const signal of ['SIGTERM', 'SIGHUP', 'SIGUSR2']) process.on(signal, () => child.kill(signal));
  child.on('error', (error) => refuse(`could not start ${runtime}: ${error.message}`));
  child.on('exit', (code, signal) => process.exit(signal ? 128 + constants.signals[signal] : code));
}

/** Whoever kills the process that was started means this one: left over, it would hold the journal, unseen. */
function dieWithParent() {
  if (process.env[STAND_IN] === undefined || process.channel === undefined) return;
  delete process.env[STAND_IN];
  process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'));
  process.channel.unref();
}

dieWithParent();
if (!existsSync(entry)) {
  refuse(`this package holds neither src/main.ts nor dist/main.js; it was packed without being built`);
} else if (isNewEnough(process.version)) {
  beSmall();
  keepCompiled();
  await import(pathToFileURL(entry).href);
} else {
  const runtime = checkoutRuntime();
  if (runtime) become(runtime);
  else {
    const cure = isCheckout ? `, or run 'npm ci' in ${root}` : '';
    refuse(`needs Node ${FLOOR.join('.')} or newer, this is ${process.version}; install it from https://nodejs.org${cure}`);
  }
}
