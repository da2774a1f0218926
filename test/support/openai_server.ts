/**
 * A server with OpenAI's wire format: `/v1/chat/completions` (whole or as server-sent events), `/v1/embeddings`,
 * `/v1/models`, bearer keys and error bodies. What it answers is scripted.
 */
import type http from 'node:http';
import { type Asked, bodyOf, misbehave, type ModelTurn, piecesOf, vectorFor, type VectorTurn } from './model_server.ts';
import { serve } from './servers.ts';

export interface OpenAiServer {
  /** Ends in `/v1`. */
  readonly url: string;
  readonly asked: Asked[];
  /** What comes next; asked anew at each request. */
  answer: (request: Asked) => ModelTurn;
  /** The same of vectors. */
  embed: (texts: readonly string[]) => VectorTurn;
}

export interface OpenAiServerOptions {
  readonly models?: readonly string[];
  /** Without it no key is asked for. */
  readonly key?: string;
  readonly answer?: (request: Asked) => ModelTurn;
}

/** Closed by `closeServersAfterAll`. */
export async function openAiServer(options: OpenAiServerOptions = {}): Promise<OpenAiServer> {
  const models = options.models ?? ['qwen3-8b', 'text-embed'];
  const asked: Asked[] = [];
  const server: { -readonly [Key in keyof OpenAiServer]: OpenAiServer[Key] } = {
    ...{ url: '', asked, answer: options.answer ?? (() => ({ text: '{}' })) },
    embed: (texts) => texts.map((text) => vectorFor(text)),
  };
  const base = await serve(async (request, response) => {
    const body = await bodyOf(request);
    const path = request.url ?? '';
    const entry = { path, headers: request.headers, body };
    asked.push(entry);
    if (options.key !== undefined && request.headers.authorization !== `Bearer ${options.key}`) {
      return refuse(response, { status: 401, error: 'Incorrect API key provided', code: 'invalid_api_key' });
    }
    if (path === '/v1/models') return json(response, 200, { object: 'list', data: models.map(entryOf) });
    const isKnown = models.includes(String(body.model));
    const missing = {
      status: 404,
      error: `The model \`${String(body.model)}\` does not exist`,
      code: 'model_not_found',
    };
    if (path === '/v1/embeddings') return isKnown ? embed(response, body, server.embed) : refuse(response, missing);
    if (path !== '/v1/chat/completions') return refuse(response, { status: 404, error: 'Not Found' });
    const turn = server.answer(entry);
    if ('does' in turn) return misbehave(turn.does, response);
    if ('status' in turn) return refuse(response, turn);
    if ('raw' in turn) return void response.writeHead(200).end(turn.raw);
    return isKnown ? complete(response, body, turn) : refuse(response, missing);
  });
  server.url = `${base}/v1`;
  return server;
}

function json(response: http.ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function refuse(response: http.ServerResponse, refusal: { status: number; error: string; code?: string }): void {
  const error = { message: refusal.error, type: 'invalid_request_error', param: null, code: refusal.code ?? null };
  json(response, refusal.status, { error });
}

const entryOf = (id: string) => ({ id, object: 'model', created: 1_767_225_600, owned_by: 'library' });

function embed(response: http.ServerResponse, body: Record<string, unknown>, vectors: OpenAiServer['embed']): void {
  const input = (Array.isArray(body.input) ? body.input : [body.input]) as string[];
  const rows = vectors(input);
  if ('does' in rows) return misbehave(rows.does, response);
  if ('raw' in rows) return void response.writeHead(200).end(rows.raw);
  const data = rows.map((embedding, index) => ({ object: 'embedding', index, embedding }));
  // The order is the server's affair: the index counts.
  const usage = { prompt_tokens: input.length, total_tokens: input.length };
  json(response, 200, { object: 'list', data: data.reverse(), model: body.model, usage });
}

type Reply = Extract<ModelTurn, { text: string }>;

async function complete(response: http.ServerResponse, body: Record<string, unknown>, turn: Reply): Promise<void> {
  if (turn.afterMs !== undefined) await new Promise((done) => setTimeout(done, turn.afterMs));
  const head = { id: 'chatcmpl-1', created: 1_767_225_600, model: body.model };
  const calls = turn.toolCalls?.map(({ name, arguments: given }, index) => ({
    id: `call_${index}`,
    type: 'function',
    function: { name, arguments: JSON.stringify(given) },
  }));
  const extra = calls === undefined ? {} : { tool_calls: calls };
  const prompt = turn.promptTokens ?? 26;
  const reply = turn.replyTokens ?? piecesOf(turn.text).length;
  const usage = { prompt_tokens: prompt, completion_tokens: reply, total_tokens: prompt + reply };
  if (body.stream !== true) {
    const message = { role: 'assistant', content: turn.text, ...extra };
    const choices = [{ index: 0, message, logprobs: null, finish_reason: 'stop' }];
    return json(response, 200, { ...head, object: 'chat.completion', choices, usage });
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const event = (value: object) =>
    response.write(`data: ${JSON.stringify({ ...head, object: 'chat.completion.chunk', ...value })}\n\n`);
  event({ choices: [{ index: 0, delta: { role: 'assistant', content: '', ...extra }, finish_reason: null }] });
  for (const content of piecesOf(turn.text))
    event({ choices: [{ index: 0, delta: { content }, finish_reason: null }] });
  event({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] });
  event({ choices: [], usage });
  response.end('data: [DONE]\n\n');
}
