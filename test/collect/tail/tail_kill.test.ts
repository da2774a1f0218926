import { type ChildProcess, spawn } from 'node:child_process';
import { appendFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { SqliteCheckpoints } from '../../../src/journal/checkpoints.ts';
import { aDirectory } from '../support/tailing.ts';

const CHILD = join(import.meta.dirname, '../support/tail_child.ts');

it('keeps an exact count in its database over kill -9 at any moment, while the log is written and rotated', async () => {
  const directory = aDirectory();
  const [path, database] = [join(directory, 'app.log'), join(directory, 'collect.db')];
  writeFileSync(path, '');
  let written = 0;
  let reported = 0;
  let child: ChildProcess | undefined;
  const start = async (): Promise<void> => {
    const next = spawn(process.execPath, [CHILD, path, database], { stdio: ['ignore', 'pipe', 'inherit'] });
    child = next;
    reported = -1;
    next.stdout.on('data', (text: Buffer) => {
      reported = Number(text.toString().trim().split('\n').at(-1));
    });
    await expect.poll(() => reported, { timeout: 10_000 }).toBeGreaterThanOrEqual(0);
  };
  onTestFinished(() => void child?.kill('SIGKILL'));

  await start();
  for (let run = 0; run < 6; run += 1) {
    for (let burst = 0; burst < 10; burst += 1) {
      const lines = 1 + ((run * 7 + burst * 3) % 40);
      appendFileSync(path, Array.from({ length: lines }, (_, at) => `${written + at} ERR or not\n`).join(''));
      written += lines;
      if (burst === 4) {
        renameSync(path, `${path}.${run}`);
        writeFileSync(path, '');
      }
      await wait(run * 3);
    }
    const ended = new Promise((resolve) => child?.once('exit', resolve));
    child?.kill('SIGKILL');
    await ended;
    await start();
  }
  await expect.poll(() => reported, { timeout: 10_000 }).toBe(written);
  await wait(200);
  child?.kill('SIGKILL');
  using store = new SqliteCheckpoints(database);
  const rows = store.load('s');
  const sum = (of: 'lines' | 'matched' | 'unmatched'): number => rows.reduce((total, row) => total + row[of], 0);
  expect([sum('lines'), sum('matched') + sum('unmatched')]).toEqual([written, written]);
}, 60_000);
