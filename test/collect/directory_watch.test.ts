import {
  appendFileSync,
  linkSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { DEFAULT_TAIL_LIMITS } from '../../src/collect/tail/types.ts';
import { DirectoryWatch, type Interest } from '../../src/collect/directory_watch.ts';
import { aDirectory, aWorld, follow } from './support/tailing.ts';

const { pollMs, heardLooks } = DEFAULT_TAIL_LIMITS;

function watching(...directories: readonly string[]) {
  const watch = new DirectoryWatch<string>({ event: () => undefined, trouble: () => undefined });
  onTestFinished(() => watch[Symbol.dispose]());
  const interests: readonly Interest[] = directories.map((directory) => ({ directory, name: 'x.log' }));
  watch.want('somebody', interests);
  return { watch, interests, tells: () => watch.tells(interests) };
}

const probe = new DirectoryWatch<string>({ event: () => undefined, trouble: () => undefined });
probe.want('probe', [{ directory: process.env.TMPDIR ?? '/tmp', name: undefined }]);
const isHeardHere = probe.tells([{ directory: process.env.TMPDIR ?? '/tmp', name: undefined }]);
probe[Symbol.dispose]();

describe.runIf(isHeardHere)('a watch on a directory whose file system owes an answer', () => {
  it('begins when it has answered, and the owner then looks at what happened before', () => {
    let isClear = false;
    const asking = new Set<() => void>();
    const heard: string[] = [];
    const watch = new DirectoryWatch<string>({
      event: (_, directory) => void heard.push(directory),
      trouble: () => undefined,
      check: () => ({ isClear: () => isClear, ask: (then) => void asking.add(then), silent: () => undefined }),
    });
    onTestFinished(() => watch[Symbol.dispose]());
    const interests = [{ directory: aDirectory(), name: undefined }];
    watch.want('somebody', interests);
    watch.check();
    expect([watch.tells(interests), heard.length, asking.size]).toEqual([false, 0, 1]);
    isClear = true;
    for (const then of asking) then();
    expect([watch.tells(interests), heard]).toEqual([true, [interests[0]?.directory]]);
  });

  it('does not begin when nobody wants it any more', () => {
    const asking: (() => void)[] = [];
    let isClear = false;
    const watch = new DirectoryWatch<string>({
      event: () => undefined,
      trouble: () => undefined,
      check: () => ({ isClear: () => isClear, ask: (then) => void asking.push(then), silent: () => undefined }),
    });
    onTestFinished(() => watch[Symbol.dispose]());
    const interests = [{ directory: aDirectory(), name: undefined }];
    watch.want('somebody', interests);
    watch.want('somebody', []);
    isClear = true;
    for (const then of asking) then();
    expect(watch.tells(interests)).toBe(false);
  });
});

describe.runIf(isHeardHere)('a watch on directories', () => {
  it('reports every change while every one of them is watched', () => {
    const { tells, watch, interests } = watching(aDirectory(), aDirectory());
    expect(tells()).toBe(true);
    watch[Symbol.dispose]();
    expect(watch.tells(interests)).toBe(false);
  });

  it('does not where one is missing, until a look finds it there', () => {
    const missing = join(aDirectory(), 'later');
    const { tells, watch } = watching(aDirectory(), missing);
    expect(tells()).toBe(false);
    mkdirSync(missing);
    watch.check();
    expect(tells()).toBe(true);
    rmSync(missing, { recursive: true });
    watch.check();
    expect(tells()).toBe(false);
  });

  it('does not on a file system that is not known to be this machine’s own', () => {
    expect(watching('/proc/self').tells()).toBe(false);
  });
});

/** A followed file, and a second directory from which it can be written to unheard. */
async function setUp(options: { readonly pattern?: boolean; readonly linked?: boolean } = {}) {
  const [directory, elsewhere] = [aDirectory(), aDirectory()];
  const path = join(directory, 'app.log');
  const other = join(elsewhere, 'other.log');
  writeFileSync(path, '');
  if (options.linked) linkSync(path, other);
  const following = follow([{ id: 's', path: options.pattern ? join(directory, '*.log') : path }], aWorld());
  await following.tail.drainNow();
  // What the watch reported of the beginning is over.
  await wait(30);
  /** Through another name: the directory of the file hears nothing of it. */
  const writeUnheard = (text: string): void => {
    if (!options.linked) linkSync(path, other);
    appendFileSync(other, text);
    if (!options.linked) unlinkSync(other);
  };
  const looks = async (count: number): Promise<readonly string[]> => {
    for (let look = 0; look < count; look += 1) {
      await following.advance(pollMs);
      await wait(10);
    }
    return following.texts();
  };
  return { ...following, directory, path, elsewhere, writeUnheard, looks };
}

describe.runIf(isHeardHere)('a quiet file whose directory is watched', () => {
  it('is polled in each fifth round, and what no event announced is found then', async () => {
    const { writeUnheard, looks } = await setUp();
    const found: number[] = [];
    writeUnheard('one\n');
    for (let round = 1; round <= heardLooks; round += 1) if ((await looks(1)).length > 0) found.push(round);
    expect(found.length).toBeGreaterThan(0);
    expect(found[0]).toBeGreaterThan(1);
  });

  it('is polled in each round from when its directory was found to report no events', async () => {
    const { writeUnheard, looks } = await setUp();
    writeUnheard('one\n');
    expect(await looks(heardLooks + 1)).toEqual(['one\n']);
    for (const text of ['two\n', 'three\n', 'four\n']) {
      writeUnheard(text);
      expect((await looks(1)).at(-1)).toBe(text);
    }
  });

  it('is asked in each round when another name leads to it from the start', async () => {
    const { writeUnheard, looks } = await setUp({ linked: true });
    for (const text of ['one\n', 'two\n', 'three\n']) {
      writeUnheard(text);
      expect((await looks(1)).at(-1)).toBe(text);
    }
  });

  it('is asked in each round when a pattern found it', async () => {
    const { writeUnheard, looks } = await setUp({ pattern: true });
    for (const text of ['one\n', 'two\n', 'three\n']) {
      writeUnheard(text);
      expect((await looks(1)).at(-1)).toBe(text);
    }
  });

  it('is asked in each round once a link to it took its place', async () => {
    const { path, directory, elsewhere, looks } = await setUp();
    renameSync(path, join(directory, 'real.log'));
    symlinkSync('real.log', path);
    await looks(1);
    appendFileSync(join(directory, 'real.log'), 'one\n');
    expect(await looks(1)).toEqual(['one\n']);
    linkSync(join(directory, 'real.log'), join(elsewhere, 'other.log'));
    for (const text of ['two\n', 'three\n', 'four\n']) {
      appendFileSync(join(elsewhere, 'other.log'), text);
      expect((await looks(1)).at(-1)).toBe(text);
    }
  });
});

describe('a link to a log', () => {
  it('that leads over another link is seen to lead elsewhere in the next round', async () => {
    const [here, middle, there] = [aDirectory(), aDirectory(), aDirectory()];
    const link = join(here, 'app.log');
    for (const name of ['1.log', '2.log', '3.log', '4.log']) writeFileSync(join(there, name), '');
    symlinkSync(join(there, '1.log'), join(middle, 'current'));
    symlinkSync(join(middle, 'current'), link);
    const { tail, advance, texts } = follow([{ id: 's', path: link }], aWorld());
    await tail.drainNow();
    await wait(30);
    for (const name of ['2.log', '3.log', '4.log']) {
      symlinkSync(join(there, name), join(middle, 'next'));
      renameSync(join(middle, 'next'), join(middle, 'current'));
      await advance(pollMs);
      await wait(10);
      appendFileSync(join(there, name), `${name}\n`);
      await expect.poll(() => texts().at(-1), { interval: 5 }).toBe(`${name}\n`);
    }
  });
});
