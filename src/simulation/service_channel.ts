/** The true state of one simulated channel. */
import { HOUR_MS } from '../core/duration.ts';
import type { Status } from './downtime.ts';
import type { Origins } from './origins.ts';
import { fractionOf, mix, numberOf } from './random_streams.ts';
import type { ChannelPlan } from './scenario.ts';

export const SEGMENT_MS = 2_000;
const SLOW_SEGMENT_MS = 3_200;

/** Who started a process. */
export type Starter = 'first' | 'reeve' | 'second' | 'engine' | 'human' | 'policy';

/** One process of a channel, as it really was. */
export interface Generation {
  readonly channel: string;
  readonly generation: string;
  readonly bornMs: number;
  readonly by: Starter;
  /** When its first output came. */
  playedMs: number | undefined;
  endedMs: number | undefined;
}

export const beginGeneration = (channel: string, generation: string, bornMs: number, by: Starter): Generation => ({
  ...{ channel, generation, bornMs, by },
  playedMs: undefined,
  endedMs: undefined,
});

/** How a channel of the simulated service really stands. */
export interface ServiceChannel {
  readonly plan: ChannelPlan;
  readonly viewers: number;
  state: 'running' | 'exited' | 'fatal' | 'stopped';
  /** Who asked for the last stop. */
  stoppedBy: Starter | undefined;
  /** The next process gets the name of this one: pids come again, and clocks are coarse. */
  namesakeNext: boolean;
  process: Generation;
  processes: number;
  playsFromMs: number;
  /** Halted by a signal: no output, no CPU time. */
  frozenMs: number | undefined;
  /** No output until then, and then again by itself. */
  stallsUntilMs: number;
  /** New processes end early until then. */
  unfitUntilMs: number;
  unfitUptimeMs: number;
  retries: number;
  /** Runs and writes nothing until this is done to it. */
  ailment: string | undefined;
  slowUntilMs: number;
  exitCode: number | undefined;
  exitSignal: number | undefined;
  producedBefore: number;
  producingMs: number | undefined;
}

/** As the engine, or the adapter before it, names a process: its pid and when it began. */
const generationName = ({ pidBase }: ChannelPlan, count: number, nowMs: number): string =>
  pidBase === undefined ? `${1_000 + count}:${nowMs}` : `${pidBase + count}:t${Math.floor(nowMs / 10)}`;

/** The name of the process that begins now: once that of the last one, where names come again. */
export function nextName(channel: ServiceChannel, nowMs: number): string {
  const isNamesake = channel.namesakeNext;
  channel.namesakeNext = false;
  return isNamesake ? channel.process.generation : generationName(channel.plan, channel.processes, nowMs);
}

/** A channel that has always played. */
export function freshChannel(plan: ChannelPlan, seed: number, nowMs: number): ServiceChannel {
  const number = numberOf(plan.id);
  return {
    plan,
    viewers: 5 + Math.floor(300 * fractionOf(seed, number) ** 3),
    state: 'running',
    stoppedBy: undefined,
    namesakeNext: false,
    process: beginGeneration(plan.id, generationName(plan, 0, nowMs), nowMs - HOUR_MS, 'first'),
    processes: 0,
    playsFromMs: nowMs,
    frozenMs: undefined,
    stallsUntilMs: 0,
    unfitUntilMs: 0,
    unfitUptimeMs: 0,
    retries: 0,
    ailment: undefined,
    slowUntilMs: 0,
    exitCode: undefined,
    exitSignal: undefined,
    producedBefore: mix(seed, number) % 1_000,
    producingMs: undefined,
  };
}

/** Segments written so far, over all processes. */
export function segmentsOf({ producingMs, producedBefore, slowUntilMs }: ServiceChannel, nowMs: number): number {
  if (producingMs === undefined) return producedBefore;
  const segmentMs = producingMs < slowUntilMs ? SLOW_SEGMENT_MS : SEGMENT_MS;
  return producedBefore + Math.floor((nowMs - producingMs) / segmentMs);
}

/**
 * When a process had put out a whole segment: what any policy may take for the proof of its start. Undefined: never.
 */
export function provedMs({ playedMs, endedMs }: Generation): number | undefined {
  if (playedMs === undefined) return undefined;
  const atMs = playedMs + SEGMENT_MS;
  return endedMs === undefined || endedMs >= atMs ? atMs : undefined;
}

/** Whatever is written from now on is counted on top of what was written before. */
export function pauseOutput(channel: ServiceChannel, nowMs: number): void {
  channel.producedBefore = segmentsOf(channel, nowMs);
  channel.producingMs = undefined;
}

export const shouldProduce = (channel: ServiceChannel, nowMs: number, origins: Origins): boolean =>
  channel.state === 'running' &&
  channel.frozenMs === undefined &&
  nowMs >= channel.playsFromMs &&
  channel.ailment === undefined &&
  nowMs >= channel.stallsUntilMs &&
  !origins.isOut(channel.plan.group) &&
  !origins.refuses(channel.plan.group);

/** How it really stands, and whether a restart would help it. */
export function statusOf(channel: ServiceChannel, nowMs: number, origins: Origins): Status {
  const { plan, state, stoppedBy } = channel;
  if (shouldProduce(channel, nowMs, origins)) return 'playing';
  if (state === 'stopped' && stoppedBy === 'human') return 'stopped';
  if (origins.isOut(plan.group) || origins.refuses(plan.group) || nowMs < channel.unfitUntilMs) return 'incurable';
  if (channel.ailment !== undefined) return 'incurable';
  if (state === 'running' && channel.frozenMs === undefined)
    return nowMs < channel.playsFromMs ? 'young' : 'self_healing';
  return 'curable';
}
