/** Numbers the channels for counting. */
import type { ChannelId, EngineId } from '../core/scope.ts';

/** Gives each channel a small number, so that counts live in typed arrays. */
export interface ChannelTable {
  /** Of a configured channel, first by what this engine calls it; undefined for any other name. */
  numberOf(name: string, engine?: EngineId): number | undefined;
  nameOf(number: number): ChannelId;
  readonly size: number;
  /**
   * The configured channel that a line names (path, `[channel=…]`, a JSON or key=value field); undefined where none.
   */
  find(text: string, engine?: EngineId): number | undefined;
  /** Whose log a source is; undefined where it is no engine's. */
  engineOf(source: string): EngineId | undefined;
}

/** What an engine calls one of its channels. */
export interface ChannelAlias {
  readonly name: string;
  readonly channel: ChannelId;
  readonly engine?: EngineId | undefined;
}

type Numbers = ReadonlyMap<string, number>;

/** Where a line may name its channel. The first that names a configured one is the answer. */
const MARKS =
  /(?:\/(?:live|hls|dash|channels?|stream)\/|\bchannel["']?\s*[:=]\s*["']?|\[channel=|\[path |\[)([A-Za-z0-9][\w.-]*)/g;
const CANDIDATES_MAX = 8;
/** Of a file that is named after the channel. */
const ENDING = /\.[a-z0-9]+$/;

/**
 * `aliases`: other names under which the logs know a channel, for example the engine's own. Two engines may have one
 * name each for different channels: outside their logs it says nothing. `engines`: of sources that are an engine's log.
 */
export function createChannelTable(
  ids: readonly ChannelId[],
  aliases: readonly ChannelAlias[] = [],
  engines: ReadonlyMap<string, EngineId> = new Map(),
): ChannelTable {
  const numbers: Numbers = new Map(ids.map((id, at) => [id, at]));
  const known = aliases.flatMap(({ name, channel, engine }) => {
    const number = numbers.get(channel);
    return number === undefined ? [] : [{ name, number, engine }];
  });
  const owners = Map.groupBy(known, ({ name }) => name);
  const alone = known.filter(({ name }) => new Set(owners.get(name)!.map(({ number }) => number)).size === 1);
  const everywhere: Numbers = new Map([...alone.map(({ name, number }) => [name, number] as const), ...numbers]);
  const own = new Map<EngineId | undefined, Numbers>(
    [...Map.groupBy(known, ({ engine }) => engine)].map(([engine, names]) => [
      engine,
      new Map(names.map(({ name, number }) => [name, number])),
    ]),
  );
  const ofEngine = (engine: EngineId | undefined) => (engine === undefined ? undefined : own.get(engine));
  return {
    numberOf: (name, engine) => ofEngine(engine)?.get(name) ?? everywhere.get(name),
    nameOf: (number) => ids[number]!,
    size: ids.length,
    find: (text, engine) => findMarked(text, [ofEngine(engine), everywhere]),
    engineOf: (source) => engines.get(source),
  };
}

function findMarked(text: string, [own, everywhere]: readonly [Numbers | undefined, Numbers]): number | undefined {
  const numberOf = (name: string): number | undefined => own?.get(name) ?? everywhere.get(name);
  MARKS.lastIndex = 0;
  for (let tries = 0; tries < CANDIDATES_MAX; tries += 1) {
    const mark = MARKS.exec(text);
    if (mark === null) return undefined;
    const name = mark[1]!;
    const number = numberOf(name) ?? (name.includes('.') ? numberOf(name.replace(ENDING, '')) : undefined);
    if (number !== undefined) return number;
  }
  return undefined;
}
