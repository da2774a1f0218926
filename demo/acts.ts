import { LEARNING_ACTS } from './learning_acts.ts';
import type { Check } from './judge.ts';
import type { Person } from './person.ts';
import type { Reeve } from './reeve.ts';
import type { Stage } from './stage.ts';

/** What is at hand before an act begins. */
export interface Prepared {
  readonly stage: Stage;
  readonly reeve: Reeve;
  readonly person: Person;
}

/**
 * One fault and how it should end. `repair`: Reeve ends it alone, with one start, and nobody is woken.
 * `page`: a person is told, and as long as the cause is there nothing is started.
 */
export interface Act {
  readonly id: string;
  readonly title: string;
  readonly ending: 'repair' | 'page';
  /** In words, for the person who watches. */
  readonly right: string;
  /** The channels that are hit. */
  readonly channels: readonly string[];
  inject(stage: Stage): Promise<void>;
  /** What is done before it: by a person, or to what Reeve has read. */
  prepare?(prepared: Prepared): Promise<void>;
  /** One more thing that has to be so. `modelCalls`: calls of the model since it began, counted by the model's server. */
  also?(seen: { readonly classifications: readonly string[]; readonly modelCalls: number }): Check;
  /** Within this the channel plays again (repair) or the person was told (page); milliseconds. */
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

const REPAIR = { ending: 'repair', holdMs: 0, lift: 'cause', startsAfterMax: 0 } as const;
const PAGE = { ending: 'page', holdMs: 6_000 } as const;
const PULLED = ['pull1', 'pull2', 'pull3', 'pull4'];
const ALL = ['gen1', 'gen2', 'gen3', 'gen4', ...PULLED];

/** The channel that the supervisor restarts by itself: its crash loop never ends in FATAL. */
export const LOOPING = 'gen4';

/** From quiet to loud: what contains the whole service comes last. */
export const ACTS: readonly Act[] = [
  {
    ...REPAIR,
    id: 'killed',
    title: 'gen1 is killed (SIGKILL)',
    right: 'one restart, verified, nobody woken',
    channels: ['gen1'],
    inject: ({ faults }) => faults.killed('gen1'),
    withinMs: 20_000,
  },
  {
    ...REPAIR,
    id: 'frozen',
    title: 'gen2 is frozen (SIGSTOP): it runs, and does nothing',
    right: 'one restart, verified, nobody woken',
    channels: ['gen2'],
    inject: ({ faults }) => faults.frozen('gen2'),
    withinMs: 40_000,
  },
  {
    ...PAGE,
    id: 'bad_setting',
    title: 'gen3 gets a misspelt encoder preset',
    right: 'no restart: a person rolls it back',
    channels: ['gen3'],
    inject: ({ faults }) => faults.badSetting('gen3'),
    withinMs: 40_000,
    lift: 'operator',
    startsAfterMax: 0,
  },
  {
    ...PAGE,
    id: 'origin_403',
    title: "pull1's origin answers 403",
    right: 'no restart while it does; started when it plays again',
    channels: ['pull1'],
    inject: ({ faults }) => faults.origin('pull1', '403'),
    withinMs: 60_000,
    lift: 'cause',
    startsAfterMax: 1,
  },
  {
    ...PAGE,
    id: 'origin_refused',
    title: "pull2's origin refuses connections",
    right: 'wait, tell a person if it lasts; no restart while it does',
    channels: ['pull2'],
    inject: ({ faults }) => faults.origin('pull2', 'refuse'),
    withinMs: 90_000,
    lift: 'cause',
    startsAfterMax: 1,
  },
  {
    ...PAGE,
    id: 'origin_stalled',
    title: "pull3's origin accepts and sends nothing; ffmpeg says nothing at all",
    right: 'not fooled by RUNNING; tell a person, no restart while it lasts',
    channels: ['pull3'],
    inject: ({ faults }) => faults.origin('pull3', 'stall'),
    withinMs: 90_000,
    lift: 'cause',
    startsAfterMax: 1,
  },
  {
    ...PAGE,
    id: 'cpu_starved',
    title: 'gen4 gets a picture that the machine cannot encode in time',
    right: 'no restart: a person lowers the profile',
    channels: ['gen4'],
    inject: ({ faults }) => faults.cpuStarved('gen4'),
    withinMs: 90_000,
    lift: 'operator',
    startsAfterMax: 0,
    unavailable: ({ faults }) => faults.unavailable('cpuStarved'),
  },
  {
    ...PAGE,
    id: 'disk_full',
    title: 'the disk of the segments is full: no log line, no exit, empty segments',
    right: 'no restart: a person frees space',
    channels: ALL,
    afterCalm: true,
    inject: ({ faults }) => faults.diskFull(),
    withinMs: 60_000,
    lift: 'cause',
    startsAfterMax: 1,
    unavailable: ({ faults }) => faults.unavailable('diskFull'),
  },
  {
    ...PAGE,
    id: 'storm',
    title: 'every origin refuses at once',
    right: 'one incident, one page, no start; then the dark ones are started, spread out',
    channels: PULLED,
    afterCalm: true,
    inject: ({ faults }) => faults.storm(),
    withinMs: 90_000,
    lift: 'cause',
    startsAfterMax: PULLED.length,
    isOne: true,
  },
  {
    ...PAGE,
    id: 'crash_loop',
    title: `${LOOPING} crashes two seconds after every start, and the supervisor starts it again and again`,
    right: 'no restart added to the loop: a person finds the cause',
    channels: [LOOPING],
    afterCalm: true,
    inject: ({ faults }) => faults.crashLoop(LOOPING),
    withinMs: 90_000,
    lift: 'operator',
    startsAfterMax: 0,
  },
  ...LEARNING_ACTS,
];
