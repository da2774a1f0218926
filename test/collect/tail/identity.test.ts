import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { idOf, isStill, openFile } from '../../../src/collect/tail/identity.ts';

let directory = '';
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'reeve-still-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

describe('a followed file', () => {
  const known = () => {
    const path = join(directory, 'a.log');
    writeFileSync(path, 'one\n');
    const stat = statSync(path, { bigint: true });
    return { path, id: idOf(stat), size: Number(stat.size) };
  };

  it('stands still while it is the same file of the same size, also through a link', () => {
    const { path, id, size } = known();
    const link = join(directory, 'link.log');
    symlinkSync(path, link);
    expect([isStill(path, id, size), isStill(link, id, size)]).toEqual([true, true]);
  });

  it('does not when it grew or shrank', () => {
    const { path, id, size } = known();
    appendFileSync(path, 'x');
    expect([isStill(path, id, size), isStill(path, id, size + 2)]).toEqual([false, false]);
  });

  it('does not when another file, or none, stands in its place', () => {
    const { path, id, size } = known();
    renameSync(path, `${path}.1`);
    expect([isStill(path, id, size), isStill(join(path, 'below'), id, size)]).toEqual([false, false]);
    writeFileSync(path, 'two\n');
    expect(isStill(path, id, size)).toBe(false);
  });

  it('is looked at more closely when its inode or device is another one', () => {
    const { path, id, size } = known();
    expect(isStill(path, { ...id, inode: id.inode + 1n }, size)).toBe(false);
    expect(isStill(path, { ...id, device: id.device + 1n }, size)).toBe(false);
  });
});

describe('a path that leads to a pipe', () => {
  it('is refused with what reads one', () => {
    const path = join(directory, 'pipe.log');
    execFileSync('mkfifo', [path]);
    expect(openFile(path, undefined)).toMatchObject({
      kind: 'refused',
      because: expect.stringContaining('[cat, PATH]'),
    });
  });
});
