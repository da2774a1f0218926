import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SpillFile } from '../../src/journal/spill_file.ts';

describe('the note beside the journal', () => {
  let dir: string;
  let path: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'reeve-aside-'));
    path = join(dir, 'aside');
  });
  afterEach(() => rmSync(dir, { recursive: true }));

  it('is there for the next process, until it is cleared', () => {
    expect(new SpillFile(path).read()).toBeUndefined();
    expect(new SpillFile(path).keep([{ key: 'a' }])).toBe(true);
    expect(new SpillFile(path).read()).toEqual([{ key: 'a' }]);
    expect(new SpillFile(path).clear()).toBe(true);
    expect(new SpillFile(path).read()).toBeUndefined();
  });

  it('leaves nothing of a longer note under a shorter one', () => {
    const aside = new SpillFile(path);
    aside.keep('a long note');
    aside.keep('b');
    expect(aside.read()).toBe('b');
  });

  it('takes its room at once, for its owner only, and never more', () => {
    const aside = new SpillFile(path);
    const before = statSync(path);
    expect([before.size, before.mode & 0o777]).toEqual([4_096, 0o600]);
    expect(aside.keep('x'.repeat(4_094))).toBe(true);
    expect(aside.keep('x'.repeat(4_095))).toBe(false);
    expect(statSync(path).size).toBe(4_096);
  });

  it('is no note when it is cut off, and no trouble where there is no place for it', () => {
    writeFileSync(path, `[{"key":${' '.repeat(4_096)}`);
    expect(new SpillFile(path).read()).toBeUndefined();
    const nowhere = new SpillFile(join(dir, 'not/there'));
    expect([nowhere.read(), nowhere.keep('a'), nowhere.clear()]).toEqual([undefined, false, false]);
  });
});
