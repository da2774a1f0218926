/**
 * A server with Ollama's wire format (github.com/ollama/ollama, docs/api.md): `/api/chat`, `/api/embed`, `/api/tags`
 * and `/api/version`, streamed as NDJSON, with its error bodies. What it answers is scripted.
 */
import type http from 'node:http';
import { type Asked, bodyOf, misbehave, type ModelTurn, piecesOf, vectorFor, type VectorTurn } from './model_server.ts';
import { serve } from './servers.ts';

export interface OllamaServer {
  /** Without a slash at its end. */
  readonly url: string;
  readonly asked: Asked[];
  /** What comes next; asked anew at each request. */
  answer: (request: Asked) => ModelTurn;
  /** The same of vectors. */
  embed: (texts: readonly string[]) => VectorTurn;
}

export interface OllamaServerOptions {
  readonly models?: readonly string[];
  readonly answer?: (request: Asked) => ModelTurn;
}

/** Closed by `closeServersAfterAll`. */
export async function ollamaServer(options: OllamaServerOptions = {}): Promise<OllamaServer> {
  const models = options.models ?? ['qwen3:8b', 'nomic-embed-text:latest'];
  const asked: Asked[] = [];
  const server: { -readonly [Key in keyof OllamaServer]: OllamaServer[Key] } = {
    ...{ url: '', asked, answer: options.answer ?? (() => ({ text: '{}' })) },
    embed: (texts) => texts.map((text) => vectorFor(text)),
  };
  server.url = await serve(async (request, response) => {
    const body = await bodyOf(request);
    const path = request.url ?? '';
    const entry = { path, headers: request.headers, body };
    asked.push(entry);
    if (path === '/api/version') return json(response, 200, { version: '0.17.4' });
    if (path === '/api/tags') return json(response, 200, { models: models.map(tagOf) });
    if (path === '/api/embed') return embed(response, body, { models, vectors: server.embed });
    if (path === '/api/chat') return chat(response, { body, models, turn: server.answer(entry) });
    return json(response, 404, { error: `path "${path}" not found` });
  });
  return server;
}

function json(response: http.ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' }).end(JSON.stringify(body));
}

const withTag = (name: unknown): string => (String(name).includes(':') ? String(name) : `${String(name)}:latest`);
const unknown = (response: http.ServerResponse, model: unknown): void =>
  json(response, 404, { error: `model '${String(model)}' not found` });

const tagOf = (name: string) => ({
  name,
  model: name,
  modified_at: '2026-01-01T00:00:00Z',
  size: 5_225_388_164,
  digest: 'a'.repeat(64),
  details: { format: 'gguf', family: 'qwen3', parameter_size: '8.2B', quantization_level: 'Q4_K_M' },
});

interface Embed {
  readonly models: readonly string[];
  readonly vectors: OllamaServer['embed'];
}

function embed(response: http.ServerResponse, body: Record<string, unknown>, { models, vectors }: Embed): void {
  if (!models.includes(withTag(body.model))) return unknown(response, body.model);
  const input = (Array.isArray(body.input) ? body.input : [body.input]) as string[];
  const embeddings = vectors(input);
  if ('does' in embeddings) return misbehave(embeddings.does, response);
  if ('raw' in embeddings) return void response.writeHead(200).end(embeddings.raw);
  const rest = { total_duration: 14_143_917, load_duration: 1_019_500, prompt_eval_count: input.length };
  json(response, 200, { model: body.model, embeddings, ...rest });
}

interface Chat {
  readonly body: Record<string, unknown>;
  readonly models: readonly string[];
  readonly turn: ModelTurn;
}

async function chat(response: http.ServerResponse, { body, models, turn }: Chat): Promise<void> {
  if ('does' in turn) return misbehave(turn.does, response);
  if ('status' in turn) return json(response, turn.status, { error: turn.error });
  if ('raw' in turn) {
    response.writeHead(200, { 'content-type': 'application/x-ndjson' }).end(turn.raw);
    return;
  }
  if (!models.includes(withTag(body.model))) return unknown(response, body.model);
  if (turn.afterMs !== undefined) await new Promise((done) => setTimeout(done, turn.afterMs));
  const head = { model: body.model, created_at: '2026-01-01T00:00:00.000000Z' };
  const calls = turn.toolCalls?.map((call) => ({ function: call }));
  const extra = calls === undefined ? {} : { tool_calls: calls };
  const end = {
    done_reason: 'stop',
    done: true,
    total_duration: 4_883_583_458,
    load_duration: 1_334_875,
    prompt_eval_count: turn.promptTokens ?? 26,
    prompt_eval_duration: 342_546_000,
    eval_count: turn.replyTokens ?? piecesOf(turn.text).length,
    eval_duration: 4_535_599_000,
  };
  if (body.stream === false) {
    return json(response, 200, { ...head, message: { role: 'assistant', content: turn.text, ...extra }, ...end });
  }
  response.writeHead(200, { 'content-type': 'application/x-ndjson' });
  const line = (value: object) => response.write(`${JSON.stringify({ ...head, ...value })}\n`);
  if (calls !== undefined) line({ message: { role: 'assistant', content: '', ...extra }, done: false });
  for (const content of piecesOf(turn.text)) line({ message: { role: 'assistant', content }, done: false });
  line({ message: { role: 'assistant', content: '' }, ...end });
  response.end();
}
