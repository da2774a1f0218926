/** Tells when a receiver that forgets is sent again what is open there. */
import type { MonoMs } from '../core/clock.ts';

/** When what is open is sent again. `everyMs` undefined: never, for the receiver keeps it. */
export class RefreshSchedule {
  readonly #everyMs: number | undefined;
  #dueMs: MonoMs;
  /** The last attempt was a refresh: in an outage a new message has the next turn. */
  #hadTurn = false;
  /** The last one was answered with a no: what is open there may have ended meanwhile. */
  #isRefused = false;

  constructor(everyMs: number | undefined, nowMs: MonoMs) {
    this.#everyMs = everyMs;
    this.#dueMs = nowMs;
  }

  get dueMs(): MonoMs {
    return this.#everyMs === undefined ? Number.POSITIVE_INFINITY : this.#dueMs;
  }

  isDue(nowMs: MonoMs): boolean {
    return this.dueMs <= nowMs;
  }

  /**
   * In an outage and in a storm there is always a new message to try. What is open must be sent again in time for all
   * that: the receiver may take messages of which only its answers are lost.
   */
  comesFirst(nowMs: MonoMs, isOutage: boolean): boolean {
    if (this.#everyMs === undefined || this.#hadTurn || !this.isDue(nowMs)) return false;
    return isOutage || nowMs - this.#dueMs >= this.#everyMs;
  }

  /** One begins; the next is due after its time. */
  begin(nowMs: MonoMs): void {
    this.#dueMs = nowMs + (this.#everyMs ?? 0);
  }

  noteSent(): void {
    this.#hadTurn = true;
  }

  noteMessage(): void {
    this.#hadTurn = false;
  }

  /** The receiver took something: what was to be sent again in an outage is sent once that is over. */
  noteTaken(nowMs: MonoMs, isAfterOutage: boolean): void {
    if (isAfterOutage || this.#isRefused) this.#dueMs = Math.min(this.#dueMs, nowMs);
    this.#isRefused = false;
  }

  noteRefused(): void {
    this.#isRefused = true;
  }

  putOff(untilMs: MonoMs): void {
    this.#dueMs = untilMs;
  }

  /** What is open may have run out at the receiver meanwhile. */
  noteSuspend(nowMs: MonoMs): void {
    this.#dueMs = Math.min(this.#dueMs, nowMs - (this.#everyMs ?? 0));
  }
}
