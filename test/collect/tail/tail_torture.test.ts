import {
  appendFileSync,
  copyFileSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';
import { describe, expect, it } from 'vitest';
import type { TailLimits } from '../../../src/collect/tail/types.ts';
import { aDirectory, aWorld, type Following, follow } from '../support/tailing.ts';

/** More runs: `REEVE_TORTURE_RUNS=1000`. One run again: `REEVE_TORTURE_SEED=…` (the failing test's name tells it). */
const RUNS = Number(process.env.REEVE_TORTURE_RUNS ?? 60);
const FIRST_SEED = Number(process.env.REEVE_TORTURE_SEED ?? 1);
const STEPS = 40;

const LIMITS: Partial<TailLimits> = { readBytes: 700, lineBytesMax: 4_000, backlogBytes: 0, lingerMs: 3_000 };

type Way = 'rename' | 'truncate' | 'reuse' | 'link';
const WAYS: readonly Way[] = ['rename', 'truncate', 'reuse', 'link'];

function randomOf(seed: number) {
  const generator = xoroshiro128plus(seed);
  const below = (limit: number): number => (generator.next() >>> 0) % limit;
  return { below, chance: (percent: number): boolean => below(100) < percent };
}

/** Writes numbered lines to one log, rotates it its own way, and knows which lines may be lost by that. */
class Writer {
  readonly path: string;
  readonly #directory: string;
  readonly #way: Way;
  readonly #random: ReturnType<typeof randomOf>;
  #next = 0;
  #half = '';
  #generation = 0;
  /** Written since everything was known to be read: a truncation or a deletion takes them. */
  #unread: number[] = [];
  /** Written since everything was known to be saved. */
  #unsaved: number[] = [];
  /** Of those, the ones that a truncation or deletion took: read, but a crash forgets that. */
  #gone: number[] = [];
  readonly mayBeLost = new Set<number>();

  constructor(directory: string, way: Way, random: ReturnType<typeof randomOf>) {
    this.#directory = directory;
    this.#way = way;
    this.#random = random;
    this.path = join(directory, 'app.log');
  }

  get written(): number {
    return this.#next;
  }

  create(): void {
    if (this.#way === 'link') this.#relink();
    else writeFileSync(this.path, '');
  }

  /** Sometimes ends in the middle of a line; the next write ends it. */
  write(): void {
    let text = this.#half === '' ? '' : this.#endHalf();
    for (let count = this.#random.below(12); count > 0; count -= 1) text += this.#line();
    if (this.#random.chance(30)) {
      const line = this.#line();
      this.#half = line.slice(5);
      text += line.slice(0, 5);
    }
    appendFileSync(this.path, text);
  }

  #line(): string {
    this.#unread.push(this.#next);
    this.#unsaved.push(this.#next);
    const line = `${String(this.#next).padStart(7, '0')} ${'x'.repeat(this.#random.below(200))}\n`;
    this.#next += 1;
    return line;
  }

  #endHalf(): string {
    const end = this.#half;
    this.#half = '';
    return end;
  }

  everythingWasRead(): void {
    this.#unread = this.#half === '' ? [] : [this.#next - 1];
  }

  everythingWasSaved(): void {
    this.#unsaved = [...this.#unread];
    this.#gone = [];
  }

  tailCrashed(): void {
    for (const line of this.#gone) this.mayBeLost.add(line);
    this.#unread = [...this.#unsaved];
  }

  /** A writer ends its line before it lets go of a file, except that a truncation asks nobody. */
  rotate(): void {
    this.#generation += 1;
    if (this.#way === 'truncate') return this.#truncate();
    if (this.#half !== '') appendFileSync(this.path, this.#endHalf());
    if (this.#way === 'link') return this.#relink();
    if (this.#way === 'reuse') return this.#replace();
    renameSync(this.path, `${this.path}.${this.#generation}`);
    writeFileSync(this.path, '');
  }

  #loseWhatIsAtRisk(): void {
    for (const line of this.#unread) this.mayBeLost.add(line);
    this.#unread = [];
    this.#gone.push(...this.#unsaved);
    this.#unsaved = [];
  }

  #truncate(): void {
    copyFileSync(this.path, `${this.path}.${this.#generation}`);
    truncateSync(this.path, 0);
    if (this.#half !== '') this.#half = '';
    this.#loseWhatIsAtRisk();
  }

  /** Deleted and made again: file systems like to give the same inode to the next one. */
  #replace(): void {
    rmSync(this.path);
    writeFileSync(this.path, '');
    this.#loseWhatIsAtRisk();
  }

  #relink(): void {
    const target = join(this.#directory, `generation-${this.#generation}`);
    writeFileSync(target, '');
    symlinkSync(target, `${this.path}.new`);
    renameSync(`${this.path}.new`, this.path);
  }
}

async function run(seed: number) {
  const random = randomOf(seed);
  const way = WAYS[random.below(WAYS.length)]!;
  const directory = aDirectory();
  const writer = new Writer(directory, way, random);
  const world = aWorld();
  const sources = [{ id: 's', path: writer.path }];
  const isLate = random.chance(25);
  if (!isLate) writer.create();
  let tail: Following = follow(sources, world, LIMITS);
  await tail.tail.drainNow();
  if (isLate) writer.create();
  // What comes and goes before anybody saw it leaves no trace to look for.
  await tail.tail.drainNow();
  let crashes = 0;

  const drain = async (): Promise<void> => {
    await tail.tail.drainNow();
    writer.everythingWasRead();
  };
  const save = async (): Promise<void> => {
    await drain();
    await tail.advance(1_000);
    writer.everythingWasSaved();
  };
  for (let step = 0; step < STEPS; step += 1) {
    const what = random.below(100);
    if (what < 45) writer.write();
    else if (what < 55) await drain();
    else if (what < 60) await save();
    else if (what < 70) await tail.advance(random.below(2_500));
    else if (what < 82) {
      // What a link led to is found again by its inode, but nothing leads to what it led to in between.
      if (way === 'link') await save();
      await wait(12);
      writer.rotate();
    } else if (what < 90) await new Promise((resolve) => setImmediate(resolve));
    else {
      crashes += 1;
      await tail.crash();
      writer.tailCrashed();
      if (random.chance(50)) writer.write();
      if (random.chance(40) && way !== 'link') {
        await wait(12);
        writer.rotate();
        writer.write();
      }
      tail = follow(sources, world, LIMITS);
    }
  }
  if (writer.written === 0) writer.write();
  if (way === 'link') await save();
  writer.rotate();
  await drain();
  await tail.advance(6_000);
  await drain();
  const stats = tail.tail.stats()[0]!;
  await tail.stop();
  return { way, writer, world, stats, crashes, directory };
}

const seeds = Array.from({ length: RUNS }, (_, at) => FIRST_SEED + at);

describe('torture', () => {
  it.each(seeds)(
    'seed %d: every line once, whatever happens to the file',
    async (seed) => {
      const { way, writer, world, stats, directory, crashes } = await run(seed);
      const whole = world.committed.filter(({ text }) => /^\d{7} x*\n$/.test(text));
      const numbers = whole.map(({ text }) => Number(text.slice(0, 7)));
      const unique = new Set(numbers);
      const missing = Array.from({ length: writer.written }, (_, at) => at).filter((at) => !unique.has(at));
      const context = `seed ${seed} ${way} in ${directory}: ${readdirSync(directory).join(' ')}`;

      expect(numbers.length - unique.size, `${context}: lines counted twice`).toBe(0);
      expect(
        missing.filter((line) => !writer.mayBeLost.has(line)),
        `${context}: lines lost`,
      ).toEqual([]);
      const droppedLines = stats.dropped.reduce((sum, { lines }) => sum + lines, 0);
      expect(stats.lines, context).toBe(stats.matched + stats.unmatched + droppedLines);
      expect(stats.lines - droppedLines, `${context}: the account`).toBe(world.committed.length);
      if (missing.length > 0 && crashes === 0)
        expect(
          world.notices.map(({ kind }) => kind),
          context,
        ).toEqual(expect.arrayContaining([expect.stringMatching(/truncated|rewritten|lost/)]));
    },
    60_000,
  );
});
