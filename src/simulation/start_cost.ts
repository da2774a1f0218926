/** What starting many encoders at once costs. */
import type { Generation } from './service_channel.ts';

/**
 * How many times as long the first segment takes when so many encoders start at once as when one starts alone:
 * `scripts/start_cost.ts` on ffmpeg 5.1.9 and two cores that carry sixteen such channels; see docs/simulation.md.
 */
export const START_CURVE: readonly (readonly [atOnce: number, factor: number])[] = [
  [1, 1],
  [2, 1.04],
  [4, 1.08],
  [8, 1.18],
  [16, 1.63],
];
/** The channels of the machine that was measured. One of the world that carries more is so many times as large. */
const MEASURED_CHANNELS = 16;

/** The factor for so many starts at once on a machine that carries `channels`: straight lines between the points. */
export function startFactor(atOnce: number, channels: number): number {
  const alike = atOnce * Math.min(1, MEASURED_CHANNELS / channels);
  const above = START_CURVE.findIndex(([count]) => count >= alike);
  if (above === 0) return 1;
  const to = START_CURVE.at(above)!;
  const from = START_CURVE.at(above < 0 ? -2 : above - 1)!;
  const slope = (to[1] - from[1]) / (to[0] - from[0]);
  return from[1] + slope * (alike - from[0]);
}

interface Starting {
  readonly done: () => void;
  /** What is left to do, in milliseconds of a start that has the machine for itself. */
  leftMs: number;
}

export interface MachineDeps {
  /** Channels that the machine carries. */
  readonly channels: number;
  readonly nowMs: () => number;
  readonly at: (atMs: number, run: () => void) => void;
}

/** One machine on which encoders start: the more at once, the slower each of them, as the curve says. */
export class StartingMachine {
  readonly #deps: MachineDeps;
  readonly #starting = new Map<Generation, Starting>();
  #sinceMs = 0;
  #round = 0;

  constructor(deps: MachineDeps) {
    this.#deps = deps;
  }

  /** `workMs`: how long it takes alone. `done` is called unless the process has ended before. */
  begin(process: Generation, workMs: number, done: () => void): void {
    this.#work();
    this.#starting.set(process, { leftMs: workMs, done });
    this.#arm();
  }

  end(process: Generation): void {
    if (!this.#starting.has(process)) return;
    this.#work();
    this.#starting.delete(process);
    this.#arm();
  }

  get #factor(): number {
    return startFactor(this.#starting.size, this.#deps.channels);
  }

  /** What has been done since anything last changed. */
  #work(): void {
    const nowMs = this.#deps.nowMs();
    const doneMs = (nowMs - this.#sinceMs) / this.#factor;
    this.#sinceMs = nowMs;
    for (const one of this.#starting.values()) one.leftMs -= doneMs;
  }

  /** Wakes up when the next one is ready. */
  #arm(): void {
    this.#round += 1;
    if (this.#starting.size === 0) return;
    const round = this.#round;
    const leastMs = Math.min(...[...this.#starting.values()].map(({ leftMs }) => leftMs));
    this.#deps.at(this.#deps.nowMs() + Math.max(0, Math.ceil(leastMs * this.#factor)), () => {
      if (round === this.#round) this.#finish();
    });
  }

  #finish(): void {
    this.#work();
    const ready = [...this.#starting].filter(([, { leftMs }]) => leftMs <= 0.001);
    for (const [process] of ready) this.#starting.delete(process);
    this.#arm();
    for (const [, { done }] of ready) done();
  }
}
