import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { takeLock } from '../../src/journal/lock.ts';

function aJournal(): string {
  const folder = mkdtempSync(join(tmpdir(), 'reeve-lock-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'journal.db');
}

describe('the lock of a journal', () => {
  it('is refused to a second writer, and names the process that holds it', () => {
    const path = aJournal();
    using _ = takeLock(path);
    expect(() => takeLock(path)).toThrow(`${path} is in use by process ${process.pid}`);
  });

  it('is free again when its holder lets go', () => {
    const path = aJournal();
    takeLock(path)[Symbol.dispose]();
    expect(() => takeLock(path)[Symbol.dispose]()).not.toThrow();
  });

  it('is not kept by a process that was killed', () => {
    const path = aJournal();
    const lock = resolve(import.meta.dirname, '../../src/journal/lock.ts');
    const program = `import { takeLock } from ${JSON.stringify(lock)}; takeLock(${JSON.stringify(path)}); process.kill(process.pid, 'SIGKILL');`;
    expect(() => execFileSync(process.execPath, ['--input-type=module', '-e', program], { stdio: 'ignore' })).toThrow();
    expect(() => takeLock(path)[Symbol.dispose]()).not.toThrow();
  });

  it('says why it cannot be taken where no process holds it', () => {
    const path = aJournal();
    mkdirSync(`${path}.lock`);
    expect(() => takeLock(path)).toThrow(expect.objectContaining({ code: 'JOURNAL_UNWRITABLE' }));
    expect(() => takeLock(path)).not.toThrow('is in use by');
  });
});
