/** Virtual time and its event queue. */
import { type Clock, sleepOn } from '../core/clock.ts';
import { DAY_MS } from '../core/duration.ts';
import { EventHeap, type Timed } from './event_heap.ts';
import { mix } from './random_streams.ts';

/** Something that is to happen. `tick`: one of a regular series, which rests in quiet time. */
export interface Due extends Timed {
  atMs: number;
  rank: number;
  readonly run: () => void;
  readonly tick: boolean;
  cancelled: boolean;
}

/** Events in the order of their time; at equal times in an order that the seed shuffles. */
export class TimerQueue {
  readonly #heap = new EventHeap<Due>();
  readonly #seed: number;
  #seq = 0;

  constructor(seed: number) {
    this.#seed = seed;
  }

  add(atMs: number, run: () => void): Due {
    this.#seq += 1;
    return this.#push(atMs, { run, tick: false, series: this.#seq });
  }

  /** Disposing ends the series. */
  every(fromMs: number, intervalMs: number, run: () => void): Disposable {
    this.#seq += 1;
    const series = this.#seq;
    const arm = (atMs: number): Due => this.#push(atMs, { run: again, tick: true, series });
    const again = (): void => {
      due = arm(due.atMs + intervalMs);
      run();
    };
    let due = arm(fromMs + intervalMs);
    return {
      [Symbol.dispose]: () => {
        due.cancelled = true;
      },
    };
  }

  next(): Due | undefined {
    while (this.#heap.peek()?.cancelled === true) this.#heap.pop();
    return this.#heap.peek();
  }

  take(): Due | undefined {
    const due = this.next();
    if (due !== undefined) this.#heap.pop();
    return due;
  }

  /** Lets all regular series skip `byMs`, and gives when the first other event is due. Only in quiet time. */
  skipTicks(byMs: number): void {
    const kept: Due[] = [];
    for (let due = this.take(); due !== undefined; due = this.take()) kept.push(due);
    for (const due of kept) {
      if (due.tick) {
        due.atMs += byMs;
        due.rank = mix(this.#seed, due.seq, due.atMs);
      }
      this.#heap.push(due);
    }
  }

  /** When the first event is due that belongs to no regular series. */
  firstSingleMs(): number {
    const kept: Due[] = [];
    let firstMs = Number.POSITIVE_INFINITY;
    for (let due = this.take(); due !== undefined; due = this.take()) {
      kept.push(due);
      if (!due.tick) {
        firstMs = due.atMs;
        break;
      }
    }
    for (const due of kept) this.#heap.push(due);
    return firstMs;
  }

  #push(atMs: number, what: { run: () => void; tick: boolean; series: number }): Due {
    const { run, tick, series } = what;
    const due: Due = { atMs, rank: mix(this.#seed, series, atMs), seq: series, run, tick, cancelled: false };
    this.#heap.push(due);
    return due;
  }
}

const NEW_MACHINE_UP_MS = 40 * DAY_MS;
const EPOCH_MS = Date.UTC(2026, 0, 1);

/** The machine on which Reeve runs. Its monotonic clock stands still in suspend and begins anew with each boot. */
export class SimulatedHost {
  readonly #worldMs: () => number;
  #boot = 1;
  #machine = 1;
  #bootedMs = -1_000_000;
  #suspendedMs = 0;
  /** In world time: until then the machine sleeps, if it does. */
  #sleepsUntilMs = Number.NEGATIVE_INFINITY;
  #wallOffsetMs = 0;
  /** Of the present boot: what the clock showed when the machine fell asleep, and for how long. */
  #sleeps: { readonly monoMs: number; readonly forMs: number }[] = [];

  constructor(worldMs: () => number) {
    this.#worldMs = worldMs;
  }

  get bootId(): string {
    return `machine-${this.#machine}/boot-${this.#boot}`;
  }

  monotonicMs(): number {
    return Math.max(this.#worldMs(), this.#sleepsUntilMs) - this.#bootedMs - this.#suspendedMs;
  }

  /** As `monotonicMs`, and goes on while the machine sleeps. */
  bootTimeMs(): number {
    return Math.max(this.#worldMs(), this.#sleepsUntilMs) - this.#bootedMs;
  }

  wallMs(): number {
    return EPOCH_MS + this.#worldMs() + this.#wallOffsetMs;
  }

  /** When the machine's clock will show this, if it is not suspended. */
  worldMsAt(monoMs: number): number {
    return monoMs + this.#bootedMs + this.#suspendedMs;
  }

  jumpWall(byMs: number): void {
    this.#wallOffsetMs += byMs;
  }

  /** The machine sleeps from now on: its clock stands still, and everything on its agenda comes that much later. */
  suspend(forMs: number): void {
    this.#sleeps.push({ monoMs: this.monotonicMs(), forMs });
    this.#suspendedMs += forMs;
    this.#sleepsUntilMs = Math.max(this.#worldMs(), this.#sleepsUntilMs) + forMs;
  }

  /** How long it will sleep yet; 0 while it is awake. */
  get wakesInMs(): number {
    return Math.max(0, this.#sleepsUntilMs - this.#worldMs());
  }

  /**
   * How long the machine has slept since its clock showed this. What falls into the very millisecond of the sleep comes
   * after it: whatever was due then is done as it wakes, and the clock has not moved.
   */
  sleptSinceMs(monoMs: number): number {
    return this.#sleeps.reduce((sum, sleep) => sum + (sleep.monoMs > monoMs ? sleep.forMs : 0), 0);
  }

  /** From now on this is another machine, which has been up for weeks. */
  move(): void {
    this.#machine += 1;
    this.reboot();
    this.#bootedMs -= NEW_MACHINE_UP_MS;
  }

  reboot(): void {
    this.#boot += 1;
    this.#bootedMs = this.#worldMs();
    this.#suspendedMs = 0;
    this.#sleeps = [];
    this.#sleepsUntilMs = Number.NEGATIVE_INFINITY;
  }
}

/** The clock of one process on the host. Its timers end with the process: see `TimerQueue`. */
export function clockOn(host: SimulatedHost, agenda: TimerQueue): Clock {
  const after: Clock['after'] = (delayMs, run) => {
    const due = agenda.add(host.monotonicMs() + Math.max(0, Math.ceil(delayMs)), run);
    return {
      [Symbol.dispose]: () => {
        due.cancelled = true;
      },
    };
  };
  return {
    bootId: host.bootId,
    now: () => host.wallMs(),
    monotonicMs: () => host.monotonicMs(),
    bootTimeMs: () => host.bootTimeMs(),
    after,
    every: (intervalMs, tick) => agenda.every(host.monotonicMs(), intervalMs, tick),
    sleep: (durationMs, signal) => sleepOn(after, durationMs, signal),
  };
}

/** Who acts next, and when. */
export interface Next {
  readonly atMs: number;
  readonly take: () => Due;
  /** A process of Reeve: what it does may wake what waits for a promise. */
  readonly isReeves: boolean;
}

interface Queues {
  readonly world: TimerQueue;
  /** Of the process of Reeve that runs on the host, if one does. */
  readonly reeve: TimerQueue | undefined;
  readonly host: SimulatedHost;
}

/** At equal times the world comes first. */
export function nextOf({ world, reeve, host }: Queues): Next {
  const atMs = world.next()?.atMs ?? Number.POSITIVE_INFINITY;
  const due = reeve?.next();
  const reeveMs = due === undefined ? Number.POSITIVE_INFINITY : host.worldMsAt(due.atMs);
  if (reeve === undefined || reeveMs >= atMs) return { atMs, take: () => world.take()!, isReeves: false };
  return { atMs: reeveMs, take: () => reeve.take()!, isReeves: true };
}

/** At equal times the first of them. */
export const earlier = (one: Next, other: Next | undefined): Next =>
  other === undefined || one.atMs <= other.atMs ? one : other;

/** Resolves when everything that was promised so far has run. */
export const drained = (): Promise<void> => new Promise((done) => setImmediate(done));
