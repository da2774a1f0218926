/** Numbers the channels for counting. */
import type { ChannelId } from '../core/scope.ts';

/** Gives each channel a small number, so that counts live in typed arrays. */
export interface ChannelTable {
  /** Of a configured channel; undefined for any other name. */
  numberOf(channel: ChannelId): number | undefined;
  nameOf(number: number): ChannelId;
  readonly size: number;
  /**
   * The configured channel that a line names (path, `[channel=…]`, a JSON or key=value field); undefined where none.
   */
  find(text: string): number | undefined;
}

/** Where a line may name its channel. The first that names a configured one is the answer. */
const MARKS =
  /(?:\/(?:live|hls|dash|channels?|stream)\/|\bchannel["']?\s*[:=]\s*["']?|\[channel=|\[path |\[)([A-Za-z0-9][\w.-]*)/g;
const CANDIDATES_MAX = 8;
/** Of a file that is named after the channel. */
const ENDING = /\.[a-z0-9]+$/;

/** `aliases`: other names under which the logs know a channel, for example the engine's own. */
export function createChannelTable(
  ids: readonly ChannelId[],
  aliases: readonly { readonly name: string; readonly channel: ChannelId }[] = [],
): ChannelTable {
  const numbers = new Map<string, number>(ids.map((id, at) => [id, at]));
  for (const { name, channel } of aliases) {
    const number = numbers.get(channel);
    if (number !== undefined && !numbers.has(name)) numbers.set(name, number);
  }
  return {
    numberOf: (channel) => numbers.get(channel),
    nameOf: (number) => ids[number]!,
    size: ids.length,
    find: (text) => findMarked(text, numbers),
  };
}

function findMarked(text: string, numbers: ReadonlyMap<string, number>): number | undefined {
  MARKS.lastIndex = 0;
  for (let tries = 0; tries < CANDIDATES_MAX; tries += 1) {
    const mark = MARKS.exec(text);
    if (mark === null) return undefined;
    const name = mark[1]!;
    const number = numbers.get(name) ?? (name.includes('.') ? numbers.get(name.replace(ENDING, '')) : undefined);
    if (number !== undefined) return number;
  }
  return undefined;
}
