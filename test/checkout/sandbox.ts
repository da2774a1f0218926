import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

export const ROOT = resolve(import.meta.dirname, '../..');

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A directory that stands for a checkout: holds only what a test puts there, and goes when the test ends. */
export interface Sandbox extends Disposable {
  readonly dir: string;
  /** Copies a file of the real checkout to the same place. */
  bring(path: string): void;
  /** The same, as a link. */
  link(path: string): void;
  write(path: string, text: string): void;
  /** A command on the sandbox's own PATH, as a shell script. */
  command(name: string, script: string): void;
  /** Puts real commands of this machine on the sandbox's own PATH. */
  borrow(...names: readonly string[]): void;
  /** Runs with the sandbox's PATH (`bin-path/` only) and no standard input. */
  run(command: string, ...args: readonly string[]): Promise<Ended>;
}

export function openSandbox(): Sandbox {
  const dir = mkdtempSync(join(tmpdir(), 'reeve-checkout-'));
  const path = join(dir, 'bin-path');
  mkdirSync(path);
  const write = (file: string, text: string, mode = 0o644): void => {
    mkdirSync(dirname(join(dir, file)), { recursive: true });
    writeFileSync(join(dir, file), text, { mode });
  };
  return {
    dir,
    bring: (file) => cpSync(join(ROOT, file), join(dir, file), { recursive: true }),
    link: (file) => symlinkSync(join(ROOT, file), join(dir, file)),
    write: (file, text) => write(file, text),
    command: (name, script) => write(`bin-path/${name}`, `#!/bin/sh\n${script}\n`, 0o755),
    borrow(...names) {
      for (const name of names) {
        const found = (process.env.PATH ?? '').split(':').find((at) => isThere(join(at, name)));
        if (found) symlinkSync(join(found, name), join(path, name));
      }
    },
    run: (command, ...args) => run(command, args, { ...process.env, PATH: path, HOME: dir }, dir),
    [Symbol.dispose]: () => rmSync(dir, { recursive: true, force: true }),
  };
}

function isThere(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** Runs a command to its end, without standard input. */
export function run(command: string, args: readonly string[], env: NodeJS.ProcessEnv, cwd = ROOT): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (chunk) => {
      stdout += chunk;
    });
    child.stderr.on('data', (chunk) => {
      stderr += chunk;
    });
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, stdout, stderr }));
  });
}
