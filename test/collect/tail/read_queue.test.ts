import { onTestFinished, describe, expect, it } from 'vitest';
import { ReadQueue } from '../../../src/collect/tail/read_queue.ts';
import { type Clock, systemClock } from '../../../src/core/clock.ts';

/** Each bit of work takes a millisecond; batches are four long. */
function aRound() {
  let nowMs = 0;
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
  return { readQueue, done, worker };
}

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

  it('give whoever has news and is looked at anyway one bit, with the others that have news', async () => {
    const { readQueue, done, worker } = aRound();
    const both = worker('both');
    readQueue.wakeLater(worker('look'));
    readQueue.wakeLater(both);
    readQueue.wake(both);
    readQueue.wakeLater(both);
    await readQueue.idle();
    expect(done).toEqual(['both', 'look']);
  });
});
