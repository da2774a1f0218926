import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { followStream } from '../../../src/collect/stdin/stdin.ts';
import { aFeed } from '../support/feeding.ts';

describe('a followed stream', () => {
  it('is a log of whole lines, the last one with or without its end', async () => {
    const { feeds, feed, seen } = aFeed();
    const input = new PassThrough();
    using _ = followStream(input, { feed, channel: 'news', onOver: () => undefined });
    input.write('one\ntw');
    input.write('o\nthr');
    input.end('ee');
    await expect.poll(() => feed.stats().lines + feed.stats().waiting).toBe(3);
    await feeds.idle();
    expect(seen.map(({ text, channel }) => [text, channel])).toEqual([
      ['one', 'news'],
      ['two', 'news'],
      ['three', 'news'],
    ]);
  });

  it.each([
    ['ends', (input: PassThrough) => input.end(), 'it has ended'],
    ['fails', (input: PassThrough) => input.destroy(new Error('read EIO')), 'read EIO'],
  ])('says once that nothing more comes when it %s, and hands over what it has', async (_, over, why) => {
    const { feed } = aFeed();
    const input = new PassThrough();
    const said: string[] = [];
    using _following = followStream(input, { feed, channel: 'news', onOver: (because) => said.push(because) });
    input.write('one\ntwo');
    await expect.poll(() => feed.stats().lines + feed.stats().waiting).toBe(1);
    over(input);
    await expect.poll(() => said).toEqual([why]);
    expect(feed.stats().lines + feed.stats().waiting).toBe(2);
  });

  it('says nothing when it is no longer followed', async () => {
    const { feed } = aFeed();
    const input = new PassThrough();
    const said: string[] = [];
    const following = followStream(input, { feed, channel: 'news', onOver: (because) => said.push(because) });
    following[Symbol.dispose]();
    input.destroy(new Error('read EIO'));
    await new Promise((resolve) => input.once('close', resolve));
    expect(said).toEqual([]);
  });
});
