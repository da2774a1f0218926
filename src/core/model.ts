/** The port to a language model: what a caller may ask and what comes back. Adapters live in `src/model/`. */

const MODEL_PURPOSES = ['plan', 'pattern', 'explore', 'ask', 'reflect', 'embed'] as const;
/** What a model is asked for. */
export type ModelPurpose = (typeof MODEL_PURPOSES)[number];

export type ModelRole = 'system' | 'user' | 'assistant';

export interface ModelMessage {
  readonly role: ModelRole;
  readonly content: string;
}

export interface ModelRequest {
  readonly messages: readonly ModelMessage[];
  /** JSON Schema that the reply must satisfy; the adapter passes it on, the caller still checks the reply. */
  readonly schema?: Readonly<Record<string, unknown>>;
  /** Without it the adapter's default model is asked. */
  readonly model?: string;
  /** Ask the second configured model, where there is one. */
  readonly useSecondary?: boolean | undefined;
  /** Most tokens the reply may have; at least 1. */
  readonly tokensMax: number;
  /** The call is over after this time, whatever the server does; at least 1 ms. */
  readonly deadlineMs: number;
  readonly signal?: AbortSignal | undefined;
  /** The incident it is asked for: its own caps on tokens and money hold. */
  readonly incident?: string | undefined;
  /** What it is asked for; for people and for metrics. Default `ask`. */
  readonly purpose?: ModelPurpose;
  /** Called with each piece of text as it arrives; a backend that cannot stream calls it once. */
  readonly onText?: (text: string) => void;
}

export interface ModelReply {
  readonly text: string;
  /** The model that answered, as the server names it. */
  readonly model: string;
  readonly promptTokens: number;
  readonly replyTokens: number;
  readonly durationMs: number;
  /** Nanoseconds that the server says it took to read the prompt and to write the reply, where it says so. */
  readonly promptNs?: number | undefined;
  readonly replyNs?: number | undefined;
}

/** Why a model gave no usable reply; the closed set is a metric label. */
export const MODEL_FAILURES = [
  'deadline',
  'unreachable',
  'refused',
  'too_large',
  'invalid_response',
  'model_not_found',
  'redirected',
  'breaker_open',
  'budget_spent',
  'busy',
  'aborted',
] as const;
export type ModelFailure = (typeof MODEL_FAILURES)[number];

/** A reply, or the reason for having none. A model never throws for what its server does. */
export type ModelAnswer =
  | { readonly ok: true; readonly reply: ModelReply }
  | { readonly ok: false; readonly failure: ModelFailure; readonly because: string };

/** One model server, bounded in time and bytes and treated as hostile. */
export interface Model {
  /** `ollama` or `provider/model` as the configuration names it. */
  readonly name: string;
  generate(request: ModelRequest): Promise<ModelAnswer>;
  /** One vector for each text, all of one length; undefined where the server has no embeddings or did not answer. */
  embed(texts: readonly string[], deadlineMs: number): Promise<readonly (readonly number[])[] | undefined>;
  /** Names of the models the server has; undefined where it did not answer. */
  list(deadlineMs: number): Promise<readonly string[] | undefined>;
}
