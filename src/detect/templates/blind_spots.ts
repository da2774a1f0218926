/** Counts complaints that no pattern recognises. */
import type { EpochMs, MonoMs } from '../../core/clock.ts';
import { MINUTE_MS } from '../../core/duration.ts';
import type { Catalogue } from '../patterns/catalogue.ts';
import { type MinerLimits, TemplateMiner } from './templates.ts';

/** A complaint that no pattern fits. The text is redacted. */
export interface Complaint {
  readonly text: string;
  readonly channel: string | undefined;
  readonly at: EpochMs;
  readonly monoMs: MonoMs;
}

/** A line that keeps being logged and that Reeve does not understand. */
export interface BlindSpot {
  readonly template: string;
  readonly channel: string | undefined;
  /** In the last ten minutes. */
  readonly count: number;
  readonly total: number;
  readonly firstSeenAt: EpochMs;
  readonly lastSeenAt: EpochMs;
  /** One line of it, redacted: for people, never for the planner. */
  readonly sample: string;
  /** Far more often in the last minute than before. */
  readonly bursting: boolean;
  /** The nearest catalogue pattern, where the shape is close to one. */
  readonly like: string | undefined;
}

export interface BlindSpotLimits extends Partial<MinerLimits> {
  /** Shapes per channel that are counted at all. */
  readonly spotsMax?: number;
  /** From this many in the window a shape is recurring. */
  readonly recurringMin?: number;
}

const MINUTES = 10;
const SPOTS_MAX = 2000;
const RECURRING_MIN = 5;
const BURST_MIN = 10;
const BURST_FACTOR = 5;

interface Spot {
  template: string;
  readonly channel: string | undefined;
  readonly like: string | undefined;
  readonly firstSeenAt: EpochMs;
  lastSeenAt: EpochMs;
  readonly sample: string;
  total: number;
  minute: number;
  readonly counts: Uint32Array;
}

/** Counts unrecognised shapes of message per channel. Bounded: the spot that was quiet longest makes room. */
export class BlindSpots {
  readonly #miner: TemplateMiner;
  readonly #spots = new Map<string, Spot>();
  readonly #spotsMax: number;
  readonly #recurringMin: number;
  #dropped = 0;

  constructor(catalogue: Catalogue, limits: BlindSpotLimits = {}) {
    this.#miner = new TemplateMiner(limits);
    this.#spotsMax = limits.spotsMax ?? SPOTS_MAX;
    this.#recurringMin = limits.recurringMin ?? RECURRING_MIN;
    for (const pattern of catalogue.patterns) {
      for (const example of pattern.examples.slice(0, 1)) this.#miner.seed(example, pattern.id);
    }
  }

  /** Spots that were forgotten to make room. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Returns true when the shape was never seen before. */
  observe({ text, channel, at, monoMs }: Complaint): boolean {
    const { template, isNew } = this.#miner.learn(text);
    const key = `${template.id}/${channel ?? ''}`;
    const spot = this.#spots.get(key) ?? this.#create(key, { text, channel, at, monoMs }, template.like);
    advance(spot, Math.floor(monoMs / MINUTE_MS));
    spot.template = template.text;
    spot.counts[spot.minute % MINUTES]! += 1;
    spot.total += 1;
    spot.lastSeenAt = at;
    // Kept in order of use, so that the first is the one to forget.
    this.#spots.delete(key);
    this.#spots.set(key, spot);
    return isNew;
  }

  /** Recurring or bursting shapes, most frequent first. */
  list(nowMs: MonoMs): readonly BlindSpot[] {
    const minute = Math.floor(nowMs / MINUTE_MS);
    const spots = [...this.#spots.values()].map((spot) => {
      advance(spot, minute);
      return spotOf(spot);
    });
    return spots
      .filter(({ count, bursting }) => bursting || count >= this.#recurringMin)
      .sort((a, b) => b.count - a.count || b.total - a.total);
  }

  /** Everything that was heard of these channels, or of none in particular, between two moments: newest last. */
  heard(channels: readonly string[], from: EpochMs, until: EpochMs): readonly BlindSpot[] {
    const isAbout = ({ channel }: Spot): boolean => channel === undefined || channels.includes(channel);
    const isThen = ({ firstSeenAt, lastSeenAt }: Spot): boolean => lastSeenAt >= from && firstSeenAt <= until;
    return [...this.#spots.values()].filter((spot) => isAbout(spot) && isThen(spot)).map(spotOf);
  }

  #create(key: string, { text, channel, at, monoMs }: Complaint, like: string | undefined): Spot {
    if (this.#spots.size >= this.#spotsMax) {
      const oldest = this.#spots.keys().next().value;
      if (oldest !== undefined) this.#spots.delete(oldest);
      this.#dropped += 1;
    }
    const spot: Spot = {
      template: '',
      channel,
      like,
      firstSeenAt: at,
      lastSeenAt: at,
      sample: text,
      total: 0,
      minute: Math.floor(monoMs / MINUTE_MS),
      counts: new Uint32Array(MINUTES),
    };
    this.#spots.set(key, spot);
    return spot;
  }
}

function advance(spot: Spot, minute: number): void {
  const passed = Math.min(MINUTES, minute - spot.minute);
  for (let step = 1; step <= passed; step += 1) spot.counts[(minute - passed + step) % MINUTES] = 0;
  spot.minute = Math.max(spot.minute, minute);
}

function spotOf({ template, channel, like, firstSeenAt, lastSeenAt, sample, total, minute, counts }: Spot): BlindSpot {
  const count = counts.reduce((sum, each) => sum + each, 0);
  const latest = counts[minute % MINUTES]!;
  const before = (count - latest) / (MINUTES - 1);
  const bursting = latest >= BURST_MIN && latest >= before * BURST_FACTOR;
  return { template, channel, count, total, firstSeenAt, lastSeenAt, sample, bursting, like };
}
