/** The adapter for ExStreamTV. */
import { z } from 'zod';
import type { ExstreamtvDocument } from './schema.ts';
import { secretOf } from '../secret_reference.ts';
import type { ActionContext, Engine, EngineReport } from '../../core/engine.ts';
import { ReeveError } from '../../core/errors.ts';
import type { CredentialSample, ProcessSample } from '../../core/sample.ts';
import type { ChannelId } from '../../core/scope.ts';
import type { Capability } from '../../core/tool.ts';
import { RequestFailed } from '../../resilience/failure.ts';
import { credentialWatch } from '../credentials.ts';
import { configured } from '../described.ts';
import { parseMetrics, sumOf } from './metrics_text.ts';
import { exstreamtvNameOf } from '../names.ts';
import { type ChannelName, downReport, type EngineParts, type ReadingTime, readingTimeOf, upSample } from '../parts.ts';
import { parseJson, unknownProcess } from '../reading.ts';
import { withoutTokens } from '../secrets.ts';
import { newestOf } from '../text.ts';

const BYTES_MAX = 4 << 20;
const LOG_LINES = 500;
/** A channel that put out something this recently runs. An older report may be a leftover of an earlier process. */
const FRESH_SECONDS = 30;

const channelList = z.array(z.object({ id: z.int(), enabled: z.boolean() })).max(10_000);
const channelHealth = z.object({
  status: z.enum(['healthy', 'degraded']),
  channels: z.record(z.string(), z.object({ last_output_seconds_ago: z.number().nullable() })),
});
const success = z.object({ success: z.boolean(), message: z.string().optional(), error: z.string().optional() });
const rebuilt = success.extend({ items_added: z.int().min(0).optional() });
const cleared = z.object({ cleared: z.int().min(0) });
const cacheStats = z.object({ entry_count: z.int().min(0) });
const playouts = z.array(z.object({ id: z.int(), is_active: z.boolean() })).max(1_000);
const nowPlaying = z.object({ current: z.object({ id: z.int() }).nullable() });
const logEntries = z.object({ entries: z.array(z.object({ raw: z.string() })).max(10_000) });

export interface ExstreamtvSetup {
  readonly document: ExstreamtvDocument;
  readonly channels: readonly ChannelName[];
  readonly parts: EngineParts;
}

type ListedChannel = z.infer<typeof channelList>[number];
type Health = z.infer<typeof channelHealth>['channels'];

/**
 * ExStreamTV over its REST API. A status of 200 proves nothing there: many routes answer it with `success: false` or
 * `status: "error"`, so every answer is judged by its content. Channels are called by their id, not their number.
 */
export class ExstreamtvEngine implements Engine {
  readonly id: string;
  readonly kind = 'exstreamtv';
  readonly capabilities: ReadonlySet<Capability>;
  readonly #document: ExstreamtvDocument;
  readonly #parts: EngineParts;
  readonly #channels: readonly ChannelName[];
  readonly #headers: Readonly<Record<string, string>>;
  readonly #credentials: (signal: AbortSignal) => CredentialSample | undefined;
  /** Spawns that were rejected so far, by its own counter. */
  #rejected: number | undefined;

  constructor({ document, channels, parts }: ExstreamtvSetup) {
    this.id = document.id;
    this.#document = document;
    this.#parts = parts;
    this.#channels = channels.map(({ id, name }) => ({ id, name: exstreamtvNameOf(name) }));
    this.#headers = headersOf(document, parts);
    this.capabilities = capabilitiesOf(document);
    const everyMs = document.credentials_every;
    const probe = (signal: AbortSignal) => this.probeCredentials(signal);
    this.#credentials = credentialWatch({ engine: this.id, clock: parts.clock, everyMs, probe });
  }

  async observe(signal: AbortSignal): Promise<EngineReport> {
    const reading = { engine: this.id, source: 'exstreamtv /api', moment: readingTimeOf(this.#parts.clock) };
    try {
      const listed = await this.#get('/api/channels', channelList, signal);
      const poolPressure = await this.#rejectedLately(signal);
      const health = this.#document.channel_health === 'use' ? await this.#channelHealth(signal) : {};
      const processes = this.#channels.map((channel) =>
        this.#sample(channel, { listed, health, moment: reading.moment }),
      );
      const credential = this.#document.plex ? this.#credentials(signal) : undefined;
      return { engine: { ...upSample(reading), poolPressure }, processes, viewers: [], credential };
    } catch (error) {
      signal.throwIfAborted();
      return downReport(reading, error);
    }
  }

  /** Only where the service was given the route; its answer must say that it was accepted. */
  async restart(channel: ChannelId, context: ActionContext): Promise<string> {
    configured(this.#document.restart === 'patch' ? 'patch' : undefined, 'restart');
    const path = `/api/channels/${this.#nameOf(channel)}/restart`;
    await this.#post(path, { schema: success, target: channel, context, once: true });
    return `${path} accepted`;
  }

  async recentLogs(channel: ChannelId, bytesMax: number, signal: AbortSignal): Promise<string> {
    const { entries } = await this.#get(`/api/logs/entries?lines=${LOG_LINES}`, logEntries, signal);
    const own = new RegExp(`channel[ _:=#]*${this.#nameOf(channel)}\\b`, 'i');
    const lines = entries.map(({ raw }) => raw);
    const ofChannel = lines.filter((line) => own.test(line));
    return newestOf(withoutTokens((ofChannel.length > 0 ? ofChannel : lines).join('\n')), bytesMax);
  }

  /** Makes it resolve its media URLs anew. It gets no new token by this: an expired one needs a person. */
  async refreshCredentials(context: ActionContext): Promise<string> {
    const change = { schema: success, target: `engine:${this.id}`, context, once: false };
    await this.#post('/api/settings/plex/refresh-urls', change);
    return 'media URLs are resolved anew; no new token was fetched';
  }

  async probeCredentials(signal: AbortSignal): Promise<boolean> {
    configured(this.#document.plex || undefined, 'plex');
    const answer = await this.#look('/api/settings/plex/test', success, { signal, method: 'POST' });
    return answer.success;
  }

  /** Deletes and plans again. Without working credentials it would delete only, so those are tried before. */
  async rebuildPlayout(channel: ChannelId, context: ActionContext) {
    if (!(await this.probeCredentials(context.signal))) {
      throw new ReeveError('ENGINE_REFUSED', 'a rebuild would empty the channel: the credentials for its media fail');
    }
    const path = `/api/settings/plex/rebuild-channel-playout/${this.#nameOf(channel)}`;
    const answer = await this.#post(path, { schema: rebuilt, target: channel, context, once: true });
    return { itemsAdded: answer.items_added ?? 0, summary: withoutTokens(answer.message ?? '').slice(0, 200) };
  }

  async probePlayout(channel: ChannelId, signal: AbortSignal): Promise<boolean> {
    const list = await this.#get(`/api/playouts?channel_id=${this.#nameOf(channel)}`, playouts, signal);
    const active = list.find((playout) => playout.is_active);
    if (active === undefined) return false;
    const { current } = await this.#get(`/api/playouts/${active.id}/now-playing`, nowPlaying, signal);
    return current !== null;
  }

  async invalidateCache(channel: ChannelId | undefined, context: ActionContext): Promise<string> {
    const patterns = channel === undefined ? ['epg:*', 'm3u:*'] : [`*channel:${this.#nameOf(channel)}*`];
    let entries = 0;
    for (const pattern of patterns) {
      const path = `/api/performance/cache/clear?pattern=${encodeURIComponent(pattern)}`;
      const target = channel ?? `engine:${this.id}`;
      entries += (await this.#post(path, { schema: cleared, target, context, once: false })).cleared;
    }
    return `${entries} entries cleared (${patterns.join(', ')})`;
  }

  async probeCache(signal: AbortSignal): Promise<number> {
    return (await this.#get('/api/performance/cache', cacheStats, signal)).entry_count;
  }

  #sample(
    { id, name }: ChannelName,
    seen: { listed: readonly ListedChannel[]; health: Health; moment: ReadingTime },
  ): ProcessSample {
    const unknown = unknownProcess(id, { engine: this.id, source: 'exstreamtv /api', moment: seen.moment });
    const listed = seen.listed.find((channel) => String(channel.id) === name);
    if (listed === undefined) return unknown;
    if (!listed.enabled) return { ...unknown, state: 'stopped', stoppedOnPurpose: true };
    const secondsAgo = Object.hasOwn(seen.health, name) ? seen.health[name]!.last_output_seconds_ago : null;
    return secondsAgo !== null && secondsAgo <= FRESH_SECONDS ? { ...unknown, state: 'running' } : unknown;
  }

  /** Answers with an error once a channel has played: then nothing is known, and the telemetry is not to be trusted. */
  async #channelHealth(signal: AbortSignal): Promise<Health> {
    return (await this.#get('/api/health/channels', channelHealth, signal)).channels;
  }

  /** 1 when spawns were rejected since the last look; else unknown, because its pool figures are constants. */
  async #rejectedLately(signal: AbortSignal): Promise<number | undefined> {
    const answer = await this.#fetch('/metrics', { signal }).catch(() => '');
    signal.throwIfAborted();
    const before = this.#rejected;
    this.#rejected = sumOf(parseMetrics(answer), 'exstreamtv_ffmpeg_spawn_rejected_total');
    return before !== undefined && this.#rejected !== undefined && this.#rejected > before ? 1 : undefined;
  }

  #get<S extends z.ZodType>(path: string, schema: S, signal: AbortSignal): Promise<z.output<S>> {
    return this.#look(path, schema, { signal, method: 'GET' });
  }

  async #look<S extends z.ZodType>(
    path: string,
    schema: S,
    ask: { signal: AbortSignal; method: string },
  ): Promise<z.output<S>> {
    return understood(path, schema, await this.#fetch(path, ask));
  }

  #fetch(path: string, ask: { signal: AbortSignal; method?: string }): Promise<string> {
    return this.#parts.look.call(
      (signal) => this.#ask(path, { method: ask.method ?? 'GET', signal, repeatable: true }),
      {
        signal: ask.signal,
      },
    );
  }

  async #post<S extends z.ZodType>(
    path: string,
    change: { schema: S; target: string; context: ActionContext; once: boolean },
  ): Promise<z.output<S>> {
    const answer = await this.#parts.change.run(change, (signal) =>
      this.#ask(path, { method: 'POST', signal, repeatable: false }),
    );
    return accepted(path, understood(path, change.schema, answer));
  }

  async #ask(path: string, ask: { method: string; signal: AbortSignal; repeatable: boolean }): Promise<string> {
    const { url, timeout, change_timeout } = this.#document;
    const answer = await this.#parts.ask({
      url: url.replace(/\/+$/, '') + path,
      headers: this.#headers,
      bytesMax: BYTES_MAX,
      timeoutMs: ask.repeatable ? timeout : change_timeout,
      ...ask,
    });
    return answer.body.toString();
  }

  #nameOf(channel: ChannelId): string {
    const found = this.#channels.find(({ id }) => id === channel);
    if (found === undefined) throw new ReeveError('ENGINE_REFUSED', `engine ${this.id} has no channel ${channel}`);
    return found.name;
  }
}

/** What it says, in the shape that it should have; its error text is part of the failure. */
function understood<S extends z.ZodType>(path: string, schema: S, text: string): z.output<S> {
  const answer = parseJson(text);
  const result = schema.safeParse(answer);
  if (result.success) return result.data;
  const error = z.object({ error: z.string() }).safeParse(answer).data?.error;
  const because = error ?? z.prettifyError(result.error);
  const message = `${path.split('?')[0]} gave no usable answer: ${withoutTokens(because).slice(0, 300)}`;
  throw new RequestFailed('ENGINE_ANSWER_INVALID', message, { failure: 'invalid_answer' });
}

function accepted<T>(path: string, answer: T): T {
  const { success: ok, message, error } = answer as Partial<z.infer<typeof success>>;
  if (ok !== false) return answer;
  throw new ReeveError('ENGINE_REFUSED', `${path} said no: ${withoutTokens(error ?? message ?? '').slice(0, 300)}`);
}

function capabilitiesOf({ restart, plex }: ExstreamtvDocument): ReadonlySet<Capability> {
  const has = new Set<Capability>(['observe', 'logs', 'cache']);
  if (restart === 'patch') has.add('restart');
  if (plex) for (const capability of ['credentials', 'rebuild'] as const) has.add(capability);
  return has;
}

function headersOf(document: ExstreamtvDocument, parts: EngineParts): Readonly<Record<string, string>> {
  const reference = secretOf(document, 'token');
  if (reference === undefined) return {};
  const token = parts.secret(reference);
  return { authorization: `Bearer ${token}`, 'x-api-key': token };
}
