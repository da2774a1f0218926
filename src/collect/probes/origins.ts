/** Lets calm channels that read from one origin share the proof that it answers. */
import type { MonoMs } from '../../core/clock.ts';
import { MINUTE_MS } from '../../core/duration.ts';
import type { SourceSample } from '../../core/sample.ts';
import type { ChannelId } from '../../core/scope.ts';

/** A calm channel's own source is looked at this often at least, whoever else proves that its origin answers. */
export const OWN_LOOK_MS = MINUTE_MS;
/** What says something of the origin, and not of one path on it: below 500 a status speaks of the path. */
const OF_ORIGIN: ReadonlySet<string> = new Set(['refused', 'reset', 'timeout', 'dns', 'tls', 'unreachable']);

interface Origin {
  readonly channels: number;
  provenMs: MonoMs;
}

/**
 * Which origins answer. A proof is a reason to look more seldom while nothing is in doubt, and never a sample of
 * another channel: what is known of a channel's source comes of looks at that source alone.
 */
export class Origins {
  readonly #of = new Map<ChannelId, Origin>();

  constructor(sources: readonly { readonly channel: ChannelId; readonly url: string }[]) {
    for (const sharing of Map.groupBy(sources, ({ url }) => originOf(url)).values()) {
      const origin = { channels: sharing.length, provenMs: Number.NEGATIVE_INFINITY };
      for (const { channel } of sharing) this.#of.set(channel, origin);
    }
  }

  observe(sample: SourceSample): void {
    const origin = this.#of.get(sample.channel);
    if (origin === undefined) return;
    if (sample.ok) origin.provenMs = sample.monoMs;
    else if (isOfOrigin(sample)) origin.provenMs = Number.NEGATIVE_INFINITY;
  }

  /** How long a source may rest that may rest `restMs` by itself. */
  restMs(channel: ChannelId, restMs: number, nowMs: MonoMs): number {
    const origin = this.#of.get(channel);
    if (restMs === 0 || origin === undefined || nowMs - origin.provenMs > restMs) return restMs;
    return Math.max(restMs, Math.min(restMs * origin.channels, OWN_LOOK_MS));
  }
}

const isOfOrigin = ({ failure, status = 0 }: SourceSample): boolean =>
  failure === 'http_status' ? status >= 500 : OF_ORIGIN.has(failure ?? '');

const originOf = (url: string): string => {
  const { protocol, host } = new URL(url);
  return `${protocol}//${host}`;
};
