/** Reports processes that an engine itself started and lost again between two looks. */
import type { ProcessSample } from '../core/sample.ts';
import type { ChannelId } from '../core/scope.ts';

/** More than these in one look say nothing that these do not say. */
const UNSEEN_MAX = 10;

interface Counted {
  readonly generation: string | undefined;
  /** Restarts whose process has begun. */
  readonly restarts: number;
}

/** Compares the engine's own count of restarts with the generations that were seen. */
export class OwnRestarts {
  readonly #seen = new Map<ChannelId, Counted>();

  /**
   * A sample for each process that began and ended unseen since the last look, then the sample itself: so that a unit
   * that restarts several times within one look counts as often as it was restarted. `restarts`: the engine's count. It
   * may run ahead of the processes: one that is to come, or was refused, is none yet.
   */
  withUnseen(sample: ProcessSample, restarts: number | undefined): readonly ProcessSample[] {
    const before = this.#seen.get(sample.channel);
    if (restarts === undefined) return [sample];
    const isSame = sample.generation !== undefined && sample.generation === before?.generation;
    if (isSame && restarts >= before.restarts) return [sample];
    this.#seen.set(sample.channel, { generation: sample.generation, restarts });
    if (before === undefined || restarts <= before.restarts) return [sample];
    const isNew = sample.generation !== undefined && sample.generation !== before.generation;
    const unseen = Math.min(UNSEEN_MAX, restarts - before.restarts - (isNew ? 1 : 0));
    const last = restarts - (isNew ? 1 : 0);
    return [...Array.from({ length: unseen }, (_, index) => endedUnseen(sample, last - unseen + 1 + index)), sample];
  }
}

const endedUnseen = (sample: ProcessSample, count: number): ProcessSample => ({
  ...sample,
  state: 'exited',
  pid: undefined,
  generation: `unseen-${count}-before-${sample.generation ?? 'none'}`,
  uptimeMs: undefined,
  exitCode: undefined,
  exitSignal: undefined,
  stoppedOnPurpose: false,
  cpuMs: undefined,
  halted: undefined,
  bytesWritten: undefined,
});
