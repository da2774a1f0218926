/** The oracle of laws S1, S2, S5, S6 and S12 by counting calls. */
import { DAY_MS, MINUTE_MS } from '../../core/duration.ts';
import type { JournalEntry } from '../../core/journal.ts';
import type { Generation } from '../service_model.ts';
import type { Invocation } from '../effect_log.ts';
import type { InvariantContext, Oracle } from './context.ts';
import { Relapses } from './relapses.ts';
import type { Rolling } from './rolling.ts';

/** One channel that others start again and again is no storm. */
const FOREIGN_MAX = 3;
/** Engines round the ages of processes: one that is older than a call by no more may pass for its effect. */
const AGE_ROUNDED_MS = 3_000;

/** A process that another party started, and since when Reeve knows of it. */
interface Foreign {
  readonly process: Generation;
  readonly seenMs: number;
}

/** Another took its place before the next look, of which there is one in a second at best. */
const UNSEEN_MS = 1_000;
const isUnseen = ({ bornMs, endedMs }: Generation): boolean => endedMs !== undefined && endedMs - bornMs < UNSEEN_MS;

/**
 * S1, S2, S5, S6 and the half of S12 that counts: naive sums over every call that reached an engine. World time is
 * used throughout: it passes at least as fast as the time that Reeve counts, so a law that holds for Reeve's time
 * must hold here.
 */
export class Starts implements Oracle {
  readonly #case: InvariantContext;
  readonly #rolling: Rolling;
  readonly #restarts: Invocation[] = [];
  readonly #processes = new Map<string, Generation>();
  readonly #foreign: Foreign[] = [];
  readonly #seen = new Set<string>();
  readonly #incidentOf = new Map<string, string>();
  readonly #relapses = new Relapses();
  readonly #started = new Map<string, number>();
  readonly #calls = new Map<string, number>();
  readonly #grantedMs = new Map<string, number>();
  /** Starts of staged plans, and those of them that were verified: these are proofs, and no part of a storm. */
  readonly #staged = new Set<string>();
  readonly #proven = new Set<string>();
  readonly #startedSeq = new Map<string, number>();
  /** Restarts of which Reeve's journal knows nothing any more, since it was set back. */
  readonly #forgotten = new Set<string>();

  constructor(world: InvariantContext, rolling: Rolling) {
    this.#case = world;
    this.#rolling = rolling;
  }

  /** Restarts that are no part of a staged plan, of those that Reeve's journal knows. */
  get single(): number {
    return this.#known().filter(({ permit }) => !this.#staged.has(permit)).length;
  }

  started(process: Generation): void {
    this.#processes.set(`${process.channel} ${process.generation}`, process);
  }

  /**
   * The journal ends with that record now. `SetBacks` asks that no start comes before a person's command; by that
   * command the caps, and whoever keeps the fences, begin with what the journal still has.
   */
  setBack(lastSeq: number): void {
    for (const [permit, seq] of this.#startedSeq) if (seq > lastSeq) this.#forgotten.add(permit);
    this.#relapses.forget();
  }

  entry({ fact, channel, seq }: JournalEntry): void {
    if (fact.type === 'guard.decided' && fact.decision.verdict === 'allow') {
      this.#grantedMs.set(fact.decision.permit.id, this.#case.nowMs());
    }
    if (fact.type === 'tool.started') {
      const { id, incident } = fact.permit;
      this.#incidentOf.set(id, incident);
      this.#startedSeq.set(id, seq);
      const times = (this.#started.get(id) ?? 0) + 1;
      this.#started.set(id, times);
      if (times > 1) this.#case.broke('S6', `permit ${id} was started ${times} times`);
    }
    if (fact.type === 'tool.started' && fact.permit.parent !== undefined) this.#staged.add(fact.permit.id);
    if (fact.type === 'attempt.verified' && fact.verification.cured && fact.permit.parent !== undefined) {
      this.#proven.add(fact.permit.id);
    }
    this.#relapses.entry(fact, this.#case.nowMs());
    if (fact.type === 'attempt.relapsed') this.#proven.delete(fact.permit.id);
    if (fact.type === 'start.observed' && channel !== undefined) {
      this.#saw(`${channel} ${fact.generation}`, this.#case.nowMs() - (fact.agoMs ?? 0));
    }
  }

  /** Starts of all origins in the window that ends now. */
  inWindow(atMs: number): number {
    const { own, seen } = this.#ofWindow(atMs, (call) => call.atMs);
    return own.length + seen.filter((one) => !this.#isTakenForOwn(one, { own, seen, atMs })).length;
  }

  /**
   * Whoever asks leaves the last place free, which would contain the fleet; and plans keep to their pace. For Reeve a
   * call that hangs may start its process until it ends, and is a start, whatever came of it and whoever was seen to
   * start the channel after it (S6). A process that it starts later than that counts from when it begins.
   */
  isFull(atMs: number, plansUnderWay = 0): boolean {
    const { windowStartsMax, stagedStartsPerMinuteMax } = this.#case.limits;
    const latestMs = ({ endMs = atMs, effect }: Invocation): number => {
      const bornMs = effect?.bornMs ?? 0;
      return Math.max(Math.min(endMs, atMs), bornMs <= atMs ? bornMs : 0);
    };
    const { own, seen } = this.#ofWindow(atMs, latestMs);
    const staged = this.#restarts.filter((one) => latestMs(one) > atMs - MINUTE_MS && this.#staged.has(one.permit));
    const isPaceUsed = staged.length + plansUnderWay >= stagedStartsPerMinuteMax;
    return own.length + seen.length >= Math.max(1, windowStartsMax - 1) || isPaceUsed;
  }

  #ofWindow(atMs: number, beganMs: (call: Invocation) => number) {
    const since = (ms: number): boolean => ms > atMs - this.#case.limits.windowMs;
    const own = this.#restarts.filter(
      (one) => since(beganMs(one)) && one.atMs <= atMs && !this.#proven.has(one.permit),
    );
    const known = this.#foreign.filter(({ seenMs }) => since(seenMs) && seenMs <= atMs);
    const seen = [...Map.groupBy(known, ({ process }) => process.channel).values()].flatMap((all) =>
      all.slice(-FOREIGN_MAX),
    );
    return { own, seen };
  }

  /** When the window was last full; long ago when it never was. */
  lastStormMs(): number {
    const { windowStartsMax, windowMs } = this.#case.limits;
    const counted = this.#restarts.filter(({ permit }) => !this.#proven.has(permit));
    const times = counted.map(({ atMs }) => atMs).sort((a, b) => a - b);
    let lastMs = Number.NEGATIVE_INFINITY;
    for (let at = windowStartsMax - 1; at < times.length; at += 1) {
      const first = times[at - windowStartsMax + 1]!;
      if (times[at]! - first < windowMs) lastMs = Math.max(lastMs, first + windowMs);
    }
    return lastMs;
  }

  invoked(call: Invocation): void {
    const { broke } = this.#case;
    const times = (this.#calls.get(call.permit) ?? 0) + 1;
    this.#calls.set(call.permit, times);
    if (!this.#started.has(call.permit)) broke('S6', `${call.tool} was called before ${call.permit} was durable`);
    if (call.tool !== 'restart_channel') return;
    if (times > 1) broke('S6', `restart of ${call.channel} was called ${times} times on permit ${call.permit}`);
    this.#cooldown(call);
    this.#fence(call);
    this.#restarts.push(call);
    this.#window(call);
    this.#caps(call);
  }

  #known(): readonly Invocation[] {
    return this.#forgotten.size === 0
      ? this.#restarts
      : this.#restarts.filter((one) => !this.#forgotten.has(one.permit));
  }

  #saw(key: string, atMs: number): void {
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    const process = this.#processes.get(key);
    if (process === undefined || process.by === 'reeve' || process.by === 'first') return;
    if (this.#rolling.isPlanned(process.channel, process.generation)) return;
    this.#foreign.push({ process, seenMs: atMs });
  }

  #cooldown({ channel, atMs }: Invocation): void {
    const last = this.#restarts.findLast((one) => one.channel === channel);
    if (last === undefined) return;
    const { broke, limits } = this.#case;
    if (last.endMs === undefined) return broke('S1', `restart of ${channel} while another was under way`);
    const gapMs = atMs - last.endMs;
    if (gapMs < limits.restartCooldownMs) broke('S1', `restart of ${channel} ${gapMs} ms after the last one ended`);
    const spacingMs = limits.highRiskSpacingMs;
    if (gapMs < spacingMs) broke('S4', `restart of ${channel} ${gapMs} ms after the last high risk there`);
  }

  #fence({ channel, fence, permit }: Invocation): void {
    const last = this.#known().findLast((one) => one.channel === channel);
    if (last === undefined || fence > last.fence) return;
    this.#case.broke('S16', `${permit} has the fence ${fence}, after ${last.fence}`);
  }

  /** All origins are counted with the reservation: what others start after it cannot be taken back. */
  #window({ atMs, engine, permit }: Invocation): void {
    const { limits, broke } = this.#case;
    const since = (ms: number): boolean => ms > atMs - limits.windowMs;
    const own = this.#restarts.filter((one) => since(one.atMs) && !this.#proven.has(one.permit));
    const staged = this.#restarts.filter((one) => one.atMs > atMs - MINUTE_MS && this.#staged.has(one.permit)).length;
    if (staged > limits.stagedStartsPerMinuteMax) broke('S2', `${staged} staged starts within a minute`);
    if (own.length > limits.windowStartsMax) broke('S2', `${own.length} starts by Reeve within the window`);
    const isStaged = this.#staged.has(permit);
    const grantedMs = this.#grantedMs.get(permit) ?? atMs;
    const all = this.inWindow(grantedMs) + own.filter((one) => one.atMs > grantedMs).length;
    // Of the window a staged plan leaves one place free, so at most N - 1 of its starts are not verified.
    const allMax = isStaged ? Math.max(1, limits.windowStartsMax - 1) : limits.windowStartsMax;
    if (all > allMax) broke('S2', `${all} starts of all origins within the window`);
    const here = own.filter((one) => one.engine === engine).length;
    if (here > limits.windowStartsMax) broke('S2', `${here} starts by Reeve on ${engine} within the window`);
  }

  /**
   * A call that started no process, or one that nobody could see, and the first process of another party that came in
   * view after it may be taken for one start: for one that is verified, or that counts anyway.
   */
  #isTakenForOwn(
    { process: { channel, bornMs }, seenMs }: Foreign,
    window: { readonly own: readonly Invocation[]; readonly seen: readonly Foreign[]; readonly atMs: number },
  ): boolean {
    const call = this.#restarts.findLast(
      (one) =>
        one.channel === channel &&
        one.atMs <= Math.min(seenMs, bornMs + AGE_ROUNDED_MS, window.atMs) &&
        (one.effect === undefined || isUnseen(one.effect)),
    );
    if (call === undefined) return false;
    const first = window.seen.find(({ process, seenMs: ms }) => process.channel === channel && ms >= call.atMs);
    const isFirst = first?.process.bornMs === bornMs;
    return isFirst && (this.#proven.has(call.permit) || window.own.includes(call));
  }

  #caps({ channel, permit, atMs }: Invocation): void {
    const { limits, persona, broke } = this.#case;
    const here = this.#known().filter((one) => one.channel === channel);
    const day = here.filter((one) => one.atMs > atMs - DAY_MS).length;
    if (day > limits.dailyRestartCap) broke('S5', `${day} restarts of ${channel} within 24 h`);
    const fleetMax = limits.fleetDailyRestartCap ?? Math.max(20, this.#case.script.channels.length);
    const fleet = this.#known().filter((one) => one.atMs > atMs - DAY_MS && !this.#proven.has(one.permit)).length;
    if (fleet > fleetMax) broke('S5', `${fleet} restarts of the fleet within 24 h`);
    const incident = this.#incidentOf.get(permit);
    const count = this.#ofIncident(channel ?? '', incident);
    const chain = [...this.#relapses.chainOf(channel ?? '', incident)].join(', ');
    if (count > persona.restart_cap) broke('S5', `${count} restarts of ${channel} in incident ${chain}`);
  }

  /** S5: the incident, with all of which it is a relapse, has no restart of the channel left. */
  isCapped(channel: string, incident: string): boolean {
    return this.#ofIncident(channel, incident) >= this.#case.persona.restart_cap;
  }

  #ofIncident(channel: string, incident: string | undefined): number {
    const chain = this.#relapses.chainOf(channel, incident);
    const here = this.#known().filter((one) => one.channel === channel);
    return here.filter((one) => chain.has(this.#incidentOf.get(one.permit) ?? '-')).length;
  }
}
