import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { endNow, endOnOutput, endProcess, type EndingProcess } from '../../src/app/exit.ts';
import { fakeClock } from '../support/fake_clock.ts';

const EXIT = resolve(import.meta.dirname, '../../src/app/exit.ts');

/** A process with so many questions under way. */
function aProcess(resources: string[], execve?: () => void) {
  const done: unknown[] = [];
  const own = {
    execPath: '/usr/bin/node',
    getActiveResourcesInfo: () => [...resources],
    emit: (name: string, code: number) => done.push(`${name} ${code}`),
    execve: execve ?? ((...args: readonly unknown[]) => void done.push(args)),
    exit: (code: number) => void done.push(code),
  } as unknown as EndingProcess;
  return { own, done };
}

const replacedBy = (code: number) => ['/usr/bin/node', ['/usr/bin/node', '-e', `process.exit(${code})`], {}];

describe('the end of a process at once', () => {
  it('is its exit, where nothing waits in a thread', () => {
    const { own, done } = aProcess(['TCPServerWrap', 'Timeout', 'PipeWrap']);
    endNow(143, own);
    expect(done).toEqual([143]);
  });

  it.each(['FSReqPromise', 'FSReqCallback', 'GetAddrInfoReqWrap'])('does not wait for a thread (%s)', (resource) => {
    const { own, done } = aProcess([resource]);
    endNow(70, own);
    expect(done.slice(0, 2)).toEqual(['exit 70', replacedBy(70)]);
  });

  it('is its exit, where it cannot be replaced', () => {
    const { own, done } = aProcess(['FSReqPromise'], () => {
      throw new Error('ENOMEM');
    });
    endNow(70, own);
    expect(done).toEqual(['exit 70', 70]);
  });
});

describe('the end of a process', () => {
  it('waits for threads that come to an end, so that what they write is written', async () => {
    const { clock, advance } = fakeClock();
    const resources = ['FSReqCallback'];
    const { own, done } = aProcess(resources);
    endProcess(0, own, clock);
    await advance(980);
    expect(done).toEqual([]);
    resources.length = 0;
    await advance(20);
    expect(done).toEqual([0]);
  });

  it('waits for them a second, and no longer', async () => {
    const { clock, advance } = fakeClock();
    const { own, done } = aProcess(['FSReqPromise']);
    endProcess(0, own, clock);
    await advance(999);
    expect(done).toEqual([]);
    await advance(21);
    expect(done.slice(0, 2)).toEqual(['exit 0', replacedBy(0)]);
  });

  it('is there at once, where nothing waits in a thread', () => {
    const { own, done } = aProcess([]);
    endProcess(3, own, fakeClock().clock);
    expect(done).toEqual([3]);
  });

  // A pipe without a writer holds the thread that opens it, as a dead file server holds it.
  it.runIf(process.platform === 'linux')('comes with its code and its last words, though a thread waits', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'reeve-exit-'));
    onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
    const [pipe, words] = [join(directory, 'pipe'), join(directory, 'words')];
    execFileSync('mkfifo', [pipe]);
    const program = `
      import { open, writeFileSync } from 'node:fs';
      import { endProcess } from ${JSON.stringify(EXIT)};
      process.on('exit', (code) => writeFileSync(${JSON.stringify(words)}, 'ends with ' + code));
      open(${JSON.stringify(pipe)}, 'r', () => undefined);
      endProcess(42);`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: 'inherit' });
    onTestFinished(() => void child.kill('SIGKILL'));
    expect(await once(child, 'exit')).toEqual([42, null]);
    expect(readFileSync(words, 'utf8')).toBe('ends with 42');
  });
});

describe('an output that takes no more', () => {
  const ended = (code: string) => {
    const said: string[] = [];
    const own = {
      exit: (with_: number) => said.push(String(with_)),
      stderr: { write: (text: string) => said.push(text) },
    };
    endOnOutput(Object.assign(new Error('no space left'), { code }), own as unknown as NodeJS.Process);
    return said;
  };

  it('ends a command with 74 and what to do, and without a word where its reader has left', () => {
    expect(ended('EPIPE')).toEqual(['0']);
    expect(ended('ENOSPC')).toEqual([
      expect.stringMatching(/output could not be written: no space left\n {2}Make/),
      '74',
    ]);
  });
});
