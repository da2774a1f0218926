/** The adapter for an engine with an HTTP API that the operator describes. */
import type { HttpEngineDocument } from './schema.ts';
import { secretOf } from '../secret_reference.ts';
import type { ActionContext, Engine, EngineReport } from '../../core/engine.ts';
import { ReeveError } from '../../core/errors.ts';
import type { CredentialSample, ProcessSample, ViewerSample } from '../../core/sample.ts';
import type { ChannelId } from '../../core/scope.ts';
import type { Capability } from '../../core/tool.ts';
import { RequestFailed } from '../../resilience/failure.ts';
import type { HttpAnswer } from '../../resilience/http.ts';
import { Ages } from '../ages.ts';
import { credentialWatch } from '../credentials.ts';
import { capabilitiesOf, configured } from '../described.ts';
import { LookOrder } from '../look_order.ts';
import { type ProcessGenerations, processGenerationsOf } from '../process_generations.ts';
import { httpNameOf } from '../names.ts';
import { basicAuth, type ChannelName, downReport, type EngineParts, readingTimeOf, upSample } from '../parts.ts';
import { countAt, itemNamed, parseJson, readChannels, readItem, valueAt } from '../reading.ts';
import { newestOf } from '../text.ts';

type Route = NonNullable<HttpEngineDocument['restart']>;

const BYTES_MAX = 4 << 20;

export interface HttpSetup {
  readonly document: HttpEngineDocument;
  readonly channels: readonly ChannelName[];
  readonly parts: EngineParts;
}

/** An engine that is described by the routes it answers and by where in its JSON the facts stand. */
export class HttpEngine implements Engine {
  readonly id: string;
  readonly kind = 'http';
  readonly capabilities: ReadonlySet<Capability>;
  readonly #document: HttpEngineDocument;
  readonly #parts: EngineParts;
  readonly #channels: readonly ChannelName[];
  readonly #headers: Readonly<Record<string, string>>;
  readonly #generations: ProcessGenerations;
  readonly #ages = new Ages();
  readonly #looks = new LookOrder();
  /** Only where its route is described. */
  readonly observeChannel?: NonNullable<Engine['observeChannel']>;
  readonly #credentials: (signal: AbortSignal) => CredentialSample | undefined;

  constructor({ document, channels, parts }: HttpSetup) {
    this.id = document.id;
    this.#document = document;
    this.#parts = parts;
    this.#channels = channels.map(({ id, name }) => ({ id, name: httpNameOf(name) }));
    this.#headers = headersOf(document, parts);
    this.#generations = processGenerationsOf(document.local, parts.readProcess);
    this.capabilities = capabilitiesOf(document);
    const everyMs = document.credentials_every;
    const probe = (signal: AbortSignal) => this.probeCredentials(signal);
    this.#credentials = credentialWatch({ engine: this.id, clock: parts.clock, everyMs, probe });
    if (document.channel !== undefined) this.observeChannel = (channel, signal) => this.#observeOne(channel, signal);
  }

  async observe(signal: AbortSignal): Promise<EngineReport> {
    const { list, health, pool, credentials } = this.#document;
    const reportsPool = pool !== undefined;
    const reading = { engine: this.id, source: `http ${list.path}`, moment: readingTimeOf(this.#parts.clock) };
    try {
      if (health !== undefined) await this.#look(health, undefined, signal);
      const answer = await this.#get(list.path, signal);
      const isNewest = this.#looks.takeAll(reading.moment.monoMs);
      const channels = this.#channels.filter(({ id }) => isNewest(id));
      const read = readChannels(answer, list, { ...reading, ...this.#seen(), channels });
      const poolPressure = pool === undefined ? undefined : await this.#poolPressure(pool, signal);
      const credential = credentials === undefined ? undefined : this.#credentials(signal);
      return { engine: { ...upSample(reading), poolPressure, reportsPool }, ...read, credential };
    } catch (error) {
      signal.throwIfAborted();
      return downReport(reading, error, reportsPool);
    }
  }

  async #observeOne(channel: ChannelId, signal: AbortSignal): Promise<readonly (ProcessSample | ViewerSample)[]> {
    const { path, item: at } = configured(this.#document.channel, 'channel');
    const of = { engine: this.id, source: `http ${path}`, moment: readingTimeOf(this.#parts.clock) };
    const answer = await this.#look({ ...PLAIN_GET, path }, channel, signal);
    const { list } = this.#document;
    const item = itemNamed(this.#nameOf(channel), valueAt(parseJson(answer.body.toString()), at), list);
    if (!this.#looks.takeOne(channel, of.moment.monoMs)) return [];
    return readItem(channel, item, { reading: list, of: { ...of, ...this.#seen() } });
  }

  /** What is known of processes, once an answer is there. */
  #seen() {
    return { generations: this.#generations, ages: this.#ages, answeredMs: this.#parts.clock.monotonicMs() };
  }

  async restart(channel: ChannelId, context: ActionContext): Promise<string> {
    const route = configured(this.#document.restart, 'restart');
    const { status } = await this.#change(route, channel, context);
    return `${route.method} ${route.path} answered ${status}`;
  }

  async recentLogs(channel: ChannelId, bytesMax: number, signal: AbortSignal): Promise<string> {
    const { path, at } = configured(this.#document.recent_logs, 'recent_logs');
    const answer = await this.#look({ ...PLAIN_GET, path }, channel, signal);
    const text = answer.body.toString();
    const found = at === undefined ? text : valueAt(parseJson(text), at);
    return newestOf(Array.isArray(found) ? found.map(String).join('\n') : String(found ?? ''), bytesMax);
  }

  async refreshCredentials(context: ActionContext): Promise<string> {
    const { status } = await this.#change(configured(this.#document.refresh, 'refresh'), undefined, context, false);
    return `credentials refreshed, answered ${status}`;
  }

  async probeCredentials(signal: AbortSignal): Promise<boolean> {
    return this.#says(configured(this.#document.credentials, 'credentials'), undefined, signal);
  }

  async rebuildPlayout(channel: ChannelId, context: ActionContext) {
    const route = configured(this.#document.rebuild, 'rebuild');
    const answer = await this.#change(route, channel, context);
    const itemsAdded = countAt(parseJson(answer.body.toString()), route.items_added) ?? 0;
    return { itemsAdded, summary: `answered ${answer.status}` };
  }

  async probePlayout(channel: ChannelId, signal: AbortSignal): Promise<boolean> {
    return this.#says(configured(this.#document.playout, 'playout'), channel, signal);
  }

  async invalidateCache(channel: ChannelId | undefined, context: ActionContext): Promise<string> {
    const { status } = await this.#change(configured(this.#document.cache, 'cache'), channel, context, false);
    return `cache invalidated, answered ${status}`;
  }

  async probeCache(signal: AbortSignal): Promise<number> {
    const { path, at } = configured(this.#document.cache_entries, 'cache_entries');
    const entries = countAt(await this.#get(path, signal), at);
    if (entries === undefined) throw new ReeveError('ENGINE_ANSWER_INVALID', `expected a number at "${at}" of ${path}`);
    return entries;
  }

  async #poolPressure(pool: NonNullable<HttpEngineDocument['pool']>, signal: AbortSignal): Promise<number | undefined> {
    const answer = await this.#get(pool.path, signal);
    const [active, max] = [countAt(answer, pool.active), countAt(answer, pool.max)];
    return active === undefined || max === undefined || max === 0 ? undefined : Math.min(1, active / max);
  }

  /** True when the route succeeds, false when the engine says no; throws when it is not known. */
  async #says(route: Route, channel: ChannelId | undefined, signal: AbortSignal): Promise<boolean> {
    try {
      await this.#look(route, channel, signal);
      return true;
    } catch (error) {
      if (error instanceof ReeveError && error.code === 'ENGINE_REFUSED') return false;
      throw error;
    }
  }

  async #get(path: string, signal: AbortSignal): Promise<unknown> {
    const answer = await this.#look({ ...PLAIN_GET, path }, undefined, signal);
    return parseJson(answer.body.toString());
  }

  #look(route: Route, channel: ChannelId | undefined, signal: AbortSignal): Promise<HttpAnswer> {
    return this.#parts.look.call((limit) => this.#send(route, channel, { signal: limit, repeatable: true }), {
      signal,
    });
  }

  #change(route: Route, channel: ChannelId | undefined, context: ActionContext, once = true): Promise<HttpAnswer> {
    return this.#parts.change.run({ target: channel ?? `engine:${this.id}`, context, once }, (signal) =>
      this.#send(route, channel, { signal, repeatable: false }),
    );
  }

  async #send(
    route: Route,
    channel: ChannelId | undefined,
    { signal, repeatable }: { signal: AbortSignal; repeatable: boolean },
  ): Promise<HttpAnswer> {
    const { url, timeout, change_timeout } = this.#document;
    const name = channel === undefined ? '' : this.#nameOf(channel);
    const body = route.body?.replaceAll('{channel}', () => JSON.stringify(name).slice(1, -1));
    const answer = await this.#parts.ask({
      url: url.replace(/\/+$/, '') + route.path.replaceAll('{channel}', () => encodeURIComponent(name)),
      method: route.method,
      headers: body === undefined ? this.#headers : { ...this.#headers, 'content-type': route.content_type },
      ...(body === undefined ? {} : { body }),
      accept: (status) => route.statuses.includes(status),
      bytesMax: BYTES_MAX,
      timeoutMs: repeatable ? timeout : change_timeout,
      repeatable,
      signal,
    });
    if (route.proof !== undefined) demandProof(route, answer);
    return answer;
  }

  #nameOf(channel: ChannelId): string {
    const found = this.#channels.find(({ id }) => id === channel);
    if (found === undefined) throw new ReeveError('ENGINE_REFUSED', `engine ${this.id} has no channel ${channel}`);
    return found.name;
  }
}

const PLAIN_GET = {
  method: 'GET',
  content_type: 'application/json',
  statuses: [200],
} as const satisfies Partial<Route>;

function demandProof({ proof, path }: Route, answer: HttpAnswer): void {
  const answered = valueAt(parseJson(answer.body.toString()), proof!.at);
  if (answered === proof!.equals) return;
  const [expected, got] = [proof!.equals, answered].map((value) => JSON.stringify(value)?.slice(0, 80));
  const message = `${path} answered, but "${proof!.at}" is ${got} instead of ${expected}`;
  throw new RequestFailed('ENGINE_REFUSED', message, { failure: 'invalid_answer' });
}

function headersOf(document: HttpEngineDocument, parts: EngineParts): Readonly<Record<string, string>> {
  const [token, password] = [secretOf(document, 'token'), secretOf(document, 'password')];
  const headers = Object.fromEntries(document.headers.map(({ name, value }) => [name.toLowerCase(), value]));
  if (token !== undefined) headers.authorization = `Bearer ${parts.secret(token)}`;
  if (document.username !== undefined) {
    headers.authorization = basicAuth(document.username, password === undefined ? '' : parts.secret(password));
  }
  return headers;
}
