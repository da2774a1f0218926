/** Worlds in which two kinds of faults happen once each. */
import { CRUEL_KINDS, HABITS, type Kind, KINDS } from './kinds.ts';
import { fractionOf, numberOf } from './random_streams.ts';
import { type Injection, type Scenario, scenarioOf } from './scenario.ts';
import { DAY_MS, MINUTE_MS } from '../core/duration.ts';

/** Two kinds of faults; the first comes first. */
export type Pair = readonly [first: Kind, second: Kind];

const ALL: readonly Kind[] = [...KINDS, ...CRUEL_KINDS];

/** Every two kinds once, each kind beside itself too: what comes first depends on the names alone. */
export const PAIRS: readonly Pair[] = ALL.flatMap((one, at) =>
  ALL.slice(at).map((other): Pair => (fractionOf(numberOf(one), numberOf(other)) < 0.5 ? [one, other] : [other, one])),
);

const CHANNELS = 6;
const FIRST_MS = 120_000;
/** The second fault comes while the first is felt: at once, in the first look, in the run, while it is verified. */
const GAPS_MS = [0, 1_500, 7_000, 20_000] as const;
const WORLD_MS = 15 * MINUTE_MS;
const LONGEST_MS = 5 * MINUTE_MS;

/** A small world in which nothing happens but these two faults, each once; `round` draws them differently. */
export function pairScenario([first, second]: Pair, round = 0): Scenario {
  const seed = (numberOf(first) ^ (numberOf(second) * 31) ^ round) >>> 0;
  const days = WORLD_MS / DAY_MS;
  const empty = scenarioOf({
    seed,
    days,
    channels: CHANNELS,
    kinds: [],
    persona: 'system_admin',
    phase: 4,
    limits: {},
  });
  const gapMs = GAPS_MS[Math.floor(fractionOf(seed, 1) * GAPS_MS.length)]!;
  const injections = [injectionOf(first, FIRST_MS, empty), injectionOf(second, FIRST_MS + gapMs, empty, 2)];
  return { ...empty, kinds: [...new Set([first, second])].sort(), injections, startCost: true };
}

function injectionOf(kind: Kind, atMs: number, { seed, channels }: Scenario, salt = 1): Injection {
  const lot = (n: number): number => fractionOf(seed, salt, n);
  const { extent, forMs } = HABITS[kind];
  const one = channels[Math.floor(lot(1) * 2)]!;
  const targets = { fleet: '', channel: one.id, group: one.group, engine: one.engine };
  const longMs = forMs[0] + Math.floor(lot(2) * (forMs[1] - forMs[0]));
  return { atMs, kind, target: targets[extent], forMs: Math.min(longMs, LONGEST_MS), variant: lot(3) };
}
