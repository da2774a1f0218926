// Decides when the last lines of a channel's log are read as a whole.
import type { MonoMs } from '../../core/clock.ts';
import type { ChannelId } from '../../core/scope.ts';
import type { LogReading, Symptom } from '../../core/symptom.ts';
import type { Finding } from '../../ground/rules/classify.ts';

/** A channel that goes in and out of trouble is not read at each turn. */
const READ_EVERY_MS = 10_000;

/** Since when the channel has been in trouble, and now. */
interface Times {
  readonly troubledMs: MonoMs;
  readonly nowMs: MonoMs;
}

interface Read {
  /** Which stretch of trouble it was read in. */
  readonly troubledMs: MonoMs;
  readonly atMs: MonoMs;
  readonly isNamed: boolean;
}

/**
 * A log is read once in each stretch of trouble, when it has settled and its incident opens; and once more where the
 * trouble has lost its name since.
 */
export class LogReadings {
  readonly #read = new Map<ChannelId, Read>();

  /** Reads it where that is due. What must wait is asked about again. */
  take(
    channel: ChannelId,
    finding: Finding,
    times: Times,
    readLog: ((channel: ChannelId) => LogReading) | undefined,
  ): Symptom | undefined {
    const reading = readLog !== undefined && this.isDue(channel, finding, times) ? readLog(channel) : 'waits';
    if (reading === 'waits') return undefined;
    this.note(channel, finding, times);
    return reading;
  }

  isDue(channel: ChannelId, finding: Finding, { troubledMs, nowMs }: Times): boolean {
    if (!finding.trouble || finding.settling) return false;
    const before = this.#read.get(channel);
    if (before === undefined) return true;
    if (nowMs - before.atMs < READ_EVERY_MS) return false;
    return before.troubledMs !== troubledMs || (before.isNamed && finding.classification === 'unknown');
  }

  /** It was read now. */
  note(channel: ChannelId, finding: Finding, { troubledMs, nowMs }: Times): void {
    const isNamed = finding.trouble && finding.classification !== 'unknown';
    this.#read.set(channel, { troubledMs, atMs: nowMs, isNamed });
  }

  forget(channel: ChannelId): void {
    this.#read.delete(channel);
  }
}
