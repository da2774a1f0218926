/** What can be done to the world, and how often. */
/** Everything that can be done to the world. Each seed drops a random half of these. */
export const KINDS = [
  'crash',
  'freeze',
  'self_heal',
  'loop',
  'misconfig',
  'outage',
  'auth',
  'slow',
  'foreign',
  'storm',
  'pool',
  'engine_down',
  'probe_noise',
  'probe_lie',
  'probe_gone',
  'calls',
  'forged_log',
  'wall_jump',
  'suspend',
  'reboot',
  'reeve_crash',
  'disk',
  'receiver',
  'operator',
] as const;

/** What is done besides in the crueller world: each has a test that says what the world is like then. */
export const CRUEL_KINDS = [
  'half_restart',
  'keen_engine',
  'stopped_by_hand',
  'rolled_by_hand',
  'other_tool',
  'samples',
  'same_name',
  'graceful_stop',
  'reload',
  'moved',
  'one_way',
  'empty_playout',
  'stale_address',
  'set_back',
  'journal_busy',
  'journal_rot',
  'second_reeve',
] as const;
export type Kind = (typeof KINDS)[number] | (typeof CRUEL_KINDS)[number];

export type Extent = 'channel' | 'group' | 'engine' | 'fleet';

export interface Habit {
  readonly extent: Extent;
  /** Mean hours between two, over the whole fleet of ten channels. */
  readonly everyHours: number;
  readonly forMs: readonly [number, number];
}

const S = 1_000;
const M = 60 * S;

/** Memoryless arrivals and even durations, dense on purpose: a virtual day holds what a bad month does. */
export const HABITS: Readonly<Record<Kind, Habit>> = {
  crash: { extent: 'channel', everyHours: 3, forMs: [0, 0] },
  freeze: { extent: 'channel', everyHours: 5, forMs: [0, 0] },
  self_heal: { extent: 'channel', everyHours: 6, forMs: [3 * S, 60 * S] },
  loop: { extent: 'channel', everyHours: 10, forMs: [1 * M, 10 * M] },
  misconfig: { extent: 'channel', everyHours: 16, forMs: [3 * M, 20 * M] },
  outage: { extent: 'group', everyHours: 12, forMs: [10 * S, 6 * M] },
  auth: { extent: 'group', everyHours: 16, forMs: [1 * M, 10 * M] },
  slow: { extent: 'channel', everyHours: 16, forMs: [1 * M, 5 * M] },
  foreign: { extent: 'channel', everyHours: 6, forMs: [0, 0] },
  storm: { extent: 'fleet', everyHours: 16, forMs: [5 * S, 90 * S] },
  pool: { extent: 'engine', everyHours: 12, forMs: [20 * S, 5 * M] },
  engine_down: { extent: 'engine', everyHours: 16, forMs: [10 * S, 4 * M] },
  probe_noise: { extent: 'channel', everyHours: 8, forMs: [20 * S, 3 * M] },
  probe_lie: { extent: 'channel', everyHours: 10, forMs: [20 * S, 3 * M] },
  probe_gone: { extent: 'channel', everyHours: 12, forMs: [30 * S, 4 * M] },
  calls: { extent: 'engine', everyHours: 5, forMs: [2 * M, 20 * M] },
  forged_log: { extent: 'channel', everyHours: 6, forMs: [10 * S, 90 * S] },
  wall_jump: { extent: 'fleet', everyHours: 12, forMs: [0, 0] },
  suspend: { extent: 'fleet', everyHours: 16, forMs: [5 * S, 20 * M] },
  reboot: { extent: 'fleet', everyHours: 48, forMs: [20 * S, 90 * S] },
  reeve_crash: { extent: 'fleet', everyHours: 8, forMs: [1 * S, 60 * S] },
  disk: { extent: 'fleet', everyHours: 24, forMs: [30 * S, 5 * M] },
  receiver: { extent: 'fleet', everyHours: 8, forMs: [10 * S, 10 * M] },
  operator: { extent: 'fleet', everyHours: 5, forMs: [20 * S, 6 * M] },
  half_restart: { extent: 'engine', everyHours: 5, forMs: [2 * M, 20 * M] },
  keen_engine: { extent: 'engine', everyHours: 8, forMs: [2 * M, 15 * M] },
  stopped_by_hand: { extent: 'channel', everyHours: 10, forMs: [20 * S, 30 * M] },
  rolled_by_hand: { extent: 'group', everyHours: 16, forMs: [10 * S, 60 * S] },
  other_tool: { extent: 'engine', everyHours: 12, forMs: [5 * M, 30 * M] },
  samples: { extent: 'channel', everyHours: 6, forMs: [30 * S, 5 * M] },
  same_name: { extent: 'channel', everyHours: 8, forMs: [0, 0] },
  graceful_stop: { extent: 'fleet', everyHours: 6, forMs: [1 * S, 60 * S] },
  reload: { extent: 'fleet', everyHours: 5, forMs: [1 * M, 20 * M] },
  moved: { extent: 'fleet', everyHours: 24, forMs: [1 * S, 60 * S] },
  empty_playout: { extent: 'channel', everyHours: 10, forMs: [2 * M, 20 * M] },
  stale_address: { extent: 'group', everyHours: 12, forMs: [1 * M, 15 * M] },
  set_back: { extent: 'fleet', everyHours: 24, forMs: [1 * S, 60 * S] },
  journal_busy: { extent: 'fleet', everyHours: 12, forMs: [1 * S, 60 * S] },
  journal_rot: { extent: 'fleet', everyHours: 12, forMs: [0, 10 * M] },
  second_reeve: { extent: 'fleet', everyHours: 8, forMs: [10 * M, 60 * M] },
  one_way: { extent: 'engine', everyHours: 8, forMs: [20 * S, 10 * M] },
};
