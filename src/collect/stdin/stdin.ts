/** Follows a stream to its end. */
import type { Readable } from 'node:stream';
import { messageOf } from '../../core/errors.ts';
import type { ChannelId } from '../../core/scope.ts';
import { DEFAULT_FEED_LIMITS, type LineFeed } from '../feed/feed.ts';
import { RecordStream } from '../feed/record_stream.ts';

/** Whole records of a stream go into a feed. What a feed takes it keeps, so it gets a copy. */
const intoFeed = (
  feed: LineFeed,
  {
    channel,
    lineBytesMax = DEFAULT_FEED_LIMITS.lineBytesMax,
  }: { channel?: ChannelId | undefined; lineBytesMax?: number },
): RecordStream =>
  new RecordStream(lineBytesMax, {
    hand: (bytes, start, end) => feed.push({ text: Buffer.from(bytes.subarray(start, end)), channel }),
    drop: (reason, lines) => feed.lost(reason, lines),
  });

export interface StreamFollowing {
  readonly feed: LineFeed;
  readonly channel: ChannelId | undefined;
  /** Hears once why nothing more comes: the stream ended, or it failed. */
  readonly onOver: (because: string) => void;
}

/** Follows a stream, such as standard input, to its end. It never waits for Reeve: its writer would. */
export function followStream(stream: Readable, { feed, channel, onOver }: StreamFollowing): Disposable {
  const records = intoFeed(feed, { channel });
  let isOver = false;
  const onData = (bytes: Buffer | string): void => records.push(Buffer.from(bytes));
  const over = (because: string): void => {
    if (isOver) return;
    isOver = true;
    records.end();
    onOver(because);
  };
  stream.on('data', onData);
  stream.on('end', () => over('it has ended'));
  // Heard for as long as Reeve runs: a terminal that is gone is no reason to end.
  stream.on('error', (error) => over(messageOf(error)));
  return {
    [Symbol.dispose]() {
      isOver = true;
      stream.off('data', onData);
      stream.pause();
      records.end();
    },
  };
}
