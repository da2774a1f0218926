/** Errors that keep coming and that no cluster of hints knows: a bounded sliding window over their beginnings. */
import { createHash } from 'node:crypto';
import { HOUR_MS } from '../core/duration.ts';

/** The settings of the window. */
export interface BlindSpotSettings {
  /** Length of the window in milliseconds, above 0. */
  readonly windowMs: number;
  /** Events within the window that make a blind spot, at least 1. */
  readonly threshold: number;
}

/** One beginning of an error within the window. */
export interface BlindSpot {
  /** SHA-256 of the beginning, its numbers and ids left out: 64 hexadecimal digits. */
  readonly prefixHash: string;
  readonly count: number;
  readonly firstSeenMs: number;
  readonly lastSeenMs: number;
  /** The beginning of the newest text. Hand in redacted text only: this is shown to people. */
  readonly sampleExcerpt: string;
}

/** What the window holds at one moment. */
export interface BlindSpotSummary {
  /** Those at or above the threshold, most frequent first. */
  readonly active: readonly BlindSpot[];
  readonly totalUniquePrefixes: number;
  readonly totalEvents: number;
}

/** How many different beginnings are kept; beyond that the one that was quiet longest is forgotten. */
export const PREFIXES_MAX = 1_000;
/** How many events of one beginning are kept; its count rises no further, and no threshold may be above it. */
export const EVENTS_MAX = 1_000;
/** Three within an hour. */
const BLIND_SPOT_DEFAULTS: BlindSpotSettings = { windowMs: HOUR_MS, threshold: 3 };
const PREFIX_CHARS = 80;
const EXCERPT_CHARS = 200;

/** The hash that errors with the same beginning share, whatever numbers and ids stand in it. */
export function prefixHashOf(text: string): string {
  const shape = text
    .slice(0, EXCERPT_CHARS)
    .toLowerCase()
    .replace(/0x[0-9a-f]+|[0-9]+/g, '#')
    .replace(/\s+/g, ' ')
    .trim();
  return createHash('sha256').update(shape.slice(0, PREFIX_CHARS)).digest('hex');
}

interface Seen {
  /** Rising. */
  times: number[];
  sample: string;
  crossedMs: number | undefined;
}

/** The window. The same events in the same order give the same state, so a restart replays them. */
export class BlindSpots {
  readonly #settings: BlindSpotSettings;
  /** In the order of their last event. */
  readonly #seen = new Map<string, Seen>();
  #newestMs = Number.NEGATIVE_INFINITY;

  /** Throws RangeError on a window or threshold out of range: a limit must not be switched off by accident. */
  constructor(settings: BlindSpotSettings = BLIND_SPOT_DEFAULTS) {
    const { windowMs, threshold } = settings;
    if (!(windowMs > 0 && Number.isFinite(windowMs))) throw new RangeError(`window: expected above 0, got ${windowMs}`);
    if (!Number.isSafeInteger(threshold) || threshold < 1 || threshold > EVENTS_MAX) {
      throw new RangeError(`threshold: expected 1 to ${EVENTS_MAX}, got ${threshold}`);
    }
    this.#settings = settings;
  }

  /**
   * Counts an error. Gives the blind spot when it reaches the threshold, once per window for each beginning. A clock
   * that was set back counts as standing still.
   */
  record(text: string, atMs: number): BlindSpot | undefined {
    const nowMs = this.#forward(atMs);
    const hash = prefixHashOf(text);
    const seen = this.#seen.get(hash) ?? { times: [], sample: '', crossedMs: undefined };
    this.#seen.delete(hash);
    this.#seen.set(hash, seen);
    seen.times = [...this.#within(seen.times, nowMs), nowMs].slice(-EVENTS_MAX);
    seen.sample = text.slice(0, EXCERPT_CHARS);
    for (const quietest of this.#seen.keys()) {
      if (this.#seen.size <= PREFIXES_MAX) break;
      this.#seen.delete(quietest);
    }
    const { threshold, windowMs } = this.#settings;
    const isFresh = seen.crossedMs === undefined || nowMs - seen.crossedMs >= windowMs;
    if (seen.times.length < threshold || !isFresh) return undefined;
    seen.crossedMs = nowMs;
    return spotOf(hash, seen, seen.times);
  }

  /** After a restart: this beginning was a blind spot at that time, and is not one again within the window. */
  noteCrossing(prefixHash: string, atMs: number): void {
    const seen = this.#seen.get(prefixHash) ?? { times: [], sample: '', crossedMs: undefined };
    this.#seen.set(prefixHash, { ...seen, crossedMs: Math.max(seen.crossedMs ?? atMs, atMs) });
  }

  /** What the window holds; what has left it is not counted. */
  summary(atMs: number): BlindSpotSummary {
    const nowMs = Math.max(atMs, this.#newestMs);
    const spots = [...this.#seen].flatMap(([hash, seen]) => {
      const times = this.#within(seen.times, nowMs);
      return times.length === 0 ? [] : [spotOf(hash, seen, times)];
    });
    return {
      active: spots
        .filter(({ count }) => count >= this.#settings.threshold)
        .sort((a, b) => b.count - a.count || (a.prefixHash < b.prefixHash ? -1 : 1)),
      totalUniquePrefixes: spots.length,
      totalEvents: spots.reduce((sum, { count }) => sum + count, 0),
    };
  }

  #forward(atMs: number): number {
    this.#newestMs = Math.max(this.#newestMs, atMs);
    return this.#newestMs;
  }

  #within(times: readonly number[], nowMs: number): readonly number[] {
    return times.filter((time) => time > nowMs - this.#settings.windowMs);
  }
}

const spotOf = (prefixHash: string, seen: Seen, times: readonly number[]): BlindSpot => ({
  prefixHash,
  count: times.length,
  firstSeenMs: times[0] as number,
  lastSeenMs: times.at(-1) as number,
  sampleExcerpt: seen.sample,
});
