/** Delays, repeats and reorders samples. */
import type { Sample } from '../core/sample.ts';
import { fractionOf } from './random_streams.ts';

/** What becomes of the samples of a channel on their way to Reeve. */
export const SAMPLE_FAULTS = ['late', 'doubled', 'reordered', 'cached'] as const;
export type SampleFault = (typeof SAMPLE_FAULTS)[number];

export interface SampleFaultsDeps {
  readonly seed: number;
  readonly nowMs: () => number;
  /** On the clock of the Reeve that is to hear of it: what is late for a process that has ended is lost. */
  readonly after: (delayMs: number, run: () => void) => void;
  readonly faultOf: (channel: string) => SampleFault | undefined;
  readonly take: (sample: Sample) => void;
}

const LATE_MS = [1_000, 8_000] as const;
/** A cache between the probe and the service answers with what it has for so long. */
const CACHED_MS = 12_000;
/**
 * What is overtaken arrives by then, overtaken or not: a network reorders within seconds. The simulated looks are five
 * seconds apart, or less where there is doubt.
 */
const OVERTAKEN_MS_MAX = 5_500;

/** Between probes and Reeve: samples that come late, twice, in the wrong order, or out of a cache. */
export class SampleFaults {
  readonly #deps: SampleFaultsDeps;
  readonly #kept = new Map<string, Sample>();
  readonly #cached = new Map<string, { readonly sample: Sample; readonly atMs: number }>();
  #count = 0;

  constructor(deps: SampleFaultsDeps) {
    this.#deps = deps;
  }

  take(sample: Sample): void {
    const fault = 'channel' in sample ? this.#deps.faultOf(sample.channel) : undefined;
    if (fault === undefined || !('channel' in sample)) return this.#deps.take(sample);
    this.#count += 1;
    const key = `${sample.channel} ${sample.kind}`;
    switch (fault) {
      case 'late':
        return this.#late(sample);
      case 'doubled':
        this.#deps.take(sample);
        return this.#late(sample);
      case 'reordered':
        return this.#swap(key, sample);
      case 'cached':
        return this.#deps.take(this.#fromCache(key, sample));
    }
  }

  #late(sample: Sample): void {
    const lot = fractionOf(this.#deps.seed, this.#count, this.#deps.nowMs());
    this.#deps.after(LATE_MS[0] + Math.floor(lot * (LATE_MS[1] - LATE_MS[0])), () => this.#deps.take(sample));
  }

  /** Every second sample comes before the one that was taken before it, where the two are close. */
  #swap(key: string, sample: Sample): void {
    const kept = this.#kept.get(key);
    if (kept === undefined) {
      this.#kept.set(key, sample);
      return this.#deps.after(OVERTAKEN_MS_MAX, () => this.#release(key, sample));
    }
    this.#deps.take(sample);
    this.#release(key, kept);
  }

  #release(key: string, sample: Sample): void {
    if (this.#kept.get(key) !== sample) return;
    this.#kept.delete(key);
    this.#deps.take(sample);
  }

  /** Old content with the time of now: only what comes over HTTP can be cached. */
  #fromCache(key: string, sample: Sample): Sample {
    if (sample.kind !== 'playlist') return sample;
    const nowMs = this.#deps.nowMs();
    const cached = this.#cached.get(key);
    if (cached === undefined || nowMs - cached.atMs >= CACHED_MS) {
      this.#cached.set(key, { sample, atMs: nowMs });
      return sample;
    }
    return { ...cached.sample, at: sample.at, monoMs: sample.monoMs } as Sample;
  }
}
