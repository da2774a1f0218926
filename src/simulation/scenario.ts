/** Draws the scenario of a seed. */
import type { Phase } from '../core/control.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../core/duration.ts';
import type { Limits } from '../core/limits.ts';
import { CRUEL_KINDS, type Extent, HABITS, type Kind, KINDS } from './kinds.ts';
import { type Stream, streamOf } from './random_streams.ts';

/** One thing that is done to the world. `variant` in [0, 1) decides everything that the kind leaves open. */
export interface Injection {
  readonly atMs: number;
  readonly kind: Kind;
  /** A channel, group or engine; empty for the whole. */
  readonly target: string;
  readonly forMs: number;
  readonly variant: number;
}

export interface ChannelPlan {
  readonly id: string;
  readonly group: string;
  readonly engine: string;
  readonly hasSource: boolean;
  /** What its source is read from; absent: an origin of its group's own. */
  readonly origin?: string;
  /** Its own persona lets nothing be restarted, whatever its group may do. */
  readonly untouchable?: boolean;
  /** Its engine is reached through the real adapter, and the pids of its processes are above this. */
  readonly pidBase?: number;
}

export const originOf = ({ group, origin }: Pick<ChannelPlan, 'group' | 'origin'>): string => origin ?? group;

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
  /** Outputs and sources are looked at by the real probes. */
  readonly probed?: boolean;
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
  /** The kinds of the crueller world belong to it, too, and starts have their cost. */
  readonly cruel?: boolean;
  /** Groups, and engines where there are two, read from one origin. */
  readonly sharedOrigin?: boolean;
  /** The machine sleeps during half of the times in which Reeve is not running. */
  readonly sleeps?: boolean;
  /** Looks and restarts go through the adapter for supervisord and its transports. */
  readonly wired?: boolean;
  /** In a wired world outputs and sources are looked at by the real probes, too. */
  readonly probed?: boolean;
}

const PERSONAS = ['system_admin', 'system_admin', 'lab', 'cautious', 'live_event', 'watcher'] as const;
const FIRST_MS = MINUTE_MS;
/** Below this a crash of Reeve waits for no append. */
const AT_ONCE = 0.3;

/** Writes the script of a seed. */
export function scenarioOf(options: ScenarioOptions): Scenario {
  const { seed, days } = options;
  const stream = streamOf(seed, 'script');
  const plans = channelsOf(options.channels ?? 10, stream);
  const placed = options.sharedOrigin === true ? withSharedOrigin(plans, seed) : plans;
  const personal = options.cruel === true ? withUntouchable(placed, seed) : placed;
  const channels = options.wired === true ? withPids(personal) : personal;
  const all = options.cruel === true ? [...KINDS, ...CRUEL_KINDS] : KINDS;
  const kinds = options.kinds ?? (options.swarm === false ? all : swarm(seed, all));
  const drawn = kinds.flatMap((kind) => injectionsOf(kind, channels, options));
  const injections = (options.sleeps === true ? withSleeps(drawn, seed) : drawn).toSorted(
    (a, b) => a.atMs - b.atMs || (a.kind < b.kind ? -1 : 1),
  );
  return {
    seed,
    days,
    channels,
    kinds,
    injections,
    persona: options.persona ?? stream.pick(PERSONAS),
    phase: options.phase ?? (stream.chance(0.8) ? 4 : stream.pick([0, 1, 2, 3] as const)),
    limits: options.limits ?? limitsOf(stream),
    startCost: options.startCost === true || options.cruel === true,
    ...(options.wired === true && options.probed === true ? { probed: true } : {}),
  };
}

const SLEEP_MS = [10_000, 12 * MINUTE_MS] as const;

/** Reeve dies at once, the machine falls asleep before it is started again, and wakes before that. */
function withSleeps(injections: readonly Injection[], seed: number): readonly Injection[] {
  const stream = streamOf(seed, 'sleeps');
  return injections.flatMap((injection): readonly Injection[] => {
    if (injection.kind !== 'reeve_crash' || stream.chance(0.5)) return [injection];
    const forMs = stream.int(SLEEP_MS[0], SLEEP_MS[1]);
    const { atMs, variant } = injection;
    return [
      { ...injection, forMs: injection.forMs + forMs, variant: variant * AT_ONCE },
      { atMs: atMs + 1, kind: 'suspend', target: '', forMs, variant: 0 },
    ];
  });
}

/** A random half, the same for a seed whatever else is asked. */
export function swarm(seed: number, all: readonly Kind[]): readonly Kind[] {
  const stream = streamOf(seed, 'swarm');
  return all
    .map((kind) => ({ kind, lot: stream.next() }))
    .sort((a, b) => a.lot - b.lot)
    .slice(0, all.length / 2)
    .map(({ kind }) => kind)
    .sort();
}

/** Mostly the shipped limits; some seeds tighten one, so that rare laws are met often. */
function limitsOf(stream: Stream): Partial<Limits> {
  const lot = stream.next();
  if (lot < 0.6) return {};
  if (lot < 0.75) return { breakerFailuresMax: 2, fingerprintMemoryMs: 30_000 };
  if (lot < 0.88) return { windowStartsMax: 4 };
  if (lot < 0.95) return { dailyRestartCap: 3, breakerFailuresMax: 1 };
  return { fleetDailyRestartCap: 6 };
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

/** Between Reeve and its engines stands the real adapter. */
export const isWired = ({ channels }: Pick<Scenario, 'channels'>): boolean =>
  channels.some(({ pidBase }) => pidBase !== undefined);

/** About every sixth channel has a persona of its own, in half of the seeds. */
function withUntouchable(plans: readonly ChannelPlan[], seed: number): readonly ChannelPlan[] {
  const stream = streamOf(seed, 'personas');
  return stream.chance(0.5) ? plans.map((plan) => ({ ...plan, untouchable: stream.chance(1 / 6) })) : plans;
}

/** All read from one origin; in half of the seeds each channel is a group of its own. */
function withSharedOrigin(plans: readonly ChannelPlan[], seed: number): readonly ChannelPlan[] {
  const isAlone = streamOf(seed, 'origin').chance(0.5);
  return plans.map((plan) => ({ ...plan, origin: 'shared', ...(isAlone ? { group: `own-${plan.id}` } : {}) }));
}

const withPids = (plans: readonly ChannelPlan[]): readonly ChannelPlan[] =>
  plans.map((plan, at) => ({ ...plan, pidBase: (at + 1) * 100_000 }));

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
