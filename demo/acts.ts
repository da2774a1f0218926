/** Lists the acts of the demo: the fault of each and how it should end. */
import type { Act } from './act.ts';
import { LEARNING_ACTS } from './learning_acts.ts';

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
    right: 'one restart, verified, no page',
    channels: ['gen1'],
    inject: ({ faults }) => faults.killed('gen1'),
    withinMs: 20_000,
  },
  {
    ...REPAIR,
    id: 'frozen',
    title: 'gen2 is frozen (SIGSTOP): it runs, and does nothing',
    right: 'one restart, verified, no page',
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
    right: 'wait, notify a person if it lasts; no restart while it does',
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
    right: 'not fooled by RUNNING; notify a person, no restart while it lasts',
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
    right: 'one incident, one page, no start; then those that are down are started, spread out',
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
