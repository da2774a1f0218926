import { onTestFinished } from 'vitest';
import { createFeeds, type FeedLimits } from '../../../src/collect/feed/feed.ts';
import { type Clock, systemClock } from '../../../src/core/clock.ts';
import { countChunk } from './tailing.ts';

export interface Fed {
  readonly channel: string | undefined;
  readonly text: string;
  readonly backlog: boolean;
}

/** One feed and what came out of it. */
export function aFeed(limits: Partial<FeedLimits> = {}, clock: Clock = systemClock) {
  const seen: Fed[] = [];
  const feeds = createFeeds({
    clock,
    sink: (chunk) => {
      const { count, records } = countChunk(chunk);
      const { channel, backlog } = chunk;
      seen.push(...records.map((text) => ({ channel, text: text.replace(/\n$/, ''), backlog })));
      return count;
    },
  });
  onTestFinished(() => feeds[Symbol.dispose]());
  const feed = feeds.open('feed', limits);
  return { feeds, feed, seen, texts: () => seen.map(({ text }) => text) };
}
