/** Notifies Prometheus Alertmanager, by its API v2. */
import type { Clock } from '../../../core/clock.ts';
import { MINUTE_MS } from '../../../core/duration.ts';
import { statusOf } from '../../../resilience/failure.ts';
import {
  isRefusal,
  type Notice,
  type NoticeLabels,
  type PlaceOf,
  type PostJson,
  postOrThrow,
  type Receiver,
} from '../../receiver.ts';

/** Alertmanager forgets an alert after its `resolve_timeout` (5 min by default) and all of them when it restarts. */
const REFRESH_MS = MINUTE_MS;
const ALERTS_PER_POST_MAX = 200;

export interface AlertmanagerOptions {
  readonly name: string;
  /** Without a path: `http://127.0.0.1:9093`. */
  readonly url: string;
  readonly post: PostJson;
  readonly clock: Clock;
  /** Sent along, for example for authentication. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Added to every alert, for example to distinguish several installations. */
  readonly labels?: readonly { readonly name: string; readonly value: string }[];
  /** Where the scope of a page that does not say so belongs: becomes the labels `group` and `engine`. */
  readonly placeOf?: PlaceOf;
  /** How often everything open is sent again. Must be well below Alertmanager's `resolve_timeout`. Default 1 min. */
  readonly refreshMs?: number;
  /** Reeve's own address: the alert links to it. */
  readonly consoleUrl?: string | undefined;
}

interface Alert {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly startsAt?: string;
  readonly endsAt?: string;
  readonly generatorURL?: string;
}

/**
 * Prometheus Alertmanager, API v2. An open page has no `endsAt`: Alertmanager's own clock decides when it is stale,
 * so a wrong clock on this side cannot make a page look resolved. It is sent again every minute.
 */
export function alertmanager(options: AlertmanagerOptions): Receiver {
  const url = `${options.url.replace(/\/+$/, '')}/api/v2/alerts`;
  const send = async (notices: readonly Notice[], signal: AbortSignal): Promise<void> => {
    const alerts = notices.flatMap((notice) => alertsOf(notice, options));
    const refusals: unknown[] = [];
    for (let first = 0; first < alerts.length; first += ALERTS_PER_POST_MAX) {
      try {
        await postAlerts(url, alerts.slice(first, first + ALERTS_PER_POST_MAX), options, signal);
      } catch (thrown) {
        // What is in the other batches would end there if it were not sent again.
        if (!isRefusal(thrown)) throw thrown;
        refusals.push(thrown);
      }
    }
    if (refusals.length > 0) throw refusals[0];
  };
  return {
    name: options.name,
    deliver: (notice, signal) => send([notice], signal),
    refresh: { everyMs: options.refreshMs ?? REFRESH_MS, send },
  };
}

/** When this clock is ahead of Alertmanager's it refuses our start times. The page matters more than its start. */
async function postAlerts(
  url: string,
  alerts: readonly Alert[],
  { post, headers }: AlertmanagerOptions,
  signal: AbortSignal,
): Promise<void> {
  const postAs = (some: readonly Alert[]): Promise<void> =>
    postOrThrow(post, url, {
      body: JSON.stringify(some),
      headers: { 'content-type': 'application/json', ...headers },
      signal,
    });
  try {
    await postAs(alerts);
  } catch (thrown) {
    if (statusOf(thrown) !== 400) throw thrown;
    await postAs(alerts.map(({ startsAt: _, ...rest }) => rest));
  }
}

/** Its alert, and the end of those under other labels, because to Alertmanager other labels are another alert. */
function alertsOf(notice: Notice, options: AlertmanagerOptions): readonly Alert[] {
  const nowMs = options.clock.now();
  const startedMs = Math.min(notice.openedAt, nowMs - 1);
  const link = options.consoleUrl === undefined ? {} : { generatorURL: options.consoleUrl };
  const base = { annotations: annotationsOf(notice), startsAt: isoOf(startedMs), ...link };
  const { resolvedAt } = notice;
  const endedMs = resolvedAt !== undefined && resolvedAt > startedMs && resolvedAt < nowMs ? resolvedAt : nowMs;
  const ended = { endsAt: isoOf(endedMs) };
  const alert = { ...base, labels: labelsOf(notice, notice, options), ...(notice.what === 'resolve' ? ended : {}) };
  const present = JSON.stringify(alert.labels);
  const previous = notice.previous.map((labels) => labelsOf(notice, labels, options));
  // Of an earlier version without its place: it may be this very alert.
  const others = previous.filter((labels) => JSON.stringify(labels) !== present);
  return [...others.map((labels) => ({ ...base, labels, endsAt: isoOf(nowMs) })), alert];
}

function labelsOf(
  notice: Notice,
  noticeLabels: NoticeLabels,
  options: AlertmanagerOptions,
): Readonly<Record<string, string>> {
  const { scope, key } = notice;
  const place = noticeLabels.place ?? options.placeOf?.(scope) ?? {};
  const labels = {
    alertname: noticeLabels.reason === 'test' ? 'ReeveTest' : 'ReeveEscalation',
    ...Object.fromEntries((options.labels ?? []).map(({ name, value }) => [name, value])),
    channel: scope.kind === 'channel' ? scope.id : undefined,
    group: scope.kind === 'group' ? scope.id : place.group,
    engine: scope.kind === 'engine' ? scope.id : place.engine,
    severity: noticeLabels.severity,
    reason: noticeLabels.reason,
    classification: noticeLabels.classification,
    key,
  };
  return Object.fromEntries(
    Object.entries(labels).filter((label): label is [string, string] => label[1] !== undefined),
  );
}

function annotationsOf({ summary, details, incident, because }: Notice): Readonly<Record<string, string>> {
  return {
    summary,
    description: details,
    ...(incident === undefined ? {} : { incident }),
    ...(because === undefined ? {} : { resolved_because: because }),
  };
}

const isoOf = (epochMs: number): string => new Date(epochMs).toISOString();
