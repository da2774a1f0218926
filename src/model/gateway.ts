/** The one way to the configured models: lanes, caps on tokens and money, a second model, a record of each call. */
import { type Clock, deadline, type MonoMs } from '../core/clock.ts';
import { ReeveError } from '../core/errors.ts';
import type { Append, Read } from '../core/journal.ts';
import type { Model, ModelAnswer, ModelFailure, ModelReply, ModelRequest } from '../core/model.ts';
import { createKeyedQueues, type KeyedQueues } from '../resilience/keyed_queues.ts';
import { type ModelUse, spentOn, spentToday } from './use.ts';

/** Caps; money in the operator's currency. */
export interface Caps {
  readonly callsPerIncident: number;
  readonly tokensPerIncident: number;
  readonly tokensPerDay: number;
  readonly moneyPerIncident: number;
  readonly moneyPerDay: number;
}

/** A model and what a million of its tokens cost. */
export interface Priced {
  readonly model: Model;
  readonly price: { readonly promptPerMillion: number; readonly replyPerMillion: number };
}

export interface GatewayDeps {
  readonly primary: Priced;
  readonly secondary?: Priced | undefined;
  readonly embeddings?: Priced | undefined;
  readonly caps: Caps;
  readonly clock: Clock;
  readonly append: Append;
  readonly use: Read<ModelUse>;
}

/** Failures after which another server is worth asking: the first one was not reached, or has no such model. */
const NOT_REACHED: ReadonlySet<ModelFailure> = new Set(['unreachable', 'breaker_open', 'model_not_found', 'refused']);
/** After these nothing was spent at the server. */
const COSTS_NOTHING: ReadonlySet<ModelFailure> = new Set([
  'unreachable',
  'breaker_open',
  'model_not_found',
  'refused',
  'redirected',
]);
const WAITING_MAX = 8;
const CHARS_PER_TOKEN = 4;
const MICROS = 1_000_000;

/** Never throws, never waits longer than the request's deadline, and asks for no plan while another is asked for. */
export function createGateway(deps: GatewayDeps): Model {
  return new Gateway(deps);
}

class Gateway implements Model {
  readonly name: string;
  readonly #deps: GatewayDeps;
  readonly #lanes: KeyedQueues;

  constructor(deps: GatewayDeps) {
    this.#deps = deps;
    this.name = deps.primary.model.name;
    this.#lanes = createKeyedQueues({ concurrentMax: 2, waitingPerKeyMax: WAITING_MAX }, deps.clock);
  }

  /** Plans have a lane of their own: a conversation never makes a run wait. */
  async generate(request: ModelRequest): Promise<ModelAnswer> {
    const { clock } = this.#deps;
    const late = () => new ReeveError('TIMED_OUT', `no answer within ${request.deadlineMs} ms`);
    using limit = deadline(clock, request.deadlineMs, late, request.signal);
    const ends: Ends = { atMs: clock.monotonicMs() + request.deadlineMs, signal: limit.signal };
    const given = Promise.withResolvers<ModelAnswer>();
    const giveUp = () => given.resolve(cutShort(request, limit.signal.reason));
    if (limit.signal.aborted) giveUp();
    limit.signal.addEventListener('abort', giveUp, { once: true });
    const lane = request.purpose === 'plan' ? 'plan' : 'other';
    const asked = this.#lanes.run(lane, async () => {
      if (!limit.signal.aborted) given.resolve(await this.#ask(request, ends));
    });
    asked.catch((thrown: unknown) => {
      if (thrown instanceof ReeveError && thrown.code === 'QUEUE_FULL') {
        given.resolve({ ok: false, failure: 'busy', because: `${WAITING_MAX} calls wait already` });
      } else given.reject(thrown);
    });
    return await given.promise;
  }

  /** Under the caps of a day, and written down like every call. */
  async embed(texts: readonly string[], deadlineMs: number) {
    const { embeddings, clock } = this.#deps;
    if (embeddings === undefined) return undefined;
    const messages = texts.map((content) => ({ role: 'user', content }) as const);
    const request: ModelRequest = { messages, tokensMax: 0, deadlineMs, purpose: 'embed' };
    if (this.#overBudget(embeddings, request) !== undefined) return undefined;
    const startedMs = clock.monotonicMs();
    const vectors = await embeddings.model.embed(texts, deadlineMs);
    const tookMs = clock.monotonicMs() - startedMs;
    const failure = vectors !== undefined ? undefined : tookMs >= deadlineMs ? 'deadline' : 'invalid_response';
    this.#note(embeddings, request, { failure, tokens: estimate(request), tookMs });
    return vectors;
  }

  list(deadlineMs: number) {
    return this.#deps.primary.model.list(deadlineMs);
  }

  async #ask(request: ModelRequest, ends: Ends): Promise<ModelAnswer> {
    const { clock } = this.#deps;
    const [primary, secondary] = this.#inOrder(request);
    const first = await this.#askOne(primary, request, ends);
    const isOver = ends.signal.aborted || ends.atMs - clock.monotonicMs() < 1;
    if (first.ok || secondary === undefined || isOver || !NOT_REACHED.has(first.failure)) return first;
    return this.#askOne(secondary, withoutModel(request), ends);
  }

  #inOrder({ useSecondary }: ModelRequest): readonly [Priced, Priced | undefined] {
    const { primary, secondary } = this.#deps;
    return useSecondary === true && secondary !== undefined ? [secondary, primary] : [primary, secondary];
  }

  /** The adapter gets the deadline as one of its own: a server that is silent until then has failed, and shows so. */
  async #askOne(priced: Priced, request: ModelRequest, ends: Ends): Promise<ModelAnswer> {
    const { clock } = this.#deps;
    const because = this.#overBudget(priced, request);
    if (because !== undefined) return { ok: false, failure: 'budget_spent', because };
    const startedMs = clock.monotonicMs();
    const asked = priced.model.generate({ ...request, deadlineMs: Math.max(1, ends.atMs - startedMs) });
    const answer = await orCutShort(asked, request, ends.signal);
    this.#record(priced, request, { answer, tookMs: clock.monotonicMs() - startedMs });
    return answer;
  }

  #overBudget({ price }: Priced, request: ModelRequest): string | undefined {
    const { caps, clock, use } = this.#deps;
    const cost = estimate(request);
    const tokens = cost.prompt + cost.reply;
    const micros = microsOf(price, cost);
    const day = spentToday(use(), clock.monotonicMs());
    if (day.tokens + tokens > caps.tokensPerDay) return `tokens_per_day: ${day.tokens} of ${caps.tokensPerDay} used`;
    if (day.costMicros + micros > caps.moneyPerDay * MICROS) return `money_per_day: ${caps.moneyPerDay} is used up`;
    if (request.incident === undefined) return undefined;
    const own = spentOn(use(), request.incident);
    if (own.calls >= caps.callsPerIncident) return `calls_per_incident: ${own.calls} of ${caps.callsPerIncident} made`;
    if (own.tokens + tokens > caps.tokensPerIncident) {
      return `tokens_per_incident: ${own.tokens} of ${caps.tokensPerIncident} used`;
    }
    const isDear = own.costMicros + micros > caps.moneyPerIncident * MICROS;
    return isDear ? `money_per_incident: ${caps.moneyPerIncident} is used up` : undefined;
  }

  #record({ model, price }: Priced, request: ModelRequest, call: { answer: ModelAnswer; tookMs: number }): void {
    const { answer, tookMs } = call;
    const tokens = answer.ok ? usedBy(answer.reply) : lostBy(answer.failure, request);
    this.#note({ model, price }, request, { failure: answer.ok ? undefined : answer.failure, tokens, tookMs });
  }

  #note({ model, price }: Priced, request: ModelRequest, { failure, tokens, tookMs }: Noted): void {
    this.#deps.append([
      {
        incident: request.incident,
        fact: {
          type: 'model.called',
          model: model.name,
          purpose: request.purpose ?? 'ask',
          failure,
          promptTokens: tokens.prompt,
          replyTokens: tokens.reply,
          costMicros: Math.ceil(microsOf(price, tokens)),
          tookMs: Math.round(tookMs),
        },
      },
    ]);
  }
}

/** When a request is over: by its deadline, or because its caller left. */
interface Ends {
  readonly atMs: MonoMs;
  readonly signal: AbortSignal;
}

interface Noted {
  readonly failure: ModelFailure | undefined;
  readonly tokens: Tokens;
  readonly tookMs: number;
}

interface Tokens {
  readonly prompt: number;
  readonly reply: number;
}

const withoutModel = ({ model: _, ...request }: ModelRequest): ModelRequest => request;
const usedBy = ({ promptTokens, replyTokens }: ModelReply): Tokens => ({ prompt: promptTokens, reply: replyTokens });

/** The most that a call can cost. */
function estimate({ messages, tokensMax }: ModelRequest): Tokens {
  const chars = messages.reduce((sum, { content }) => sum + content.length, 0);
  return { prompt: Math.ceil(chars / CHARS_PER_TOKEN), reply: tokensMax };
}

/** A call that was cut off may have cost all that it could. */
const lostBy = (failure: ModelFailure, request: ModelRequest): Tokens =>
  COSTS_NOTHING.has(failure) ? { prompt: 0, reply: 0 } : estimate(request);

const microsOf = ({ promptPerMillion, replyPerMillion }: Priced['price'], { prompt, reply }: Tokens): number =>
  prompt * promptPerMillion + reply * replyPerMillion;

const isTimeOut = (reason: unknown): boolean => reason instanceof ReeveError && reason.code === 'TIMED_OUT';

function cutShort(request: ModelRequest, reason: unknown): ModelAnswer {
  if (isTimeOut(reason))
    return { ok: false, failure: 'deadline', because: `no answer within ${request.deadlineMs} ms` };
  return { ok: false, failure: 'aborted', because: 'the caller left' };
}

/** The answer, unless the signal aborts first: an adapter that ignores its deadline does not delay the caller. */
function orCutShort(asked: Promise<ModelAnswer>, request: ModelRequest, signal: AbortSignal): Promise<ModelAnswer> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => resolve(cutShort(request, signal.reason));
    signal.addEventListener('abort', onAbort, { once: true });
    asked.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
