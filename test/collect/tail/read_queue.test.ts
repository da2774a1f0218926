import { onTestFinished, describe, expect, it } from 'vitest';
import { ReadQueue } from '../../../src/collect/tail/read_queue.ts';
import { type Clock, systemClock } from '../../../src/core/clock.ts';
import { fakeClock } from '../../support/fake_clock.ts';

/** Each bit of work takes a millisecond; batches are four long. `elsewhere`: the event loop is busy with other things. */
function aRound() {
  let nowMs = 10_000;
  const clock: Clock = { ...systemClock, monotonicMs: () => nowMs };
  const readQueue = new ReadQueue(clock, 4, () => undefined);
  onTestFinished(() => readQueue[Symbol.dispose]());
  const done: string[] = [];
  const worker = (name: string, bits = 1, during: () => void = () => undefined) => ({
    work: () => {
      done.push(name);
      nowMs += 1;
      during();
      bits -= 1;
      return bits > 0;
    },
  });
  const elsewhere = (ms: number) => {
    nowMs += ms;
  };
  /** What many share. */
  const shared = (name: string, bits = 1) => ({ ...worker(name, bits), isShared: true });
  return { readQueue, done, worker, shared, elsewhere };
}

/** Lets one round go by. */
const oneRound = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('the read queue', () => {
  it('lets new data wait for one batch of idle polls, not for all of them', async () => {
    const { readQueue, done, worker } = aRound();
    const news = worker('news');
    for (let at = 0; at < 100; at += 1)
      readQueue.wakeLater(
        worker('look', 1, () => {
          if (at === 1) readQueue.wake(news);
        }),
      );
    await readQueue.idle();
    expect(done.length).toBe(101);
    expect(done.indexOf('news')).toBe(4);
  });

  it('takes one idle poll in each batch of a flood', async () => {
    const { readQueue, done, worker } = aRound();
    readQueue.wake(worker('flood', 100));
    for (let at = 0; at < 3; at += 1) readQueue.wakeLater(worker('look'));
    await readQueue.idle();
    expect(done.length).toBe(103);
    expect(done.lastIndexOf('look')).toBeLessThan(15);
  });

  it('read a file that has news and is polled anyway only once, with the others that have news', async () => {
    const { readQueue, done, worker } = aRound();
    const both = worker('both');
    readQueue.wakeLater(worker('look'));
    readQueue.wakeLater(both);
    readQueue.wake(both);
    readQueue.wakeLater(both);
    await readQueue.idle();
    expect(done).toEqual(['both', 'look']);
  });

  it('reads a file that was silent before the many that are always written to', async () => {
    const { readQueue, done, worker } = aRound();
    const encoders = Array.from({ length: 50 }, () => worker('encoder'));
    for (const encoder of encoders) readQueue.wake(encoder);
    await readQueue.idle();
    done.length = 0;
    for (const encoder of encoders) readQueue.wake(encoder);
    readQueue.wake(worker('supervisor'));
    await readQueue.idle();
    expect(done.indexOf('supervisor')).toBe(0);
    expect(done).toHaveLength(51);
  });

  it.each([
    [999, ['encoder', 'seldom']],
    [1_000, ['seldom', 'encoder']],
  ])('takes one that had something to do %i ms ago for what it is', async (agoMs, order) => {
    const { readQueue, done, worker, elsewhere } = aRound();
    const [seldom, encoder] = [worker('seldom'), worker('encoder')];
    readQueue.wake(seldom);
    readQueue.wake(encoder);
    await readQueue.idle();
    done.length = 0;
    // The encoder had its bit a millisecond after the other one.
    elsewhere(agoMs - 1);
    readQueue.wake(encoder);
    readQueue.wake(seldom);
    await readQueue.idle();
    expect(done).toEqual(order);
  });

  it.each([
    [0, 4],
    [3, 4],
    [20, 20],
    [40, 40],
    [500, 40],
  ])('reads, when the loop took %i ms for other things, for %i ms', async (elsewhereMs, readMs) => {
    const { readQueue, done, worker, elsewhere } = aRound();
    for (let at = 0; at < 100; at += 1) readQueue.wake(worker('encoder'));
    elsewhere(elsewhereMs);
    await oneRound();
    expect(done).toHaveLength(readMs);
  });

  it('says how long the one that waits longest has waited, idle polls aside', async () => {
    const { readQueue, worker, elsewhere } = aRound();
    expect(readQueue.lateMs).toBe(0);
    readQueue.wakeLater(worker('look'));
    elsewhere(700);
    expect(readQueue.lateMs).toBe(0);
    readQueue.wake(worker('first'));
    elsewhere(200);
    readQueue.wake(worker('second'));
    elsewhere(50);
    expect(readQueue.lateMs).toBe(250);
    await readQueue.idle();
    expect(readQueue.lateMs).toBe(0);
  });

  it('reads what many share before what was silent, though something was written to it a moment ago', async () => {
    const { readQueue, done, worker, shared } = aRound();
    const engine = shared('engine');
    readQueue.wake(engine);
    await readQueue.idle();
    readQueue.wake(worker('silent'));
    readQueue.wake(engine);
    await readQueue.idle();
    expect(done).toEqual(['engine', 'engine', 'silent']);
  });

  it('gives others their whole time beside a flood in what many share', async () => {
    const { readQueue, done, worker, shared } = aRound();
    readQueue.wake(shared('flood', 100));
    for (let at = 0; at < 8; at += 1) readQueue.wake(worker('silent'));
    await oneRound();
    await oneRound();
    const four = Array(4).fill('silent');
    expect(done).toEqual(['flood', ...four, 'flood', ...four]);
  });

  it('counts how long what many share has waited', () => {
    const { readQueue, shared, elsewhere } = aRound();
    readQueue.wake(shared('engine'));
    elsewhere(30);
    expect(readQueue.lateMs).toBe(30);
  });
});

describe('reads of files that are always written to', () => {
  /** Time is that of the injected clock, and reading takes none of it. */
  function aSecond() {
    const { clock, advance } = fakeClock();
    const readQueue = new ReadQueue(clock, 4, () => undefined);
    onTestFinished(() => readQueue[Symbol.dispose]());
    let reads = 0;
    const encoders = Array.from({ length: 2_000 }, () => ({
      work: () => {
        reads += 1;
        return false;
      },
    }));
    const wake = (count: number) => {
      for (const encoder of encoders.slice(0, count)) readQueue.wake(encoder);
    };
    const wakeAll = () => wake(encoders.length);
    const roundsFor = async (ms: number) => {
      for (let at = 0; at < ms; at += 10) {
        await advance(10);
        await oneRound();
      }
    };
    return { readQueue, wake, wakeAll, roundsFor, readsOf: () => reads };
  }

  it('are ten thousand a second at most, and those that wait are read in the order of waiting', async () => {
    const { readQueue, wakeAll, roundsFor, readsOf } = aSecond();
    wakeAll();
    await readQueue.idle();
    wakeAll();
    await oneRound();
    expect(readsOf()).toBe(2_500);
    await roundsFor(100);
    expect(readsOf()).toBe(3_500);
    await roundsFor(50);
    expect(readsOf()).toBe(4_000);
  });

  it('may be more at once after a time with few: what was left of it is kept', async () => {
    const { readQueue, wake, wakeAll, roundsFor, readsOf } = aSecond();
    wakeAll();
    await readQueue.idle();
    wakeAll();
    await readQueue.idle();
    wake(10);
    await roundsFor(20);
    expect(readsOf()).toBe(4_010);
    wakeAll();
    await oneRound();
    expect(readsOf()).toBe(4_200);
  });

  it('leave the reading of what was silent to its own time', async () => {
    const { readQueue, wakeAll, readsOf } = aSecond();
    wakeAll();
    await readQueue.idle();
    wakeAll();
    await oneRound();
    let isRead = false;
    const silent = {
      work: () => {
        isRead = true;
        return false;
      },
    };
    readQueue.wake(silent);
    await oneRound();
    expect([isRead, readsOf()]).toEqual([true, 2_500]);
  });

  it('are as many as there are for who waits until all is read', async () => {
    const { readQueue, wakeAll, readsOf } = aSecond();
    for (let at = 1; at <= 3; at += 1) {
      wakeAll();
      await readQueue.idle();
      expect(readsOf()).toBe(at * 2_000);
    }
  });

  it('end with the queue', async () => {
    const { readQueue, wakeAll, roundsFor, readsOf } = aSecond();
    wakeAll();
    await readQueue.idle();
    wakeAll();
    await oneRound();
    readQueue[Symbol.dispose]();
    await roundsFor(100);
    expect(readsOf()).toBe(2_500);
  });
});
