/** Starts what a shared cause left down: a canary first, then a ramp that is clocked by its own proofs (law S4). */
import { isHeldBy } from '../control/holds.ts';
import type { Clock } from '../core/clock.ts';
import { type GuardDecision, isOfMany } from '../core/plan.ts';
import type { Scope } from '../core/scope.ts';
import { PERMIT_INVALID, type Permit, type PermitTerms, type ToolResult, type Verification } from '../core/tool.ts';

/** What a staged start asks of the world, for one channel at a time. */
export interface StagedPorts {
  readonly clock: Clock;
  /** Asks the questions again for this channel, with its own persona, under the plan's permit (law S4). */
  child(plan: Permit, channel: string): GuardDecision;
  /** Reeve was asked to stop: no further start begins. */
  stopping(): boolean;
  /** Until the deadline of the run. */
  leftMs(): number;
  /** The most that one start and its verification may take. */
  readonly startMsMax: number;
  /** It plays by itself by now: starting it would be needless. */
  healthy(channel: string): boolean;
  act(permit: Permit, signal: AbortSignal): Promise<ToolResult>;
  verify(permit: Permit, result: ToolResult, signal: AbortSignal): Promise<Verification>;
  /** These were refused for what they are, or did not come up: from now on each is its own incident's. */
  handOver(channels: readonly string[]): void;
}

/** So many starts that were not verified end the plan; of the canary, one does. */
const FAILURES_MAX = 2;
/** So much slower than the canary, three times doubled, and the machine is not up to more. */
const SLOWER_MAX = 8;
/** A canary that was back at once is no measure. */
const CANARY_MS_MIN = 1_000;
/** How long to wait where no duration is given. */
const LOOK_MS = 1_000;

const STOPPING = 'Reeve was asked to stop';

/** Refusals that hold for the whole plan and not for one channel of it. */
const OF_THE_PLAN: ReadonlySet<string> = new Set([
  'frozen',
  'phase',
  'journal_unwritable',
  'risk_budget',
  'fleet_daily_cap',
]);
/** These do where a group, an engine or the fleet is contained, or its persona allows no more. */
const OF_SOME_PLANS: ReadonlySet<string> = new Set([
  'containment',
  'mode_forbids',
  'persona_denies',
  'approval_needed',
]);

/** One high-risk action with one child permit per start. Ends with what was started, what was left out, and why. */
export const stagedStart = (plan: Permit, ports: StagedPorts, signal: AbortSignal): Promise<ToolResult> =>
  new Stage(plan, ports, signal).run();

class Stage {
  readonly #plan: Permit;
  readonly #ports: StagedPorts;
  readonly #signal: AbortSignal;
  readonly #waiting: string[];
  readonly #flying = new Map<string, Promise<void>>();
  readonly #verified: string[] = [];
  readonly #failed: string[] = [];
  readonly #playing: string[] = [];
  readonly #left: { readonly channel: string; readonly because: string }[] = [];
  #canaryMs: number | undefined;
  /** Why no more begin. `broke`: because starts did not work out. */
  #ended: { readonly because: string; readonly broke: boolean } | undefined;

  constructor(plan: Permit, ports: StagedPorts, signal: AbortSignal) {
    this.#plan = plan;
    this.#ports = ports;
    this.#signal = signal;
    this.#waiting = [...plan.terms.call.channels];
  }

  async run(): Promise<ToolResult> {
    const { clock } = this.#ports;
    const startedMs = clock.monotonicMs();
    for (;;) {
      const waitMs = this.#beginMore();
      if (this.#flying.size === 0 && (this.#ended !== undefined || this.#waiting.length === 0)) break;
      await this.#next(waitMs);
    }
    this.#ports.handOver([...this.#left.map(({ channel }) => channel), ...this.#handedFailures()]);
    const isDone = this.#failed.length === 0 && this.#left.length === 0 && this.#ended === undefined;
    return {
      permit: this.#plan.terms.id,
      call: this.#plan.terms.call,
      ok: isDone,
      code: isDone ? undefined : this.#ended?.broke ? 'staged_stopped' : 'staged_partly',
      summary: this.#summary().slice(0, 400),
      durationMs: clock.monotonicMs() - startedMs,
    };
  }

  /** One that did not come up has its own incident, where all the others did. */
  #handedFailures(): readonly string[] {
    return this.#ended?.broke ? [] : this.#failed;
  }

  /** Begins as many as are admitted now; for how long to wait at most otherwise. */
  #beginMore(): number {
    while (this.#ended === undefined && this.#waiting.length > 0) {
      this.#ended = this.#reasonToEnd();
      if (this.#ended !== undefined || this.#flying.size >= 1 + this.#verified.length) break;
      const channel = this.#waiting[0] ?? '';
      if (this.#ports.healthy(channel)) this.#playing.push(channel);
      else {
        const decision = this.#ports.child(this.#plan, channel);
        if (decision.verdict === 'allow') this.#fly(channel, decision.permit);
        else if (isForRoom(decision)) return this.#waitFor(decision.retryAfterMs ?? LOOK_MS);
        else if (isOfThePlan(decision, this.#plan.terms)) this.#end(`${channel}: ${textOf(decision)}`);
        else this.#left.push({ channel, because: textOf(decision) });
      }
      if (this.#ended === undefined) this.#waiting.shift();
    }
    return LOOK_MS;
  }

  /** Room that comes too late for this run is the next one's. */
  #waitFor(roomMs: number): number {
    const leftMs = this.#ports.leftMs() - this.#ports.startMsMax;
    if (this.#flying.size === 0 && roomMs > leftMs) this.#end('the time of one run is over');
    return Math.max(1, Math.min(roomMs, leftMs));
  }

  #reasonToEnd() {
    if (this.#signal.aborted) return { because: 'the run ended', broke: false };
    if (this.#ports.stopping()) return { because: STOPPING, broke: false };
    // Cut off in the middle of a start, the run would end without a record of those that were started.
    const isLate = this.#verified.length + this.#flying.size > 0 && this.#ports.leftMs() < this.#ports.startMsMax;
    return isLate ? { because: 'the time of one run is over', broke: false } : undefined;
  }

  #end(because: string, broke = false): void {
    if (this.#ended?.broke !== true) this.#ended = { because, broke };
  }

  #fly(channel: string, permit: Permit): void {
    const flight = this.#start(channel, permit).finally(() => this.#flying.delete(channel));
    this.#flying.set(channel, flight);
  }

  async #start(channel: string, permit: Permit): Promise<void> {
    const begunMs = this.#ports.clock.monotonicMs();
    const result = await this.#ports.act(permit, this.#signal);
    // Something came up in the same moment: it was not started, so it has not failed either.
    if (result.code === PERMIT_INVALID) return void this.#left.push({ channel, because: result.summary });
    const verification = await this.#ports.verify(permit, result, this.#signal);
    const tookMs = this.#ports.clock.monotonicMs() - begunMs;
    if (verification.cutOff) return this.#unseen(channel);
    if (!verification.cured) return this.#missed(channel, verification.because);
    this.#verified.push(channel);
    this.#canaryMs ??= Math.max(tookMs, CANARY_MS_MIN);
    if (tookMs >= SLOWER_MAX * this.#canaryMs) this.#end(`${channel} took ${Math.round(tookMs / 1000)} s to come up`);
  }

  /** Nobody has seen that it did not come up: that is no reason to call the others' start broken. */
  #unseen(channel: string): void {
    this.#failed.push(channel);
    this.#end(STOPPING);
  }

  #missed(channel: string, because: string): void {
    this.#failed.push(channel);
    const isCanary = this.#verified.length === 0;
    if (isCanary || this.#failed.length >= FAILURES_MAX) this.#end(`${channel}: not verified, ${because}`, true);
  }

  /** The end of a start, or a while: what waits for room is asked about again, with all the questions. */
  async #next(waitMs: number): Promise<void> {
    const done = new AbortController();
    const until = AbortSignal.any([done.signal, this.#signal]);
    const flights = [...this.#flying.values()];
    const isForTime = flights.length === 0 || (this.#waiting.length > 0 && this.#ended === undefined);
    const pause = isForTime ? [this.#ports.clock.sleep(waitMs, until).catch(() => undefined)] : [];
    await Promise.race([...flights, ...pause]);
    done.abort();
  }

  #summary(): string {
    const parts = [`started ${this.#verified.length}: ${this.#verified.join(', ') || 'none'}`];
    if (this.#playing.length > 0) parts.push(`already playing: ${this.#playing.join(', ')}`);
    if (this.#failed.length > 0) parts.push(`not verified: ${this.#failed.join(', ')}`);
    if (this.#ended !== undefined) parts.push(`stopped at ${this.#ended.because}; ${this.#waiting.length} left`);
    for (const { channel, because } of this.#left) parts.push(`left out ${channel}: ${because}`);
    return parts.join('; ');
  }
}

type Denied = Extract<GuardDecision, { verdict: 'deny' }>;

const textOf = ({ code, because }: Denied): string => `${code}, ${because}`;

/** The channel has to wait for the ones before it; it is not refused. */
const isForRoom = ({ code, retryAfterMs }: Denied): boolean =>
  code === 'restart_storm' ||
  code === 'high_risk_spacing' ||
  // Something has died a moment ago: the proof that the cause is over comes anew (law S8).
  (code === 'containment' && retryAfterMs !== undefined);

const isOfThePlan = (denial: Denied, plan: PermitTerms): boolean =>
  OF_THE_PLAN.has(denial.code) ||
  (OF_SOME_PLANS.has(denial.code) && isOfMany(denial)) ||
  isHeldBy(denial, scopesOf(plan));

/** The plan's own, then those that hold all of it. */
const scopesOf = ({ call: { target }, engine }: PermitTerms): readonly Scope[] => [
  target,
  ...(engine === undefined ? [] : [{ kind: 'engine', id: engine } as const]),
  { kind: 'fleet' },
];
