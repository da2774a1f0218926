/** Who answers: one call for a list of messages. It knows of no session, no tool and no gate. */
import { ReeveError, type ErrorCode } from '../core/errors.ts';
import type { Model, ModelFailure, ModelReply } from '../core/model.ts';
import type { AnswerMetadata, Message, Response, Stamp } from './message.ts';

/** To be extended by backends. */
export abstract class Reasoner {
  /** Throws MODEL_… when there is no answer. */
  abstract reason(messages: readonly Message[]): Promise<Response>;

  /** `onChunk` hears the text as it comes. A backend that cannot do so says it in one piece. */
  async streamReason(messages: readonly Message[], onChunk: (text: string) => void): Promise<Response> {
    const response = await this.reason(messages);
    onChunk(response.content);
    return response;
  }
}

export interface ModelReasonerOptions {
  /** What the server calls it; undefined: the adapter's own. */
  readonly model?: string | undefined;
  readonly deadlineMs: number;
  readonly tokensMax: number;
  readonly stamp: Stamp;
  /** Whoever asks has left: nothing more is to be spent. */
  readonly signal?: AbortSignal | undefined;
}

/** Any model behind the port of `core/model.ts`. */
export class ModelReasoner extends Reasoner {
  readonly #model: Model;
  readonly #options: ModelReasonerOptions;

  constructor(model: Model, options: ModelReasonerOptions) {
    super();
    this.#model = model;
    this.#options = options;
  }

  reason(messages: readonly Message[]): Promise<Response> {
    return this.#ask(messages, undefined);
  }

  override streamReason(messages: readonly Message[], onChunk: (text: string) => void): Promise<Response> {
    return this.#ask(messages, onChunk);
  }

  async #ask(messages: readonly Message[], onText: ((text: string) => void) | undefined): Promise<Response> {
    const { model, deadlineMs, tokensMax, stamp, signal } = this.#options;
    const answer = await this.#model.generate({
      messages: messages.map(({ role, content }) => ({ role, content })),
      ...{ tokensMax, deadlineMs, signal, purpose: 'ask' as const },
      ...(model !== undefined && { model }),
      ...(onText !== undefined && { onText }),
    });
    if (!answer.ok) throw new ReeveError(CODES[answer.failure] ?? 'MODEL_UNREACHABLE', answer.because);
    const { reply } = answer;
    const made = { id: stamp.uuid(), timestamp: stamp.now() / 1_000 };
    return { content: reply.text, model_id: reply.model, ...made, metadata: metadataOf(reply) };
  }
}

const CODES: Partial<Record<ModelFailure, ErrorCode>> = {
  deadline: 'TIMED_OUT',
  refused: 'MODEL_REFUSED',
  model_not_found: 'MODEL_REFUSED',
  redirected: 'MODEL_REFUSED',
  too_large: 'ANSWER_TOO_LARGE',
  invalid_response: 'MODEL_ANSWER_INVALID',
  breaker_open: 'BREAKER_OPEN',
};

const metadataOf = ({ promptTokens, replyTokens, promptNs, replyNs }: ModelReply): AnswerMetadata => ({
  eval_count: replyTokens,
  prompt_eval_count: promptTokens,
  ...(replyNs !== undefined && { eval_duration: replyNs }),
  ...(promptNs !== undefined && { prompt_eval_duration: promptNs }),
});
