import { onTestFinished, describe, expect, it } from 'vitest';
import { ReadQueue } from '../../../src/collect/tail/read_queue.ts';
import { type Clock, systemClock } from '../../../src/core/clock.ts';

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
  return { readQueue, done, worker, elsewhere };
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
});
