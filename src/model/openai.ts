/** A model behind an OpenAI-compatible interface (`/chat/completions`, `/embeddings`, `/models`). */
import { z } from 'zod';
import type { Clock } from '../core/clock.ts';
import type { Model, ModelAnswer, ModelReply, ModelRequest } from '../core/model.ts';
import { createEventLines } from './event_lines.ts';
import { countedTokens } from './tokens.ts';
import { fittingVectors, vectorRows } from './vectors.ts';
import { answered, invalidAnswer, type ModelServer, ModelWire } from './wire.ts';

export interface OpenAiOptions {
  /** Its address ends where `/chat/completions` begins, for example `http://127.0.0.1:8000/v1`. */
  readonly server: ModelServer;
  /** Asked where a request names none. */
  readonly model: string;
  readonly embeddingModel?: string | undefined;
}

const usage = z.object({ prompt_tokens: z.int().min(0).optional(), completion_tokens: z.int().min(0).optional() });
const message = z.object({ content: z.string().nullish(), tool_calls: z.array(z.unknown()).nullish() });
const completion = z.object({
  model: z.string().max(200).optional(),
  choices: z.array(z.object({ message })).min(1),
  usage: usage.nullish(),
});
const chunk = z.object({
  model: z.string().max(200).optional(),
  choices: z.array(z.object({ delta: message })),
  usage: usage.nullish(),
});
const embedded = z.object({
  data: z.array(z.object({ index: z.int().min(0), embedding: vectorRows.element })),
});
const listed = z.object({ data: z.array(z.object({ id: z.string().min(1).max(200) })).max(10_000) });

/** Works with vLLM, llama.cpp's server, LM Studio, and the compatible endpoints of the large providers. */
export function openAiModel(options: OpenAiOptions, clock: Clock): Model & Disposable {
  return new OpenAiModel(options, clock);
}

class OpenAiModel implements Model, Disposable {
  readonly name: string;
  readonly #options: OpenAiOptions;
  readonly #clock: Clock;
  readonly #wire: ModelWire;

  constructor(options: OpenAiOptions, clock: Clock) {
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
      this.#wire.exchange(request.deadlineMs, request.signal, (signal) => this.#complete(request, signal)),
    );
  }

  async embed(texts: readonly string[], deadlineMs: number): Promise<readonly (readonly number[])[] | undefined> {
    const { embeddingModel: model } = this.#options;
    if (model === undefined) return undefined;
    const body = JSON.stringify({ model, input: texts });
    const answer = await this.#json(deadlineMs, { path: 'embeddings', body });
    const read = embedded.safeParse(answer);
    if (!read.success) return undefined;
    const rows = [...read.data.data].sort((a, b) => a.index - b.index).map(({ embedding }) => embedding);
    return fittingVectors(rows, texts.length);
  }

  async list(deadlineMs: number): Promise<readonly string[] | undefined> {
    const read = listed.safeParse(await this.#json(deadlineMs, { path: 'models' }));
    return read.success ? read.data.data.map(({ id }) => id) : undefined;
  }

  async #json(deadlineMs: number, ask: { readonly path: string; readonly body?: string }): Promise<unknown> {
    const method = ask.body === undefined ? 'GET' : 'POST';
    const url = `${this.#options.server.url}/${ask.path}`;
    const send = (signal: AbortSignal) => this.#wire.send({ url, method, body: ask.body, signal });
    try {
      const answer = await this.#wire.exchange(deadlineMs, undefined, send);
      return JSON.parse(answer.body.toString('utf8'));
    } catch {
      return undefined;
    }
  }

  async #complete(request: ModelRequest, signal: AbortSignal): Promise<ModelReply> {
    const startedMs = this.#clock.monotonicMs();
    const model = request.model ?? this.#options.model;
    const { text, reported } = await (request.onText === undefined
      ? this.#whole(bodyOf(request, model), signal)
      : this.#streamed(bodyOf(request, model), request.onText, signal));
    const promptChars = request.messages.reduce((sum, { content }) => sum + content.length, 0);
    return {
      text,
      model: reported.model ?? model,
      promptTokens: countedTokens(reported.usage?.prompt_tokens, promptChars),
      replyTokens: countedTokens(reported.usage?.completion_tokens, text.length),
      durationMs: this.#clock.monotonicMs() - startedMs,
    };
  }

  async #whole(body: object, signal: AbortSignal): Promise<Completed> {
    const answer = await this.#post(body, signal);
    const read = completion.safeParse(jsonIn(answer.body.toString('utf8')));
    if (!read.success) throw invalidAnswer(this.name, 'the answer is no chat completion');
    return { text: this.#textOf(read.data.choices[0]!.message), reported: read.data };
  }

  async #streamed(body: object, onText: (text: string) => void, signal: AbortSignal): Promise<Completed> {
    let text = '';
    let reported: Completed['reported'] = {};
    let done = false;
    const lines = createEventLines((data) => {
      if (data === '[DONE]') {
        done = true;
        return;
      }
      const read = chunk.safeParse(jsonIn(data));
      if (!read.success) throw invalidAnswer(this.name, 'an event of the stream is no chat completion');
      reported = { model: read.data.model ?? reported.model, usage: read.data.usage ?? reported.usage };
      const [first] = read.data.choices;
      const piece = first === undefined ? '' : this.#textOf(first.delta);
      text += piece;
      if (piece !== '') onText(piece);
    });
    const asked = { ...body, stream: true, stream_options: { include_usage: true } };
    await this.#post(asked, signal, lines);
    if (!done) throw invalidAnswer(this.name, 'the stream ended before the reply did');
    return { text, reported };
  }

  #post(body: object, signal: AbortSignal, onData?: (piece: Buffer) => void) {
    const url = `${this.#options.server.url}/chat/completions`;
    const request = { url, method: 'POST', body: JSON.stringify(body), signal };
    return this.#wire.send(onData === undefined ? request : { ...request, onData });
  }

  #textOf({ content, tool_calls }: z.output<typeof message>): string {
    if (tool_calls !== undefined && tool_calls !== null && tool_calls.length > 0) {
      throw invalidAnswer(this.name, 'it calls a tool, and none was offered');
    }
    return content ?? '';
  }
}

interface Completed {
  readonly text: string;
  readonly reported: {
    readonly model?: string | undefined;
    readonly usage?: z.output<typeof usage> | null | undefined;
  };
}

function bodyOf({ messages, schema, tokensMax }: ModelRequest, model: string): object {
  return {
    model,
    messages: messages.map(({ role, content }) => ({ role, content })),
    temperature: 0,
    max_tokens: tokensMax,
    ...(schema !== undefined && {
      response_format: { type: 'json_schema', json_schema: { name: 'answer', strict: true, schema } },
    }),
  };
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
