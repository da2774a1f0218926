/** Types of the service's true state. */
import type { Status } from '../downtime.ts';

/** How a channel really stands now, as the simulated service knows, and whether Reeve can see it. */
export interface ServiceTruth {
  readonly channel: string;
  readonly status: Status;
  /** Its output comes as fast as it is played. */
  readonly onTime: boolean;
  /** Its source cannot be reached. */
  readonly sourceOut: boolean;
  /** Reeve runs, can write, and what it observes of the channel is true and in time. */
  readonly visible: boolean;
}

/** Oracles that judge by the service itself and never by Reeve's books, except for what a person has ordered there. */
export interface TruthOracle {
  /** Once a second, while Reeve runs, with every channel. `monoMs` is the time that Reeve counts. */
  watch(truths: readonly ServiceTruth[], monoMs: number): void;
}
