import type { Phase } from '../core/control.ts';
import type { Limits } from '../core/limits.ts';
import { type Stream, streamOf } from './random_streams.ts';

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
export type Kind = (typeof KINDS)[number];

/** One thing that is done to the world. `variant` in [0, 1) decides everything that the kind leaves open. */
export interface Injection {
  readonly atMs: number;
  readonly kind: Kind;
  /** A channel, group or engine; empty for the whole. */
  readonly target: string;
  readonly forMs: number;
  readonly variant: number;
}

type Extent = 'channel' | 'group' | 'engine' | 'fleet';

interface Habit {
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
};

export interface ChannelPlan {
  readonly id: string;
  readonly group: string;
  readonly engine: string;
  readonly hasSource: boolean;
}

/** A whole run, before it begins: the same script always gives the same run. */
export interface Scenario {
  readonly seed: number;
  readonly days: number;
  readonly channels: readonly ChannelPlan[];
  readonly persona: string;
  readonly phase: Phase;
  readonly limits: Partial<Limits>;
  readonly kinds: readonly Kind[];
  readonly injections: readonly Injection[];
  /** Encoders that start at once slow each other down, for every policy alike. */
  readonly startCost: boolean;
}

export interface ScenarioOptions {
  readonly seed: number;
  readonly days: number;
  readonly channels?: number;
  /** Group failures several times as often: what the window and containment are for. */
  readonly storm?: boolean;
  /** All kinds when false: nothing is dropped. */
  readonly swarm?: boolean;
  readonly kinds?: readonly Kind[];
  /** Multiplies the mean hours between faults. */
  readonly calm?: number;
  readonly persona?: string;
  readonly phase?: Phase;
  readonly limits?: Partial<Limits>;
  readonly startCost?: boolean;
}

const PERSONAS = ['system_admin', 'system_admin', 'lab', 'cautious', 'live_event', 'watcher'] as const;
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const FIRST_MS = 60_000;

/** Writes the script of a seed. */
export function scenarioOf(options: ScenarioOptions): Scenario {
  const { seed, days } = options;
  const stream = streamOf(seed, 'script');
  const channels = channelsOf(options.channels ?? 10, stream);
  const kinds = options.kinds ?? (options.swarm === false ? KINDS : swarm(seed));
  const injections = kinds
    .flatMap((kind) => injectionsOf(kind, channels, options))
    .sort((a, b) => a.atMs - b.atMs || (a.kind < b.kind ? -1 : 1));
  return {
    seed,
    days,
    channels,
    kinds,
    injections,
    persona: options.persona ?? stream.pick(PERSONAS),
    phase: options.phase ?? (stream.chance(0.8) ? 4 : stream.pick([0, 1, 2, 3] as const)),
    limits: options.limits ?? limitsOf(stream),
    startCost: options.startCost === true,
  };
}

/** A random half, the same for a seed whatever else is asked. */
function swarm(seed: number): readonly Kind[] {
  const stream = streamOf(seed, 'swarm');
  return KINDS.map((kind) => ({ kind, lot: stream.next() }))
    .sort((a, b) => a.lot - b.lot)
    .slice(0, KINDS.length / 2)
    .map(({ kind }) => kind)
    .sort();
}

/** Mostly the shipped limits; some seeds tighten one, so that rare laws are met often. */
function limitsOf(stream: Stream): Partial<Limits> {
  const lot = stream.next();
  if (lot < 0.6) return {};
  if (lot < 0.75) return { breakerFailuresMax: 2, fingerprintMemoryMs: 30_000 };
  if (lot < 0.88) return { windowStartsMax: 4 };
  return { dailyRestartCap: 3, breakerFailuresMax: 1 };
}

function channelsOf(count: number, stream: Stream): readonly ChannelPlan[] {
  const groups = Math.max(1, Math.min(Math.round(count / 4), 40));
  const engines = count > 4 && stream.chance(0.3) ? 2 : 1;
  return Array.from({ length: count }, (_, at) => {
    const group = at % groups;
    return {
      id: `ch${at}`,
      group: `g${group}`,
      engine: `e${group % engines}`,
      hasSource: stream.chance(0.5),
    };
  });
}

function injectionsOf(kind: Kind, channels: readonly ChannelPlan[], options: ScenarioOptions): readonly Injection[] {
  const { seed, days, calm = 1, storm = false } = options;
  const { extent, everyHours, forMs } = HABITS[kind];
  const stream = streamOf(seed, `kind:${kind}`);
  const size = extent === 'fleet' ? 1 : Math.max(1, channels.length / 10);
  const hurry = storm && (kind === 'storm' || kind === 'outage' || kind === 'crash') ? 8 : 1;
  const meanMs = (everyHours * HOUR_MS * calm) / size / hurry;
  const found: Injection[] = [];
  for (let atMs = FIRST_MS; ; ) {
    atMs += Math.ceil(stream.exponential(meanMs));
    if (atMs >= days * DAY_MS) return found;
    const target = targetOf(extent, channels, stream);
    found.push({ atMs, kind, target, forMs: stream.int(forMs[0], forMs[1]), variant: stream.next() });
  }
}

function targetOf(extent: Extent, channels: readonly ChannelPlan[], stream: Stream): string {
  const one = stream.pick(channels);
  return extent === 'fleet' ? '' : extent === 'channel' ? one.id : extent === 'group' ? one.group : one.engine;
}
