import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished, vi } from 'vitest';

const JOURNALD = '/lib/systemd/systemd-journald';

/** A journal of one's own needs the right to make its folders under /run and /var/log. */
export const canJournal = process.getuid?.() === 0 && existsSync(JOURNALD) && existsSync('/etc/machine-id');

/**
 * A real systemd-journald in a namespace of its own (systemd-journald.service(8)), so that the machine's journal, if it
 * has one, is left alone. Ends with the test, which is skipped where journald cannot run, as in a container without rights.
 */
export async function aJournal(skip: (why: string) => never) {
  const namespace = `reeve${process.pid}x${Math.floor(performance.now())}`;
  const machine = readFileSync('/etc/machine-id', 'utf8').trim();
  const run = `/run/systemd/journal.${namespace}`;
  const folder = mkdtempSync(join(tmpdir(), 'reeve-journald-'));
  mkdirSync('/run/systemd', { recursive: true });
  const journald = spawn(JOURNALD, [namespace], { stdio: 'ignore' });
  onTestFinished(() => {
    journald.kill('SIGKILL');
    const kept = ['/var/log/journal', '/run/log/journal'].map((under) => join(under, `${machine}.${namespace}`));
    for (const path of [run, folder, ...kept]) rmSync(path, { recursive: true, force: true });
  });
  const socket = join(run, 'dev-log');
  await vi.waitFor(
    () => {
      if (journald.exitCode === null && !existsSync(socket)) throw new Error(`systemd-journald has no ${socket}`);
    },
    { timeout: 30_000 },
  );
  if (journald.exitCode !== null) skip(`systemd-journald cannot run here: it ended with ${journald.exitCode}`);
  const program = join(folder, 'journalctl');
  writeFileSync(program, `#!/bin/sh\nexec journalctl --namespace=${namespace} "$@"\n`);
  chmodSync(program, 0o755);
  return {
    folder,
    /** The real journalctl, with the journal as an argument. */
    program,
    write(message: string): void {
      spawnSync('logger', ['--socket', socket, '--id', '--tag', 'encoder', '--size', '16KiB', message]);
    },
    /** Begins a new file, as journald does when one is full. */
    rotate(): void {
      const { status, stderr } = spawnSync(program, ['--rotate'], { encoding: 'utf8' });
      if (status !== 0) throw new Error(`journalctl --rotate: ${stderr}`);
    },
  };
}
