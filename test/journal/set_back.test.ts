import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/core/clock.ts';
import { headKeyFrom, type HeadStatement } from '../../src/journal/heads.ts';
import { MemoryStore } from '../../src/journal/memory.ts';
import { newestHeadIn, setBackBy, setBackSince, witnessedHead } from '../../src/journal/set_back.ts';
import { aDeadFile, chainOf, temporaryDirectory } from './support.ts';

const KEY = headKeyFrom('a secret of more than sixteen');
const headAt = (seq: number): HeadStatement => ({ at: '2026-01-01T00:00:00.000Z', seq, hash: 'ab'.repeat(32) });
const lineOf = (head: HeadStatement): string => `${JSON.stringify(head)}\n`;

function fileWith(text: string): string {
  const path = join(temporaryDirectory(), 'heads');
  writeFileSync(path, text);
  return path;
}

describe('the newest head in a witness file', () => {
  it('is the last line that states one', async () => {
    const file = fileWith(`${lineOf(headAt(7))}${lineOf(headAt(9))}cut off: {"at":"2026`);
    expect(await newestHeadIn(file, undefined)).toEqual(headAt(9));
  });

  it('is none where the file is missing, empty or about something else', async () => {
    expect(await newestHeadIn(join(temporaryDirectory(), 'missing'), undefined)).toBeUndefined();
    expect(await newestHeadIn(fileWith(''), undefined)).toBeUndefined();
    expect(await newestHeadIn(fileWith('a line\n{"seq":1}\n'), undefined)).toBeUndefined();
  });

  it('is one whose signature holds, where a key is known', async () => {
    const signed = { ...headAt(7), signature: KEY.sign!(headAt(7)) };
    const file = fileWith(`${lineOf(signed)}${lineOf({ ...signed, seq: 900 })}${lineOf(headAt(901))}`);
    expect(await newestHeadIn(file, KEY)).toEqual(signed);
    expect(await newestHeadIn(file, undefined)).toEqual(headAt(901));
  });

  it('is looked for in the last 64 KiB only', async () => {
    const tail = 'x'.repeat(64 * 1024);
    const line = lineOf(headAt(7));
    expect(await newestHeadIn(fileWith(`${line}${tail.slice(line.length)}`), undefined)).toEqual(headAt(7));
    expect(await newestHeadIn(fileWith(`${line}${tail}`), undefined)).toBeUndefined();
  });

  it('is not guessed where the file cannot be read', async () => {
    await expect(newestHeadIn(temporaryDirectory(), undefined)).rejects.toThrow(/EISDIR/);
  });
});

describe('a journal beside a head of it that was sent out', () => {
  const rows = chainOf(5);
  const store = new MemoryStore({ rows });
  const headOf = (seq: number): HeadStatement => ({ ...headAt(seq), hash: rows[seq - 1]!.hash });

  it('is the same while it ends with that record or later', () => {
    expect([setBackSince(store, headOf(5)), setBackSince(store, headOf(2))]).toEqual([undefined, undefined]);
  });

  it('was set back where it ends earlier', () => {
    expect(setBackSince(store, headAt(6))).toBe('it ends at record 5, and at 2026-01-01T00:00:00.000Z it had 6');
  });

  it('was set back where it went on from there with other records', () => {
    expect(setBackSince(store, headAt(5))).toBe('its record 5 is not the one it had at 2026-01-01T00:00:00.000Z');
  });

  it('is not called set back for a record that retention has deleted', () => {
    const younger = new MemoryStore({ rows: rows.slice(3) });
    expect(setBackSince(younger, headAt(2))).toBeUndefined();
    expect(setBackSince(younger, headAt(4))).toMatch(/record 4/);
  });
});

describe('a journal beside its witness file', () => {
  const store = new MemoryStore({ rows: chainOf(5) });
  const ask = async (file: string | undefined) => {
    const unreadable: string[] = [];
    const note = (because: string) => void unreadable.push(because);
    const head = await witnessedHead({ file, key: undefined }, systemClock, note);
    return { setBack: setBackBy(store, head, note), unreadable };
  };

  it('was set back where the newest head there is one that it does not have', async () => {
    const said = { setBack: expect.stringMatching(/record 5/), unreadable: [] };
    expect(await ask(fileWith(lineOf(headAt(6))))).toEqual(said);
  });

  it('is not known to be where no file is configured, or it holds no head yet', async () => {
    expect(await ask(undefined)).toEqual({ setBack: undefined, unreadable: [] });
    expect(await ask(fileWith(''))).toEqual({ setBack: undefined, unreadable: [] });
  });

  it('is not known to be where the file cannot be read, which is reported', async () => {
    const said = { setBack: undefined, unreadable: [expect.stringMatching(/EISDIR/)] };
    expect(await ask(temporaryDirectory())).toEqual(said);
  });

  it('is not waited for where the file system does not answer, which is reported', async () => {
    const said = { setBack: undefined, unreadable: [expect.stringMatching(/did not answer in 3000 ms/)] };
    expect(await ask(aDeadFile())).toEqual(said);
  });

  it('is not known to be where its own record cannot be read', () => {
    const unreadable: string[] = [];
    const broken = { highestSeq: () => 9, read: () => expect.unreachable('damaged') };
    expect(setBackBy(broken as never, headAt(7), (because) => unreadable.push(because))).toBeUndefined();
    expect(unreadable).toHaveLength(1);
  });
});
