import { describe, expect, it } from 'vitest';
import { LineQueue } from '../../../src/collect/feed/queue.ts';

const record = (text: string, channel: string | undefined = 'news', backlog = false) => ({
  bytes: Buffer.from(text),
  lines: 1,
  channel,
  backlog,
});

function queueOf(...records: readonly ReturnType<typeof record>[]): LineQueue {
  const queue = new LineQueue();
  for (const one of records) queue.add(one);
  return queue;
}

const blocks = (queue: LineQueue): readonly string[] => {
  const texts: string[] = [];
  while (queue.lines > 0) texts.push(queue.next().bytes.toString());
  return texts;
};

describe('records that wait', () => {
  it('travel together while they are of one owner and neither or both are backlog', () => {
    const parts = [record('a'), record('b'), record('c', 'sport'), record('d', 'sport', true), record('e')];
    expect(blocks(queueOf(...parts))).toEqual(['ab', 'c', 'd', 'e']);
  });

  it('travel together up to 32 KiB: a block below it still takes one more', () => {
    const below = 'x'.repeat(32 * 1024 - 1);
    expect(blocks(queueOf(record(below), record('y'), record('z')))).toEqual([`${below}y`, 'z']);
  });

  it('keep their order and their bytes when many small ones are joined', () => {
    const texts = Array.from({ length: 300 }, (_, at) => `${at} `);
    expect(blocks(queueOf(...texts.map((text) => record(text))))).toEqual([texts.join('')]);
  });

  it('are counted as they come and go', () => {
    const queue = queueOf(record('abc'), record('de', 'sport'));
    expect([queue.bytes, queue.lines]).toEqual([5, 2]);
    expect(queue.next()).toMatchObject({ lines: 1, channel: 'news' });
    expect([queue.bytes, queue.lines]).toEqual([2, 1]);
  });

  it('are not joined to a block that has left already', () => {
    const queue = queueOf(record('a'));
    queue.next();
    queue.add(record('b'));
    expect(blocks(queue)).toEqual(['b']);
  });

  it('come out in their order when many blocks have left before them', () => {
    const texts = Array.from({ length: 200 }, (_, at) => `${at}`);
    expect(blocks(queueOf(...texts.map((text) => record(text, `c${text}`))))).toEqual(texts);
  });
});

describe('records that are dropped', () => {
  it('are the oldest block, by its lines, or all', () => {
    const queue = queueOf(record('a'), record('b'), record('c', 'sport'), record('d'));
    expect(queue.dropOldest()).toBe(2);
    expect(queue.clear()).toBe(2);
    expect([queue.bytes, queue.lines]).toEqual([0, 0]);
    queue.add(record('e'));
    expect(blocks(queue)).toEqual(['e']);
  });
});
