/** Lets the probes of calm channels rest, and ends the rest when a channel is in doubt. */
import type { Clock, MonoMs } from '../../core/clock.ts';
import type { Sample } from '../../core/sample.ts';
import type { ChannelId } from '../../core/scope.ts';
import { Calm, type Rest } from './calm.ts';
import { Origins } from './origins.ts';
import type { Poller } from './poller.ts';

/** What is known of each channel that a probe may look at less often. */
export interface RestingChannel {
  readonly id: ChannelId;
  readonly output:
    | { readonly everyMs: number; readonly calmEveryMs?: number; readonly stallAfterMs?: number }
    | undefined;
  readonly source:
    | { readonly everyMs: number; readonly calmEveryMs?: number; readonly url?: string; readonly status?: unknown }
    | undefined;
}

/** How long the probes of each channel may rest now. */
export interface Rests {
  readonly calm: Calm;
  /** Takes whatever is seen. */
  readonly observe: (sample: Sample) => void;
  /** Some channel may rest at all. */
  readonly isAny: boolean;
  readonly outputMs: (channel: ChannelId, nowMs: MonoMs) => number;
  readonly sourceMs: (channel: ChannelId, nowMs: MonoMs) => number;
  /** A look at the channel's output or source need not be a close one. */
  readonly goesOn: (channel: ChannelId, nowMs: MonoMs) => boolean;
}

/** What is known of how fresh the signs of a channel are. */
export interface Freshness {
  /** When a playlist was last heard to change; undefined where that is not known. */
  readonly heardMs?: (channel: ChannelId) => MonoMs | undefined;
  /** How late logs are read now, in milliseconds. */
  readonly lateMs?: (() => number) | undefined;
}

export function createRests(
  channels: readonly RestingChannel[],
  { heardMs = () => undefined, lateMs }: Freshness = {},
): Rests {
  const outputs = restsOf(channels, 'output');
  const sources = restsOf(channels, 'source');
  const calm = new Calm([...new Set([...outputs.keys(), ...sources.keys()])], lateMs);
  const origins = new Origins(
    channels.flatMap(({ id, source }) =>
      source?.url === undefined || source.status !== undefined ? [] : [{ channel: id, url: source.url }],
    ),
  );
  return {
    calm,
    observe: (sample) => {
      calm.observe(sample);
      if (sample.kind === 'source') origins.observe(sample);
    },
    goesOn: (channel, nowMs) => calm.goesOn(channel, nowMs),
    isAny: outputs.size + sources.size > 0,
    outputMs: (channel, nowMs) => {
      const rest = outputs.get(channel);
      return rest === undefined ? 0 : calm.outputRestMs(channel, rest, nowMs, heardMs(channel));
    },
    sourceMs: (channel, nowMs) => {
      const rest = sources.get(channel);
      return rest === undefined ? 0 : origins.restMs(channel, calm.sourceRestMs(channel, rest, nowMs), nowMs);
    },
  };
}

const restsOf = (channels: readonly RestingChannel[], of: 'output' | 'source'): ReadonlyMap<ChannelId, Rest> =>
  new Map(
    channels.flatMap(({ id, [of]: look }): [ChannelId, Rest][] => {
      const { everyMs = 0, calmEveryMs = 0 } = look ?? {};
      return calmEveryMs > everyMs ? [[id, { ...look, everyMs, calmEveryMs }]] : [];
    }),
  );

/** Doubt is looked for this often. */
const DOUBTS_EVERY_MS = 500;
/** What is in doubt is looked at this often. */
const DOUBTED_EVERY_MS = 1_000;

/**
 * Looks at once at what was calm and is in doubt. After a pause of Reeve itself everything seems in doubt until what
 * came meanwhile has been read: the first round after one is left out. On a machine so slow that every round is late
 * every second one is kept, or what stands there would be found only when its rest ends.
 */
export function watchDoubts(clock: Clock, pollers: readonly Poller[]): Disposable {
  let lastMs = clock.monotonicMs();
  let isLeftOut = false;
  return clock.every(DOUBTS_EVERY_MS, () => {
    const nowMs = clock.monotonicMs();
    isLeftOut = !isLeftOut && nowMs - lastMs > 2 * DOUBTS_EVERY_MS;
    lastMs = nowMs;
    if (!isLeftOut) for (const poller of pollers) poller.wakeDoubted(DOUBTED_EVERY_MS);
  });
}
