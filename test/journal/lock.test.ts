import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { takeLock } from '../../src/journal/lock.ts';

function aJournal(): string {
  const folder = mkdtempSync(join(tmpdir(), 'reeve-lock-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'journal.db');
}

/** Another process that holds the lock; killed at the end of the test. */
async function heldByAnother(path: string): Promise<number> {
  const lock = resolve(import.meta.dirname, '../../src/journal/lock.ts');
  const program = `import { takeLock } from ${JSON.stringify(lock)}; globalThis.held = takeLock(${JSON.stringify(path)}); console.log('held'); setInterval(() => {}, 1e6);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  return child.pid!;
}

describe('the lock of a journal', () => {
  it.runIf(process.platform === 'linux')(
    'is met though its file was deleted while its holder lives, and is free when that has ended',
    async () => {
      const path = aJournal();
      const pid = await heldByAnother(path);
      rmSync(`${path}.lock`);
      expect(() => takeLock(path)).toThrow(`${path} is in use by process ${pid} (its lock file was deleted)`);
      expect(() => takeLock(path)).toThrow(expect.objectContaining({ code: 'JOURNAL_UNWRITABLE' }));
      process.kill(pid, 'SIGKILL');
      await expect.poll(() => takeLock(path)[Symbol.dispose]()).toBeUndefined();
    },
  );

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
    symlinkSync('elsewhere', `${path}.lock`);
    expect(() => takeLock(path)).toThrow(expect.objectContaining({ code: 'JOURNAL_UNWRITABLE' }));
    expect(() => takeLock(path)).not.toThrow('is in use by');
  });
});

/** What may stand in the file of the lock, beside what Reeve writes. */
const DAMAGES: readonly [string, (path: string) => void][] = [
  ['garbage', (path) => writeFileSync(path, 'garbage '.repeat(2_000))],
  ['garbage shorter than a page', (path) => writeFileSync(path, 'garbage')],
  ['nothing', (path) => truncateSync(path)],
  ['a cut file', (path) => truncateSync(path, 4_096)],
  ['a header that says read-only', (path) => patched(path, 18, 3)],
  ['a header of a later schema', (path) => patched(path, 47, 9)],
  ['a table of another shape', (path) => writeFileSync(path, aDatabase('CREATE TABLE owner (x TEXT NOT NULL)'))],
  // Over the bytes and not in place of the file, as cp does it.
  ['a database in WAL mode', (path) => writeFileSync(path, aDatabase('PRAGMA journal_mode = wal; CREATE TABLE x (a)'))],
];

function patched(path: string, at: number, byte: number): void {
  const bytes = readFileSync(path);
  bytes[at] = byte;
  writeFileSync(path, bytes);
}

function aDatabase(sql: string): Buffer {
  const path = `${aJournal()}.other`;
  const db = new DatabaseSync(path);
  db.exec(sql);
  db.close();
  return readFileSync(path);
}

/** Takes the lock in a process of its own, which says so and keeps it; or says why it did not get it, and ends. */
async function otherProcess(path: string) {
  const child = spawn(process.execPath, ['--input-type=module', '-e', TAKING, LOCK, path], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  child.stdout.setEncoding('utf8');
  let said = '';
  for await (const part of child.stdout) {
    said += part;
    if (said.endsWith('\n')) break;
  }
  return { said: said.trim(), child };
}
const LOCK = resolve(import.meta.dirname, '../../src/journal/lock.ts');
const TAKING = `
  const [, lock, path] = process.argv;
  const { takeLock } = await import(lock);
  try {
    globalThis.kept = takeLock(path);
    console.log('taken');
    process.stdin.resume();
  } catch (thrown) {
    console.log(thrown.message);
  }`;

describe('a lock whose file is damaged', () => {
  it.each(DAMAGES)('is taken all the same, and then holds: %s', async (_, damage) => {
    const path = aJournal();
    takeLock(path)[Symbol.dispose]();
    damage(`${path}.lock`);
    using _lock = takeLock(path);
    expect((await otherProcess(path)).said).toContain(`${path} is in use by process ${process.pid}`);
  });

  it.each(DAMAGES)('is refused while a living process holds it, and free when that has died: %s', async (_, damage) => {
    const path = aJournal();
    const { said, child } = await otherProcess(path);
    expect(said).toBe('taken');
    damage(`${path}.lock`);
    // Each try may mend the file; none may get the lock.
    for (let tries = 0; tries < 3; tries += 1) expect((await otherProcess(path)).said).toContain('is in use by');
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(() => takeLock(path)[Symbol.dispose]()).not.toThrow();
  });

  it('goes to one of many that start on it at once', async () => {
    const path = aJournal();
    takeLock(path)[Symbol.dispose]();
    for (let round = 0; round < 3; round += 1) {
      writeFileSync(`${path}.lock`, 'garbage '.repeat(2_000));
      const all = await Promise.all(Array.from({ length: 6 }, () => otherProcess(path)));
      expect(all.filter(({ said }) => said === 'taken').length).toBeLessThanOrEqual(1);
      for (const { child } of all) child.kill('SIGKILL');
      await Promise.all(all.map(({ child }) => child.exitCode ?? child.signalCode ?? once(child, 'exit')));
      expect(() => takeLock(path)[Symbol.dispose]()).not.toThrow();
    }
  });

  it('keeps a directory that stands in its place under another name', () => {
    const path = aJournal();
    mkdirSync(`${path}.lock/within`, { recursive: true });
    takeLock(path)[Symbol.dispose]();
    expect(existsSync(`${path}.lock.broken/within`)).toBe(true);
  });
});
