// Decides from neighbouring channels and probes whether the source that a channel complained of is back.
import type { MonoMs } from '../../core/clock.ts';
import type { ChannelId } from '../../core/scope.ts';
import type { SourceFacts } from '../facts/output_facts.ts';
import type { ChannelFacts } from '../facts/facts.ts';
import { isHaltedProcess, type ProcessFacts } from '../facts/process_facts.ts';
import {
  type ChannelSetup,
  DEATHS_QUIET_MS,
  FINAL_OUTPUT_MS,
  PROCESS_STALE_MS,
  SOURCE_BACK_MS,
  SOURCE_BACK_SAMPLES,
} from '../facts/setup.ts';
import { isOfPublisher, type SymptomFacts, UPSTREAM_SYMPTOMS, withoutTrial } from '../facts/symptom_facts.ts';

/** The sources of a group failed together for a while, and all have answered well since. */
export interface NearbySources {
  readonly failFromMs: MonoMs;
  /** Since when the last of them has been back. */
  readonly okSinceMs: MonoMs;
  /** Nothing shows it: only that nothing can. */
  readonly isPresumed?: true;
}

/** It has answered well often enough and for long enough: an outage is over, not just pausing. */
export const isBack = (source: SourceFacts): source is SourceFacts & { readonly okSinceMs: MonoMs } => {
  const { okStreak, okSinceMs, last } = source;
  return okSinceMs !== undefined && okStreak >= SOURCE_BACK_SAMPLES && last.monoMs - okSinceMs >= SOURCE_BACK_MS;
};

/** What the probes of a group's sources have in common; undefined where one never failed, fails still or apart. */
export function nearbySources(sources: readonly SourceFacts[]): NearbySources | undefined {
  const [first, ...others] = sources.map(stretchOf);
  let common = first;
  for (const one of others) common = common === undefined || one === undefined ? undefined : together(common, one);
  return common;
}

interface Stretch extends NearbySources {
  readonly lastFailMs: MonoMs;
}

function stretchOf(source: SourceFacts): Stretch | undefined {
  const { lastFailFromMs, lastFailMs } = source;
  if (lastFailFromMs === undefined || lastFailMs === undefined || !isBack(source)) return undefined;
  return { failFromMs: lastFailFromMs, lastFailMs, okSinceMs: source.okSinceMs };
}

function together(a: Stretch, b: Stretch): Stretch | undefined {
  const nearMs = 2 * FINAL_OUTPUT_MS;
  if (a.failFromMs > b.lastFailMs + nearMs || b.failFromMs > a.lastFailMs + nearMs) return undefined;
  return {
    failFromMs: Math.min(a.failFromMs, b.failFromMs),
    lastFailMs: Math.max(a.lastFailMs, b.lastFailMs),
    okSinceMs: Math.max(a.okSinceMs, b.okSinceMs),
  };
}

/** A channel that plays, the symptoms of its log, and since when it has played. */
export interface Neighbour {
  readonly symptoms: readonly SymptomFacts[];
  readonly healthySinceMs: MonoMs;
}

/** A playlist that moves for this long is no leftover of a buffer, and no process that is about to end. */
export const PLAYS_AGAIN_MS = 30 * 1_000;

/**
 * Where no probe looks at the sources of a group, its channels show it: one that complained of its source and has
 * played for a while since has it back. Of several outages the last counts; undefined where no channel shows it.
 */
export function playingNearby(neighbours: readonly Neighbour[], nowMs: MonoMs): NearbySources | undefined {
  let last: Stretch | undefined;
  for (const { symptoms, healthySinceMs } of neighbours) {
    const failures = withoutTrial(symptoms).filter(({ kind }) => UPSTREAM_SYMPTOMS.includes(kind));
    const lastFailMs = Math.max(...failures.map(({ lastMs }) => lastMs));
    if (failures.length === 0 || healthySinceMs < lastFailMs || nowMs - healthySinceMs < PLAYS_AGAIN_MS) continue;
    const failFromMs = Math.min(...failures.map(({ firstMs }) => firstMs));
    if (last === undefined || lastFailMs > last.lastFailMs)
      last = { failFromMs, lastFailMs, okSinceMs: healthySinceMs };
  }
  return last;
}

/** What a group that cannot say whether its source is back is asked for. */
export type SilentMember = Pick<ChannelFacts, 'symptoms' | 'process'>;

/**
 * Nothing can witness that the source of a group is back where no probe looks at one and no process is left that would
 * play again by itself. Half a minute after the last line about it and the last death it may be, and the first start
 * of a plan shows it (law S8: a canary is the witness). Undefined where there is a witness, or it was lately.
 */
export function silentNearby(members: readonly SilentMember[], nowMs: MonoMs): NearbySources | undefined {
  if (members.length < 2) return undefined;
  const ends = members.flatMap(({ process }) => endedMs(process, nowMs) ?? []);
  if (ends.length === 0) return undefined;
  const failures = members.flatMap(({ symptoms }) =>
    withoutTrial(symptoms).filter(({ kind }) => UPSTREAM_SYMPTOMS.includes(kind)),
  );
  if (failures.length === 0) return undefined;
  const okSinceMs = Math.max(...failures.map(({ lastMs }) => lastMs), ...ends);
  const isLeft = members.some(({ process }) => endedMs(process, nowMs) === undefined && !isTry(process, okSinceMs));
  if (isLeft || nowMs - okSinceMs < DEATHS_QUIET_MS) return undefined;
  return { failFromMs: Math.min(...failures.map(({ firstMs }) => firstMs)), okSinceMs, isPresumed: true };
}

/**
 * The lines with which it ended, where they say that the server it publishes to hung up; else none. Looks at the
 * sources of others say nothing of that server.
 */
export function cutOffLines({ process, symptoms }: SilentMember, nowMs: MonoMs): readonly SymptomFacts[] {
  const downMs = endedMs(process, nowMs);
  if (downMs === undefined) return [];
  const lines = withoutTrial(symptoms).filter(
    ({ kind, lastMs }) => UPSTREAM_SYMPTOMS.includes(kind) && lastMs >= downMs - 2 * FINAL_OUTPUT_MS,
  );
  return lines.every(isOfPublisher) ? lines : [];
}

/**
 * No look has seen that server fail: it was back before one came. Where it answers looks since then, that is the
 * witness; else, half a minute after the last line and the death, a start shows it. Undefined: not yet.
 */
export function backAfterCut(
  { process, server }: Pick<ChannelFacts, 'process' | 'server'>,
  lines: readonly SymptomFacts[],
  nowMs: MonoMs,
): NearbySources | undefined {
  const failFromMs = Math.min(...lines.map(({ firstMs }) => firstMs));
  const okSinceMs = Math.max(process?.downSinceMs ?? 0, ...lines.map(({ lastMs }) => lastMs));
  const isSeen = server !== undefined && isBack(server) && server.last.monoMs - okSinceMs >= SOURCE_BACK_MS;
  if (isSeen) return { failFromMs, okSinceMs };
  return nowMs - okSinceMs < DEATHS_QUIET_MS ? undefined : { failFromMs, okSinceMs, isPresumed: true };
}

/** Started after the quiet time: it shows how things stand, and ends nothing while it runs. */
const isTry = (process: ProcessFacts | undefined, quietFromMs: MonoMs): boolean =>
  process !== undefined && process.bornMs >= quietFromMs + DEATHS_QUIET_MS;

/** Since when a process is gone or halted; undefined: it may come back by itself, or is not known. */
function endedMs(process: ProcessFacts | undefined, nowMs: MonoMs): MonoMs | undefined {
  if (process === undefined || process.unreadableSinceMs !== undefined) return undefined;
  if (nowMs - process.lastMs > PROCESS_STALE_MS) return undefined;
  return process.downSinceMs ?? (isHaltedProcess(process) ? process.haltedSinceMs : undefined);
}

/**
 * The server that it publishes to fails, or failed when it went down: whether that is over is seen, and not presumed.
 * Undefined: it says nothing.
 */
export function serverOutOf({ server, process }: Pick<ChannelFacts, 'server' | 'process'>): SourceFacts | undefined {
  const downMs = process?.downSinceMs;
  if (server?.lastFailMs === undefined || server.lastFailFromMs === undefined || downMs === undefined) return undefined;
  const nearMs = 2 * FINAL_OUTPUT_MS;
  const isOfDeath = server.lastFailMs >= downMs - nearMs && server.lastFailFromMs <= downMs + nearMs;
  return !server.last.ok || isOfDeath ? server : undefined;
}

/** What the channels of a group show of their sources: by probes where there are any, else by those that play. */
export function nearbyIn(
  around: readonly ChannelFacts[],
  healthySinceOf: (channel: ChannelId) => MonoMs | undefined,
  nowMs: MonoMs,
): NearbySources | undefined {
  const isLookedAt = around.some(({ setup: { hasSource } }) => hasSource);
  if (isLookedAt) return nearbySources(around.flatMap(({ source }) => source ?? []));
  const playing = around.flatMap(({ setup, symptoms }) => {
    const healthySinceMs = healthySinceOf(setup.id);
    return healthySinceMs === undefined ? [] : [{ symptoms, healthySinceMs }];
  });
  return playingNearby(playing, nowMs) ?? silentNearby(around, nowMs);
}

/**
 * A channel whose own source is not probed complained while the sources around it failed, and those are back: its
 * last lines are about what is over. Otherwise what died in an outage would stay down until a person comes.
 */
export function nearbyIsBack(setup: ChannelSetup, nearby: NearbySources | undefined, lastLineMs: MonoMs): boolean {
  if (setup.hasSource || nearby === undefined) return false;
  return lastLineMs >= nearby.failFromMs - 2 * FINAL_OUTPUT_MS && lastLineMs <= nearby.okSinceMs;
}
