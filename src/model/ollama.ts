/** A model behind Ollama's own interface, by the official client with a bounded, redirect-free `fetch`. */
import { Ollama } from 'ollama';
import { z } from 'zod';
import type { Clock } from '../core/clock.ts';
import type { Model, ModelAnswer, ModelReply, ModelRequest } from '../core/model.ts';
import { countedTokens } from './tokens.ts';
import { fittingVectors, vectorRows } from './vectors.ts';
import { clientFetch } from './client_fetch.ts';
import { answered, invalidAnswer, type ModelServer, ModelWire } from './wire.ts';

export interface OllamaOptions {
  readonly server: ModelServer;
  /** Asked where a request names none. */
  readonly model: string;
  readonly embeddingModel?: string | undefined;
  /** How long the server keeps the model loaded after a call, for example `30m`. */
  readonly keepAlive: string;
}

const part = z.object({
  model: z.string().max(200).optional(),
  message: z.object({ content: z.string(), tool_calls: z.array(z.unknown()).optional() }),
  done: z.boolean(),
  prompt_eval_count: z.int().min(0).optional(),
  eval_count: z.int().min(0).optional(),
  prompt_eval_duration: z.int().min(0).optional(),
  eval_duration: z.int().min(0).optional(),
});
const embedded = z.object({ embeddings: vectorRows });
const listed = z.object({ models: z.array(z.object({ name: z.string().min(1).max(200) })).max(10_000) });

/** Talks to Ollama 0.5 or newer (structured outputs); newer than 0.17.1 is recommended (docs/models.md). */
export function ollamaModel(options: OllamaOptions, clock: Clock): Model & Disposable {
  return new OllamaModel(options, clock);
}

class OllamaModel implements Model, Disposable {
  readonly name: string;
  readonly #options: OllamaOptions;
  readonly #clock: Clock;
  readonly #wire: ModelWire;

  constructor(options: OllamaOptions, clock: Clock) {
    this.name = `${options.server.id}/${options.model}`;
    this.#options = options;
    this.#clock = clock;
    this.#wire = new ModelWire(options.server, clock);
  }

  [Symbol.dispose](): void {
    this.#wire[Symbol.dispose]();
  }

  generate(request: ModelRequest): Promise<ModelAnswer> {
    return answered(request.signal, () =>
      this.#exchange(request.deadlineMs, request.signal, (client) => this.#chat(client, request)),
    );
  }

  async embed(texts: readonly string[], deadlineMs: number): Promise<readonly (readonly number[])[] | undefined> {
    const { embeddingModel: model, keepAlive: keep_alive } = this.#options;
    if (model === undefined) return undefined;
    const answer = await this.#exchange(deadlineMs, undefined, (client) =>
      client.embed({ model, input: [...texts], keep_alive, truncate: true }),
    ).catch(() => undefined);
    const read = embedded.safeParse(answer);
    return read.success ? fittingVectors(read.data.embeddings, texts.length) : undefined;
  }

  async list(deadlineMs: number): Promise<readonly string[] | undefined> {
    const answer = await this.#exchange(deadlineMs, undefined, (client) => client.list()).catch(() => undefined);
    const read = listed.safeParse(answer);
    return read.success ? read.data.models.map(({ name }) => name) : undefined;
  }

  /** A client of its own for each exchange: its `fetch` ends with the exchange, whatever the server keeps open. */
  #exchange<T>(deadlineMs: number, signal: AbortSignal | undefined, action: (client: Ollama) => Promise<T>) {
    return this.#wire.exchange(deadlineMs, signal, async (limit) => {
      const over = new AbortController();
      const fetch = clientFetch(this.#wire, AbortSignal.any([limit, over.signal]));
      try {
        return await action(new Ollama({ host: this.#options.server.url, fetch }));
      } finally {
        over.abort();
      }
    });
  }

  async #chat(client: Ollama, request: ModelRequest): Promise<ModelReply> {
    const startedMs = this.#clock.monotonicMs();
    const model = request.model ?? this.#options.model;
    const stream = await client.chat({
      model,
      messages: request.messages.map(({ role, content }) => ({ role, content })),
      stream: true,
      think: false,
      keep_alive: this.#options.keepAlive,
      ...(request.schema === undefined ? {} : { format: request.schema }),
      options: { temperature: 0, seed: 1, num_predict: request.tokensMax },
    });
    let text = '';
    for await (const piece of stream) {
      const read = part.safeParse(piece);
      if (!read.success) throw invalidAnswer(this.name, 'a line of the stream is no chat message');
      const { message, done, prompt_eval_count, eval_count } = read.data;
      if (message.tool_calls !== undefined && message.tool_calls.length > 0) {
        throw invalidAnswer(this.name, 'it calls a tool, and none was offered');
      }
      text += message.content;
      if (message.content !== '') request.onText?.(message.content);
      if (!done) continue;
      const promptChars = request.messages.reduce((sum, { content }) => sum + content.length, 0);
      return {
        text,
        model: read.data.model ?? model,
        promptTokens: countedTokens(prompt_eval_count, promptChars),
        replyTokens: countedTokens(eval_count, text.length),
        durationMs: this.#clock.monotonicMs() - startedMs,
        promptNs: read.data.prompt_eval_duration,
        replyNs: read.data.eval_duration,
      };
    }
    throw invalidAnswer(this.name, 'the stream ended before the reply did');
  }
}
