import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { endProcess, type EndingProcess } from '../../src/app/exit.ts';

const EXIT = resolve(import.meta.dirname, '../../src/app/exit.ts');

/** A process with so many questions under way. */
function aProcess(resources: readonly string[], execve?: (...args: readonly unknown[]) => void) {
  const done: unknown[] = [];
  const own = {
    execPath: '/usr/bin/node',
    getActiveResourcesInfo: () => [...resources],
    execve: execve ?? ((...args: readonly unknown[]) => void done.push(args)),
    exit: (code: number) => void done.push(code),
  } as unknown as EndingProcess;
  return { own, done };
}

describe('the end of a process', () => {
  it('is its exit, where nothing waits in a thread', () => {
    const { own, done } = aProcess(['TCPServerWrap', 'Timeout', 'PipeWrap']);
    endProcess(143, own);
    expect(done).toEqual([143]);
  });

  it.each(['FSReqPromise', 'FSReqCallback', 'GetAddrInfoReqWrap'])('does not wait for a thread (%s)', (resource) => {
    const { own, done } = aProcess([resource]);
    endProcess(70, own);
    expect(done[0]).toEqual(['/usr/bin/node', ['/usr/bin/node', '-e', 'process.exit(70)'], {}]);
  });

  it('is its exit, where it cannot be replaced', () => {
    const { own, done } = aProcess(['FSReqPromise'], () => {
      throw new Error('ENOMEM');
    });
    endProcess(70, own);
    expect(done).toEqual([70]);
  });

  // A pipe without a writer holds the thread that opens it, as a dead file server holds it.
  it.runIf(process.platform === 'linux')('comes at once with its code, though a thread waits for ever', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'reeve-exit-'));
    onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
    const pipe = join(directory, 'pipe');
    execFileSync('mkfifo', [pipe]);
    const program = `
      import { open } from 'node:fs';
      import { endProcess } from ${JSON.stringify(EXIT)};
      open(${JSON.stringify(pipe)}, 'r', () => undefined);
      setTimeout(() => endProcess(42), 50);`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: 'inherit' });
    onTestFinished(() => void child.kill('SIGKILL'));
    expect(await once(child, 'exit')).toEqual([42, null]);
  });
});
