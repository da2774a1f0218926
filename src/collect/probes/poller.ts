/** Runs probes at their intervals, a bounded number at once. */
import { type Clock, deadline, type MonoMs } from '../../core/clock.ts';
import { ReeveError } from '../../core/errors.ts';
import { TokenBucket } from '../token_bucket.ts';
import { DueQueue } from './due_queue.ts';
import { PeerPlaces, shareOf } from './peer_places.ts';
import { FastPace, type Probe, ScheduledProbe } from './scheduled_probe.ts';

export interface PollerOptions {
  readonly probes: readonly Probe[];
  readonly clock: Clock;
  /** Probes that run at once; the others wait in order. */
  readonly concurrencyMax: number;
  /** Those of one peer. Default: where there are several peers, three quarters of all. */
  readonly perPeerMax?: number;
  /** Called for a probe that rejected. The others go on. */
  readonly onBug: (probe: string, thrown: unknown) => void;
  /** How long after its last look a probe need not look again, in milliseconds; 0: it looks at its own pace. */
  readonly restMs?: (probe: string, nowMs: MonoMs) => number;
  /**
   * Looks on their own beat that may begin in a second; others wait for theirs in order. Thousands at full pace would
   * take the time in which what they ask about is read. Default: any number.
   */
  readonly perSecondMax?: number;
  /** False: every probe looks first at the start. Default: the first looks of one pace are spread over it. */
  readonly isSpread?: boolean;
}

export interface PollerStats {
  readonly runs: number;
  /** Looks that were due while the one before was still under way or waiting. */
  readonly skipped: number;
  /** Looks that were left out, because nothing was in doubt. */
  readonly rested: number;
  readonly running: number;
  readonly waiting: number;
}

/** Trouble is judged more often than that. */
const REST_MS = 500;
/**
 * Beats of all probes fall on ticks this far apart: one wake-up for many looks, which are spread over the ticks. With
 * 500 channels twice as many ticks cost six wake-ups a second more.
 */
const TICK_MS = 200;
/** What looks more often keeps its own time: a tick would be too coarse. */
const TICKED_MS_MIN = 1_000;
const onTick = (atMs: MonoMs, everyMs: number): MonoMs =>
  everyMs < TICKED_MS_MIN ? atMs : Math.ceil(atMs / TICK_MS) * TICK_MS;

/** Of the looks of a second so many may begin at once: those of a tick and a quarter. */
const BURST_SHARE = 0.25;
/** What was calm and is in doubt is settled one way or the other by then, and looked at at its own pace. */
const DOUBT_MS = 10_000;

/** Empty at first: no time has passed in which looks could have been left over. */
function paceOf({ perSecondMax, clock }: PollerOptions): TokenBucket | undefined {
  if (perSecondMax === undefined) return undefined;
  const burst = Math.max(1, perSecondMax * BURST_SHARE);
  return new TokenBucket({ perSecond: perSecondMax, burst, tokens: 0, nowMs: clock.monotonicMs() });
}

/**
 * Runs many probes at their own pace, spread evenly, a bounded number at once, never one over itself. Has one timer,
 * and none without probes.
 */
export class Poller implements Disposable {
  readonly #options: PollerOptions;
  readonly #scheduled: ReadonlyMap<string, ScheduledProbe>;
  /** Probes by due time; an entry whose time is no longer its probe's is passed over. */
  readonly #queue = new DueQueue<ScheduledProbe>();
  readonly #waiting: ScheduledProbe[] = [];
  readonly #fast = new FastPace();
  readonly #stop = new AbortController();
  readonly #places: PeerPlaces;
  #timer: Disposable | undefined;
  #timerMs: MonoMs = Number.POSITIVE_INFINITY;
  #running = 0;
  #runs = 0;
  #skipped = 0;
  #rested = 0;
  /** Probes whose beat came when too many had begun to look. */
  readonly #putOff = new Set<ScheduledProbe>();
  /** Undefined: any number may begin. */
  readonly #pace: TokenBucket | undefined;
  /** Probes that left out a beat of late. */
  readonly #resting = new Set<ScheduledProbe>();

  constructor(options: PollerOptions) {
    this.#options = options;
    this.#pace = paceOf(options);
    this.#places = new PeerPlaces(options.perPeerMax ?? shareOf(options.probes, options.concurrencyMax));
    this.#scheduled = new Map(options.probes.map((probe) => [probe.name, new ScheduledProbe(probe)]));
  }

  start(): void {
    const { clock, isSpread = true } = this.#options;
    const nowMs = clock.monotonicMs();
    const paces = Map.groupBy(this.#scheduled.values(), ({ probe }) => probe.everyMs);
    for (const [everyMs, ofOnePace] of paces) {
      const overMs = isSpread ? everyMs : 0;
      for (const [at, scheduled] of ofOnePace.entries()) {
        this.#schedule(scheduled, onTick(nowMs + Math.floor((overMs * at) / ofOnePace.length), everyMs));
      }
    }
  }

  /**
   * Looks now, or right after the look that is under way. Asked again too soon, it looks when it has rested: so many
   * milliseconds after the last one began.
   */
  now(name: string, restMs = REST_MS): void {
    const scheduled = this.#scheduled.get(name);
    if (scheduled === undefined || this.#stop.signal.aborted) return;
    if (scheduled.state === 'running') scheduled.wantedAgainMs = Math.min(scheduled.wantedAgainMs ?? restMs, restMs);
    else if (this.#putOff.has(scheduled)) this.#admit(scheduled);
    else if (scheduled.state === 'idle') this.#scheduleBefore(scheduled, scheduled.startedMs + restMs);
  }

  /** The faster pace for a while. */
  fast(name: string, forMs: number): void {
    const scheduled = this.#scheduled.get(name);
    if (scheduled === undefined || this.#stop.signal.aborted) return;
    const nowMs = this.#options.clock.monotonicMs();
    this.#fast.begin(scheduled, nowMs + forMs);
    this.#scheduleBefore(scheduled, scheduled.startedMs + this.#fast.everyMs(scheduled, nowMs));
  }

  /** Looks now at whatever rested a moment ago and is in doubt, and again each `apartMs` for as long as it is. */
  wakeDoubted(apartMs: number): void {
    const nowMs = this.#options.clock.monotonicMs();
    for (const scheduled of this.#resting) {
      if (this.#options.restMs?.(scheduled.probe.name, nowMs) !== 0) continue;
      if (nowMs - scheduled.leftOutMs > DOUBT_MS) this.#resting.delete(scheduled);
      else this.#scheduleBefore(scheduled, scheduled.startedMs + apartMs);
    }
  }

  stats(): PollerStats {
    const [runs, skipped, rested, running] = [this.#runs, this.#skipped, this.#rested, this.#running];
    return { runs, skipped, rested, running, waiting: this.#waiting.length };
  }

  /** On the beat that comes nearest to the end of its rest it looks. */
  #mayRest(scheduled: ScheduledProbe, nowMs: MonoMs): boolean {
    if (nowMs < scheduled.fastUntilMs) return false;
    const restMs = this.#options.restMs?.(scheduled.probe.name, nowMs) ?? 0;
    return nowMs - scheduled.startedMs + scheduled.probe.everyMs / 2 < restMs;
  }

  #scheduleBefore(scheduled: ScheduledProbe, wantedMs: MonoMs): void {
    const dueMs = Math.max(wantedMs, this.#options.clock.monotonicMs());
    if (dueMs < scheduled.dueMs) this.#schedule(scheduled, dueMs);
  }

  #schedule(scheduled: ScheduledProbe, dueMs: MonoMs): void {
    scheduled.dueMs = dueMs;
    this.#queue.push(dueMs, scheduled);
    this.#arm();
  }

  #arm(): void {
    const { clock } = this.#options;
    const nextMs = Math.min(this.#queue.firstMs, this.#nextPutOffMs());
    if (nextMs >= this.#timerMs || this.#stop.signal.aborted) return;
    this.#timer?.[Symbol.dispose]();
    this.#timerMs = nextMs;
    this.#timer = clock.after(Math.max(0, nextMs - clock.monotonicMs()), () => {
      this.#timerMs = Number.POSITIVE_INFINITY;
      this.#tick();
    });
  }

  #tick(): void {
    const nowMs = this.#options.clock.monotonicMs();
    for (const scheduled of this.#putOff) if (this.#mayBegin(nowMs)) this.#admit(scheduled);
    while (this.#queue.firstMs <= nowMs) {
      const { atMs, item: scheduled } = this.#queue.pop();
      if (atMs !== scheduled.dueMs) continue;
      // On its own beat; beats that were missed are gone.
      const everyMs = this.#fast.everyMs(scheduled, nowMs);
      scheduled.dueMs = onTick((atMs + everyMs > nowMs ? atMs : nowMs) + everyMs, everyMs);
      this.#queue.push(scheduled.dueMs, scheduled);
      const isFast = nowMs < scheduled.fastUntilMs;
      if (scheduled.state !== 'idle' && !(isFast && this.#putOff.has(scheduled))) this.#skipped += 1;
      else if (this.#mayRest(scheduled, nowMs)) this.#rest(scheduled, nowMs);
      else if (isFast || this.#mayBegin(nowMs)) this.#admit(scheduled);
      else this.#putOffLook(scheduled);
    }
    this.#arm();
  }

  #rest(scheduled: ScheduledProbe, nowMs: MonoMs): void {
    this.#rested += 1;
    scheduled.leftOutMs = nowMs;
    this.#resting.add(scheduled);
  }

  /** When a look that was put off may begin; `Infinity` when there is none. */
  #nextPutOffMs(): MonoMs {
    if (this.#putOff.size === 0 || this.#pace === undefined) return Number.POSITIVE_INFINITY;
    return onTick(this.#pace.nextMs, TICKED_MS_MIN);
  }

  #mayBegin(nowMs: MonoMs): boolean {
    return this.#pace === undefined || this.#pace.take(nowMs);
  }

  #putOffLook(scheduled: ScheduledProbe): void {
    scheduled.state = 'waiting';
    this.#putOff.add(scheduled);
  }

  #admit(scheduled: ScheduledProbe): void {
    this.#putOff.delete(scheduled);
    const hasPlace = this.#running < this.#options.concurrencyMax && this.#places.isFree(scheduled.probe);
    if (hasPlace) return this.#run(scheduled);
    scheduled.state = 'waiting';
    this.#waiting.push(scheduled);
  }

  #run(scheduled: ScheduledProbe): void {
    const { clock, onBug } = this.#options;
    const { probe } = scheduled;
    scheduled.state = 'running';
    scheduled.startedMs = clock.monotonicMs();
    this.#places.take(probe);
    this.#running += 1;
    this.#runs += 1;
    const limit = this.#limitOf(probe);
    const ended = (): void => {
      limit[Symbol.dispose]?.();
      this.#ended(scheduled);
    };
    probe
      .run(limit.signal)
      .catch((thrown) => onBug(probe.name, thrown))
      .then(ended, ended);
  }

  #limitOf({ name, timeoutMs }: Probe): Partial<Disposable> & { readonly signal: AbortSignal } {
    const { signal } = this.#stop;
    if (timeoutMs === undefined) return { signal };
    const late = (): ReeveError => new ReeveError('TIMED_OUT', `${name} took longer than ${timeoutMs} ms`);
    return deadline(this.#options.clock, timeoutMs, late, signal);
  }

  #ended(scheduled: ScheduledProbe): void {
    scheduled.state = 'idle';
    this.#places.release(scheduled.probe);
    this.#running -= 1;
    if (this.#stop.signal.aborted) return;
    const restMs = scheduled.wantedAgainMs;
    if (restMs !== undefined) this.#scheduleBefore(scheduled, scheduled.startedMs + restMs);
    scheduled.wantedAgainMs = undefined;
    const at = this.#waiting.findIndex(({ probe }) => this.#places.isFree(probe));
    const [next] = at < 0 ? [] : this.#waiting.splice(at, 1);
    if (next !== undefined) this.#run(next);
  }

  /** Ends every look under way. */
  [Symbol.dispose](): void {
    this.#stop.abort();
    this.#timer?.[Symbol.dispose]();
    this.#waiting.length = 0;
    this.#putOff.clear();
  }
}
