/** Joins the lines of one request by the channel that owns them. */
import type { EpochMs } from '../../core/clock.ts';
import type { ChannelId } from '../../core/scope.ts';

/** What one request holds, by the channel that owns it. */
export type OfferedLines = ReadonlyMap<ChannelId | undefined, readonly OfferedText[]>;

export interface OfferedText {
  readonly text: string;
  /** When it was written, by its sender's clock; undefined: just now. */
  readonly at?: EpochMs | undefined;
}

/** Text of one owner that is all fresh, or all late. */
export interface OwnedText {
  readonly text: string | Buffer;
  readonly channel: ChannelId | undefined;
  readonly backlog: boolean;
}

/** A buffer for each line of a large request would cost more memory than the lines. */
const JOINED_CHARS = 32 * 1024;

/** Whole records of about that size. Order within one owner is kept. */
export function* joined(offered: OfferedLines, isLate: (at: EpochMs | undefined) => boolean): Generator<OwnedText> {
  for (const [channel, owned] of offered) {
    let texts: string[] = [];
    let chars = 0;
    let backlog = false;
    for (const { text, at } of owned) {
      const late = isLate(at);
      if (texts.length > 0 && (late !== backlog || chars + text.length > JOINED_CHARS)) {
        yield { text: texts.join(''), channel, backlog };
        [texts, chars] = [[], 0];
      }
      texts.push(text);
      if (!isTerminated(text)) texts.push('\n');
      chars += text.length + 1;
      backlog = late;
    }
    if (texts.length > 0) yield { text: texts.join(''), channel, backlog };
  }
}

/** A record ends in `\n`, or in `\r` where it is progress. */
export const isTerminated = (text: string): boolean => text.endsWith('\n') || text.endsWith('\r');
