// Gauges are sampled at scrape; counters and histograms of what was journaled are in metrics.ts.
import Counter from 'prom-client/lib/counter.js';
import Gauge from 'prom-client/lib/gauge.js';
import type Registry from 'prom-client/lib/registry.js';
import { keyOfScope, type Scope } from '../core/scope.ts';

/** One receiver of pages, now. */
interface ReceiverState {
  readonly receiver: string;
  /** Since when it has taken nothing of what was sent to it; undefined while it takes messages. */
  readonly failingForMs: number | undefined;
  /** Open pages that are meant for it. */
  readonly pages: number;
}

/** What is sampled at scrape time rather than counted from the journal. All of it is cheap to read. */
export interface Gauges {
  restartVelocity(): number;
  fleetRestartsLeft(): number;
  containments(): readonly { readonly scope: Scope; readonly reason: string }[];
  /** 0 closed, 1 half-open, 2 open; only channels whose breaker has ever failed. */
  breakers(): readonly { readonly channel: string; readonly state: 0 | 1 | 2 }[];
  cooldowns(): readonly { readonly channel: string; readonly tool: string; readonly remainingMs: number }[];
  secondsSinceLastDeliveryOk(): number | undefined;
  /** Requests and connections that were turned away, exact since the start. */
  refused(): readonly { readonly reason: string; readonly count: number }[];
  /** The last record of the journal, and the first 52 bits of its hash. */
  journalHead(): { readonly seq: number; readonly bits: number };
  /** Since a witness last took the head, or since the start; undefined where none is configured. */
  secondsSinceHeadSent(): number | undefined;
  lines(): readonly { readonly source: string; readonly result: string; readonly lines: number }[];
  /** TCP connections of syslog senders that were closed from this end. */
  syslogClosed?(): readonly { readonly reason: string; readonly count: number }[];
  loopLagSeconds(): number;
  openIncidents(): number;
  /** The rollout phase outside of groups that have one of their own, 0 to 4. */
  phase(): number;
  /** A person's freeze stops every change. */
  isFrozen(): boolean;
  receivers(): readonly ReceiverState[];
  /** Pages that ended before any receiver took them, and that were too many to keep. */
  pagesForgotten?(): number;
  configOk(): boolean;
  heartbeatSeconds(): number;
  /** Since the service elsewhere last took one, or since the start; undefined where none is configured. */
  secondsSinceHeartbeatTaken?(): number | undefined;
  /** Undefined while the hints are not loaded. */
  hints?():
    | {
        readonly uplift: readonly { readonly bucket: string; readonly mean: number }[];
        readonly blindSpots: number;
        readonly clusters: number;
      }
    | undefined;
  /** 0 to 1; undefined where no model is configured. */
  llmNeededRatio?(): number | undefined;
}

type Row = { readonly labels: Record<string, string>; readonly value: number };

const single = (value: number | undefined): readonly Row[] => (value === undefined ? [] : [{ labels: {}, value }]);

export function registerGauges(prefix: string, registry: Registry, gauges: Gauges): void {
  const gauge = (name: string, help: string, labelNames: string[], rows: () => readonly Row[]) =>
    new Gauge({
      name: prefix + name,
      help,
      labelNames,
      registers: [registry],
      collect() {
        this.reset();
        // A reset leaves a 0 where there are no labels, and "0 s ago" is not "never": nothing is above or below NaN.
        if (labelNames.length === 0) this.set(Number.NaN);
        for (const { labels, value } of rows()) this.set(labels, value);
      },
    });
  gauge('restart_velocity', 'Starts over all channels in the last 60 s.', [], () => single(gauges.restartVelocity()));
  gauge('fleet_restarts_left', 'What is left of the restarts that the fleet may use in 24 h.', [], () =>
    single(gauges.fleetRestartsLeft()),
  );
  gauge('containment_active', '1 while a scope is contained.', ['scope', 'reason'], () =>
    gauges.containments().map(({ scope, reason }) => ({ labels: { scope: keyOfScope(scope), reason }, value: 1 })),
  );
  gauge('breaker_state', '0 closed, 1 half-open, 2 open.', ['channel'], () =>
    gauges.breakers().map(({ channel, state }) => ({ labels: { channel }, value: state })),
  );
  gauge('cooldown_remaining_seconds', 'Until the tool may run again.', ['channel', 'tool'], () =>
    gauges
      .cooldowns()
      .map(({ channel, tool, remainingMs }) => ({ labels: { channel, tool }, value: remainingMs / 1000 })),
  );
  gauge('seconds_since_last_delivery_ok', 'Since some receiver last took a page.', [], () =>
    single(gauges.secondsSinceLastDeliveryOk()),
  );
  gauge('open_incidents', 'Incidents that are open now.', [], () => single(gauges.openIncidents()));
  gauge('llm_needed_ratio', 'Of the last closed incidents with a plan, the share in which a model was asked.', [], () =>
    single(gauges.llmNeededRatio?.()),
  );
  gauge('config_ok', '0 while the last reload was refused.', [], () => single(gauges.configOk() ? 1 : 0));
  gauge('loop_lag_seconds', 'Delay of the event loop, 99th percentile since the last scrape.', [], () =>
    single(gauges.loopLagSeconds()),
  );
  gauge('heartbeat_timestamp_seconds', 'Unix time of the last heartbeat.', [], () => single(gauges.heartbeatSeconds()));
  registerPeople(gauge, gauges);
  registerHints(gauge, gauges);
  registerLines(prefix, registry, gauges);
  registerForgotten(prefix, registry, gauges);
  registerRefused(prefix, registry, gauges);
  registerElsewhere(gauge, gauges);
}

type Register = (name: string, help: string, labelNames: string[], rows: () => readonly Row[]) => unknown;

/** What people decided, and whether they can be called. */
function registerPeople(gauge: Register, gauges: Gauges): void {
  gauge('phase', 'Rollout phase, 0 to 4, outside of groups that have their own.', [], () => single(gauges.phase()));
  gauge('freeze_active', '1 while a freeze by a person stops every change.', [], () =>
    single(gauges.isFrozen() ? 1 : 0),
  );
  gauge(
    'receiver_failing_seconds',
    'Since a receiver takes nothing that is sent to it; 0 while it does.',
    ['receiver'],
    () =>
      gauges
        .receivers()
        .map(({ receiver, failingForMs }) => ({ labels: { receiver }, value: (failingForMs ?? 0) / 1000 })),
  );
  gauge('receiver_open_pages', 'Open pages that are meant for a receiver.', ['receiver'], () =>
    gauges.receivers().map(({ receiver, pages }) => ({ labels: { receiver }, value: pages })),
  );
}

/** Whom Reeve tells that it lives, and what its journal holds. */
function registerElsewhere(gauge: Register, gauges: Gauges): void {
  gauge(
    'seconds_since_heartbeat_taken',
    'Since the service at `heartbeat:` last took one, or since the start.',
    [],
    () => single(gauges.secondsSinceHeartbeatTaken?.()),
  );
  gauge('journal_head_seq', 'Number of the last record of the journal.', [], () => single(gauges.journalHead().seq));
  gauge('journal_head_prefix', 'First 52 bits of its hash, for reeve audit verify --head.', [], () =>
    single(gauges.journalHead().bits),
  );
  gauge(
    'seconds_since_head_told',
    'Since a file or webhook elsewhere last took the head of the journal, or since the start.',
    [],
    () => single(gauges.secondsSinceHeadSent()),
  );
}

function registerHints(gauge: Register, gauges: Gauges): void {
  gauge('hint_uplift', 'Mean change of the score after a hint, by how far it is trusted.', ['bucket'], () =>
    (gauges.hints?.()?.uplift ?? []).map(({ bucket, mean }) => ({ labels: { bucket }, value: mean })),
  );
  gauge('hint_blind_spots', 'Errors that recur now and that no cluster of hints knows.', [], () =>
    single(gauges.hints?.()?.blindSpots),
  );
  gauge('hint_clusters', 'Clusters of hints in use.', [], () => single(gauges.hints?.()?.clusters));
}

/** Exact counts kept by the collectors over restarts (law L3), so they are set, not incremented. */
function registerLines(prefix: string, registry: Registry, gauges: Gauges): void {
  new Counter({
    name: `${prefix}lines_total`,
    help: 'Log lines read: matched, unmatched or dropped_<reason>; the sum is exact.',
    labelNames: ['source', 'result'],
    registers: [registry],
    collect() {
      this.reset();
      for (const { source, result, lines } of gauges.lines()) this.inc({ source, result }, lines);
    },
  });
}

/** Kept with the pages over restarts. */
function registerForgotten(prefix: string, registry: Registry, gauges: Gauges): void {
  new Counter({
    name: `${prefix}pages_forgotten_total`,
    help: 'Pages that ended before any receiver took them, and that were too many to keep: nobody heard of them.',
    registers: [registry],
    collect() {
      this.reset();
      this.inc(gauges.pagesForgotten?.() ?? 0);
    },
  });
}

function registerRefused(prefix: string, registry: Registry, gauges: Gauges): void {
  const byReason = (
    name: string,
    help: string,
    read: () => readonly { readonly reason: string; readonly count: number }[],
  ): void => {
    new Counter({
      name: prefix + name,
      help,
      labelNames: ['reason'],
      registers: [registry],
      collect() {
        this.reset();
        for (const { reason, count } of read()) this.inc({ reason }, count);
      },
    });
  };
  byReason('http_refused_total', 'Requests refused by reason, and connections cut to keep room for others.', () =>
    gauges.refused(),
  );
  byReason(
    'syslog_connections_closed_total',
    'TCP connections of syslog senders that Reeve closed: idle, not allowed, or to keep room for others.',
    () => gauges.syslogClosed?.() ?? [],
  );
}
