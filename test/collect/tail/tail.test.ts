import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  linkSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { DEFAULT_TAIL_LIMITS } from '../../../src/collect/tail/types.ts';
import { createTail } from '../../../src/collect/tail/tail.ts';
import { memoryCheckpoints } from '../../../src/journal/checkpoints.ts';
import { fakeClock } from '../../support/fake_clock.ts';
import { aDirectory, aWorld, follow } from '../support/tailing.ts';

const kinds = (world: ReturnType<typeof aWorld>): string[] => world.notices.map(({ kind }) => kind);

/** A file, followed from the start of the test, with what it held before. */
async function setUp(before = '', limits = {}) {
  const directory = aDirectory();
  const path = join(directory, 'app.log');
  writeFileSync(path, before);
  const world = aWorld();
  const following = follow([{ id: 's', path, channel: 'news' }], world, limits);
  await following.tail.drainNow();
  return { directory, path, world, ...following };
}

describe('a followed file', () => {
  it('hands over whole lines as they come, and keeps an unfinished one until it ends', async () => {
    const { path, tail, texts, seen } = await setUp();
    appendFileSync(path, 'one\ntwo\nthr');
    await tail.drainNow();
    expect(texts()).toEqual(['one\n', 'two\n']);
    appendFileSync(path, 'ee\n');
    await tail.drainNow();
    expect(texts()).toEqual(['one\n', 'two\n', 'three\n']);
    expect(seen.every(({ backlog }) => !backlog)).toBe(true);
  });

  it('notices an append by itself, without a look at the clock', async () => {
    const { path, texts } = await setUp();
    appendFileSync(path, 'one\n');
    await expect.poll(texts, { interval: 5, timeout: 5_000 }).toEqual(['one\n']);
  });

  it('begins at the end: what was there before is backlog, and only the last of it is read', async () => {
    const { texts, seen, tail, path } = await setUp('a\nb\nc\nd\n', { backlogBytes: 4 });
    expect(texts()).toEqual(['c\n', 'd\n']);
    expect(seen.every(({ backlog }) => backlog)).toBe(true);
    appendFileSync(path, 'e\n');
    await tail.drainNow();
    expect(seen.at(-1)).toEqual({ source: 's', text: 'e\n', backlog: false });
  });

  it('takes a line that began before it watched as backlog, also when it ends later', async () => {
    const { path, tail, seen } = await setUp('old\nhalf', { backlogBytes: 0 });
    expect(seen).toEqual([]);
    appendFileSync(path, ' done\nnew\n');
    await tail.drainNow();
    expect(seen.map(({ text, backlog }) => [text, backlog])).toEqual([
      ['half done\n', true],
      ['new\n', false],
    ]);
  });

  it('cuts what it cannot find the beginning of, and counts it', async () => {
    const { path, tail, texts } = await setUp('x'.repeat(70_000), { backlogBytes: 0 });
    appendFileSync(path, 'tail of a giant\nnext\n');
    await tail.drainNow();
    expect(texts()).toEqual(['next\n']);
    expect(tail.stats()[0]).toMatchObject({ lines: 2, unmatched: 1, dropped: [{ reason: 'backlog_cut', lines: 1 }] });
  });

  it('names source and channel, and hands over one shared buffer', async () => {
    const path = join(aDirectory(), 'x.log');
    writeFileSync(path, '');
    const chunks: { source: string; channel: string | undefined; bytes: Buffer }[] = [];
    await using tail = createTail({
      ...{ sources: [{ id: 's', path, channel: 'news' }], clock: fakeClock().clock, checkpoints: memoryCheckpoints() },
      sink: ({ source, channel, bytes }) => {
        chunks.push({ source, channel, bytes });
        return { lines: 1, matched: 0, unmatched: 1, progress: 0 };
      },
    });
    tail.start();
    for (const line of ['a\n', 'b\n']) {
      appendFileSync(path, line);
      await tail.drainNow();
    }
    expect(chunks.map(({ source, channel }) => [source, channel])).toEqual([
      ['s', 'news'],
      ['s', 'news'],
    ]);
    expect(chunks[0]!.bytes).toBe(chunks[1]!.bytes);
  });

  it('counts exactly: lines are matched, unmatched or dropped', async () => {
    const { path, tail } = await setUp();
    appendFileSync(path, 'ERR 1\nfine\nERR 2\nframe=1\rframe=2\r');
    await tail.drainNow();
    expect(tail.stats()[0]).toMatchObject({
      lines: 3,
      matched: 2,
      unmatched: 1,
      progress: 2,
      dropped: [],
      state: 'following',
    });
  });

  it('reads lines despite NUL, invalid UTF-8 or separators other than a line feed', async () => {
    const { path, tail } = await setUp();
    appendFileSync(path, Buffer.from([0xff, 0xfe, 0, 0x0a, 0xe2, 0x80, 0xa8, 0x0a, 0x85, 0x0b, 0x0c, 0x0a]));
    appendFileSync(path, 'ERR after\n');
    await tail.drainNow();
    expect(tail.stats()[0]).toMatchObject({ lines: 4, matched: 1 });
  });
});

describe('progress that ends in a carriage return', () => {
  it('is handed over at once after the first, and the first when it was looked at twice', async () => {
    const { path, tail, texts, advance } = await setUp();
    appendFileSync(path, 'frame=1\r');
    await expect.poll(() => tail.stats()[0]!.behindBytes, { interval: 5 }).toBe(1);
    expect(texts()).toEqual([]);
    await advance(2 * DEFAULT_TAIL_LIMITS.pollMs);
    await expect.poll(texts, { interval: 5 }).toEqual(['frame=1\r']);
    appendFileSync(path, 'frame=2\rframe=3\r');
    await expect.poll(texts, { interval: 5 }).toEqual(['frame=1\r', 'frame=2\r', 'frame=3\r']);
    appendFileSync(path, 'frame=4\r');
    await expect.poll(texts, { interval: 5 }).toContain('frame=4\r');
  });

  it('does not take a line of a file with \\r\\n apart, wherever the read ends', async () => {
    for (const readBytes of [5, 6, 7, 8, 9]) {
      const { path, tail, texts } = await setUp('', { readBytes });
      appendFileSync(path, 'abcde\r\nfghij\r\n');
      await tail.drainNow();
      expect(texts()).toEqual(['abcde\r\n', 'fghij\r\n']);
    }
  });

  it('waits for the line feed of a torn \\r\\n', async () => {
    const { path, tail, texts } = await setUp();
    appendFileSync(path, 'a\r\nb\r');
    await expect.poll(() => tail.stats()[0]!.behindBytes, { interval: 5 }).toBe(1);
    appendFileSync(path, '\nc\r\n');
    await tail.drainNow();
    expect(texts()).toEqual(['a\r\n', 'b\r\n', 'c\r\n']);
  });
});

describe('a line that is too long', () => {
  it('is kept at the limit and dropped past it, counted once, however it is written', async () => {
    for (const pieces of [1, 3, 50]) {
      const { path, tail, texts } = await setUp('', { lineBytesMax: 1_000, readBytes: 300 });
      const write = async (text: string): Promise<void> => {
        const size = Math.ceil(text.length / pieces);
        for (let at = 0; at < text.length; at += size) {
          appendFileSync(path, text.slice(at, at + size));
          await tail.drainNow();
        }
      };
      await write(`${'x'.repeat(999)}\n`);
      await write(`${'y'.repeat(1_000)}\nafter\n`);
      await write(`${'z'.repeat(5_000)}\r\nlast\n`);
      expect(texts().map((text) => text.slice(0, 5))).toEqual(['xxxxx', 'after', 'last\n']);
      expect(tail.stats()[0]).toMatchObject({ lines: 5, dropped: [{ reason: 'line_too_long', lines: 2 }] });
    }
  });

  it('holds no more memory for a gigabyte in one line than for a short one', async () => {
    const { path, tail } = await setUp();
    const before = process.memoryUsage().rss;
    const block = 'x'.repeat(1 << 20);
    for (let at = 0; at < 256; at += 1) appendFileSync(path, block);
    await tail.drainNow();
    appendFileSync(path, '\nafter\n');
    await tail.drainNow();
    expect(process.memoryUsage().rss - before).toBeLessThan(48 * 1024 * 1024);
    expect(tail.stats()[0]).toMatchObject({ lines: 2, unmatched: 1, dropped: [{ reason: 'line_too_long', lines: 1 }] });
  });
});

describe('rotation', () => {
  it('by rename and create reads the old file to its end before the new one', async () => {
    const { path, tail, texts, world } = await setUp();
    appendFileSync(path, '1\n');
    await tail.drainNow();
    appendFileSync(path, '2\n');
    renameSync(path, `${path}.1`);
    writeFileSync(path, '3\n');
    await tail.drainNow();
    expect(texts()).toEqual(['1\n', '2\n', '3\n']);
    expect(kinds(world)).toEqual(['following', 'rotated', 'following']);
  });

  it('still reads from a writer that has not let go of the renamed file, and lets go of it when it is quiet', async () => {
    const { path, tail, texts, advance } = await setUp();
    renameSync(path, `${path}.1`);
    writeFileSync(path, 'new\n');
    await tail.drainNow();
    appendFileSync(`${path}.1`, 'late\n');
    await tail.drainNow();
    expect(texts()).toEqual(['new\n', 'late\n']);
    expect(tail.stats()[0]!.files).toBe(2);
    await advance(9_000);
    await tail.drainNow();
    expect(tail.stats()[0]!.files).toBe(2);
    await advance(3_000);
    await tail.drainNow();
    expect(tail.stats()[0]!.files).toBe(1);
  });

  it('finds the generation that came and went between two looks', async () => {
    const { path, tail, texts } = await setUp();
    appendFileSync(path, '1\n');
    await tail.drainNow();
    appendFileSync(path, '2\n');
    await wait(20);
    renameSync(path, `${path}.1`);
    writeFileSync(path, '3\n');
    await wait(20);
    renameSync(`${path}.1`, `${path}.2`);
    renameSync(path, `${path}.1`);
    writeFileSync(path, '4\n');
    await tail.drainNow();
    expect(texts()).toEqual(['1\n', '2\n', '3\n', '4\n']);
  });

  it('takes the final text of a file that ended without a line feed', async () => {
    const { path, tail, texts, advance } = await setUp();
    appendFileSync(path, 'ok\npanic: out of');
    renameSync(path, `${path}.1`);
    writeFileSync(path, '');
    await tail.drainNow();
    await advance(12_000);
    await tail.drainNow();
    expect(texts()).toEqual(['ok\n', 'panic: out of\n']);
    expect(tail.stats()[0]).toMatchObject({ lines: 2, files: 1 });
  });

  describe('by copytruncate, under a pattern that takes the copy, too,', () => {
    const setUpBoth = async () => {
      const directory = aDirectory();
      const path = join(directory, 'a.log');
      writeFileSync(path, '');
      const following = follow([{ id: 'a', path: join(directory, '*.log*') }], aWorld());
      const lines = Array.from({ length: 40 }, (_, at) => `line ${at} of the old generation\n`).join('');
      appendFileSync(path, lines);
      await following.tail.drainNow();
      await following.advance(2_000);
      const before = following.seen.length;
      const rest = () => following.seen.slice(before).map(({ text, backlog }) => [text, backlog]);
      return { ...following, path, lines, rest };
    };

    it('reads of the copy only what it had not read yet, as backlog', async () => {
      const { tail, path, lines, rest } = await setUpBoth();
      // The copy is found while it is made.
      writeFileSync(`${path}.1`, '');
      await tail.drainNow();
      appendFileSync(`${path}.1`, lines.slice(0, 500));
      await tail.drainNow();
      appendFileSync(`${path}.1`, `${lines.slice(500)}unread\n`);
      truncateSync(path);
      appendFileSync(path, 'new\n');
      await tail.drainNow();
      expect(rest().sort()).toEqual([
        ['new\n', false],
        ['unread\n', true],
      ]);
    });

    it('reads a log of its own with such a name from its beginning', async () => {
      const { tail, path, advance, rest } = await setUpBoth();
      writeFileSync(`${path}.1`, 'one\n');
      await tail.drainNow();
      expect(rest()).toEqual([]);
      await advance(10_000);
      await tail.drainNow();
      appendFileSync(`${path}.1`, 'two\n');
      await tail.drainNow();
      expect(rest()).toEqual([
        ['one\n', false],
        ['two\n', false],
      ]);
    });
  });

  it('by copytruncate begins again and says that lines may be lost', async () => {
    const { path, tail, texts, world } = await setUp();
    appendFileSync(path, 'first line\nsecond line\n');
    await tail.drainNow();
    copyFileSync(path, `${path}.1`);
    truncateSync(path, 0);
    appendFileSync(path, 'third\n');
    await tail.drainNow();
    expect(texts()).toEqual(['first line\n', 'second line\n', 'third\n']);
    expect(kinds(world)).toContain('truncated');
    expect(tail.stats()[0]!.gaps).toBe(1);
  });

  it('sees that a file was truncated and grew past where it was read, and trusts what it holds now as backlog only', async () => {
    const { path, tail, seen, world } = await setUp();
    appendFileSync(path, 'a\n');
    await tail.drainNow();
    writeFileSync(path, 'another beginning\nand more\n');
    await tail.drainNow();
    expect(seen.map(({ text, backlog }) => [text, backlog])).toEqual([
      ['a\n', false],
      ['another beginning\n', true],
      ['and more\n', true],
    ]);
    expect(kinds(world)).toContain('rewritten');
  });

  it('counts the line of which a truncation took the end', async () => {
    const { path, tail } = await setUp();
    appendFileSync(path, 'whole\nbegun');
    await tail.drainNow();
    truncateSync(path, 0);
    await tail.drainNow();
    expect(tail.stats()[0]).toMatchObject({ lines: 2, unmatched: 1, dropped: [{ reason: 'source_lost', lines: 1 }] });
  });

  it('lets go of a deleted file, so that the disk gets its space back', async () => {
    const { path, tail, advance } = await setUp();
    unlinkSync(path);
    await tail.drainNow();
    await advance(12_000);
    await tail.drainNow();
    expect(tail.stats()[0]).toMatchObject({ files: 0, state: 'missing' });
  });

  it('is not confused by the copies that copytruncate left when the file is renamed at last', async () => {
    const { path, tail, texts } = await setUp();
    appendFileSync(path, 'first\n');
    await tail.drainNow();
    copyFileSync(path, `${path}.1`);
    await wait(20);
    truncateSync(path, 0);
    appendFileSync(path, 'second\n');
    await tail.drainNow();
    renameSync(`${path}.1`, `${path}.2`);
    renameSync(path, `${path}.1`);
    writeFileSync(path, 'third\n');
    await tail.drainNow();
    expect(texts()).toEqual(['first\n', 'second\n', 'third\n']);
  });

  it.each(['news-2.log', 'news.2.log'])(
    'leaves the log of another channel alone, though its name %s looks like a generation',
    async (name) => {
      const directory = aDirectory();
      const [own, other] = [join(directory, 'news.log'), join(directory, name)];
      writeFileSync(own, 'own before\n');
      writeFileSync(other, 'other before\n');
      const world = aWorld();
      const sources = [
        { id: 'news', path: own, channel: 'news' },
        { id: 'news-2', path: other, channel: 'news-2' },
      ];
      const following = follow(sources, world);
      await following.tail.drainNow();
      await wait(20);
      appendFileSync(other, 'other ERR\n');
      await following.tail.drainNow();
      renameSync(own, `${own}.1`);
      writeFileSync(own, 'own after\n');
      await following.tail.drainNow();
      const of = (source: string) => following.seen.filter((line) => line.source === source).map(({ text }) => text);
      expect(of('news')).toEqual(['own before\n', 'own after\n']);
      expect(of('news-2')).toEqual(['other before\n', 'other ERR\n']);
    },
  );

  it.skipIf(!existsOnPath('logrotate'))('by the real logrotate, both ways', async () => {
    for (const how of ['create', 'copytruncate']) {
      const { path, directory, tail, texts } = await setUp();
      const conf = join(directory, 'rotate.conf');
      writeFileSync(conf, `${path} {\n rotate 3\n missingok\n ${how}\n}\n`, { mode: 0o644 });
      chmodSync(directory, 0o755);
      for (let at = 0; at < 4; at += 1) {
        appendFileSync(path, `${how} ${at} ${'x'.repeat(at)}\n`);
        await tail.drainNow();
        execFileSync('logrotate', ['-f', '-s', join(directory, 'state'), conf], {
          env: { PATH: '/usr/sbin:/usr/bin:/bin:/sbin' },
        });
        await tail.drainNow();
      }
      expect(texts().map((text) => text.split(' ')[1])).toEqual(['0', '1', '2', '3']);
    }
  });
});

function existsOnPath(command: string): boolean {
  return ['/usr/sbin', '/usr/bin', '/sbin', '/bin'].some((directory) =>
    statSync(join(directory, command), { throwIfNoEntry: false }),
  );
}

describe('what is at the path', () => {
  it('may come late, and is then read from its first line', async () => {
    const directory = aDirectory();
    const path = join(directory, 'late.log');
    const { tail, texts, seen } = follow([{ id: 's', path }], aWorld());
    await tail.drainNow();
    expect(tail.stats()[0]).toMatchObject({ state: 'missing', files: 0 });
    writeFileSync(path, 'one\n');
    await expect.poll(texts, { interval: 5 }).toEqual(['one\n']);
    expect(seen[0]!.backlog).toBe(false);
  });

  it('counts as backlog when its whole directory comes late: its age is unknown', async () => {
    const directory = join(aDirectory(), 'mount');
    const { tail, seen } = follow([{ id: 's', path: join(directory, 'x.log') }], aWorld());
    mkdirSync(directory);
    writeFileSync(join(directory, 'x.log'), 'old\n');
    await tail.drainNow();
    appendFileSync(join(directory, 'x.log'), 'new\n');
    await tail.drainNow();
    expect(seen.map(({ text, backlog }) => [text, backlog])).toEqual([
      ['old\n', true],
      ['new\n', false],
    ]);
  });

  it('counts as backlog when it was last written long before it was put there', async () => {
    const directory = aDirectory();
    const { tail, seen } = follow([{ id: 's', path: join(directory, 'x.log') }], aWorld());
    await tail.drainNow();
    writeFileSync(join(directory, 'elsewhere'), 'old\n');
    utimesSync(join(directory, 'elsewhere'), 1_700_000_000, 1_700_000_000);
    renameSync(join(directory, 'elsewhere'), join(directory, 'x.log'));
    await tail.drainNow();
    expect(seen).toEqual([{ source: 's', text: 'old\n', backlog: true }]);
  });

  it('is followed into a directory that was replaced', async () => {
    const parent = aDirectory();
    const directory = join(parent, 'logs');
    mkdirSync(directory);
    writeFileSync(join(directory, 'x.log'), '');
    const { tail, texts } = follow([{ id: 's', path: join(directory, 'x.log') }], aWorld());
    await tail.drainNow();
    renameSync(directory, join(parent, 'logs.old'));
    mkdirSync(directory);
    writeFileSync(join(directory, 'x.log'), 'one\n');
    await tail.drainNow();
    appendFileSync(join(directory, 'x.log'), 'two\n');
    await expect.poll(texts, { interval: 5 }).toEqual(['one\n', 'two\n']);
  });

  it('may be a link where the path is exact, is read at once through it, and may be swapped', async () => {
    const directory = aDirectory();
    mkdirSync(join(directory, 'real'));
    const [link, first, second] = ['current.log', 'real/1.log', 'real/2.log'].map((name) => join(directory, name)) as [
      string,
      string,
      string,
    ];
    writeFileSync(first, '');
    symlinkSync(first, link);
    const { tail, texts } = follow([{ id: 's', path: link }], aWorld());
    await tail.drainNow();
    appendFileSync(first, 'one\n');
    await expect.poll(texts, { interval: 5 }).toEqual(['one\n']);
    appendFileSync(first, 'two\n');
    writeFileSync(second, 'three\n');
    symlinkSync(second, `${link}.new`);
    renameSync(`${link}.new`, link);
    await tail.drainNow();
    appendFileSync(second, 'four\n');
    await expect.poll(texts, { interval: 5 }).toEqual(['one\n', 'two\n', 'three\n', 'four\n']);
  });

  it.each([
    ['a pipe', (path: string) => execFileSync('mkfifo', [path]), 'refused'],
    ['a directory', (path: string) => mkdirSync(path), 'refused'],
    ['a link to a device', (path: string) => symlinkSync('/dev/zero', path), 'refused'],
    ['a link to nothing', (path: string) => symlinkSync('/nowhere/at/all', path), 'missing'],
    ['a link to itself', (path: string) => symlinkSync(path, path), 'unreadable'],
    ['a file that opens and cannot be read', (path: string) => symlinkSync('/proc/self/mem', path), 'unreadable'],
  ])('is not opened when it is %s, and that is reported once', async (_what, make, kind) => {
    const path = join(aDirectory(), 'x.log');
    make(path);
    const world = aWorld();
    const { tail } = follow([{ id: 's', path }], world);
    await tail.drainNow();
    await tail.drainNow();
    expect(kinds(world)).toEqual([kind]);
    expect(tail.stats()[0]).toMatchObject({ state: kind, files: 0 });
    rmSync(path, { recursive: true });
    writeFileSync(path, 'now\n');
    await tail.drainNow();
    expect(tail.stats()[0]!.state).toBe('following');
  });

  it('is followed again when what took its place and could not be read is gone', async () => {
    const { path, tail, texts, world } = await setUp();
    rmSync(path);
    symlinkSync('/proc/self/mem', path);
    await tail.drainNow();
    expect(kinds(world).at(-1)).toBe('unreadable');
    rmSync(path);
    writeFileSync(path, 'one\n');
    await tail.drainNow();
    expect(texts()).toEqual(['one\n']);
  });

  it('is reported when it may not be read, and backlog when it may at last', async () => {
    const directory = aDirectory();
    chmodSync(directory, 0o755);
    const path = join(directory, 'x.log');
    writeFileSync(path, 'old\n', { mode: 0o000 });
    const world = aWorld();
    const { tail, seen } = await asNobody(async () => {
      const following = follow([{ id: 's', path }], world);
      await following.tail.drainNow();
      await following.tail.drainNow();
      return following;
    });
    expect(kinds(world)).toEqual(['unreadable']);
    chmodSync(path, 0o644);
    await asNobody(() => tail.drainNow());
    expect(seen).toEqual([{ source: 's', text: 'old\n', backlog: true }]);
  });
});

/** Root may read everything; so a test that runs as root puts that aside for a moment. */
async function asNobody<T>(task: () => Promise<T>): Promise<T> {
  const isRoot = process.geteuid?.() === 0;
  if (isRoot) process.seteuid?.(65_534);
  try {
    return await task();
  } finally {
    if (isRoot) process.seteuid?.(0);
  }
}

describe('a pattern', () => {
  it('follows every file that matches, also those that come later and in directories that come later', async () => {
    const directory = aDirectory();
    mkdirSync(join(directory, 'a'));
    writeFileSync(join(directory, 'a/x.log'), '');
    writeFileSync(join(directory, 'a/x.txt'), 'no\n');
    const { tail, texts } = follow([{ id: 's', path: join(directory, '*/*.log') }], aWorld());
    await tail.drainNow();
    appendFileSync(join(directory, 'a/x.log'), '1\n');
    writeFileSync(join(directory, 'a/y.log'), '2\n');
    mkdirSync(join(directory, 'b'));
    writeFileSync(join(directory, 'b/z.log'), '3\n');
    await tail.drainNow();
    expect(texts().sort()).toEqual(['1\n', '2\n', '3\n']);
    expect(tail.stats()[0]).toMatchObject({ files: 3, lines: 3 });
    appendFileSync(join(directory, 'b/z.log'), '4\n');
    await expect.poll(texts, { interval: 5 }).toContain('4\n');
  });

  it('knows a file again that was renamed to another name that matches', async () => {
    const directory = aDirectory();
    const path = join(directory, 'app.log');
    writeFileSync(path, '');
    const { tail, texts } = follow([{ id: 's', path: join(directory, 'app.log*') }], aWorld());
    await tail.drainNow();
    appendFileSync(path, '1\n');
    await tail.drainNow();
    renameSync(path, `${path}.1`);
    writeFileSync(path, '2\n');
    await tail.drainNow();
    renameSync(`${path}.1`, `${path}.2`);
    renameSync(path, `${path}.1`);
    writeFileSync(path, '3\n');
    appendFileSync(`${path}.1`, '4\n');
    await tail.drainNow();
    expect(texts().sort()).toEqual(['1\n', '2\n', '3\n', '4\n']);
    expect(tail.stats()[0]!.files).toBe(3);
  });

  it('follows no link, neither at its end nor on the way', async () => {
    const outside = aDirectory();
    const directory = aDirectory();
    writeFileSync(join(outside, 'x.log'), 'secret\n');
    symlinkSync(join(outside, 'x.log'), join(directory, 'link.log'));
    mkdirSync(join(directory, 'real'));
    symlinkSync(outside, join(directory, 'sub'));
    const world = aWorld();
    const { tail, seen } = follow(
      [
        { id: 'end', path: join(directory, '*.log') },
        { id: 'way', path: join(directory, '*/x.log') },
      ],
      world,
    );
    await tail.drainNow();
    appendFileSync(join(outside, 'x.log'), 'more\n');
    await tail.drainNow();
    expect(seen).toEqual([]);
    expect(world.notices.find(({ source }) => source === 'end')).toMatchObject({ kind: 'refused' });
    expect(tail.stats().map(({ files }) => files)).toEqual([0, 0]);
  });

  it('may lie below a link that an operator wrote down', async () => {
    const directory = aDirectory();
    mkdirSync(join(directory, 'real'));
    symlinkSync(join(directory, 'real'), join(directory, 'link'));
    writeFileSync(join(directory, 'real/x.log'), 'old\n');
    const { tail, texts } = follow([{ id: 's', path: join(directory, 'link/*.log') }], aWorld());
    await tail.drainNow();
    expect(texts()).toEqual(['old\n']);
  });

  it('reads a file with two names once', async () => {
    const directory = aDirectory();
    writeFileSync(join(directory, 'a.log'), '');
    linkSync(join(directory, 'a.log'), join(directory, 'b.log'));
    const { tail, texts } = follow([{ id: 's', path: join(directory, '*.log') }], aWorld());
    await tail.drainNow();
    appendFileSync(join(directory, 'a.log'), '1\n');
    await tail.drainNow();
    expect(texts()).toEqual(['1\n']);
  });

  it('opens no more files than it may, and says so', async () => {
    const directory = aDirectory();
    for (let at = 0; at < 10; at += 1) writeFileSync(join(directory, `${at}.log`), '');
    const world = aWorld();
    const { tail } = follow([{ id: 's', path: join(directory, '*.log') }], world, { filesMax: 4 });
    await tail.drainNow();
    expect(tail.stats()[0]!.files).toBe(4);
    expect(readdirSync('/proc/self/fd').length).toBeLessThan(200);
  });

  it.each(['/var/log/**/x.log', '/var/log/[a.log', '/var/log/{a,b.log'])(
    'that cannot be read is refused: %s',
    (path) => {
      const make = () =>
        createTail({
          sources: [{ id: 's', path }],
          clock: fakeClock().clock,
          checkpoints: memoryCheckpoints(),
          sink: () => ({ lines: 0, matched: 0, unmatched: 0, progress: 0 }),
        });
      expect(make).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
    },
  );
});

describe('a restart', () => {
  it('goes on where the last run ended, and what was written in between is backlog', async () => {
    const { path, world, tail, stop } = await setUp();
    appendFileSync(path, '1\n');
    await tail.drainNow();
    await stop();
    appendFileSync(path, '2\n');
    const second = follow([{ id: 's', path }], world);
    await second.tail.drainNow();
    appendFileSync(path, '3\n');
    await second.tail.drainNow();
    expect(second.seen.map(({ text, backlog }) => [text, backlog])).toEqual([
      ['2\n', true],
      ['3\n', false],
    ]);
    expect(second.tail.stats()[0]).toMatchObject({ lines: 3, unmatched: 3 });
  });

  it('after a crash reads again what was not saved, and counts it once', async () => {
    const { path, world, tail, advance, crash } = await setUp();
    appendFileSync(path, '1\n');
    await tail.drainNow();
    await advance(1_000);
    appendFileSync(path, '2\n');
    await tail.drainNow();
    await crash();
    const second = follow([{ id: 's', path }], world);
    await second.tail.drainNow();
    expect(second.texts()).toEqual(['2\n']);
    expect(second.tail.stats()[0]!.lines).toBe(2);
    await second.stop();
    expect(world.committed.map(({ text }) => text)).toEqual(['1\n', '2\n']);
  });

  it('finds what was rotated meanwhile, generation by generation', async () => {
    const { path, world, tail, stop } = await setUp();
    appendFileSync(path, '1\n');
    await tail.drainNow();
    await stop();
    appendFileSync(path, '2\n');
    await wait(20);
    renameSync(path, `${path}.1`);
    writeFileSync(path, '3\n');
    await wait(20);
    renameSync(`${path}.1`, `${path}.2`);
    renameSync(path, `${path}.1`);
    writeFileSync(path, '4\n');
    const second = follow([{ id: 's', path }], world);
    await second.tail.drainNow();
    expect(second.texts()).toEqual(['2\n', '3\n', '4\n']);
    expect(second.seen.every(({ backlog }) => backlog)).toBe(true);
    expect(second.tail.stats()[0]).toMatchObject({ lines: 4, gaps: 0 });
  });

  it('finds a file that was renamed and has no successor yet', async () => {
    const { path, world, tail, stop } = await setUp();
    appendFileSync(path, '1\n');
    await tail.drainNow();
    await stop();
    appendFileSync(path, '2\n');
    renameSync(path, `${path}.1`);
    const second = follow([{ id: 's', path }], world);
    await second.tail.drainNow();
    writeFileSync(path, '3\n');
    await second.tail.drainNow();
    expect(second.texts()).toEqual(['2\n', '3\n']);
  });

  it('says that something is lost when the file it knew is gone', async () => {
    const { path, world, tail, stop } = await setUp();
    appendFileSync(path, '1\n');
    await tail.drainNow();
    await stop();
    writeFileSync(`${path}.new`, 'another\n');
    renameSync(`${path}.new`, path);
    const second = follow([{ id: 's', path }], world);
    await second.tail.drainNow();
    expect(second.texts()).toEqual(['another\n']);
    expect(kinds(world)).toContain('lost');
    expect(second.tail.stats()[0]!.gaps).toBe(1);
  });

  it('is not deceived by another file in the same inode', async () => {
    const { path, world, tail, stop } = await setUp();
    appendFileSync(path, 'the first content of the file\n');
    await tail.drainNow();
    await stop();
    truncateSync(path, 0);
    appendFileSync(path, 'a second content, longer than the first one was\n');
    const second = follow([{ id: 's', path }], world);
    await second.tail.drainNow();
    expect(second.texts()).toEqual(['a second content, longer than the first one was\n']);
    expect(kinds(world)).toContain('rewritten');
  });

  it('keeps the count of a rotated file whose writer was still busy, over a crash', async () => {
    const { path, world, tail, advance, crash } = await setUp();
    appendFileSync(path, '1\n');
    renameSync(path, `${path}.1`);
    writeFileSync(path, '2\n');
    await tail.drainNow();
    await advance(1_000);
    appendFileSync(`${path}.1`, '3\n');
    await crash();
    const second = follow([{ id: 's', path }], world);
    await second.tail.drainNow();
    expect(second.texts()).toEqual(['3\n']);
    expect(second.tail.stats()[0]!.lines).toBe(3);
  });

  it('leaves no row behind for files that are gone for good', async () => {
    const { path, world, tail, advance, stop } = await setUp();
    for (let at = 0; at < 5; at += 1) {
      renameSync(path, `${path}.${at}`);
      writeFileSync(path, `${at}\n`);
      await tail.drainNow();
      await advance(13_000);
      await tail.drainNow();
    }
    await stop();
    expect(
      world.store
        .load('s')
        .map((row) => row.path)
        .sort(),
    ).toEqual([path, path]);
  });

  it('goes on reading when the checkpoints cannot be saved, says so once, and saves everything later', async () => {
    const path = join(aDirectory(), 'x.log');
    writeFileSync(path, '');
    const store = memoryCheckpoints();
    const { clock, advance } = fakeClock();
    const notices: string[] = [];
    let isFull = true;
    await using tail = createTail({
      ...{ sources: [{ id: 's', path }], clock, report: ({ kind }) => notices.push(kind) },
      checkpoints: {
        ...store,
        save: (rows) => {
          if (isFull) throw new Error('disk full');
          store.save(rows);
        },
      },
      sink: () => ({ lines: 1, matched: 1, unmatched: 0, progress: 0 }),
    });
    tail.start();
    for (let at = 0; at < 3; at += 1) {
      appendFileSync(path, 'x\n');
      await tail.drainNow();
      await advance(1_000);
    }
    expect(notices.filter((kind) => kind === 'checkpoint_failed')).toHaveLength(1);
    expect(tail.stats()[0]!.lines).toBe(3);
    isFull = false;
    await advance(1_000);
    expect(store.load('s').reduce((sum, row) => sum + row.lines, 0)).toBe(3);
  });
});

describe('a flood', () => {
  it('skips the oldest, counts every skipped line, and keeps the newest', async () => {
    const { path, tail, texts, world } = await setUp('', { floodBytes: 10_000, floodKeepBytes: 1_000, readBytes: 500 });
    appendFileSync(path, Array.from({ length: 5_000 }, (_, at) => `line ${at}\n`).join(''));
    await tail.drainNow();
    const stats = tail.stats()[0]!;
    expect(stats.lines).toBe(5_000);
    expect(stats.unmatched + stats.dropped[0]!.lines).toBe(5_000);
    expect(stats.dropped).toEqual([{ reason: 'flood', lines: expect.any(Number) }]);
    expect(texts().at(-1)).toBe('line 4999\n');
    expect(texts().length).toBeLessThan(200);
    expect(kinds(world)).toContain('flood');
  });

  it('in the backlog is reported separately', async () => {
    const { path, world, tail, stop } = await setUp();
    appendFileSync(path, '0\n');
    await tail.drainNow();
    await stop();
    appendFileSync(path, Array.from({ length: 5_000 }, (_, at) => `line ${at}\n`).join(''));
    const second = follow([{ id: 's', path }], world, { floodBytes: 10_000, floodKeepBytes: 1_000 });
    await second.tail.drainNow();
    expect(second.tail.stats()[0]).toMatchObject({ lines: 5_001, dropped: [{ reason: 'backlog_cut' }] });
  });

  it('in one source delays neither another source nor a timer', async () => {
    const directory = aDirectory();
    const [loud, quiet] = [join(directory, 'loud.log'), join(directory, 'quiet.log')];
    writeFileSync(loud, '');
    writeFileSync(quiet, '');
    const world = aWorld();
    const { tail, seen } = follow(
      [
        { id: 'loud', path: loud },
        { id: 'quiet', path: quiet },
      ],
      world,
      { readBytes: 64 * 1024 },
    );
    await tail.drainNow();
    appendFileSync(loud, 'x'.repeat(99).concat('\n').repeat(200_000));
    appendFileSync(quiet, 'ERR here\n');
    const drained = tail.drainNow();
    let rounds = 0;
    while (!seen.some(({ source }) => source === 'quiet')) {
      await new Promise((resolve) => setImmediate(resolve));
      rounds += 1;
    }
    expect(rounds).toBeLessThan(10);
    expect(tail.stats()[0]!.behindBytes).toBeGreaterThan(10_000_000);
    await drained;
    expect(tail.stats().map(({ lines }) => lines)).toEqual([200_000, 1]);
  });
});

describe('a sink that throws', () => {
  it('ends its source, says so, and leaves the others alone', async () => {
    const directory = aDirectory();
    const [bad, good] = [join(directory, 'bad.log'), join(directory, 'good.log')];
    writeFileSync(bad, '');
    writeFileSync(good, '');
    const notices: string[] = [];
    await using tail = createTail({
      ...{
        clock: fakeClock().clock,
        checkpoints: memoryCheckpoints(),
        sources: [
          { id: 'bad', path: bad },
          { id: 'good', path: good },
        ],
      },
      report: ({ kind, source }) => notices.push(`${source} ${kind}`),
      sink: ({ source }) => {
        if (source === 'bad') throw new Error('a bug');
        return { lines: 1, matched: 0, unmatched: 1, progress: 0 };
      },
    });
    tail.start();
    appendFileSync(bad, 'x\n');
    appendFileSync(good, 'x\n');
    await tail.drainNow();
    appendFileSync(good, 'y\n');
    await tail.drainNow();
    expect(tail.stats().map(({ state, lines }) => [state, lines])).toEqual([
      ['failed', 0],
      ['following', 2],
    ]);
    expect(notices).toContain('bad failed');
  });

  it('that miscounts is treated the same: the account would be wrong', async () => {
    const path = join(aDirectory(), 'x.log');
    writeFileSync(path, '');
    await using tail = createTail({
      ...{ clock: fakeClock().clock, checkpoints: memoryCheckpoints(), sources: [{ id: 's', path }] },
      sink: () => ({ lines: 2, matched: 0, unmatched: 1, progress: 0 }),
    });
    tail.start();
    appendFileSync(path, 'x\ny\n');
    await tail.drainNow();
    expect(tail.stats()[0]!.state).toBe('failed');
  });
});

it('refuses two sources of one name', () => {
  const sources = [
    { id: 's', path: '/a' },
    { id: 's', path: '/b' },
  ];
  const make = () =>
    createTail({
      sources,
      clock: fakeClock().clock,
      checkpoints: memoryCheckpoints(),
      sink: () => ({ lines: 0, matched: 0, unmatched: 0, progress: 0 }),
    });
  expect(make).toThrow(/two log sources are called s/);
});
