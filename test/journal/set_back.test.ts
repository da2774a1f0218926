import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { headKeyFrom, type HeadStatement } from '../../src/journal/heads.ts';
import { MemoryStore } from '../../src/journal/memory.ts';
import { newestHeadIn, setBackByWitness, setBackSince } from '../../src/journal/set_back.ts';
import { chainOf, temporaryDirectory } from './support.ts';

const KEY = headKeyFrom('a secret of more than sixteen');
const headAt = (seq: number): HeadStatement => ({ at: '2026-01-01T00:00:00.000Z', seq, hash: 'ab'.repeat(32) });
const lineOf = (head: HeadStatement): string => `${JSON.stringify(head)}\n`;

function fileWith(text: string): string {
  const path = join(temporaryDirectory(), 'heads');
  writeFileSync(path, text);
  return path;
}

describe('the newest head in a witness file', () => {
  it('is the last line that states one', () => {
    const file = fileWith(`${lineOf(headAt(7))}${lineOf(headAt(9))}cut off: {"at":"2026`);
    expect(newestHeadIn(file, undefined)).toEqual(headAt(9));
  });

  it('is none where the file is missing, empty or about something else', () => {
    expect(newestHeadIn(join(temporaryDirectory(), 'missing'), undefined)).toBeUndefined();
    expect(newestHeadIn(fileWith(''), undefined)).toBeUndefined();
    expect(newestHeadIn(fileWith('a line\n{"seq":1}\n'), undefined)).toBeUndefined();
  });

  it('is one whose signature holds, where a key is known', () => {
    const signed = { ...headAt(7), signature: KEY.sign!(headAt(7)) };
    const file = fileWith(`${lineOf(signed)}${lineOf({ ...signed, seq: 900 })}${lineOf(headAt(901))}`);
    expect(newestHeadIn(file, KEY)).toEqual(signed);
    expect(newestHeadIn(file, undefined)).toEqual(headAt(901));
  });

  it('is looked for in the last 64 KiB only', () => {
    const tail = 'x'.repeat(64 * 1024);
    const line = lineOf(headAt(7));
    expect(newestHeadIn(fileWith(`${line}${tail.slice(line.length)}`), undefined)).toEqual(headAt(7));
    expect(newestHeadIn(fileWith(`${line}${tail}`), undefined)).toBeUndefined();
  });

  it('is not guessed where the file cannot be read', () => {
    expect(() => newestHeadIn(temporaryDirectory(), undefined)).toThrow(/EISDIR/);
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
  const ask = (file: string | undefined) => {
    const unreadable: string[] = [];
    return {
      setBack: setBackByWitness(store, { file, key: undefined }, (because) => unreadable.push(because)),
      unreadable,
    };
  };

  it('was set back where the newest head there is one that it does not have', () => {
    expect(ask(fileWith(lineOf(headAt(6))))).toEqual({ setBack: expect.stringMatching(/record 5/), unreadable: [] });
  });

  it('is not known to be where no file is configured, or it holds no head yet', () => {
    expect(ask(undefined)).toEqual({ setBack: undefined, unreadable: [] });
    expect(ask(fileWith(''))).toEqual({ setBack: undefined, unreadable: [] });
  });

  it('is not known to be where the file cannot be read, which is reported', () => {
    expect(ask(temporaryDirectory())).toEqual({ setBack: undefined, unreadable: [expect.stringMatching(/EISDIR/)] });
  });
});
