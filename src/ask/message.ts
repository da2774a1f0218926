/** What a conversation is made of: messages, answers, sessions. Plain data; nothing is hidden in it. */
import type { ModelRole } from '../core/model.ts';

export interface Message {
  readonly role: ModelRole;
  readonly content: string;
  /** A UUID. */
  readonly id: string;
  /** Seconds since 1970, with fractions. */
  readonly timestamp: number;
}

/** What an answer cost, as far as the backend says; counts are tokens, durations nanoseconds. */
export interface AnswerMetadata {
  readonly eval_count?: number;
  readonly prompt_eval_count?: number;
  readonly eval_duration?: number;
  readonly prompt_eval_duration?: number;
}

/** An answer as the reasoner gave it. */
export interface Response {
  readonly content: string;
  /** The model that answered, as its server names it. */
  readonly model_id: string;
  readonly id: string;
  readonly timestamp: number;
  readonly metadata: AnswerMetadata;
}

/** Prior user and assistant turns, oldest first: messages are only ever added. The system's text is never in it. */
export interface Session {
  /** A UUID, given once; the name of its file is something else. */
  readonly id: string;
  readonly created_at: number;
  readonly messages: Message[];
}

/** Time and ids of messages, given in so that a test decides both. */
export interface Stamp {
  /** Milliseconds since 1970. */
  now(): number;
  uuid(): string;
}

const MS_PER_SECOND = 1_000;

export const messageOf = (stamp: Stamp, role: ModelRole, content: string): Message => ({
  ...{ role, content, id: stamp.uuid(), timestamp: stamp.now() / MS_PER_SECOND },
});

/** An empty session. */
export const newSession = (stamp: Stamp): Session => ({
  ...{ id: stamp.uuid(), created_at: stamp.now() / MS_PER_SECOND, messages: [] },
});
