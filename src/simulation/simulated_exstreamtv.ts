/** An ExStreamTV within this process: what the real adapter asks over REST is done to the simulated service. */
import type { BoundedFetch, HttpRequest } from '../resilience/http.ts';
import { RequestFailed } from '../resilience/failure.ts';
import { type AnsweringServer, answerInTime } from './http_answer.ts';
import type { ServiceModel } from './service_model.ts';
import { type CallMode, CACHED, COURSES, FILLS_MS, LIE_ITEMS } from './sim_engine.ts';
import { areCredentialsRefused, dropCache, hasPlayout, rebuildPlayout, refreshCredentials } from './treatments.ts';

export interface ExstreamtvDeps extends AnsweringServer {
  readonly service: ServiceModel;
  readonly worldMs: () => number;
  /** Effects happen whether or not Reeve still runs to see them. */
  readonly at: (atMs: number, run: () => void) => void;
  /** False: what it is asked does not arrive. */
  readonly isUp: () => boolean;
  readonly mode: () => CallMode;
}

interface Change {
  readonly effect: () => void;
  /** What it answers, when it does. */
  readonly answer: () => object;
  /** What it answers when it says that it has failed; without, a status that refuses. */
  readonly failure?: object;
}

const FAILED = { success: false, error: 'the service says that it did not work' };

/**
 * The routes that tools and their probes ask: credentials, playouts and caches. It takes each change for well as its
 * call mode says, and like the real one answers 200 to most of what has failed.
 */
export class SimulatedExstreamtv {
  readonly #deps: ExstreamtvDeps;
  readonly #channels: readonly string[];
  #droppedMs = Number.NEGATIVE_INFINITY;

  constructor(deps: ExstreamtvDeps) {
    this.#deps = deps;
    this.#channels = [...deps.service.channels.values()].flatMap(({ plan }) =>
      plan.engine === deps.engine ? [plan.id] : [],
    );
  }

  /** Its channels with the ids by which it calls them. */
  get named(): readonly { readonly id: string; readonly name: string }[] {
    return this.#channels.map((id, at) => ({ id, name: String(at + 1) }));
  }

  /** In place of a connection. */
  readonly ask: BoundedFetch = Object.assign(
    (request: HttpRequest) => answerInTime(this.#deps, request, this.#answerTo(request)),
    { [Symbol.dispose]: () => undefined },
  );

  async #answerTo({ url, method = 'GET' }: HttpRequest): Promise<string> {
    if (!this.#deps.isUp()) return new Promise(() => undefined);
    const { pathname, searchParams } = new URL(url);
    const change = method === 'POST' ? this.#changeOf(pathname, searchParams) : undefined;
    return JSON.stringify(await (change === undefined ? this.#shown(pathname, searchParams) : this.#made(change)));
  }

  #shown(path: string, search: URLSearchParams): object {
    const { service, worldMs, engine } = this.#deps;
    if (path === '/api/settings/plex/test') return { success: !areCredentialsRefused(service, engine) };
    if (path === '/api/playouts') return [{ id: Number(search.get('channel_id')), is_active: true }];
    if (path === '/api/performance/cache') return { entry_count: worldMs() - this.#droppedMs < FILLS_MS ? 0 : CACHED };
    const playout = /^\/api\/playouts\/(\d+)\/now-playing$/.exec(path)?.[1];
    if (playout === undefined) throw refused(path, 404);
    return { current: hasPlayout(service, this.#named(playout)) ? { id: 1 } : null };
  }

  /** Undefined for what changes nothing. */
  #changeOf(path: string, search: URLSearchParams): Change | undefined {
    const { service, engine } = this.#deps;
    const channel = /^\/api\/settings\/plex\/rebuild-channel-playout\/(\d+)$/.exec(path)?.[1];
    if (channel !== undefined) return this.#rebuild(this.#named(channel));
    if (path === '/api/settings/plex/refresh-urls') {
      const effect = () => refreshCredentials(service, engine);
      return { effect, answer: () => ({ success: true }), failure: FAILED };
    }
    if (path !== '/api/performance/cache/clear') return undefined;
    const one = /channel:(\d+)/.exec(search.get('pattern') ?? '')?.[1];
    const effect = (): void => {
      dropCache(service, engine, one === undefined ? undefined : this.#named(one));
      this.#droppedMs = this.#deps.worldMs();
    };
    return { effect, answer: () => ({ cleared: CACHED }) };
  }

  /** Whether it has helped is in the answer only where the effect came before it. */
  #rebuild(channel: string): Change {
    let itemsAdded = LIE_ITEMS;
    const effect = (): void => {
      itemsAdded = rebuildPlayout(this.#deps.service, channel);
    };
    return { effect, answer: () => ({ success: true, items_added: itemsAdded }), failure: FAILED };
  }

  #made({ effect, answer, failure }: Change): Promise<object> {
    const { clock, worldMs, at, mode } = this.#deps;
    const { effectMs, answerMs, fails } = COURSES[mode()];
    if (effectMs !== undefined) at(worldMs() + effectMs, effect);
    return new Promise((resolve, reject) => {
      if (answerMs === undefined) return;
      clock.after(answerMs, () => {
        if (fails !== true) resolve(answer());
        else if (failure !== undefined) resolve(failure);
        else reject(refused('the cache', 409));
      });
    });
  }

  #named(name: string): string {
    const id = this.#channels[Number(name) - 1];
    if (id === undefined) throw refused(`channel ${name}`, 404);
    return id;
  }
}

const refused = (what: string, status: number): RequestFailed =>
  new RequestFailed('ENGINE_REFUSED', `${what}: answered ${status}`, { failure: 'http_status', status });
