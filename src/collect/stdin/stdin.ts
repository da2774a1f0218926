/** Follows a stream to its end. */
import type { Readable } from 'node:stream';
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

/** Follows a stream, such as standard input, to its end. It never waits for Reeve: its writer would. */
export function followStream(
  stream: Readable,
  { feed, channel }: { readonly feed: LineFeed; readonly channel: ChannelId | undefined },
): Disposable {
  const records = intoFeed(feed, { channel });
  const onData = (bytes: Buffer | string): void => records.push(Buffer.from(bytes));
  const onEnd = (): void => records.end();
  stream.on('data', onData);
  stream.on('end', onEnd);
  return {
    [Symbol.dispose]() {
      stream.off('data', onData);
      stream.off('end', onEnd);
      stream.pause();
      records.end();
    },
  };
}
