/** The oracle of S1 and S2 by the true starts of the service. */
import type { JournalEntry } from '../../core/journal.ts';
import type { Invocation } from '../effect_log.ts';
import { type Generation, provedMs } from '../service_channel.ts';
import { covers, type InvariantContext, type Oracle } from './context.ts';
import type { Rolling } from './rolling.ts';
import type { ServiceTruth, TruthOracle } from './service_truth.ts';

/** A process that lasts this long is seen by then, and counted by any observer. */
const SEEN_MS = 12_000;
/** Another took its place before the next look, of which there is one in a second at best. */
const UNSEEN_MS = 1_000;
/** One channel that others start again and again is no storm. */
const FOREIGN_MAX = 3;

interface Call {
  readonly permit: string;
  readonly atMs: number;
}

/**
 * S1 and S2 by the processes that the service really began: what Reeve's starts led to and when, however late, and
 * what others began. Reeve's journal is read only for which starts belong to a staged plan, and for people's resets.
 */
export class RealStarts implements Oracle, TruthOracle {
  readonly #case: InvariantContext;
  readonly #rolling: Rolling | undefined;
  readonly #processes: Generation[] = [];
  readonly #staged = new Set<string>();
  readonly #calls = new Map<string, Call>();
  readonly #resetMs = new Map<string, number>();
  /** Since when every channel has been in view of one and the same process of Reeve. */
  #clearSinceMs: number | undefined;

  constructor(world: InvariantContext, rolling?: Rolling) {
    this.#case = world;
    this.#rolling = rolling;
  }

  entry({ fact }: JournalEntry): void {
    if (fact.type === 'reeve.started') this.#clearSinceMs = undefined;
    if (fact.type === 'tool.started' && fact.permit.parent !== undefined) this.#staged.add(fact.permit.id);
    if (fact.type !== 'control.reset') return;
    for (const { id } of this.#case.script.channels) {
      if (covers(fact.scope, id, this.#case)) this.#resetMs.set(id, this.#case.nowMs());
    }
  }

  watch(truths: readonly ServiceTruth[]): void {
    if (truths.every(({ visible }) => visible)) this.#clearSinceMs ??= this.#case.nowMs();
    else this.#clearSinceMs = undefined;
  }

  /** A process has really begun. */
  started(process: Generation): void {
    const sinceMs = this.#case.nowMs() - this.#case.limits.windowMs;
    while ((this.#processes[0]?.bornMs ?? Number.POSITIVE_INFINITY) <= sinceMs) this.#processes.shift();
    this.#processes.push(process);
    const { limits, broke } = this.#case;
    const own = this.#counted(this.#processes.filter(({ by }) => by === 'reeve'));
    if (process.by === 'reeve' && own.length > limits.windowStartsMax) {
      broke(
        'S2',
        `${own.length} processes that Reeve began live or failed within the window, by the service's own list`,
      );
    }
  }

  /** A call has reached the engine: its process begins later, if it does. */
  invoked({ tool, channel, permit, atMs }: Invocation): void {
    if (tool !== 'restart_channel' || channel === undefined) return;
    this.#afterLateEffect(channel, atMs);
    this.#calls.set(channel, { permit, atMs });
    this.#window(atMs);
  }

  /** The last process that Reeve's start led to is as young as the cooldown at least, whenever it came. */
  #afterLateEffect(channel: string, nowMs: number): void {
    const { limits, broke } = this.#case;
    const last = this.#processes.findLast((process) => process.channel === channel && process.by === 'reeve');
    const since = this.#calls.get(channel);
    // A person who says that the channel is clear has taken it upon herself.
    if (last === undefined || since === undefined || (this.#resetMs.get(channel) ?? -1) >= since.atMs) return;
    const gapMs = nowMs - last.bornMs;
    if (gapMs < limits.restartCooldownMs)
      broke('S1', `restart of ${channel} ${gapMs} ms after the process that an earlier one really began`);
  }

  /** Reeve's own start is not the one that fills a window which others had filled before its eyes. */
  #window(nowMs: number): void {
    const { limits, broke } = this.#case;
    if (this.#clearSinceMs === undefined || nowMs - this.#clearSinceMs < limits.windowMs) return;
    const seen = this.#processes.filter(
      ({ bornMs, by, endedMs, channel, generation }) =>
        bornMs > nowMs - limits.windowMs &&
        this.#rolling?.isPlanned(channel, generation) !== true &&
        bornMs <= nowMs - SEEN_MS &&
        by !== 'first' &&
        (endedMs ?? nowMs) - bornMs >= SEEN_MS,
    );
    const foreign = [
      ...Map.groupBy(
        seen.filter(({ by }) => by !== 'reeve'),
        ({ channel }) => channel,
      ).values(),
    ];
    const others = foreign.reduce((sum, { length }) => sum + Math.min(length, FOREIGN_MAX), 0);
    const own = this.#counted(seen.filter(({ by }) => by === 'reeve')).length;
    if (own + others + 1 > limits.windowStartsMax)
      broke('S2', `start ${own + others + 1} of the window, by the service's own list`);
  }

  /** Without what a staged plan began and the service has proved. */
  #counted(processes: readonly Generation[]): readonly Generation[] {
    const nowMs = this.#case.nowMs();
    return processes.filter((process) => {
      const isStaged = this.#staged.has(this.#calls.get(process.channel)?.permit ?? '');
      return !(isStaged && (provedMs(this.#takenFor(process)) ?? Number.POSITIVE_INFINITY) <= nowMs);
    });
  }

  /** What nobody could see, because another party started the channel at once, is taken for what that began. */
  #takenFor(process: Generation): Generation {
    const { channel, bornMs, endedMs } = process;
    if (endedMs === undefined || endedMs - bornMs >= UNSEEN_MS) return process;
    return this.#processes.find((next) => next.channel === channel && next.bornMs >= endedMs) ?? process;
  }
}
