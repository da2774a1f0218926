/** What explorations may cost: tokens, time and money of one session and of one day. */
import type { Clock, MonoMs } from '../../core/clock.ts';
import { DAY_MS } from '../../core/duration.ts';

export interface ExploreCaps {
  readonly toolCallsPerSession: number;
  readonly tokensPerSession: number;
  readonly sessionMsMax: number;
  readonly sessionsPerDay: number;
  readonly tokensPerDay: number;
  /** Millionths of the currency; undefined: money is not counted. */
  readonly costMicrosPerDay: number | undefined;
}

export const EXPLORE_CAPS: ExploreCaps = {
  toolCallsPerSession: 15,
  tokensPerSession: 32_000,
  sessionMsMax: 120_000,
  sessionsPerDay: 20,
  tokensPerDay: 320_000,
  costMicrosPerDay: undefined,
};

/** A session that was held before this account was opened: before a restart. */
export interface HeldSession {
  readonly startedMs: MonoMs;
  readonly tokens: number;
  readonly costMicros: number;
}

interface Session {
  readonly startedMs: MonoMs;
  tokens: number;
  costMicros: number;
  toolCalls: number;
}

/** The account of all sessions of the last 24 hours. It never refuses what was begun, only what is to begin. */
export class ExploreBudget {
  readonly #caps: ExploreCaps;
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  readonly #costOf: (tokens: { prompt: number; reply: number }) => number;
  #sessions: Session[] = [];
  #costMicros = 0;

  constructor(
    caps: ExploreCaps,
    clock: Pick<Clock, 'monotonicMs'>,
    costOf: (tokens: { prompt: number; reply: number }) => number = () => 0,
    held: readonly HeldSession[] = [],
  ) {
    this.#caps = caps;
    this.#clock = clock;
    this.#costOf = costOf;
    this.#sessions = held.map((one) => ({ ...one, toolCalls: 0 }));
  }

  /** Of all sessions since the start. */
  get costMicros(): number {
    return this.#costMicros;
  }

  /** A new session, or why there is none. */
  begin(): SessionBudget | string {
    const nowMs = this.#clock.monotonicMs();
    this.#sessions = this.#sessions.filter(({ startedMs }) => nowMs - startedMs < DAY_MS);
    const { sessionsPerDay, costMicrosPerDay } = this.#caps;
    if (this.#sessions.length >= sessionsPerDay) return `${sessionsPerDay} sessions were held in 24 hours`;
    if (this.#tokensLeftToday() <= 0) return 'the tokens of 24 hours are spent';
    if (costMicrosPerDay !== undefined && this.#costToday() >= costMicrosPerDay)
      return 'the money of 24 hours is spent';
    const session: Session = { startedMs: nowMs, tokens: 0, costMicros: 0, toolCalls: 0 };
    this.#sessions.push(session);
    return {
      tokensLeft: () => Math.min(this.#caps.tokensPerSession - session.tokens, this.#tokensLeftToday()),
      msLeft: () => this.#caps.sessionMsMax - (this.#clock.monotonicMs() - session.startedMs),
      isAffordable: () => costMicrosPerDay === undefined || this.#costToday() < costMicrosPerDay,
      spend: (prompt, reply) => {
        const cost = this.#costOf({ prompt, reply });
        session.tokens += prompt + reply;
        session.costMicros += cost;
        this.#costMicros += cost;
      },
      takeCall: () => {
        session.toolCalls += 1;
        return session.toolCalls <= this.#caps.toolCallsPerSession;
      },
      toolCallsMax: this.#caps.toolCallsPerSession,
    };
  }

  #tokensLeftToday(): number {
    return this.#caps.tokensPerDay - this.#sessions.reduce((sum, { tokens }) => sum + tokens, 0);
  }

  #costToday(): number {
    return this.#sessions.reduce((sum, { costMicros }) => sum + costMicros, 0);
  }
}

/** What one session may still spend. */
export interface SessionBudget {
  tokensLeft(): number;
  msLeft(): number;
  isAffordable(): boolean;
  spend(promptTokens: number, replyTokens: number): void;
  /** False when all tool calls of the session were made. */
  takeCall(): boolean;
  readonly toolCallsMax: number;
}
