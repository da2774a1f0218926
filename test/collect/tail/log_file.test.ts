import { appendFileSync, fstatSync, openSync, truncateSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { LogFile } from '../../../src/collect/tail/log_file.ts';
import { ANCHOR_BYTES } from '../../../src/collect/tail/reader.ts';
import { DEFAULT_TAIL_LIMITS, type TailLimits } from '../../../src/collect/tail/types.ts';
import { aDirectory } from '../support/tailing.ts';

const READ_BYTES = 1_000;

/** A file with this text, and a reader that keeps what it is handed. */
function aFile(text: string, limits: Partial<TailLimits> = {}) {
  const path = join(aDirectory(), 'app.log');
  writeFileSync(path, text);
  const openAgain = (): LogFile => {
    const fd = openSync(path, 'r');
    const file = new LogFile(path, { fd, stat: fstatSync(fd, { bigint: true }) }, 0);
    onTestFinished(() => file.close());
    return file;
  };
  const file = openAgain();
  const handed: string[] = [];
  const backlog: boolean[] = [];
  const events: string[] = [];
  const bounds = { ...DEFAULT_TAIL_LIMITS, ...limits };
  const shared = Buffer.alloc(ANCHOR_BYTES + bounds.lineBytesMax);
  const reader = {
    shared,
    limits: bounds,
    hand: (_: LogFile, span: { start: number; end: number; backlog: boolean }) => {
      handed.push(shared.toString('utf8', span.start, span.end));
      backlog.push(span.backlog);
      return { lines: 1, matched: 0, unmatched: 1, progress: 0 };
    },
    drop: (reason: string, lines: number) => events.push(`${reason} ${lines}`),
    gap: (_: LogFile, kind: string) => events.push(kind),
    flooded: () => events.push('flooded'),
  };
  const read = (flush = false, of = file): string => {
    handed.length = 0;
    for (let steps = 0; of.read(reader, READ_BYTES, flush) > 0; steps += 1) expect(steps).toBeLessThan(1_000);
    return handed.join('');
  };
  return {
    path,
    file,
    reader,
    read,
    handed,
    backlog,
    events,
    openAgain,
    append: (more: string) => appendFileSync(path, more),
  };
}

describe('a file that is read from its start', () => {
  it('gives whole lines, and the unfinished one when it ends', () => {
    const { file, read, append } = aFile('one\ntw');
    file.beginAtStart(false);
    expect(read()).toBe('one\n');
    append('o\nthree');
    expect(read()).toBe('two\n');
    expect(file.offset).toBe(8);
  });

  it('is evidence of nothing as far as it was there before', () => {
    const { file, read, append, backlog } = aFile('one\n');
    file.beginAtStart(true);
    read();
    append('two\n');
    read();
    expect(backlog).toEqual([true, false]);
  });
});

describe('a file that is read from its end', () => {
  it('gives about the last bytes of what was there, from the beginning of a line', () => {
    const { file, read } = aFile('one\ntwo\nthree\n');
    file.beginAtEnd(6);
    expect(read()).toBe('three\n');
  });

  it('gives nothing of what was there where nothing of it is wanted', () => {
    const { file, read, append } = aFile('one\ntwo\n');
    file.beginAtEnd(0);
    expect(read()).toBe('');
    append('three\n');
    expect(read()).toBe('three\n');
  });
});

describe('a file that another run has read', () => {
  const readOnce = () => {
    const first = aFile('one\ntwo\n');
    first.file.beginAtStart(false);
    first.read();
    return { ...first, row: first.file.checkpoint('s', first.path) };
  };

  it('is read on from there', () => {
    const { row, append, openAgain, read } = readOnce();
    append('three\n');
    const next = openAgain();
    expect([next.resume(row), read(false, next)]).toEqual([true, 'three\n']);
  });

  it('is not where it is shorter by now, begins otherwise, or has no end of a line there', () => {
    const { row, path, openAgain } = readOnce();
    expect(openAgain().resume({ ...row, offset: 9 })).toBe(false);
    expect(openAgain().resume({ ...row, offset: 5 })).toBe(false);
    writeFileSync(path, 'ONE\ntwo\nthree\n');
    expect(openAgain().resume(row)).toBe(false);
  });
});

describe('a file that was truncated', () => {
  it('begins again, and the line of which the end will never come is counted as lost', () => {
    const { file, path, read, append, events } = aFile('one\ntw');
    file.beginAtStart(false);
    read();
    truncateSync(path, 0);
    expect(read()).toBe('');
    append('new\n');
    expect(read()).toBe('new\n');
    expect(events).toEqual(['source_lost 1', 'truncated']);
  });

  it('and grew past where it was read is found by the bytes before that place, and is old', () => {
    const { file, path, read, events, backlog } = aFile('one\n');
    file.beginAtStart(false);
    read();
    writeFileSync(path, 'other\nlines\n');
    expect(read()).toBe('other\nlines\n');
    expect(events).toEqual(['rewritten']);
    expect(backlog.at(-1)).toBe(true);
  });
});

describe('a line that is too long', () => {
  it('is dropped once, and the next one is read', () => {
    const { file, read, append, events } = aFile(`${'x'.repeat(99)}`, { lineBytesMax: 50 });
    file.beginAtStart(false);
    expect(read()).toBe('');
    append('x\nnext\n');
    expect(read()).toBe('next\n');
    expect(events).toEqual(['line_too_long 1']);
  });

  it('is kept at the limit', () => {
    const { file, read, events } = aFile(`${'x'.repeat(49)}\n`, { lineBytesMax: 50 });
    file.beginAtStart(false);
    expect(read()).toHaveLength(50);
    expect(events).toEqual([]);
  });
});

describe('more than can be read in time', () => {
  it('is passed over and counted, and the newest of it is read', () => {
    const { file, read, events } = aFile('0123456\n'.repeat(20), { floodBytes: 100, floodKeepBytes: 16 });
    file.beginAtStart(false);
    expect(read()).toBe('0123456\n'.repeat(2));
    expect(events).toEqual(['flooded', 'flood 18']);
  });
});

describe('a file whose writer is gone', () => {
  it('gives its last line though it has no end', () => {
    const { file, read, reader, handed } = aFile('one\nlast');
    file.beginAtStart(false);
    read();
    file.finish(reader);
    expect(handed.at(-1)).toBe('last\n');
  });

  it('knows that it was deleted, and whether it has grown since', () => {
    const { file, path, append, read } = aFile('one\n');
    file.beginAtStart(false);
    read();
    expect([file.isDeleted(), file.hasGrown()]).toEqual([false, false]);
    append('two\n');
    expect(file.hasGrown()).toBe(true);
    unlinkSync(path);
    expect(file.isDeleted()).toBe(true);
  });

  it('is read no more once it is closed: its number may belong to another file', () => {
    const { file, read } = aFile('one\n');
    file.beginAtStart(false);
    file.close();
    expect(read()).toBe('');
  });
});
