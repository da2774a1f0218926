/** What an act of the demo is: one fault and how it should end. */
import type { Person } from './person.ts';
import type { Reeve } from './reeve.ts';
import type { Stage } from './stage.ts';

/** One thing that was looked at, and whether it is so. */
export interface Check {
  readonly ok: boolean;
  readonly says: string;
}

/** What is at hand before an act begins. */
export interface Prepared {
  readonly stage: Stage;
  readonly reeve: Reeve;
  readonly person: Person;
}

/**
 * One fault and how it should end. `repair`: Reeve ends it alone, with one start, and no page is sent.
 * `page`: a person is notified, and as long as the cause is there nothing is started.
 */
export interface Act {
  readonly id: string;
  readonly title: string;
  readonly ending: 'repair' | 'page';
  /** As a sentence, for the person who watches. */
  readonly right: string;
  /** The channels that are hit. */
  readonly channels: readonly string[];
  inject(stage: Stage): Promise<void>;
  /** What is done before it: by a person, or to what Reeve has read. */
  prepare?(prepared: Prepared): Promise<void>;
  /**
   * One more thing that has to be so. `modelCalls`: calls of the model since it began, counted by the model's server.
   */
  also?(seen: { readonly classifications: readonly string[]; readonly modelCalls: number }): Check;
  /** Within this the channel plays again (repair) or the person was notified (page); milliseconds. */
  readonly withinMs: number;
  /** With `page`: the cause stays this much longer, so that a late wrong move would be seen. */
  readonly holdMs: number;
  /** Removes the cause. `operator`: it was a deploy, so who mends it also restarts the channel. */
  readonly lift: 'cause' | 'operator';
  /** Starts that Reeve may make after the cause is gone, over all channels hit. */
  readonly startsAfterMax: number;
  /** It must not be mistaken for the echo of what was before: everything before it is over when it begins. */
  readonly afterCalm?: boolean;
  /** All of it is one trouble: one incident, one page. */
  readonly isOne?: boolean;
  unavailable?(stage: Stage): string | undefined;
}
