/** Notices that the machine slept, that Reeve stood still, or that a person or service corrected the wall clock. */
import type { Clock, MonoMs } from '../core/clock.ts';
import type { ClockAnomaly, Draft, Projection } from '../core/journal.ts';

/** Of the clock that goes on in suspend against the one that does not. Some platforms count it in whole seconds. */
const SUSPENDED_MS_MIN = 2_000;
/** Between two looks. A clock that is slewed moves by less than a millisecond in a second. */
const CORRECTED_MS_MIN = 2_000;
/** A tick that comes this late: the process or the machine below it was stopped. */
const STOPPED_MS_MIN = 10_000;

interface Reading {
  readonly monoMs: MonoMs;
  readonly bootMs: MonoMs;
  readonly wallMs: number;
}

export class ClockWatch {
  readonly #clock: Clock;
  readonly #tickMs: number | undefined;
  #before: Reading;
  #tickedMs: MonoMs;

  /** `tickMs`: how often `tick` is called. Without it a late tick says nothing. */
  constructor(clock: Clock, tickMs?: number) {
    this.#clock = clock;
    this.#tickMs = tickMs;
    this.#before = readingOf(clock);
    this.#tickedMs = this.#before.monoMs;
  }

  /** What has happened to the clocks since the last call. Cheap: to be asked before every decision. */
  look(): readonly Draft[] {
    const now = readingOf(this.#clock);
    const before = this.#before;
    const passedMs = now.monoMs - before.monoMs;
    const sleptMs = now.bootMs - before.bootMs - passedMs;
    const suspendedMs = sleptMs >= SUSPENDED_MS_MIN ? sleptMs : 0;
    const correctedMs = now.wallMs - before.wallMs - passedMs - suspendedMs;
    // A short sleep stays in the difference: several of them are one long one.
    this.#before = { ...now, bootMs: suspendedMs > 0 ? now.bootMs : before.bootMs + passedMs };
    return [
      ...(suspendedMs > 0 ? [jumped('suspended', suspendedMs)] : []),
      ...(Math.abs(correctedMs) >= CORRECTED_MS_MIN ? [jumped('corrected', correctedMs)] : []),
    ];
  }

  /** As `look`, at each tick of a timer: a tick that comes much too late says that Reeve was stopped. */
  tick(): readonly Draft[] {
    const nowMs = this.#clock.monotonicMs();
    const lateMs = nowMs - this.#tickedMs - (this.#tickMs ?? Number.POSITIVE_INFINITY);
    this.#tickedMs = nowMs;
    return [...this.look(), ...(lateMs >= STOPPED_MS_MIN ? [jumped('stopped', lateMs)] : [])];
  }
}

/** For `reeve.started`: the next process learns of it how long the machine slept while there was none. */
export const bootAheadOf = (clock: Clock): { readonly bootAheadMs?: number } =>
  clock.bootTimeMs === undefined ? {} : { bootAheadMs: clock.bootTimeMs() - clock.monotonicMs() };

/** By how much the clock that goes on in suspend was ahead when the journal last knew of it, and in which boot. */
export interface KnownAhead {
  readonly boot: string;
  readonly aheadMs: number | undefined;
}

export const knownAheadProjection: Projection<KnownAhead> = {
  name: 'boot_ahead',
  initial: { boot: '', aheadMs: undefined },
  apply(state, { fact, boot }) {
    if (fact.type === 'reeve.started') return { boot, aheadMs: fact.bootAheadMs };
    if (fact.type !== 'clock.jumped' || fact.cause !== 'suspended' || boot !== state.boot) return state;
    return { boot, aheadMs: state.aheadMs === undefined ? undefined : state.aheadMs + fact.byMs };
  },
};

/**
 * Law T3: the machine slept after the last process had looked at its clocks and before this one began; what was asked,
 * answered or measured by then is older by that. Empty where another boot wrote it down: what is known then, the
 * monotonic clock says (law T2).
 */
export function sleptWhileAway({ boot, aheadMs }: KnownAhead, clock: Clock): readonly Draft[] {
  const { bootAheadMs } = bootAheadOf(clock);
  if (bootAheadMs === undefined || aheadMs === undefined || boot !== clock.bootId) return [];
  const sleptMs = bootAheadMs - aheadMs;
  return sleptMs >= SUSPENDED_MS_MIN ? [jumped('suspended', sleptMs)] : [];
}

const jumped = (cause: ClockAnomaly, byMs: number): Draft => ({
  fact: { type: 'clock.jumped', byMs: Math.round(byMs), cause },
});

function readingOf(clock: Clock): Reading {
  const monoMs = clock.monotonicMs();
  return { monoMs, bootMs: clock.bootTimeMs?.() ?? monoMs, wallMs: clock.now() };
}
