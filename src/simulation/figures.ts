/** Figures that are comparable between policies. */
import { provedMs } from './service_channel.ts';
import type { Generation, ServiceModel, ServiceChannel } from './service_model.ts';
import { mostWithin, quantile, unprovedPeaks } from './statistics.ts';
import { MINUTE_MS } from '../core/duration.ts';

/** A start that a policy made, and how the channel really stood. */
export interface PolicyStart {
  readonly channel: string;
  readonly atMs: number;
  readonly status: string;
  /** The process that it led to; undefined: none. */
  readonly process: Generation | undefined;
}

/** A person was notified of this scope. */
export interface PolicyPage {
  readonly scope: string;
  readonly atMs: number;
  /** Until when the page was open. Undefined: the policy takes no page back, and it counts at `atMs` alone. */
  readonly untilMs?: number;
}

/** What a policy did to the same world, in the same measures for all. */
export interface Figures {
  /** From the moment at which a restart would have helped to output, in seconds. */
  readonly mttrS: { readonly p50: number; readonly p95: number };
  readonly restarts: number;
  /** Starts of a channel that a restart could not help: it played, was on its way, or lacked something else. */
  readonly unnecessaryRestarts: number;
  /** Stretches in which more than 10 starts of the last 60 s had not yet put out a segment. */
  readonly storms: number;
  /** The most starts by the policy within any 60 s, proved or not. */
  readonly startsInWorstMinute: number;
  readonly darkViewerSeconds: number;
  readonly escalations: number;
  /** Channels down for longer than `MUST_PAGE_MS` without a notification, or a page that was open all the time. */
  readonly missedEscalations: number;
}

const STORM_STARTS = 10;
const STORM_MS = MINUTE_MS;
/** Down for longer than this, a person must have been notified. */
const MUST_PAGE_MS = 10 * MINUTE_MS;

export interface Story {
  readonly service: ServiceModel;
  readonly starts: readonly PolicyStart[];
  readonly pages: readonly PolicyPage[];
  readonly nowMs: number;
}

export function figuresOf({ service, starts, pages, nowMs }: Story): Figures {
  const { downtime } = service;
  const healed = downtime.episodes.flatMap(({ curableMs, toMs }) =>
    curableMs === undefined || toMs === undefined ? [] : [(toMs - curableMs) / 1_000],
  );
  const long = downtime.episodes.filter(({ fromMs, toMs }) => (toMs ?? nowMs) - fromMs > MUST_PAGE_MS);
  const missed = long.filter(({ channel, fromMs, toMs }) => {
    const keys = scopesOf(service.at(channel));
    const endMs = toMs ?? nowMs;
    const isSince = ({ atMs, untilMs = atMs }: PolicyPage): boolean => atMs >= fromMs - STORM_MS || untilMs >= endMs;
    return !pages.some((page) => keys.has(page.scope) && page.atMs <= endMs && isSince(page));
  });
  return {
    mttrS: { p50: quantile(healed, 0.5), p95: quantile(healed, 0.95) },
    restarts: starts.length,
    unnecessaryRestarts: starts.filter(({ status }) => status !== 'curable').length,
    storms: unprovedPeaks(starts.map(timesOf), { max: STORM_STARTS, windowMs: STORM_MS }),
    startsInWorstMinute: mostWithin(
      starts.map(({ atMs }) => atMs),
      STORM_MS,
    ),
    darkViewerSeconds: downtime.viewerSeconds(nowMs),
    escalations: pages.length,
    missedEscalations: missed.length,
  };
}

const scopesOf = ({ plan }: ServiceChannel): ReadonlySet<string> =>
  new Set([`channel:${plan.id}`, `group:${plan.group}`, `engine:${plan.engine}`, 'fleet']);

const timesOf = ({ atMs, process }: PolicyStart) => ({ atMs, provedMs: process && provedMs(process) });
