/** Queries Prometheus servers. */
import type { Clock } from '../../core/clock.ts';
import { messageOf } from '../../core/errors.ts';
import type { Sample } from '../../core/sample.ts';
import type { ChannelId, EngineId } from '../../core/scope.ts';
import type { Symptom, SymptomKind } from '../../core/symptom.ts';
import type { BoundedFetch } from '../../resilience/http.ts';
import { metricSymptom } from '../intake/alerts.ts';
import { isRecord, labelled } from '../intake/refused.ts';
import { nameOfQuery } from './pool.ts';
import { Poller } from '../probes/poller.ts';
import type { Probe } from '../probes/scheduled_probe.ts';
import type { QueryMeaning } from './schema.ts';

export interface PrometheusQuery {
  readonly query: string;
  readonly means: QueryMeaning;
  /** With `symptom`: which. */
  readonly symptom: SymptomKind | undefined;
  /** The channel that it is about; undefined: the labels say. */
  readonly channel: ChannelId | undefined;
  readonly channelLabels: readonly string[];
  /** With `pool_pressure`: whose. */
  readonly engine: EngineId | undefined;
}

export interface PrometheusServer {
  readonly id: string;
  /** Without `/api/v1`. */
  readonly url: string;
  readonly everyMs: number;
  /** A series that was scraped longer ago than this is not used, where the server can do that (2.43 and later). */
  readonly staleAfterMs: number;
  readonly token: (() => string) | undefined;
  readonly queries: readonly PrometheusQuery[];
}

export interface PrometheusOptions {
  readonly servers: readonly PrometheusServer[];
  readonly clock: Clock;
  readonly ask: BoundedFetch;
  readonly channelOf: (name: string) => ChannelId | undefined;
  /** What a probe of the channel's own looks at: two accounts of one thing would overwrite each other. */
  readonly looksItself: (channel: ChannelId, at: 'output' | 'source') => boolean;
  readonly onSample: (sample: Sample) => void;
  readonly onSymptom: (symptom: Symptom) => void;
  /** The highest of the series that one query gave. */
  readonly onPoolPressure: (engine: EngineId, ratio: number, query: string) => void;
  /** Hears once of each change: that a query fails, and that it answers again. */
  readonly report: (server: string, because: string) => void;
}

const TIMEOUT_MS = 5_000;
const ANSWER_BYTES_MAX = 1_048_576;
/** Of one server, so that one that does not answer delays no query of another. */
const PER_SERVER_MAX = 4;
/** Output that is younger moves, or younger than three looks where those take longer. */
const FRESH_MS = 6_000;

/** Asks Prometheus servers at their pace. What fails, or answers nothing, gives no sample: no answer is not a value. */
export function createPrometheusQueries(options: PrometheusOptions): Poller {
  const reported = new Map<string, string>();
  const probes = options.servers.flatMap((server) =>
    server.queries.map((query, at): Probe => {
      const name = `prometheus:${server.id}#${at + 1}`;
      const take = taker(options, { server, query });
      const say = (because: string): void => {
        if ((reported.get(name) ?? '') === because) return;
        reported.set(name, because);
        options.report(server.id, because === '' ? `${query.query} answers again` : `${query.query}: ${because}`);
      };
      return {
        ...{ name, everyMs: server.everyMs, fastEveryMs: server.everyMs, timeoutMs: TIMEOUT_MS + 1_000 },
        peer: server.id,
        async run(signal) {
          try {
            take(await answerOf(options, server, { query, signal }));
            say('');
          } catch (thrown) {
            if (!signal.aborted) say(messageOf(thrown));
          }
        },
      };
    }),
  );
  const onBug = (probe: string, thrown: unknown): void => options.report(probe, messageOf(thrown));
  const most = { concurrencyMax: Number.POSITIVE_INFINITY, perPeerMax: PER_SERVER_MAX };
  return new Poller({ probes, clock: options.clock, ...most, onBug });
}

interface Series {
  readonly labels: Readonly<Record<string, unknown>>;
  readonly value: number;
}

async function answerOf(
  { ask }: PrometheusOptions,
  server: PrometheusServer,
  { query, signal }: { readonly query: PrometheusQuery; readonly signal: AbortSignal },
): Promise<readonly Series[]> {
  const url = new URL(`${server.url.replace(/\/+$/, '')}/api/v1/query`);
  url.searchParams.set('query', query.query);
  url.searchParams.set('timeout', `${TIMEOUT_MS}ms`);
  url.searchParams.set('lookback_delta', `${server.staleAfterMs}ms`);
  const headers = server.token === undefined ? {} : { authorization: `Bearer ${server.token()}` };
  const { body } = await ask({ url, headers, timeoutMs: TIMEOUT_MS, bytesMax: ANSWER_BYTES_MAX, signal });
  return seriesIn(body.toString('utf8'));
}

/** The series of an instant query's answer (prometheus.io/docs, HTTP API). Throws for anything else. */
export function seriesIn(text: string): readonly Series[] {
  const answer: unknown = JSON.parse(text);
  const answered = isRecord(answer) && answer.status === 'success' && isRecord(answer.data) ? answer.data : undefined;
  if (answered === undefined) throw new Error('expected an answer with the status success');
  const { resultType, result } = answered;
  if (resultType === 'scalar') return seriesOf({ value: result });
  if (resultType !== 'vector' || !Array.isArray(result)) {
    throw new Error(`expected a vector or a scalar, got ${String(resultType)}`);
  }
  return result.flatMap(seriesOf);
}

/** A value that is no number says nothing. */
function seriesOf(each: unknown): Series[] {
  if (!isRecord(each) || !Array.isArray(each.value)) return [];
  const value = Number(each.value[1]);
  return Number.isNaN(value) ? [] : [{ labels: isRecord(each.metric) ? each.metric : {}, value }];
}

function taker(
  options: PrometheusOptions,
  { server, query }: { readonly server: PrometheusServer; readonly query: PrometheusQuery },
): (answer: readonly Series[]) => void {
  const { clock, onSample, looksItself } = options;
  const source = `prometheus:${server.id}`;
  /** By channel: how often the output was seen fresh. */
  const moves = new Map<ChannelId, number>();
  const base = () => ({ at: clock.now(), monoMs: clock.monotonicMs(), source });
  const answers: Readonly<Record<Exclude<QueryMeaning, 'pool_pressure'>, (channel: ChannelId, value: number) => void>> =
    {
      up(channel, value) {
        if (looksItself(channel, 'output')) return;
        onSample({ ...base(), kind: 'reach', channel, ...verdict(value > 0) });
      },
      source_up(channel, value) {
        if (looksItself(channel, 'source')) return;
        onSample({ ...base(), kind: 'source', channel, host: source, ...verdict(value > 0) });
      },
      playlist_age_seconds(channel, value) {
        if (looksItself(channel, 'output')) return;
        const ageMs = Math.max(0, value * 1_000);
        const isFresh = ageMs < Math.max(FRESH_MS, 3 * server.everyMs);
        const count = (moves.get(channel) ?? 0) + (isFresh ? 1 : 0);
        moves.set(channel, count);
        onSample({ ...base(), kind: 'playlist', channel, ok: true, revision: String(count), ageMs });
      },
      output_position(channel, value) {
        if (looksItself(channel, 'output')) return;
        onSample({ ...base(), kind: 'playlist', channel, ok: true, revision: String(value) });
      },
      viewers(channel, value) {
        if (value >= 0) onSample({ ...base(), kind: 'viewers', channel, viewers: Math.round(value) });
      },
      symptom(channel) {
        const text = query.query.slice(0, 400);
        if (query.symptom !== undefined)
          options.onSymptom(metricSymptom({ channel, kind: query.symptom, source, text }, clock));
      },
    };
  const { means, engine } = query;
  if (means === 'pool_pressure') {
    return (answer) => {
      const ratios = answer.flatMap(({ value }) => (value >= 0 ? [Math.min(1, value)] : []));
      if (engine === undefined || ratios.length === 0) return;
      options.onPoolPressure(engine, Math.max(...ratios), nameOfQuery(server.id, query.query));
    };
  }
  return (answer) => {
    for (const { labels, value } of answer) {
      const named = labelled(labels, query.channelLabels);
      const channel = query.channel ?? (named === undefined ? undefined : options.channelOf(named));
      if (channel !== undefined) answers[means](channel, value);
    }
  };
}

const verdict = (ok: boolean) => (ok ? { ok } : { ok, failure: 'unreachable' as const });
