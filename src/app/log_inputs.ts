/** Opens the log inputs beside files: intake, syslog, journald, standard input, Prometheus. */
import { join } from 'node:path';
import { followed } from './log_sources.ts';
import { safeText } from '../collect/clean.ts';
import { createFeeds, DEFAULT_FEED_LIMITS, type FeedStats, type LineFeed } from '../collect/feed/feed.ts';
import { createIntake, type Taken } from '../collect/intake/intake.ts';
import { createJournald } from '../collect/journald/journald.ts';
import { fullUnitName } from '../collect/journald/units.ts';
import type { Poller } from '../collect/probes/poller.ts';
import type { PoolReadings } from '../collect/prometheus/pool.ts';
import { createPrometheusQueries } from '../collect/prometheus/queries.ts';
import { followStream } from '../collect/stdin/stdin.ts';
import { createSyslog } from '../collect/syslog/syslog.ts';
import type { Config } from '../config/config.ts';
import type { ChunkSink } from '../core/chunk.ts';
import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import type { Sample } from '../core/sample.ts';
import type { ChannelId } from '../core/scope.ts';
import type { Symptom } from '../core/symptom.ts';
import { INTAKE_PLAIN_BYTES_MAX, type IntakeFormat } from '../http/intake.ts';
import { type BoundedFetch, boundedFetch } from '../resilience/http.ts';

export interface LogInputDeps {
  readonly clock: Clock;
  readonly sink: ChunkSink;
  readonly pools: PoolReadings;
  readonly log: Log;
  readonly channelOf: (name: string) => ChannelId | undefined;
  readonly onSample: (sample: Sample) => void;
  readonly onSymptom: (symptom: Symptom) => void;
  /** What comes in by that source is not read any more. */
  readonly onFailed: (source: string, because: string) => void;
}

/** Ways in besides files, commands and probes: what is pushed, syslog, the journal, standard input, Prometheus. */
export interface LogInputs extends AsyncDisposable {
  readonly intake: { take(format: IntakeFormat, body: Buffer): Taken };
  start(): void;
  stats(): readonly FeedStats[];
  /** Connections that syslog closed from its end, by reason. */
  syslogClosed(): readonly { readonly reason: string; readonly count: number }[];
}

type Open = (id: string) => LineFeed;

export function createLogInputs(config: Config, deps: LogInputDeps): LogInputs {
  const { clock, log, channelOf } = deps;
  const { intake: intakeConfig } = config.collectors;
  const report = (source: string, kind: string, because: string): void =>
    log.warn({ source, kind }, safeText(because, 512));
  const feeds = createFeeds({
    ...{ clock, sink: deps.sink },
    report: ({ source, kind, because }) => {
      report(source, kind, because);
      if (kind === 'failed') deps.onFailed(source, safeText(because, 512));
    },
  });
  const limits = { ...DEFAULT_FEED_LIMITS, lateMs: intakeConfig.lateMs };
  const open: Open = (id) => feeds.open(id, limits);
  const openPushed: Open = (id) => feeds.open(id, { ...limits, pushed: true });
  const intake = createIntake({
    feeds: { loki: openPushed('intake:loki'), otlp: openPushed('intake:otlp'), ndjson: openPushed('intake:ndjson') },
    ...{ clock, channelOf, channelLabels: intakeConfig.channelLabels, meanings: intakeConfig.alerts },
    bytesMax: INTAKE_PLAIN_BYTES_MAX,
    clean: (text) => safeText(text, 400),
    onSymptom: deps.onSymptom,
  });
  const ask = boundedFetch(clock);
  const prometheus = prometheusOf(config, deps, ask);
  const syslog = syslogOf(config, deps, openPushed);
  const listening = [syslog, journaldOf(config, deps, open)].filter((each) => each !== undefined);
  const [input] = followed(config).inputs;
  const inputFeed = input === undefined ? undefined : open(input.id);
  let following: Disposable | undefined;
  return {
    intake,
    start() {
      for (const each of listening) void each.start();
      prometheus.start();
      if (inputFeed !== undefined) {
        following = followStream(process.stdin, {
          ...{ feed: inputFeed, channel: input?.channel },
          onOver: (because) => report(inputFeed.id, 'missing', `nothing more comes from standard input: ${because}`),
        });
      }
    },
    stats: () => feeds.stats(),
    syslogClosed: () => syslog?.closed() ?? [],
    async [Symbol.asyncDispose]() {
      prometheus[Symbol.dispose]();
      following?.[Symbol.dispose]();
      await Promise.all(listening.map((each) => each[Symbol.asyncDispose]()));
      feeds[Symbol.dispose]();
      ask[Symbol.dispose]();
    },
  };
}

function syslogOf({ collectors: { syslog } }: Config, { clock, log, channelOf }: LogInputDeps, open: Open) {
  if (syslog === undefined) return undefined;
  const { udp, tcp, allowFrom, channels } = syslog;
  return createSyslog({
    ...{ udp, tcp, allowFrom, clock, feed: open('syslog') },
    channelOf: ({ app, host }) =>
      channels.find((each) => (each.app ?? app) === app && (each.host ?? host) === host)?.channel ??
      (app === undefined ? undefined : channelOf(app)),
    report: (because) => log.error({ source: 'syslog' }, safeText(because, 512)),
  });
}

function journaldOf({ collectors: { journald }, stateDirectory }: Config, { clock, log }: LogInputDeps, open: Open) {
  if (journald === undefined) return undefined;
  const { units, channels } = journald;
  const owners = new Map(channels.map(({ unit, channel }) => [fullUnitName(unit), channel]));
  return createJournald({
    ...{ program: 'journalctl', units, clock, feed: open('journald') },
    cursorFile: join(stateDirectory, 'journald.cursor'),
    channelOf: ({ unit }) => (unit === undefined ? undefined : owners.get(unit)),
    report: (because) => log.warn({ source: 'journald' }, safeText(because, 512)),
  });
}

function prometheusOf(config: Config, deps: LogInputDeps, ask: BoundedFetch): Poller {
  const { clock, log, pools } = deps;
  const own = new Map(config.channels.map((channel) => [channel.id, channel]));
  return createPrometheusQueries({
    ...{ clock, ask, onSample: deps.onSample, onSymptom: deps.onSymptom, channelOf: deps.channelOf },
    servers: config.collectors.prometheus.map(({ token, ...server }) => ({
      ...server,
      token: token === undefined ? undefined : () => token.reveal(),
    })),
    looksItself: (channel, at) => own.get(channel)?.[at] !== undefined,
    onPoolPressure: (engine, ratio, query) => pools.note(engine, ratio, query),
    report: (server, because) => log.warn({ source: `prometheus:${server}` }, safeText(because, 512)),
  });
}
